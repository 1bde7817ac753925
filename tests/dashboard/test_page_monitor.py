"""The page Monitor: what was asked, how it ended, how long it took; every chart also as text."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import recorded
from log_lines import make_folder, percentile_error
from seen import KNOWN, ended, says, table_with, text_of

from dashboard import jobs
from rag.models import PastError
from rag.record import Recorder, answer_data
from rag.report import Report


def beside(test):
    """Return what is counted beside the requests, by name."""
    said = next(one.value for one in test.caption if one.value.startswith("Also recorded: "))
    return dict(one.rsplit(" ", 1) for one in said.removeprefix("Also recorded: ").strip(".").split(", "))


def test_the_first_screen_counts_outcomes_times_every_stage_names_every_service_and_computes_no_more(
    open_page, library, monkeypatch
):
    asked: list[str] = []
    for name in ("slowest", "latency_over_time", "confidence_over_time", "feedback", "refusal_reasons", "stopped"):
        monkeypatch.setattr(Report, name, lambda *_, name=name, **__: asked.append(name))
    monkeypatch.setattr(Recorder, "lost_lines", property(lambda _: 3))
    failed = PastError(message="The database is locked.", timestamp=datetime(2026, 1, 2, 12, tzinfo=UTC))
    monkeypatch.setitem(library._last_errors, "sessions", failed)
    lines = (library.settings.data_dir / "logs" / "candor.jsonl").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line)["event"] for line in lines]
    documents = events.count("document_ingested") + events.count("document_replaced")
    test = open_page("monitor")
    said, metrics = text_of(test), {metric.label: metric for metric in test.metric}
    assert asked == []  # what nobody asked to see
    counted = [metrics[f"Share {outcome}"].delta.split(" of ") for outcome in ("answered", "unsure", "refused")]
    requests = int(metrics["Requests"].value)
    assert {int(of) for _, of in counted} == {requests} == {sum(int(count) for count, _ in counted)}
    assert min(int(counted[0][0]), int(counted[2][0])) >= 1
    assert re.search(r"A request took [\d.]+ m?s \(p50\), [\d.]+ m?s \(p95\)\.", said)
    table = table_with(test, "p95_ms").set_index("stage")
    assert (table["p95_ms"] >= 1).all()  # shorter ones are left out
    assert (table["p50_ms"] <= table["p95_ms"]).all()
    assert table.loc["ingest", "requests"] == documents >= 4  # once for each document
    says(said, f"Of ingest: {documents} documents, no requests.", "Vector store", "Embedding model", "Model server",
         "Database", "degraded")  # fmt: skip
    assert "3 lines of the log and of answers could not be kept" in [one.proto.title for one in test.warning]
    told = [str(one.value) for one in test.text]
    assert any("Model server (ollama): Ollama at http://127.0.0.1:9 does not answer" in one for one in told)
    assert [one for one in told if "failed last" in one] == [
        "Database failed last on 2026-01-02 12:00:00 UTC: The database is locked."
    ]  # the model server still fails
    assert f"asked {metrics['Unanswered'].value} time" in text_of(open_page("inspector", since="7 days"))
    (link,) = [one for one in test.get("page_link") if one.proto.label == "The unanswered questions"]
    assert "part=Unanswered" in link.proto.query_string


def test_talk_and_what_was_stopped_are_counted_beside_the_requests_and_in_no_share(open_page, library):
    def shown():
        test = open_page("monitor")
        took = next(one for one in test.caption if "(p50)" in one.value).value
        return [f"{one.label} {one.value} {one.delta}" for one in test.metric], took, beside(test)

    *before, also_before = shown()
    for number in range(3):
        said = recorded.talk(900 + number)
        library.wiring.recorder.event("api", "answer_returned", request_id=said.request_id, data=answer_data(said))
    query = library.pipeline.query(KNOWN)
    events = library.pipeline.stream(query)
    next(iter(events))
    events.close()
    *after, also = shown()
    assert after == before
    assert (int(also["talk"]), int(also["stopped"])) == (int(also_before["talk"]) + 3, int(also_before["stopped"]) + 1)
    listed = open_page("monitor", more="Not answered").selectbox(key="open-stopped").options
    assert listed[0].startswith(f"{query.request_id}: question not recorded, stopped 20")
    seen = text_of(open_page("inspector", request_id=query.request_id))
    assert re.search(r"It was stopped or left after [\d.]+ m?s, before it was answered", seen)
    assert "nan" not in seen


def test_a_time_range_leaves_out_what_was_before_it_and_refresh_brings_what_is_new(open_page, library):
    log = library.settings.data_dir / "logs" / "candor.jsonl"
    old = {"timestamp": f"{datetime.now(UTC) - timedelta(days=10):%Y-%m-%dT%H:%M:%S}.000Z", "request_id": "req_old",
           "level": "ERROR", "component": "retrieval", "event": "retrieval_failed", "data": {},
           "error": {"error_code": "VECTOR_DB_ERROR", "type": "StoreUnavailable", "message": "No answer.",
                     "details": {}}}  # fmt: skip
    with log.open("a", encoding="utf-8") as opened:
        opened.write(json.dumps(old) + "\n")

    def errors(test):
        return next(int(one.value.removeprefix("Errors: ")) for one in test.subheader if "Errors" in one.value)

    everything = errors(open_page("monitor"))
    test = open_page("monitor", period="1 hour")
    assert errors(test) < everything
    requests = next(int(one.value) for one in test.metric if one.label == "Requests")
    library.ask(KNOWN)
    next(one for one in test.button if one.label == "Refresh").click().run()
    assert next(int(one.value) for one in test.metric if one.label == "Requests") == requests + 1


def test_the_slowest_requests_lead_to_inspect(open_page):
    test = open_page("monitor", more="Latency")
    slowest = next(one.value for one in test.dataframe if {"total_ms", "question"} <= {*one.value})
    assert slowest["total_ms"].is_monotonic_decreasing
    first = slowest.dropna(subset=["question"]).iloc[0]  # a question that was not recorded has another text
    assert f"{first['request_id']}: {first['question']}" in test.selectbox(key="open-slow").options


def test_thumbs_are_counted_by_the_last_one_and_a_request_without_a_record_says_what_is_missing(open_page, library):
    recorder, nowhere = library.wiring.recorder, "req_20260101_000000000000"
    known = next(one.request_id for one in recorder.requests() if one.question == KNOWN)
    for request_id in {one.request_id for one in recorder.requests()}:
        recorder.feedback(request_id, "withdrawn")  # what other tests thought of these answers
    for verdict in ("good", "bad"):
        recorder.feedback(known, verdict, note="the page is wrong")
    test = open_page("monitor", more="Feedback")
    assert ":material/thumb_up: **0** good · :material/thumb_down: **1** bad" in text_of(test)
    assert table_with(test, "note")[["verdict", "question"]].to_numpy().tolist() == [["bad", KNOWN], ["good", KNOWN]]
    assert test.selectbox(key="open-judged").options == [f"{known}: {KNOWN}"]
    recorder.feedback(known, "withdrawn")
    assert "Nobody rated an answer in this time" in text_of(open_page("monitor", more="Feedback"))

    unrecorded = replace(library.pipeline, recorder=Recorder(library.settings.data_dir, record_answers=False))
    answer = unrecorded.ask(unrecorded.query(KNOWN))
    for request_id in (answer.request_id, nowhere):
        recorder.feedback(request_id, "good")
    test = open_page("monitor", more="Feedback")
    listed = [one for one in test.selectbox(key="open-judged").options if "not recorded" in one]
    assert re.fullmatch(rf"{nowhere}: question and outcome not recorded, judged good \S+ \S+ UTC", listed[0])
    assert re.fullmatch(rf"{answer.request_id}: question not recorded, answered \S+ \S+ UTC", listed[1])
    slow = open_page("monitor", more="Latency").selectbox(key="open-slow").options
    assert not re.search(r"\bnan\b", " ".join([*slow, *listed, text_of(test)]), re.IGNORECASE)
    says(text_of(open_page("inspector", request_id=answer.request_id)), "Outcome answered", "Confidence 0.",
         "Only its log lines are kept. The question and the answer were not recorded")  # fmt: skip
    for request_id in (answer.request_id, nowhere):
        recorder.feedback(request_id, "withdrawn")


def test_a_long_log_is_read_in_the_background_and_then_drawn(open_empty, tmp_path, monkeypatch):
    made = make_folder(tmp_path, lines=700, recorded=10)
    monkeypatch.setattr(jobs, "AT_ONCE_BYTES", 1_000)
    test = open_empty("monitor")
    assert "This happens once" in text_of(test)
    ended(jobs.RECORDS)
    metrics = {metric.label: (metric.value, metric.delta) for metric in test.run().metric}
    assert metrics["Requests"][0] == f"{made.requests}"
    assert metrics["Share answered"][1] == f"{made.answered:,} of {made.requests:,}"
    assert f"log lines {made.lines:,}." in text_of(test)


def test_percentiles_are_exact_but_for_the_rounding_of_a_float(tmp_path):
    made = make_folder(tmp_path, lines=7_000, recorded=0)
    assert percentile_error(Report(tmp_path), made) < 2**-23
