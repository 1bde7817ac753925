"""Lines from many writers stay whole, and so does a file that is replaced; a disk that fails costs nothing written."""

import errno
import fcntl
import json
import multiprocessing
import os
import shutil
import signal
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from at_once import at_once

from rag.evaluation.runs import replace_text
from rag.records import linefile
from rag.records.linefile import LineFile, find_last_line, lines_with, read_lines, rewrite
from rag.records.replacing import place, replace


def numbers(*paths: Path) -> list[tuple[int, int]]:
    """Every line of the files as (writer, number); a torn line fails to parse."""
    return [tuple(json.loads(line)["n"]) for path in paths for line in path.read_bytes().splitlines()]


def write_many(path: Path, writer: int, count: int, max_bytes: int) -> None:
    file = LineFile(path, max_bytes=max_bytes, backups=50)
    for number in range(count):
        file.append(json.dumps({"n": [writer, number], "pad": "x" * (number % 300)}).encode() + b"\n")
    assert (file.lost, file.waiting) == (0, 0)
    file.close()


def test_two_processes_rotate_one_log_without_losing_a_line(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    path = tmp_path / "log.jsonl"
    workers = [context.Process(target=write_many, args=(path, writer, 2000, 50_000)) for writer in (0, 1)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    files = [*tmp_path.glob("log.jsonl*")]
    assert len(files) > 10
    assert max(file.stat().st_size for file in files) <= 50_000
    assert sorted(numbers(*files)) == [(writer, number) for writer in (0, 1) for number in range(2000)]


def test_forked_child_and_threads_share_an_open_file_without_tearing_lines(tmp_path: Path) -> None:
    file = LineFile(tmp_path / "log.jsonl")
    file.append(b'{"n": [9, 9]}\n')

    def write(writer: int) -> None:
        for number in range(500):
            file.append(json.dumps({"n": [writer, number]}).encode() + b"\n")

    child = os.fork()
    if child == 0:
        write(8)
        os._exit(0)
    at_once(*(partial(write, writer) for writer in range(8)))
    assert os.waitpid(child, 0)[1] == 0
    assert sorted(numbers(file.path)) == [(writer, number) for writer in range(9) for number in range(500)] + [(9, 9)]


@pytest.mark.parametrize(
    ("backups", "kept"), [(2, {"log": b"ddd\n", "log.1": b"ccc\n", "log.2": b"bbb\n"}), (0, {"log": b"ddd\n"})]
)
def test_rotation_keeps_the_newest_backups_in_order(tmp_path: Path, backups: int, kept: dict[str, bytes]) -> None:
    file = LineFile(tmp_path / "log", max_bytes=4, backups=backups)
    for line in (b"aaa\n", b"bbb\n", b"ccc\n", b"ddd\n"):
        file.append(line)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == kept


def test_line_after_a_torn_one_stands_on_its_own_whoever_died_mid_line_and_a_removed_folder_is_made_again(tmp_path):
    file = LineFile(tmp_path / "logs" / "log")
    for line in (b"zero\n", b"one\n", b"three\n"):
        file.append(line)
        with file.path.open("ab") as other:
            other.write(b"torn")
    assert file.path.read_bytes() == b"zero\ntorn\none\ntorn\nthree\ntorn"
    shutil.rmtree(file.path.parent)
    assert file.append(b"four\n")
    assert file.path.read_bytes() == b"four\n"


FULL_DISK = """
import logging, resource, sys
from pathlib import Path
from rag.records.linefile import LineFile

logging.basicConfig(level=logging.WARNING, format="%(message)s")
file = LineFile(Path(sys.argv[1]), backlog_bytes=100)
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (25, hard))
written = [file.append(b"line %d...\\n" % number) for number in range(20)]
full = (file.waiting, file.lost, Path(sys.argv[1]).read_bytes())
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
file.append(b"last\\n")
print(written.count(True), *full[:2], full[2] == b"line 0...\\nline 1...\\n", file.waiting, file.lost)
"""


def test_full_disk_keeps_whole_lines_counts_the_lost_and_recovers(tmp_path: Path) -> None:
    path = tmp_path / "log"
    command = [sys.executable, "-c", FULL_DISK, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    # 25 bytes hold two lines of 10; the third is cut off and taken back. 100 bytes of memory hold the lines 2..10
    # (8 of 10 bytes and 1 of 11 make 91; the next of 11 would make 102), so of 20 lines 2 are written and 9 are lost.
    assert done.stdout.split() == ["2", "9", "9", "True", "0", "9"]
    assert path.read_bytes().splitlines() == [b"line %d..." % number for number in range(11)] + [b"last"]
    assert len(done.stderr.splitlines()) == 2, "one warning when it begins, one when it ends"


def test_writer_waits_a_bounded_time_for_a_stopped_process_that_holds_the_lock(tmp_path, monkeypatch):
    pauses: list[float] = []
    clock = SimpleNamespace(monotonic=lambda: 100.0 + sum(pauses), sleep=pauses.append)
    path, begun = tmp_path / "log", "f = open(sys.argv[1], 'ab'); fcntl.flock(f, 2); print(1, flush=True)"
    command = [sys.executable, "-c", f"import fcntl, sys, time; {begun}; time.sleep(60)", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as holder:
        holder.stdout.readline()
        file = LineFile(path)
        monkeypatch.setattr("rag.records.linefile.time", clock)
        for _ in range(10):
            assert not file.append(b"one\n")
        assert 0.2 < sum(pauses) < 0.5  # for the first line; those after it find out that nothing has changed
        assert file.waiting == 10
        holder.send_signal(signal.SIGKILL)
    assert file.append(b"two\n")
    assert path.read_bytes() == b"one\n" * 10 + b"two\n"


def test_lines_are_read_last_first_and_found_by_their_beginning(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b'{"id":"a","v":1}\n{"id":"b","x":"{\\"id\\":\\"a\\","}\n{"id":"a","v":2}\n{"torn')
    assert next(iter(read_lines(path))) == b'{"torn'
    assert [*read_lines(path)][-1] == b'{"id":"a","v":1}'
    assert find_last_line(path, b'{"id":"a",') == b'{"id":"a","v":2}'
    assert find_last_line(path, b'{"id":"c",') is None
    assert lines_with(path, b'"a"') == [b'{"id":"a","v":1}', b'{"id":"a","v":2}']
    (tmp_path / "empty").touch()
    for name in ("missing", "empty"):
        assert not [*read_lines(tmp_path / name), *lines_with(tmp_path / name, b"a")]
        assert find_last_line(tmp_path / name, b"{") is None


def test_rewriting_keeps_mode_and_wanted_lines_locks_only_to_remove_and_reads_anew_behind_it(tmp_path, monkeypatch):
    path = tmp_path / "log"
    path.write_bytes(b"keep 1\ndrop\nkeep 2\n")
    path.chmod(0o640)
    assert rewrite(path, lambda line: line.startswith(b"keep")) == 1
    assert path.read_bytes() == b"keep 1\nkeep 2\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [*tmp_path.iterdir()] == [path]
    assert rewrite(tmp_path / "missing", lambda line: True) == 0
    with ThreadPoolExecutor(1) as pool, path.open("rb") as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)
        assert pool.submit(rewrite, path, lambda line: line != b"three\n").result(60) == 0
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"id":"gone"}\n{"id":"torn-by-a-full-di\n')
    lock = linefile.fcntl.flock

    def lock_after_another_wrote(file: object, kind: int) -> None:
        lock(file, kind)
        os.truncate(path, len(b'{"id":"gone"}\n'))
        with path.open("ab") as other:
            other.write(b'{"id":"acknowledged"}\n')

    monkeypatch.setattr(linefile.fcntl, "flock", lock_after_another_wrote)
    assert linefile.rewrite(path, lambda line: b"gone" not in line) == 1
    assert path.read_bytes() == b'{"id":"acknowledged"}\n'


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_has_the_usual_rights_a_replaced_one_its_own_and_a_failed_one_changes_nothing(tmp_path, monkeypatch):
    usual, path = tmp_path / "usual", tmp_path / "file"
    usual.touch()
    replace(path, b"one")
    assert rights(path) == rights(usual)
    path.chmod(0o640)
    for mode, kept in ((None, 0o640), (0o600, 0o600)):
        replace(path, b"two", mode=mode)
        assert (path.read_bytes(), rights(path)) == (b"two", kept)
    usual.unlink()
    path.write_bytes(b"old")

    def fails(_: int) -> None:
        assert path.read_bytes() == b"old"  # the new file is on disk before it takes its place
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fails)
    for write in (replace, place):
        with pytest.raises(OSError, match="No space left"):
            write(path, b"new")
    assert path.read_bytes() == b"old"
    assert [*tmp_path.iterdir()] == [path]


def test_threads_that_replace_one_file_leave_one_of_the_whole_contents(tmp_path: Path) -> None:
    path, contents = tmp_path / "run.json", [f"{number}" * 50_000 for number in range(4)]

    def write(text: str) -> None:
        for _ in range(20):
            replace_text(path, text)
            assert path.read_text() in contents, "half a file"

    at_once(*(partial(write, text) for text in contents))
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("has_links", [True, False])
def test_of_several_that_place_a_file_one_does_and_the_others_find_it(tmp_path, monkeypatch, has_links):
    if not has_links:
        monkeypatch.setattr(os, "link", Mock(side_effect=OSError(errno.EPERM, "Operation not permitted")))
    path = tmp_path / "secret"
    assert [place(path, text, mode=0o600) for text in (b"first", b"second")] == [True, False]
    assert (path.read_bytes(), rights(path)) == (b"first", 0o600)
    assert [*tmp_path.iterdir()] == [path]
