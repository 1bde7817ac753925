"""What the pipeline logs and records of a question."""

from dataclasses import replace

from questions import GLOVES, KNOWN, OFF_TOPIC, SURE, ask
from readers import knowing

from rag.record import Recorder
from rag.report import Report


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
