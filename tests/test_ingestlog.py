"""What the log says of an ingest, whichever way in the document took."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import lines_of
from library import quiet_settings
from recorded import LOG_KEYS

from rag import Candor
from rag.errors import IndexNotReady
from rag.record import Recorder
from rag.records.ingest_log import ingest_log

SNOW = "# Snow\n\nSnow is frozen water that falls from clouds in winter.\n"


@pytest.fixture
def candor(tmp_path: Path) -> Iterator[Candor]:
    with Candor.open(quiet_settings(tmp_path / "data")) as opened:
        yield opened


def short(lines: list[dict[str, Any]]) -> list[tuple[str, str, object]]:
    return [(line["event"], line["level"], line["data"].get("document")) for line in lines]


def test_every_file_that_changes_or_fails_has_a_line_and_the_end_has_the_counts(candor: Candor, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "snow.md").write_text(SNOW, encoding="utf-8")
    (folder / "bad.pdf").write_bytes(b"%PDF-1.7 broken")
    candor.ingest([folder])
    lines = lines_of(candor.settings.data_dir)
    assert all(tuple(line) == LOG_KEYS and line["component"] == "ingest" for line in lines)
    assert [request_id[:4] for request_id in {line["request_id"] for line in lines}] == ["req_"]
    assert sorted(short(lines), key=str) == [
        ("document_failed", "WARNING", "bad.pdf"),
        ("document_ingested", "INFO", "snow.md"),
        ("ingest_finished", "WARNING", None),
    ]
    assert lines[-1]["data"].items() >= {"added": 1, "failed": 1, "unchanged": 0, "chunks": 1}.items()
    assert all(line["data"]["processing_time_ms"] >= 0 for line in lines)
    [error] = [line["error"] for line in lines if line["event"] == "document_failed"]
    assert (error["error_code"], error["type"]) == ("INVALID_INPUT", "InvalidDocument")
    assert "bad.pdf" in error["message"]


def test_uploads_removals_and_rebuilds_are_logged_each_under_an_id_of_its_own(candor: Candor) -> None:
    for text in (SNOW, SNOW.replace("Snow", "Firn"), SNOW.replace("Snow", "Firn")):
        candor.ingest_bytes("snow.md", text.encode())
    candor.rebuild()
    candor.forget("snow.md")
    lines = lines_of(candor.settings.data_dir)
    names = ("document_ingested", "document_replaced", "document_replaced", "document_removed")
    told = [line for line in lines if line["event"] != "ingest_finished"]
    assert short(told) == [(name, "INFO", "snow.md") for name in names]
    finished = [line for line in lines if line["event"] == "ingest_finished"]
    assert [line["data"]["unchanged"] for line in finished] == [0, 0, 1, 0, 0]
    assert len({line["request_id"] for line in finished}) == 5


def test_an_ingest_that_breaks_is_an_error_and_one_that_is_interrupted_a_warning(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    for error in (IndexNotReady("In use."), KeyboardInterrupt()):
        with pytest.raises(type(error)), ingest_log(recorder):
            raise error
    recorder.close()
    lines = lines_of(tmp_path)
    assert [(line["event"], line["level"]) for line in lines] == [
        ("ingest_failed", "ERROR"),
        ("ingest_interrupted", "WARNING"),
    ]
    assert lines[0]["error"]["error_code"] == "VECTOR_DB_ERROR"
