"""Folders watched: adds, changes and removals reach the index by themselves, and nothing is read half-written."""

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from unittest.mock import Mock

import pytest
from library import ROOT, candor, clean_environment, quiet_settings
from starlette.testclient import TestClient

from api.app import create_api
from rag.candor import Candor
from rag.errors import StoreUnavailable
from rag.ingest import reading, rebuilding, version
from rag.ingest.report import IngestReport
from rag.ingest.watching import Watched, keep_true

REST_S = 1.0


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Candor]:
    with Candor.open(quiet_settings(tmp_path / "data")) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "watched").mkdir()
    (tmp_path / "watched" / "pump.md").write_text("# Pump\n\nThe pump is checked every Monday.")
    return tmp_path / "watched"


@contextmanager
def watched(own: Candor, folder: Path) -> Iterator[None]:
    stop = Event()
    with ThreadPoolExecutor(1) as pool:
        watching = pool.submit(keep_true, [folder], own.ingest, told=lambda _: None, stop=stop, rest_s=REST_S)
        try:
            yield
        finally:
            stop.set()
        assert watching.result(60) is None


def until(is_so: Callable[[], bool]) -> bool:
    return any(is_so() or time.sleep(0.1) for _ in range(600))


def names(own: Candor) -> list[str]:
    return [record.document for record in own.documents()]


def test_what_is_added_changed_and_removed_is_so_in_the_index_unless_nothing_is_left(own, folder):
    with watched(own, folder):
        assert until(lambda: names(own) == ["pump.md"])
        (folder / "valve.md").write_text("# Valve\n\nThe valve is red.")
        assert until(lambda: names(own) == ["pump.md", "valve.md"])
        before = own.documents()[1].hash
        (folder / "valve.md").write_text("# Valve\n\nThe valve is blue.")
        assert until(lambda: own.documents()[1].hash != before)
        (folder / "pump.md").unlink()
        (folder / "valve.md").rename(folder / "tap.md")
        assert until(lambda: names(own) == ["tap.md"])
        (folder / "tap.md").unlink()
        time.sleep(3 * REST_S)
        assert names(own) == ["tap.md"]  # a folder that is suddenly empty may have been taken away


def test_a_file_that_is_being_written_is_left_until_it_rests_and_others_do_not_wait_for_it(own, folder):
    with watched(own, folder), (folder / "growing.md").open("w") as growing:
        for number in range(20):
            growing.write(f"Line {number} of the growing report says that tank {number} is full.\n\n")
            growing.flush()
            time.sleep(0.15)
            assert "growing.md" not in names(own)
        assert names(own) == ["pump.md"]
        assert until(lambda: "growing.md" in names(own))
        [copy] = (own.settings.data_dir / "files").glob("*/growing.md")
        assert copy.read_text() == (folder / "growing.md").read_text()


def test_an_error_is_told_and_tried_again(folder, monkeypatch):
    told: list[object] = []
    ingest = Mock(side_effect=[IngestReport(), StoreUnavailable("The store is away."), IngestReport()])
    watching = Watched([folder], ingest, told=told.append, rest_s=0.0)
    for changed in (set(), {folder / "new.md"}, set()):
        watching.look(changed)
    assert (ingest.call_count, [str(error) for error in told]) == (2, ["The store is away."])
    monkeypatch.setattr("rag.ingest.watching.time.monotonic", lambda clock=time.monotonic: clock() + 31)
    watching.look(set())
    watching.look(set())
    assert ingest.call_count == 3


def test_the_command_watches_until_it_is_interrupted_and_refuses_a_folder_that_is_not_there(folder, tmp_path):
    ran = candor("watch", str(tmp_path / "nowhere"), data_dir=tmp_path / "data")
    assert (ran.code, "no such folder" in ran.err) == (1, True)
    code = "from rag.cli import main; main()"
    environment = {**clean_environment(tmp_path / "data"), "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-c", code, "watch", str(folder), "--rest", "0.1"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        assert process.stdout
        assert process.stdout.readline().startswith("1 added")
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130


def test_a_server_watches_the_folders_of_its_setting(folder, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "tank.md").write_text("# Tank\n\nThe tank is full.")
    settings = quiet_settings(tmp_path / "data", watch=f"{folder}:{tmp_path / 'other'}")
    local = {"base_url": "http://127.0.0.1", "client": ("127.0.0.1", 1)}
    with Candor.open(settings) as own, TestClient(create_api(lambda: own, settings), **local):
        assert until(lambda: names(own) == ["pump.md", "tank.md"])


def test_a_server_reads_documents_of_another_version_again_and_tells_which_it_cannot(folder, tmp_path, caplog):
    (folder / "tank.md").write_text("# Tank\n\nThe tank is full.")
    settings = quiet_settings(tmp_path / "data")
    with Candor.open(settings) as own, pytest.MonkeyPatch.context() as patch:
        for module in (reading, rebuilding, version):
            patch.setattr(module, "ingestion_version", lambda: "older")
        own.ingest([folder])
    for kept in (folder / "tank.md", *(tmp_path / "data" / "files").rglob("*tank*")):
        shutil.rmtree(kept) if kept.is_dir() else kept.unlink(missing_ok=True)
    local = {"base_url": "http://127.0.0.1", "client": ("127.0.0.1", 1)}
    with Candor.open(settings) as own, TestClient(create_api(lambda: own, settings), **local):
        assert until(lambda: "'tank.md' stays as another version of Candor read it" in caplog.text)
        read = {one.document: one.ingestion for one in own.documents()}
        assert read == {"pump.md": version.ingestion_version(), "tank.md": "older"}
