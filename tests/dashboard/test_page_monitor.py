"""The page Monitor: what was asked, how it ended, how long it took; every chart also as text."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime

import recorded
from seen import KNOWN, UNKNOWN, says, table_with, text_of

from rag.models import PastError
from rag.record import Recorder, answer_data
from rag.report import Report


def test_an_empty_log_says_what_to_do(open_empty):
    test = open_empty("monitor")
    assert [title.value for title in test.title] == ["Monitor"]
    assert "Nothing happened yet" in text_of(test)


def test_requests_are_counted_by_outcome(open_page):
    metrics = {metric.label: metric for metric in open_page("monitor").metric}
    requests = int(metrics["Requests"].value)
    counted = [metrics[f"Share {outcome}"].delta.split(" of ") for outcome in ("answered", "unsure", "refused")]
    assert {int(of) for _, of in counted} == {requests} == {sum(int(count) for count, _ in counted)}
    assert int(counted[0][0]) >= 1
    assert int(counted[2][0]) >= 1


def beside(test):
    """Return what is counted beside the requests, by name."""
    said = next(one.value for one in test.caption if one.value.startswith("Also recorded: "))
    return dict(one.rsplit(" ", 1) for one in said.removeprefix("Also recorded: ").strip(".").split(", "))


def test_questions_without_a_good_answer_this_week_are_counted_and_led_to(open_page, library):
    test = open_page("monitor")
    (metric,) = [one for one in test.metric if one.label == "Unanswered"]
    inspect = open_page("inspector", since="7 days")
    assert f"asked {metric.value} time" in text_of(inspect)
    (link,) = [one for one in test.get("page_link") if one.proto.label == "The unanswered questions"]
    assert "part=Unanswered" in link.proto.query_string


def test_what_nobody_asked_to_see_is_not_computed(open_page, monkeypatch):
    asked: list[str] = []
    for name in ("slowest", "latency_over_time", "confidence_over_time", "feedback", "refusal_reasons", "stopped"):
        monkeypatch.setattr(Report, name, lambda *_, name=name, **__: asked.append(name))
    text_of(open_page("monitor"))
    assert asked == []


def test_talk_is_counted_beside_the_requests_and_in_no_share(open_page, library):
    def shown():
        test = open_page("monitor")
        metrics = {metric.label: f"{metric.value} {metric.delta}" for metric in test.metric}
        return {
            **metrics,
            "Talk": beside(test)["talk"],
            "Latency": next(one for one in test.caption if "(p50)" in one.value).value,
        }

    before = shown()
    for number in range(3):
        said = recorded.talk(900 + number)
        library.wiring.recorder.event("api", "answer_returned", request_id=said.request_id, data=answer_data(said))
    after = shown()
    assert int(after.pop("Talk")) == int(before.pop("Talk")) + 3
    assert after == before


def test_p50_and_p95_of_each_stage_stand_as_a_table_and_ingestion_is_timed_once_for_each_document(open_page, library):
    lines = (library.settings.data_dir / "logs" / "candor.jsonl").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line)["event"] for line in lines]
    documents = events.count("document_ingested") + events.count("document_replaced")
    assert documents >= 4
    assert "ingest_finished" in events
    test = open_page("monitor")
    assert re.search(r"A request took [\d.]+ m?s \(p50\), [\d.]+ m?s \(p95\)\.", text_of(test))
    table = table_with(test, "p95_ms").set_index("stage")
    assert (table["p95_ms"] >= 1).all()  # shorter ones are left out
    assert (table["p50_ms"] <= table["p95_ms"]).all()
    assert table.loc["ingest", "requests"] == documents
    assert f"Of ingest: {documents} documents, no requests." in text_of(test)


def test_the_slowest_requests_lead_to_inspect(open_page):
    test = open_page("monitor", more="Latency")
    slowest = next(one.value for one in test.dataframe if {"total_ms", "question"} <= {*one.value})
    assert slowest["total_ms"].is_monotonic_decreasing
    first = slowest.dropna(subset=["question"]).iloc[0]  # a question that was not recorded has another text
    assert f"{first['request_id']}: {first['question']}" in test.selectbox(key="open-slow").options


def test_stopped_questions_are_counted_by_themselves_and_lead_to_what_is_known_of_them(open_page, library):
    def counts():
        test = open_page("monitor")
        requests = next(metric.value for metric in test.metric if metric.label == "Requests")
        return {"Requests": int(requests), "Stopped": int(beside(test)["stopped"])}

    before = counts()
    query = library.pipeline.query(KNOWN)
    events = library.pipeline.stream(query)
    next(iter(events))
    events.close()
    assert counts() == {**before, "Stopped": before["Stopped"] + 1}
    test = open_page("monitor", more="Not answered")
    listed = test.selectbox(key="open-stopped").options
    assert listed[0].startswith(f"{query.request_id}: question not recorded, stopped 20")
    seen = text_of(open_page("inspector", request_id=query.request_id))
    assert re.search(r"It was stopped or left after [\d.]+ m?s, before it was answered", seen)
    assert "nan" not in seen


def test_a_judged_request_without_a_record_says_what_is_known_and_what_is_missing(open_page, library):
    unrecorded = replace(library.pipeline, recorder=Recorder(library.settings.data_dir, record_answers=False))
    answer = unrecorded.ask(unrecorded.query(KNOWN))
    for request_id in (answer.request_id, "req_20260101_000000000000"):
        library.wiring.recorder.feedback(request_id, "good")
    test = open_page("monitor", more="Feedback")
    listed = [one for one in test.selectbox(key="open-judged").options if "not recorded" in one]
    assert re.fullmatch(
        r"req_20260101_000000000000: question and outcome not recorded, judged good \S+ \S+ UTC", listed[0]
    )
    assert re.fullmatch(rf"{answer.request_id}: question not recorded, answered \S+ \S+ UTC", listed[1])
    slow = open_page("monitor", more="Latency").selectbox(key="open-slow").options
    everything = [*slow, *listed, text_of(test)]
    assert not [one for one in everything if re.search(r"\bnan\b", one, re.IGNORECASE)]
    seen = text_of(open_page("inspector", request_id=answer.request_id))
    assert "Only its log lines are kept. The question and the answer were not recorded" in seen
    assert "Outcome answered" in seen
    assert "Confidence 0." in seen
    for request_id in (answer.request_id, "req_20260101_000000000000"):
        library.wiring.recorder.feedback(request_id, "withdrawn")


def test_lines_that_could_not_be_kept_are_counted_on_the_page(open_page, monkeypatch):
    monkeypatch.setattr(Recorder, "lost_lines", property(lambda _: 3))
    titles = [one.proto.title for one in open_page("monitor").warning]
    assert "3 lines of the log and of answers could not be kept" in titles


def test_health_names_every_service_and_what_failed_last_of_those_that_work_again(open_page, library, monkeypatch):
    failed = PastError(message="The database is locked.", timestamp=datetime(2026, 1, 2, 12, tzinfo=UTC))
    monkeypatch.setitem(library._last_errors, "sessions", failed)
    test = open_page("monitor")
    says(text_of(test), "Vector store", "Embedding model", "Model server", "Database", "degraded")
    told = [str(one.value) for one in test.text]
    assert any("Model server (ollama): Ollama at http://127.0.0.1:9 does not answer" in one for one in told)
    assert [one for one in told if "failed last" in one] == [
        "Database failed last on 2026-01-02 12:00:00 UTC: The database is locked."
    ]  # the model server still fails


def test_thumbs_are_counted_by_the_last_one_and_without_those_that_were_taken_back(open_page, library):
    recorder = library.wiring.recorder
    ids = {one.question: one.request_id for one in recorder.requests()}
    for request_id in {one.request_id for one in recorder.requests()}:
        recorder.feedback(request_id, "withdrawn")  # what other tests thought of these answers
    for verdict in ("good", "bad"):
        recorder.feedback(ids[KNOWN], verdict, note="the page is wrong")
    test = open_page("monitor", more="Feedback")
    assert ":material/thumb_up: **0** good · :material/thumb_down: **1** bad" in text_of(test)
    listed = table_with(test, "note")
    assert listed[["verdict", "question"]].to_numpy().tolist() == [["bad", KNOWN], ["good", KNOWN]]
    assert test.selectbox(key="open-judged").options == [f"{ids[KNOWN]}: {KNOWN}"]
    recorder.feedback(ids[KNOWN], "withdrawn")
    assert "Nobody rated an answer in this time" in text_of(open_page("monitor", more="Feedback"))
    assert UNKNOWN in ids
