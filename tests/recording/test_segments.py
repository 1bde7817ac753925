"""The log's rows, kept beside it: read once, exact, and taken over by the next process."""

import json
from pathlib import Path

import pytest

from rag.recording import linetable
from rag.report import Report


def lines(count: int, *, first: int = 0) -> str:
    """Lines of one request each, which took 0, 1, 2, ... milliseconds."""
    return "".join(
        json.dumps(
            {
                "timestamp": f"2026-01-21T12:{number // 60 % 60:02}:{number % 60:02}.000Z",
                "request_id": f"r{number}",
                "level": "INFO",
                "component": "api",
                "event": "answer_returned",
                "data": {"outcome": "answered", "processing_time_ms": float(number), "confidence": 0.5},
                "error": None,
            }
        )
        + "\n"
        for number in range(first, first + count)
    )


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log of 200 lines, of which a piece of 2,000 bytes is read at a time and kept from 1,000 bytes on."""
    monkeypatch.setattr(linetable, "PIECE_BYTES", 2_000)
    monkeypatch.setattr(linetable, "KEEP_BYTES", 1_000)
    (tmp_path / "logs").mkdir()
    path = tmp_path / "logs" / "candor.jsonl"
    path.write_text(lines(200))
    return path


def segments(log: Path) -> list[Path]:
    return sorted((log.parent / "columns").glob("*.parquet"))


def test_progress_is_of_the_log_the_short_lines_and_the_feedback_together(log: Path) -> None:
    folder, told = log.parent.parent, list[tuple[int, int]]()
    (folder / "requests").mkdir()
    others = [folder / "requests" / "2026-01-20.jsonl", folder / "requests" / "2026-01-21.jsonl"]
    for path in (*others, folder / "feedback.jsonl"):
        path.write_text('{"request_id":"r1"}\n')
    report = Report(folder)
    whole = log.stat().st_size + 3 * len('{"request_id":"r1"}\n')
    assert report.unread() == whole
    report.read(progress=lambda done, total: told.append((done, total)))
    assert {total for _, total in told} == {whole}
    assert told[-1] == (whole, whole)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert report.unread() == 0
    assert Report(folder).unread() < 1_100  # the next process reads only the end of the log


def test_lines_written_by_others_after_the_last_segment_are_counted_once(log: Path) -> None:
    first = Report(log.parent.parent).latency().to_dict("records")
    assert segments(log)
    assert Report(log.parent.parent).latency().to_dict("records") == first
    with log.open("a") as file:
        file.write(lines(7, first=200))
    assert Report(log.parent.parent).overview()["requests"].item() == 207
    assert Report(log.parent.parent).overview()["requests"].item() == 207


def test_rotated_log_is_kept_to_its_last_line(log: Path) -> None:
    report = Report(log.parent.parent)
    report.read()
    log.rename(log.with_name("candor.jsonl.1"))
    log.write_text(lines(3, first=200))
    assert report.overview()["requests"].item() == 203
    fresh = Report(log.parent.parent)
    assert fresh.unread() == len(lines(3, first=200))
    assert fresh.overview()["requests"].item() == 203


def test_segments_of_a_log_that_is_gone_are_removed(log: Path) -> None:
    Report(log.parent.parent).read()
    log.unlink()
    log.write_text('{"timestamp": "2026-02-01T00:00:00.000Z", "event": "answer_returned"}\n')
    assert Report(log.parent.parent).overview()["requests"].item() == 1
    assert segments(log) == []


def test_damaged_segment_is_read_again_from_the_log(log: Path) -> None:
    Report(log.parent.parent).read()
    segments(log)[0].write_bytes(b"no parquet")
    assert Report(log.parent.parent).overview()["requests"].item() == 200
    assert Report(log.parent.parent).overview()["requests"].item() == 200


def test_log_that_was_cut_off_loses_the_rows_that_are_gone(log: Path) -> None:
    Report(log.parent.parent).read()
    kept = "".join(log.read_text().splitlines(keepends=True)[:10])
    with log.open("r+") as file:
        file.truncate(len(kept))
    assert Report(log.parent.parent).overview()["requests"].item() == 10


def test_folder_that_cannot_be_written_costs_nothing_but_time(log: Path) -> None:
    (log.parent / "columns").write_text("a file where the folder should be")
    assert Report(log.parent.parent).overview()["requests"].item() == 200
