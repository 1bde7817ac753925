"""The page Monitor: what was asked, how it ended, how long it took; every chart also as text."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import recorded
from seen import KNOWN, ended, says, table_with, text_of

from dashboard import jobs
from rag.models import PastError
from rag.record import Recorder, answer_data
from rag.report import Report


def test_the_first_screen_counts_outcomes_times_every_stage_names_every_service_and_computes_no_more(
    open_page, library, monkeypatch
):
    for name in ("slowest", "latency_over_time", "confidence_over_time", "feedback", "refusal_reasons", "stopped"):
        monkeypatch.setattr(Report, name, None)  # what nobody asked to see
    monkeypatch.setattr(Recorder, "lost_lines", property(lambda _: 3))
    failed = PastError(message="The database is locked.", timestamp=datetime(2026, 1, 2, 12, tzinfo=UTC))
    monkeypatch.setitem(library._last_errors, "sessions", failed)
    lines = (library.settings.data_dir / "logs" / "candor.jsonl").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line)["event"] for line in lines]
    documents = events.count("document_ingested") + events.count("document_replaced")
    test = open_page("monitor")
    said, metrics = text_of(test), {metric.label: metric for metric in test.metric}
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
    (told,) = [str(one.value) for one in test.text]
    says(told, "Model server (ollama): Ollama at http://127.0.0.1:9 does not answer",
         "Database failed last on 2026-01-02 12:00:00 UTC: The database is locked.")  # fmt: skip
    assert f"asked {metrics['Unanswered'].value} time" in text_of(open_page("inspector", since="7 days"))
    (link,) = [one for one in test.get("page_link") if one.proto.label == "The unanswered questions"]
    assert "part=Unanswered" in link.proto.query_string


def test_a_question_that_was_stopped_is_listed_and_opened_as_what_is_known_of_it(open_page, library):
    query = library.pipeline.query(KNOWN)
    events = library.pipeline.stream(query)
    next(iter(events))
    events.close()
    listed = open_page("monitor", more="Not answered").selectbox(key="open-stopped").options
    assert listed[0].startswith(f"{query.request_id}: question not recorded, stopped 20")
    seen = text_of(open_page("inspector", request_id=query.request_id))
    assert re.search(r"It was stopped or left after [\d.]+ m?s, before it was answered", seen)


def test_a_time_range_leaves_out_what_was_before_it_and_refresh_brings_what_is_new(open_page, library):
    def requests(test):
        return next(int(one.value) for one in test.metric if one.label == "Requests")

    at = f"{datetime.now(UTC) - timedelta(days=10):%Y-%m-%dT%H:%M:%S}.000Z"
    old = (at, "req_old", "INFO", "api", "answer_returned", {"outcome": "answered"}, None)
    with library.wiring.recorder.log_path.open("a") as log:
        log.write(json.dumps(dict(zip(recorded.LOG_KEYS, old, strict=True))) + "\n")
    test = open_page("monitor", period="1 hour")
    before = requests(test)
    assert before < requests(open_page("monitor"))
    library.ask(KNOWN)
    next(one for one in test.button if one.label == "Refresh").click().run()
    assert requests(test) == before + 1


def test_thumbs_are_counted_by_the_last_one_and_a_request_without_a_record_says_what_is_missing(open_page, library):
    recorder, nowhere = library.wiring.recorder, "req_20260101_000000000000"
    known = next(one.request_id for one in recorder.requests() if one.question == KNOWN)
    for request_id in {one.request_id for one in recorder.requests()}:
        recorder.feedback(request_id, "withdrawn")  # what other tests thought of these answers
    for verdict in ("good", "bad"):
        recorder.feedback(known, verdict, note="the page is wrong")
    test = open_page("monitor", more="Feedback")
    assert ":material/thumb_up: **0** good · :material/thumb_down: **1** bad" in text_of(test)
    assert test.selectbox(key="open-judged").options == [f"{known}: {KNOWN}"]
    recorder.feedback(known, "withdrawn")

    unrecorded = replace(library.pipeline, recorder=Recorder(library.settings.data_dir, record_answers=False))
    answer = unrecorded.ask(unrecorded.query(KNOWN))
    for request_id in (answer.request_id, nowhere):
        recorder.feedback(request_id, "good")
    test = open_page("monitor", more="Feedback")
    listed = [one for one in test.selectbox(key="open-judged").options if "not recorded" in one]
    assert re.fullmatch(rf"{nowhere}: question and outcome not recorded, judged good \S+ \S+ UTC", listed[0])
    assert re.fullmatch(rf"{answer.request_id}: question not recorded, answered \S+ \S+ UTC", listed[1])
    latency = open_page("monitor", more="Latency")
    slowest = next(one.value for one in latency.dataframe if {"total_ms", "question"} <= {*one.value})
    assert slowest["total_ms"].is_monotonic_decreasing
    slow = latency.selectbox(key="open-slow").options
    assert not re.search(r"\bnan\b", " ".join([*slow, *listed, text_of(test)]), re.IGNORECASE)
    says(text_of(open_page("inspector", request_id=answer.request_id)), "Outcome answered", "Confidence 0.",
         "Only its log lines are kept. The question and the answer were not recorded")  # fmt: skip
    for request_id in (answer.request_id, nowhere):
        recorder.feedback(request_id, "withdrawn")


def test_a_long_log_is_read_in_the_background_and_then_drawn(open_empty, tmp_path, monkeypatch):
    log = Recorder(tmp_path)
    for number in range(70):
        data = answer_data(recorded.answered(number) if number % 7 else recorded.refused(number))
        log.event("api", "answer_returned", request_id=f"req_{number}", data=data)
    log.close()
    monkeypatch.setattr(jobs, "AT_ONCE_BYTES", 1_000)
    test = open_empty("monitor")
    assert "This happens once" in text_of(test)
    ended(jobs.RECORDS)
    metrics = {metric.label: (metric.value, metric.delta) for metric in test.run().metric}
    assert metrics["Requests"][0] == "70"
    assert metrics["Share answered"][1] == "60 of 70"
    assert "log lines 70." in text_of(test)
