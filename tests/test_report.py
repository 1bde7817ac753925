"""The tables of the dashboard, counted by hand from a few recorded lines, of a log that grows and is rotated."""

import json
import os
import re
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pandas as pd
import pytest
from at_once import at_once
from recorded import LOG_KEYS, NOON, answered, refused

from rag.errors import ConfigurationError
from rag.record import Recorder, answer_data
from rag.records import linetable
from rag.report import Report

TABLES = [
    "overview", "requests", "slowest", "outcomes", "stopped", "confidence_over_time", "latency_over_time", "latency",
    "refusal_reasons", "errors", "top_documents", "feedback", "runs",
]  # fmt: skip
AT_GATE = {"refusal_stage": "gate", "refusal_code": "NO_RELEVANT_CONTENT"}


def line(at: datetime, component: str, event: str, request_id: str = "r", **fields: object) -> str:
    time = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    content = dict(zip(LOG_KEYS, (time, request_id, "INFO", component, event, {}, None), strict=True))
    return json.dumps({**content, **fields}) + "\n"


def returned(at: datetime, request_id: str, outcome: str, ms: float, confidence: float, **data: object) -> str:
    facts = {"outcome": outcome, "processing_time_ms": ms, "confidence": confidence, "threshold": 0.5, **data}
    return line(at, "api", "answer_returned", request_id, data=facts)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three requests over two hours: answered (10 ms), answered (30 ms), refused (20 ms), and one error."""
    (tmp_path / "logs").mkdir()
    failed = {"error_code": "LLM_ERROR", "message": "refused"}
    lines = [
        line(NOON, "retrieval", "chunks_retrieved", "a", data={"processing_time_ms": 4.0}),
        returned(NOON, "a", "answered", 10.0, 0.9, documents=["m.pdf", "n.pdf"]),
        line(NOON + timedelta(minutes=61), "retrieval", "chunks_retrieved", "b", data={"processing_time_ms": 8.0}),
        returned(NOON + timedelta(minutes=61), "b", "answered", 30.0, 1.0, documents=["m.pdf"]),
        returned(NOON + timedelta(minutes=119), "c", "refused", 20.0, 0.31, **AT_GATE),
        line(NOON + timedelta(minutes=120), "generation", "model_failed", "d", level="ERROR", error=failed),
    ]
    (tmp_path / "logs" / "candor.jsonl").write_text("".join(lines))
    return tmp_path


@pytest.fixture
def report(folder: Path) -> Report:
    return Report(folder)


def test_overview_counts_requests_outcomes_and_errors_and_a_time_range_includes_its_beginning(report: Report) -> None:
    (row,) = report.overview().to_dict("records")
    assert row == {
        "requests": 3, "answered": 2, "unsure": 0, "refused": 1, "talk": 0, "rejected": 0, "stopped": 0,
        "answered_share": pytest.approx(2 / 3), "unsure_share": 0.0, "refused_share": pytest.approx(1 / 3),
        "p50_ms": 20.0, "p95_ms": pytest.approx(29.0),  # between 20 and 30, nine tenths of the way
        "log_lines": 6, "error_lines": 1,
    }  # fmt: skip
    hour = timedelta(minutes=61)
    assert report.overview(since=NOON)["requests"].item() == 3
    assert report.overview(since=NOON + hour)["requests"].item() == 2
    assert report.requests(since=NOON + hour)["request_id"].to_list() == ["c", "b"]
    tokyo = datetime.fromisoformat("2026-01-21T21:30:00+09:00")
    assert report.overview(since=tokyo)["requests"].item() == 2


def test_unsure_and_stopped_are_counted_apart_and_talk_in_no_rate_percentile_or_curve(folder: Path) -> None:
    stopped = {"outcome": "stopped", "processing_time_ms": 2500.0}
    with (folder / "logs" / "candor.jsonl").open("a") as log:
        log.write(returned(NOON, "u", "unsure", 40.0, 0.45, **AT_GATE))
        log.writelines(returned(NOON, f"hi{number}", "talk", 0.1, 0.0) for number in range(4))
        log.write(line(NOON, "api", "question_stopped", "s", data=stopped))
    report = Report(folder)
    (row,) = report.overview().to_dict("records")
    counted = ("requests", "answered", "unsure", "refused", "talk", "stopped")
    assert [row[name] for name in counted] == [4, 2, 1, 1, 4, 1]
    assert [row[name] for name in ("answered_share", "unsure_share", "refused_share")] == [0.5, 0.25, 0.25]
    assert (row["p50_ms"], report.latency()["requests"].to_list()[-1]) == (25.0, 4)
    over_time = report.outcomes()[["requests", "answered", "unsure", "refused", "stopped"]]
    assert over_time.sum().to_list() == [4, 2, 1, 1, 1]
    assert report.confidence_over_time()["requests"].sum() == 4
    assert report.refusal_reasons()[["outcome", "requests"]].to_numpy().tolist() == [["refused", 1], ["unsure", 1]]
    assert report.stopped()[["request_id", "total_ms"]].to_numpy().tolist() == [["s", 2500.0]]
    assert report.stopped(since=NOON + timedelta(hours=1)).empty


def test_latency_is_per_stage_with_the_total_last_and_every_stretch_of_time_counts_also_an_empty_one(report) -> None:
    frame = report.latency()
    assert frame["stage"].to_list() == ["retrieve", "total"]
    assert frame["requests"].to_list() == [2, 3]
    assert frame["p50_ms"].to_list() == [6.0, 20.0]
    assert frame["max_ms"].to_list() == [8.0, 30.0]
    assert report.slowest(limit=2)["request_id"].to_list() == ["b", "c"]
    over_time = report.latency_over_time()
    assert over_time.loc[over_time["stage"] == "retrieve", "p50_ms"].to_list() == [4.0, 8.0]
    outcomes = report.outcomes()
    assert outcomes["time"].to_list() == [pd.Timestamp(NOON) + pd.Timedelta(minutes=n) for n in range(121)]
    assert [outcomes.index[outcomes[name] == 1].to_list() for name in ("answered", "refused")] == [[0, 61], [119]]
    assert report.confidence_over_time()["p50"].dropna().to_list() == [0.9, 1.0, pytest.approx(0.31)]


def test_refusals_errors_and_documents_are_counted_and_a_rejected_question_is_no_error(folder: Path) -> None:
    short = {"level": "WARNING", "error": {"error_code": "QUERY_TOO_SHORT", "message": "too short"}}
    with (folder / "logs" / "candor.jsonl").open("a") as log:
        for component, event in (("api", "query_rejected"), ("api", "request_failed")):
            log.write(line(NOON + timedelta(minutes=121), component, event, "e", **short))
    report = Report(folder)
    (row,) = report.overview().to_dict("records")
    assert (row["rejected"], row["requests"], row["error_lines"]) == (1, 3, 1)
    found = report.errors()
    assert found[["level", "event", "lines", "requests"]].to_numpy().tolist() == [
        ["ERROR", "model_failed", 1, 1],
        ["WARNING", "query_rejected", 1, 1],
        ["WARNING", "request_failed", 1, 1],
    ]
    told = ["LLM_ERROR", "generation", "d", "refused"]
    assert found.loc[0, ["error_code", "component", "last_request_id", "last_message"]].to_list() == told
    reasons = report.refusal_reasons().to_numpy().tolist()
    assert reasons == [["refused", "gate", "NO_RELEVANT_CONTENT", 1, 1.0]]
    assert report.top_documents()[["document", "share"]].to_numpy().tolist() == [["m.pdf", 1.0], ["n.pdf", 0.5]]


def test_events_of_a_request_stand_in_the_order_written_over_rotated_files(folder: Path) -> None:
    log = folder / "logs" / "candor.jsonl"
    log.rename(folder / "logs" / "candor.jsonl.1")
    torn = line(NOON, "gate", "torn", "a")[:-20] + "\n"
    log.write_text(torn + line(NOON, "gate", "late", "a", data={"note": 'has "request_id":"a", inside'}))
    frame = Report(folder).request_events("a")
    assert frame["event"].to_list() == ["chunks_retrieved", "answer_returned", "late"]
    assert frame["processing_time_ms"].to_list()[:2] == [4.0, 10.0]
    assert json.loads(frame["data"].iloc[1])["outcome"] == "answered"
    assert frame["timestamp"].dt.tz is not None


@pytest.mark.parametrize("unreadable", ["logs/candor.jsonl.1", "requests/2026-01-21.jsonl"])
def test_records_that_cannot_be_read_are_told_and_not_left_out(folder: Path, unreadable: str) -> None:
    report = Report(folder)
    assert report.overview()["requests"].item() == 3
    (folder / unreadable).mkdir(parents=True)  # no user can read a folder as a file
    of_log = [partial(report.request_events, "a")] if "logs" in unreadable else []
    for read in (report.overview, report.unread, *of_log):
        with pytest.raises(ConfigurationError, match=re.escape(unreadable)):
            read()
    (folder / unreadable).rmdir()
    assert report.overview()["requests"].item() == 3


@pytest.fixture
def recorded(tmp_path: Path) -> Report:
    """Two recorded answers, one refusal, and one request that only the log knows."""
    recorder = Recorder(tmp_path)
    for number, answer in enumerate([answered(1), answered(2, similarities=(0.6, 0.6, 0.6)), refused(3)]):
        moved = answer.model_copy(update={"timestamp": NOON + timedelta(minutes=number)})
        recorder.answer(moved)
        recorder.event("api", "answer_returned", request_id=moved.request_id, data=answer_data(moved))
    recorder.event("api", "answer_returned", request_id="only-logged", data={"outcome": "refused", "confidence": 0.1})
    recorder.feedback(answered(1).request_id, "good")
    recorder.feedback(answered(1).request_id, "bad", note="wrong page", by="ada", reason="incomplete")
    return Report(tmp_path)


def test_requests_join_answers_log_and_latest_verdict_and_are_filtered_by_all_that_is_asked(recorded: Report) -> None:
    frame = recorded.requests()
    assert frame["question"].fillna("-").to_list() == ["-", *(f"Which gloves – number {n}?" for n in (3, 2, 1))]
    assert frame["recorded"].to_list() == [False, True, True, True]
    assert frame["verdict"].fillna("-").to_list() == ["-", "-", "-", "bad"]
    told = ["wrong page", "incomplete", "ada", "Which gloves – number 1?"]
    assert recorded.feedback().loc[0, ["note", "reason", "by", "question"]].to_list() == told
    for filters, ids in (
        ({"outcome": "answered"}, "21"),
        ({"outcome": "unsure"}, ""),
        ({"document": "manual.pdf"}, "21"),
        ({"document": "other.pdf"}, ""),
        ({"min_confidence": 0.5, "max_confidence": 0.65}, "2"),
        ({"text": "NUMBER 3"}, "3"),
        ({"text": "only-log"}, "d"),
        ({"limit": 1}, "d"),
        ({"text": "'; DROP TABLE log; --"}, ""),
    ):
        assert "".join(name[-1] for name in recorded.requests(**filters)["request_id"]) == ids, filters


@pytest.mark.parametrize("exists", [True, False])
def test_empty_folder_gives_the_columns_and_types_of_a_full_one(tmp_path: Path, folder: Path, exists: bool) -> None:
    empty, full = Report(tmp_path / ("empty" if exists else "missing")), Report(folder)
    if exists:
        (tmp_path / "empty" / "logs").mkdir(parents=True)
        (tmp_path / "empty" / "logs" / "candor.jsonl").touch()
    for name in TABLES:
        nothing, something = getattr(empty, name)(), getattr(full, name)()
        assert nothing.dtypes.to_dict() == something.dtypes.to_dict(), name
        assert len(nothing) in (0, 1, 20), name
    assert empty.request_events("a").dtypes.to_dict().keys() == full.request_events("a").dtypes.to_dict().keys()


def test_added_lines_are_read_once_torn_ones_are_left_out_and_one_being_written_waits_for_its_end(folder: Path) -> None:
    report, whole = Report(folder), returned(NOON, "z", "refused", 1.0, 0.2)
    counts = []
    with (folder / "logs" / "candor.jsonl").open("a", buffering=1) as file:
        for part in ('{"timestamp": "2026-01-\n[]\nnot json\n', whole[:50], whole[50:], ""):
            file.write(part)
            file.flush()
            counts.append(report.overview()["log_lines"].item())
    assert counts == [6, 6, 7, 7]


def test_threads_share_one_report_while_lines_are_written(tmp_path: Path) -> None:
    recorder, report = Recorder(tmp_path), Report(tmp_path)

    def read() -> None:
        seen = 0
        for _ in range(10):
            lines = int(report.overview()["log_lines"].item())
            assert lines >= seen
            seen = lines
            report.requests()

    def write(thread: int) -> None:
        for number in range(200):
            recorder.event("api", "answer_returned", request_id=f"{thread}-{number}", data={"outcome": "answered"})

    at_once(*[read] * 4, *(partial(write, n) for n in range(2)))
    assert report.overview()["requests"].item() == 400


def lines(count: int, *, first: int = 0) -> str:
    """Lines of one request each, a second apart."""
    numbers = range(first, first + count)
    return "".join(returned(NOON + timedelta(seconds=n), f"r{n}", "answered", 1.0, 0.5) for n in numbers)


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log of 200 lines, which was rotated, and of 7 later ones; a piece of 2,000 bytes is read at a time."""
    monkeypatch.setattr(linetable, "PIECE_BYTES", 2_000)
    (tmp_path / "logs").mkdir()
    path = tmp_path / "logs" / "candor.jsonl"
    path.with_name("candor.jsonl.1").write_text(lines(200))
    path.write_text(lines(7, first=200))
    return path


def requests(log: Path) -> int:
    """Return how many requests another process counts."""
    return int(Report(log.parent.parent).overview()["requests"].item())


def test_a_log_keeps_its_rows_when_it_is_rotated_and_loses_those_of_a_file_that_is_gone(log: Path) -> None:
    report = Report(log.parent.parent)
    report.read()
    log.with_name("candor.jsonl.1").rename(f"{log}.2")
    log.rename(f"{log}.1")
    log.write_text(lines(3, first=207))
    assert report.unread() == len(lines(3, first=207))
    assert report.overview()["requests"].item() == requests(log) == 210
    log.with_name("candor.jsonl.2").unlink()
    assert report.overview()["requests"].item() == 10


@pytest.mark.parametrize("name", ["candor.jsonl", "candor.jsonl.1"])
def test_log_that_was_cut_off_loses_the_rows_that_are_gone(log: Path, name: str) -> None:
    report = Report(log.parent.parent)
    report.read()
    whole = log.with_name(name).read_text().splitlines(keepends=True)
    os.truncate(log.with_name(name), len("".join(whole[:5])))
    assert report.overview()["requests"].item() == requests(log) == 207 - (len(whole) - 5)
