"""What the pipeline logs and records of a question."""

import json
from dataclasses import replace

import pytest
from questions import GLOVES, KNOWN, OFF_TOPIC, SURE, ask, log
from readers import knowing

from rag.record import Recorder
from rag.recording.logline import LOG_KEYS
from rag.report import Report


@pytest.mark.parametrize(("question", "outcome"), [(GLOVES, "answered"), (OFF_TOPIC, "refused")])
def test_each_request_has_a_line_per_stage_and_one_answer_returned(pipeline, question, outcome):
    options = SURE if outcome == "answered" else {}
    answer = ask(pipeline, question, **options)
    lines = log(pipeline)

    assert all(tuple(line) == LOG_KEYS and len(line) == 7 for line in lines)
    assert {line["request_id"] for line in lines} == {answer.request_id}
    assert all(line["data"]["processing_time_ms"] >= 0 for line in lines)
    returned = [line for line in lines if line["event"] == "answer_returned"]
    assert [line["data"]["outcome"] for line in returned] == [outcome]
    assert returned == lines[-1:]
    components = [line["component"] for line in lines]
    further = ["generation", "grounding"] if outcome == "answered" else []
    assert components == ["validation", "embedding", "retrieval", "retrieval", "gate", *further, "api"]
    assert question not in json.dumps(lines)


def test_the_monitor_knows_of_an_answer_that_is_not_recorded_all_that_its_tables_show(library, tmp_path):
    recorder = Recorder(tmp_path, record_answers=False)
    unrecorded = replace(library.pipeline, recorder=recorder, reader=knowing(KNOWN))
    ask(unrecorded, GLOVES, **SURE)
    refused = ask(unrecorded, OFF_TOPIC)
    recorder.close()
    report = Report(tmp_path)
    last, first = report.requests().to_dict("records")

    assert (first["outcome"], first["threshold"], first["estimator"]) == ("answered", 0.0, "calibrated")
    assert [*first["documents"]] == ["safety_manual.pdf"]
    assert (last["outcome"], last["refusal_stage"]) == ("refused", "gate")
    assert last["refusal_code"] == refused.refusal.code
    assert last["threshold"] == refused.gate.threshold
    assert report.top_documents()["document"].to_list() == ["safety_manual.pdf"]
    assert report.refusal_reasons()["refusal_code"].to_list() == [refused.refusal.code]


def test_the_answer_is_recorded_as_it_was_returned(pipeline):
    answer = ask(pipeline, GLOVES, **SURE)
    kept = pipeline.recorder.read_answer(answer.request_id)

    assert kept is not None
    assert kept.model_dump() == answer.model_dump()
    assert kept.draft is not None


def test_the_stages_take_no_longer_than_the_whole(pipeline):
    timings = ask(pipeline, GLOVES, **SURE).timings_ms.model_dump()
    total = timings.pop("total")

    assert {name for name, value in timings.items() if value is None} == {"prompt"}
    assert sum(value for value in timings.values() if value) <= total + 0.01
