"""`candor health` beside a process that has the index open: what that one says of itself, or that it is in use."""

import os
import shutil
from pathlib import Path

import httpx
import pytest
from library import candor, quiet_settings
from live import live

from rag import Candor
from rag.commands.holder import addresses_of, health_at, holder_of

pytestmark = pytest.mark.skipif(not Path("/proc/locks").exists(), reason="/proc/locks is needed to know who holds it")


@pytest.fixture
def held(library_home: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    shutil.copytree(library_home, folder)
    return folder


def test_health_beside_a_running_server_is_what_the_server_says_and_names_its_process(held: Path) -> None:
    settings = quiet_settings(held)
    with Candor.open(settings) as opened, live(lambda: opened, settings) as url:  # one, however often health is asked
        said = httpx.get(f"{url}/api/v1/health", timeout=60).json()
        ran = candor("health", "--json", data_dir=held)

    assert said["status"] == "degraded"
    assert (ran.code, ran.json["status"]) == (1, "degraded"), ran.out
    assert ran.json["services"]["qdrant"]["state"] == "connected"
    assert f"in use by the running process {os.getpid()}, which answers at {url}" in ran.out


def test_health_beside_a_process_that_cannot_be_asked_is_degraded_and_names_it(held: Path) -> None:
    with Candor.open(quiet_settings(held)) as holder:
        holder.wiring.store.check()
        ran = candor("health", data_dir=held)

        assert holder_of(held / "index") == os.getpid()
    assert (ran.code, ran.out.splitlines()[0]) == (1, "degraded")
    assert f"in use by the running process {os.getpid()}, which cannot be asked" in ran.out
    assert holder_of(held / "index") is None


def test_who_does_not_answer_as_candor_does_has_no_health() -> None:
    assert health_at("http://127.0.0.1:9") is None
    assert addresses_of(0) == []


@pytest.fixture
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The list of locks of a system of our own."""
    monkeypatch.setattr("rag.commands.holder.PROC", tmp_path)
    return tmp_path / "locks"


def _lock(device: int, inode: int, pid: int) -> str:
    return f"1: FLOCK  ADVISORY  WRITE {pid} {os.major(device):02x}:{os.minor(device):02x}:{inode} 0 EOF\n"


def test_a_lock_on_a_file_of_another_device_with_the_same_inode_is_not_on_the_index(locks: Path) -> None:
    index = locks.parent / "index"
    index.mkdir()
    (index / "LOCK").touch()
    seen = (index / "LOCK").stat()
    elsewhere = os.makedev(os.major(seen.st_dev) + 1, os.minor(seen.st_dev))
    locks.write_text(_lock(elsewhere, seen.st_ino, 4711))
    assert holder_of(index) is None
    locks.write_text(_lock(elsewhere, seen.st_ino, 4711) + _lock(seen.st_dev, seen.st_ino, 4712))
    assert holder_of(index) == 4712


def test_where_the_list_of_locks_names_another_device_the_files_that_are_open_count(locks: Path) -> None:
    index, opened = locks.parent / "index", locks.parent / "4711" / "fd"
    index.mkdir()
    opened.mkdir(parents=True)
    (index / "LOCK").touch()
    seen = (index / "LOCK").stat()
    locks.write_text(_lock(os.makedev(os.major(seen.st_dev) + 1, 0), seen.st_ino, 4711))
    (opened / "3").symlink_to(locks)
    assert holder_of(index) is None
    (opened / "4").symlink_to(index / "LOCK")
    assert holder_of(index) == 4711
