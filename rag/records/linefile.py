"""Files of JSON lines that threads and processes append to, read from either end and rewrite at the same time.

A line is whole or absent: one `write` on a descriptor opened for appending, under the file's own lock; what a full
disk cut off is truncated away again. A file that cannot be written never stops the caller: lines wait in memory,
up to a limit, and are written when the disk takes them again. A file that is missing has no lines. One that is there
and cannot be read is an `OSError`: its lines are not none.
"""

import errno
import fcntl
import logging
import mmap
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rag.process.data_folder import make_private
from rag.records.replacing import replace_lines, sweep

_logger = logging.getLogger("candor.record")
_LOCK_WAIT_S = 0.25
_LOCK_PAUSE_S = 0.0002
_REOPEN_TRIES = 50
_LINE_BREAKS = tuple((character.encode(), b"\\u%04x" % ord(character)) for character in "\x85\u2028\u2029")


class LineFile:
    """One file that lines are appended to, safe between threads and between processes.

    Args:
        path: The file; its folder is made when it is missing, also when somebody removed it.
        max_bytes: Rotate before a line that would make the file larger; None: never.
        backups: Rotated files to keep, as `name.1` (newest), `name.2` and so on.
        home: A folder above the file, made for its owner alone where it is missing; None: none is.
        backlog_bytes: Lines to hold in memory while the file cannot be written; what comes after is lost and counted.
    """

    def __init__(
        self,
        path: Path,
        *,
        max_bytes: int | None = None,
        backups: int = 0,
        backlog_bytes: int = 4_000_000,
        home: Path | None = None,
    ) -> None:
        self.path = path
        self._home = home
        self._target = os.fspath(path)
        self._max_bytes = max_bytes
        self._backups = backups
        self._backlog_bytes = backlog_bytes
        self._reset()

    def _reset(self) -> None:
        """Start afresh: on construction, and in a forked child, whose lock and backlog are copies of the parent's."""
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._backlog: deque[bytes] = deque()
        self._backlog_size = 0
        self._failing = False
        self.lost = 0

    @property
    def waiting(self) -> int:
        """How many lines wait in memory for the file to be writable again."""
        return len(self._backlog)

    def append(self, line: bytes) -> bool:
        """Append one line, its line feed included, and whatever still waits. Never raises.

        Returns:
            Whether the line is in the file now.
        """
        if self._pid != os.getpid():
            self._reset()
        with self._lock:
            self._backlog.append(line)
            self._backlog_size += len(line)
            if self._drain():
                return True
            if self._backlog_size > self._backlog_bytes:
                self._backlog_size -= len(self._backlog.pop())
                self.lost += 1
            return False

    def close(self) -> None:
        """Write what waits, where possible; more may be appended later."""
        with self._lock:
            if self._backlog:
                self._drain()

    def _drain(self) -> bool:
        """Write what waits, the oldest first, and return whether nothing waits any more."""
        try:
            while self._backlog:
                self._write(self._backlog[0])
                self._backlog_size -= len(self._backlog.popleft())
        except OSError as error:
            if not self._failing:
                told = "%s cannot be written (%s). Lines wait in memory; free or mount the disk."
                _logger.warning(told, self._target, error)
            self._failing = True
            return False
        if self._failing:
            _logger.warning("%s can be written again; %d lines were lost.", self._target, self.lost)
        self._failing = False
        return True

    def _write(self, line: bytes) -> None:
        """Write one whole line under the file's lock, or raise and leave the file as it was."""
        with self._locked() as (descriptor, size):
            if self._max_bytes is None or not size or size + len(line) <= self._max_bytes:
                return _append(descriptor, size, line)
            self._rotate()
        with self._locked() as (descriptor, size):
            return _append(descriptor, size, line)

    @contextmanager
    def _locked(self) -> Iterator[tuple[int, int]]:
        """Give a descriptor of the file that stands at the path now, locked, and its size."""
        for _ in range(_REOPEN_TRIES):
            descriptor = self._open()
            try:
                self._lock_file(descriptor)
                if _is_at(self._target, descriptor):
                    yield descriptor, os.fstat(descriptor).st_size
                    return
                # else it was rotated by another process, or removed
            finally:
                fcntl.flock(descriptor, fcntl.LOCK_UN)  # closing would not where a child was forked meanwhile
                os.close(descriptor)
        raise OSError(errno.ESTALE, "the file is replaced again and again")

    def _open(self) -> int:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        try:
            return os.open(self._target, flags, 0o640)
        except FileNotFoundError:
            if self._home is not None:
                make_private(self._home)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return os.open(self._target, flags, 0o640)

    def _lock_file(self, descriptor: int) -> None:
        deadline = None
        while True:
            try:
                return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                now = time.monotonic()
                deadline = deadline or now + (0.0 if self._failing else _LOCK_WAIT_S)
                if now > deadline:
                    raise
                time.sleep(_LOCK_PAUSE_S)

    def _rotate(self) -> None:
        for number in range(self._backups, 0, -1):
            older = Path(f"{self._target}.{number - 1}") if number > 1 else self.path
            if older.exists():
                older.replace(f"{self._target}.{number}")
        if not self._backups:
            self.path.unlink(missing_ok=True)


def _append(descriptor: int, size: int, line: bytes) -> None:
    if size and os.pread(descriptor, 1, size - 1) != b"\n":
        line = b"\n" + line  # another process died in the middle of a line: only that one is lost
    if os.write(descriptor, line) != len(line):
        os.ftruncate(descriptor, size)
        raise OSError(errno.ENOSPC, "the line did not fit on the disk")


def one_line(json: bytes) -> bytes:
    """Return JSON text with its line feed, and no other character that some readers take for the end of a line.

    >>> one_line('"a\u2028b"'.encode())
    b'"a\\\\u2028b"\\n'
    """
    for character, escaped in _LINE_BREAKS:
        if character in json:
            json = json.replace(character, escaped)
    return json + b"\n"


def read_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, the last one first; none where there is no file. Torn lines are yielded too."""
    with _mapped(path) as data:
        end = len(data)
        while end > 0:
            start = data.rfind(b"\n", 0, end - 1) + 1
            if line := data[start:end].rstrip(b"\n"):
                yield line
            end = start


def find_last_line(path: Path, prefix: bytes) -> bytes | None:
    """Return the last line that begins with `prefix`, without reading the file into memory; None where none does."""
    return next((line for line in read_lines(path) if line.startswith(prefix)), None)


def lines_with(path: Path, marker: bytes) -> list[bytes]:
    """Return the lines that contain `marker`, first to last, without reading the file into memory."""
    found = []
    with _mapped(path) as data:
        place = data.find(marker)
        while place >= 0:
            start, stop = data.rfind(b"\n", 0, place) + 1, data.find(b"\n", place)
            stop = stop if stop >= 0 else len(data)
            found.append(bytes(data[start:stop]))
            place = data.find(marker, stop)
    return found


def rewrite(path: Path, keep: Callable[[bytes], bool]) -> int:
    """Remove the lines that are not to be kept, while others append; return how many there were.

    Writers wait for the file's lock and then find the new file at its place. Readers see the old one or the new one.
    A file of which nothing is removed is read once, and nobody waits for that.

    Raises:
        OSError: The new file could not be written; the old one stays as it was.
    """
    removed = 0

    def is_kept(line: bytes) -> bool:
        nonlocal removed
        removed += not (wanted := keep(line))
        return wanted

    while True:
        try:
            with path.open("rb") as file:
                if all(map(keep, file)):
                    return 0
            file = path.open("rb")  # anew: what was read ahead without the lock may have been cut off since
        except FileNotFoundError:  # also one that retention has removed since it was listed
            return 0
        with file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if _is_at(path, file.fileno()):
                sweep(path)
                replace_lines(path, filter(is_kept, file))
                return removed


def _is_at(path: str | Path, descriptor: int) -> bool:
    """Return whether an open file is still the one at `path`: another process may have put a new one there."""
    try:
        return os.stat(path).st_ino == os.fstat(descriptor).st_ino  # noqa: PTH116 - half the time of Path.stat
    except FileNotFoundError:
        return False


@contextmanager
def _mapped(path: Path) -> Iterator["mmap.mmap | bytes"]:
    try:
        with path.open("rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (FileNotFoundError, ValueError):  # missing, or empty: an empty file cannot be mapped
        yield b""
        return
    with data:
        yield data
