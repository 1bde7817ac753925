"""The log's rows: what is added is read once, whichever of its files it is rotated into."""

import json
import os
from pathlib import Path

import pytest
from recorded import LOG_KEYS

from rag.records import linetable
from rag.report import Report


def lines(count: int, *, first: int = 0) -> str:
    """Lines of one request each."""
    text = ""
    for number in range(first, first + count):
        time = f"2026-01-21T12:{number // 60:02}:{number % 60:02}.000Z"
        data = {"outcome": "answered", "processing_time_ms": 1.0, "confidence": 0.5}
        values = (time, f"r{number}", "INFO", "api", "answer_returned", data, None)
        text += json.dumps(dict(zip(LOG_KEYS, values, strict=True))) + "\n"
    return text


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
