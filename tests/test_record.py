"""What is recorded: seed 000's log line, whole answers, feedback."""

import json
import logging
import os
import re
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from at_once import at_once
from recorded import LOG_KEYS, NOON, answered, refused, talk, unsure

from rag.errors import InvalidQuery, ServiceUnavailable, StoreUnavailable
from rag.record import Recorder
from rag.records.answerfiles import Judgement, answer_line, parse_answer


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    return Recorder(tmp_path)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def whole(recorder: Recorder) -> list[str]:
    """Return the ids of the whole answers that are kept, the oldest first."""
    paths = sorted((recorder.data_dir / "answers").glob("*.jsonl"))
    return [str(line["request_id"]) for path in paths for line in lines(path)]


def test_log_line_has_exactly_the_seven_keys_of_the_seed_in_its_order_and_an_error_its_code_and_details(recorder):
    error = StoreUnavailable("Qdrant does not answer.", details={"url": "http://127.0.0.1:6333"})
    recorder.event("retrieval", "chunks_retrieved", request_id="req_20260121_abc123", data={"processing_time_ms": 3.5})
    recorder.event("retrieval", "store_failed", request_id="r", error=error)
    recorder.event("generation", "model_failed", request_id="r", level="WARNING", error=error)
    recorder.event("api", "bug", request_id="r", error=KeyError("x"))
    assert recorder.log_path == recorder.data_dir / "logs" / "candor.jsonl"
    line, first, second, third = lines(recorder.log_path)
    assert tuple(line) == LOG_KEYS
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", str(line.pop("timestamp")))
    took = {"processing_time_ms": 3.5}
    assert [*line.values()] == ["req_20260121_abc123", "INFO", "retrieval", "chunks_retrieved", took, None]
    assert (first["level"], second["level"], third["level"]) == ("ERROR", "WARNING", "ERROR")
    assert first["error"] == {
        "error_code": "VECTOR_DB_ERROR",
        "type": "StoreUnavailable",
        "message": "Qdrant does not answer.",
        "details": {"url": "http://127.0.0.1:6333"},
    }
    assert third["error"] == {"error_code": "INTERNAL_ERROR", "type": "KeyError", "message": "'x'", "details": {}}


def test_lines_of_eight_threads_arrive_whole_at_whoever_reads_a_pipe(recorder: Recorder) -> None:
    source, sink = os.pipe()
    with os.fdopen(source, "rb") as reading, os.fdopen(sink, "wb", buffering=0) as writing:
        recorder.repeat_log(writing)

        def speak(number: int) -> None:
            for each in range(10):
                data = {"text": str(number) * 20_000}  # more than a pipe takes at once: a line is written in parts
                recorder.event("api", "spoken", request_id=f"{number}-{each}", data=data)

        printed: list[bytes] = []
        at_once(*(partial(speak, n) for n in range(8)), lambda: printed.extend(reading.readline() for _ in range(80)))
        assert sorted(printed) == sorted(recorder.log_path.read_bytes().splitlines(keepends=True))
        reading.close()  # whoever stops reading costs none of the file
        recorder.event("api", "spoken", request_id="r")
    assert len(lines(recorder.log_path)) == 81
    assert recorder.lost_lines == 0


def test_texts_of_people_stay_out_of_the_log_unless_asked_for(tmp_path: Path) -> None:
    data = {"question": "secret?", "context": "my secret text", "top_k": 5}
    error = InvalidQuery(
        "The question \"what's 'secret'\" is too long. Shorten it.", details={"value": "secret", "limit": 3}
    )
    silent, open_ = Recorder(tmp_path / "silent"), Recorder(tmp_path / "open", log_questions=True)
    for recorder in (silent, open_):
        recorder.event("validation", "query_refused", request_id="r", data=data, error=error)
    (told,), (full,) = lines(silent.log_path), lines(open_.log_path)
    assert told["data"] == {"question_length": 7, "context_length": 14, "top_k": 5}
    assert told["error"]["message"] == "The question '...' is too long. Shorten it."
    assert told["error"]["details"] == {"limit": 3}
    assert "secret" not in silent.log_path.read_text()
    assert full["data"] == data


def test_values_that_json_does_not_know_are_written_and_what_cannot_be_is_counted(recorder: Recorder) -> None:
    class Broken:
        def __str__(self) -> str:
            raise RuntimeError("no text")

    odd = {"path": recorder.data_dir, "nan": float("nan"), "half": "\ud800", "bytes": b"\xff", "line": "a\nb\u2028c"}
    recorder.event("ingest", "odd", request_id="r", data=odd)
    recorder.event("api", "broken", request_id="r", data={"value": Broken()})
    (line,) = lines(recorder.log_path)[:1]
    assert (line["data"]["path"], line["data"]["nan"]) == (str(recorder.data_dir), None)
    assert recorder.log_path.read_bytes().count(b"\n") == 1
    assert recorder.lost_lines == 1


def test_unwritable_data_folder_never_fails_a_request(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "data").write_text("a file where the folder should be")
    recorder = Recorder(tmp_path / "data")
    with caplog.at_level(logging.WARNING, logger="candor.record"):
        recorder.event("api", "one", request_id="r")
        recorder.answer(answered())
        recorder.event("api", "two", request_id="r")
    assert len(caplog.records) == 3, "one warning for the log, the answers and the short lines each"
    with pytest.raises(ServiceUnavailable, match="'req_1' could not be written"):
        Recorder(tmp_path / "data").feedback("req_1", "good")
    (tmp_path / "data").unlink()
    recorder.event("api", "three", request_id="r")
    assert [line["event"] for line in lines(recorder.log_path)] == ["one", "two", "three"]
    recorder.close()
    assert recorder.read_answer(answered().request_id) == answered()


def test_every_kind_of_answer_comes_back_equal_with_prompt_and_draft(recorder: Recorder) -> None:
    of_list = refused(5).model_copy(update={"asks_for_list": True})
    for answer in (answered(1), refused(2), unsure(3), talk(4), of_list):
        recorder.answer(answer)
        assert recorder.read_answer(answer.request_id) == answer
    assert "asks_for_list" not in of_list.model_dump()  # recorded, not returned
    assert {one.decision for one in recorder.requests()} == {"answered", "refused", "unsure", "talk"}


def test_request_id_of_a_client_is_taken_once_kept_the_newest_wins_and_it_is_free_when_forgotten(recorder) -> None:
    own = 'my "own" id'
    assert not recorder.has_answer(own)
    for number in (1, 2):  # the first day's short line is lost, as where the process died before writing that
        recorder.answer(answered(number, request_id=own, at=NOON + timedelta(days=number)))
    min((recorder.data_dir / "requests").glob("*.jsonl")).write_bytes(b"")
    assert recorder.read_answer(own).query.question == "Which gloves – number 2?"
    assert (recorder.has_answer(own), recorder.has_answer('my "own"')) == (True, False)
    assert recorder.read_answer('my "own"') is None
    recorder.forget({own})
    assert not recorder.has_answer(own)
    assert whole(recorder) == []


def test_requests_come_newest_first_over_days(recorder: Recorder) -> None:
    for number in range(6):
        recorder.answer(answered(number, at=NOON + timedelta(days=number // 2, minutes=number)))

    def numbers(**narrowed: Any) -> str:
        return "".join(request.question[-2] for request in recorder.requests(**narrowed))

    assert numbers() == "543210"
    assert numbers(limit=2) == "54"
    assert numbers(since=NOON + timedelta(days=1, minutes=3)) == "543"


def test_torn_and_foreign_lines_are_left_out_and_fields_of_another_version(recorder: Recorder) -> None:
    recorder.answer(answered(1))
    path = next((recorder.data_dir / "requests").iterdir())
    line = path.read_bytes()
    path.write_bytes(line[:99] + b"\n" + b'{"request_id":"req_x"}\n' + b"\xff\xfe\n" + b"[]\n" + line + line[:99])
    assert [request.request_id for request in recorder.requests()] == [answered(1).request_id]
    assert [parse_answer(torn) for torn in (b'{"request_id":"req_x"}', b"\xff\xfe", b"[]", line[:99])] == [None] * 4
    other = json.loads(answer_line(answered()))
    other["of_tomorrow"] = other["query"]["of_tomorrow"] = other["retrieved"][1]["colour"] = {"deep": True}
    assert parse_answer(json.dumps(other).encode()) == answered()


@pytest.mark.parametrize(
    ("unreadable", "read"),
    [
        ("answers/2026-01-21.jsonl", lambda recorder: recorder.read_answer("req_1")),
        ("requests/2026-01-21.jsonl", lambda recorder: recorder.has_answer("req_1")),
        ("requests/2026-01-21.jsonl", lambda recorder: [*recorder.requests()]),
        ("feedback.jsonl", lambda recorder: recorder.verdict("req_1")),
    ],
)
def test_records_that_cannot_be_read_are_told_and_not_taken_for_none(recorder, unreadable, read):
    assert not read(recorder)
    (recorder.data_dir / unreadable).mkdir(parents=True)  # no user can read a folder as a file
    with pytest.raises(ServiceUnavailable, match=re.escape(unreadable)):
        read(recorder)


def test_forgotten_answers_leave_no_trace_and_only_the_id_that_a_line_is_about_is_forgotten(recorder: Recorder) -> None:
    """Not an id that begins alike, and none that a question or a note names."""
    ids = ["req_1", "req_10", 'my "own", id', "früh"]
    for number, request_id in enumerate(ids):
        recorder.answer(answered(number, request_id=request_id))
        recorder.feedback(request_id, "bad", note=f'note {number} of "request_id":"req_2", say')
    assert recorder.forget(["req_1", "req_2", "früh", "unknown"]) == 2
    assert whole(recorder) == ["req_10", 'my "own", id']
    assert {line["request_id"] for line in lines(recorder.data_dir / "feedback.jsonl")} == {"req_10", 'my "own", id'}
    text = "".join(path.read_text() for path in recorder.data_dir.rglob("*.jsonl"))
    assert [f"number {n}?" in text for n in range(4)] == [f"note {n}" in text for n in range(4)]
    assert [f"number {n}?" in text for n in range(4)] == [False, True, True, False]
    assert recorder.forget(["req_1"]) == 0


def test_an_answer_is_forgotten_on_whatever_day_it_stands(recorder: Recorder) -> None:
    """An id of a client's own, one that names another day, and two without the short line that would tell the day."""
    ids = ["my own", "req_20200101_000000000001", "my other", "req_20260123_000000000003"]
    for number, request_id in enumerate(ids):
        recorder.answer(answered(number, request_id=request_id, at=NOON + timedelta(days=number)))
    (recorder.data_dir / "requests" / "2026-01-23.jsonl").unlink()
    (recorder.data_dir / "requests" / "2026-01-24.jsonl").write_bytes(b"")
    for request_id in ids:
        assert recorder.forget([request_id]) == 1, request_id
    assert whole(recorder) == []


def test_what_a_killed_deletion_left_goes_with_the_next_and_with_its_day(recorder: Recorder) -> None:
    for number in (1, 2):
        recorder.answer(answered(number, at=NOON))
    (path,) = (recorder.data_dir / "answers").glob("*.jsonl")
    left = path.with_name(f".{path.name}.0123456789abcdef.part")
    left.write_bytes(path.read_bytes())
    recorder.forget([answered(1, at=NOON).request_id])
    assert not left.exists()
    left.write_bytes(path.read_bytes())
    recorder.forget_before((NOON + timedelta(days=1)).date())
    assert not [*path.parent.iterdir()]


def test_the_last_word_on_each_answer_counts_and_a_torn_line_for_nothing(recorder: Recorder) -> None:
    assert recorder.verdict("req_1") is None
    for request_id, verdict, note in (
        ("req_1", "good", ""),
        ("req_1", "bad", 'not "request_id":"req_3", but this'),
        ("req_10", "good", ""),
        ("req_2", "good", ""),
        ("req_2", "withdrawn", ""),
    ):
        recorder.feedback(request_id, verdict, note=note)
    first = lines(recorder.data_dir / "feedback.jsonl")[0]
    assert {*first} == {"timestamp", "request_id", "verdict", "reason", "note", "by"}
    with (recorder.data_dir / "feedback.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"timestamp":"2026-01-21T00:00:00.000Z","request_id":"req_1","verd\n')
    said = Judgement("bad", "", 'not "request_id":"req_3", but this')
    assert recorder.judgements() == {"req_1": said, "req_10": Judgement("good"), "req_2": Judgement()}
    assert [recorder.verdict(f"req_{number}") for number in (1, 2, 3)] == ["bad", None, None]
    recorder.feedback("req_2", "bad")
    assert recorder.verdict("req_2") == "bad"
    recorder.forget(["req_1"])
    assert recorder.verdict("req_1") is None


@pytest.mark.parametrize("whole", [answered(), refused()], ids=["answered", "refused"])
def test_a_whole_answer_of_before_there_were_three_outcomes_is_read(whole):
    older = json.loads(answer_line(whole))
    chunks = [*older["retrieved"], *((older["prompt"] or {}).get("retrieved_chunks", ()))]
    lacking = ("retrieval_rank", "window_cosines", "window_readings", "marks", "windows")
    for part, names in (
        (older, ("outcome", "asked", "notes", "asks_for_list")),
        (older["gate"], ("outcome", "unsure_threshold")),
        (older["query"], ("unsure_threshold", "previous", "seed")),
        (older["timings_ms"], ("read",)),
        *((chunk, lacking) for chunk in chunks),
    ):
        for name in names:
            del part[name]
    older["gate"]["against"] = ["No document uses “moons”."]
    for chunk in chunks:
        chunk["sentence_scores"] = [0.5]
    older["retrieved"][1]["colour"] = {"deep": True}  # and of one after
    assert parse_answer(json.dumps(older).encode()) == whole


def test_answers_are_recorded_while_others_are_forgotten(recorder):
    ids = [answered(number).request_id for number in range(100)]

    def write(*numbers):
        for number in numbers:
            recorder.answer(answered(number))

    write(*range(50))
    forgetting = (lambda first=first: [recorder.forget([one]) for one in ids[first:50:2]] for first in (0, 1))
    at_once(partial(write, *range(50, 100)), *forgetting)
    recorder.close()
    assert sorted(one.request_id for one in recorder.requests()) == ids[50:]
    assert recorder.lost_lines == 0
