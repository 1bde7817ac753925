"""Files of JSON lines, read from either end without holding them in memory, and rewritten while others append.

A file that is missing has no lines. One that is there and cannot be read is an `OSError`: its lines are not none.
"""

import fcntl
import mmap
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from rag.recording.replacing import replace_lines, sweep


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
    with _mapped(path) as data:
        end = len(data)
        while (start := data.rfind(prefix, 0, end)) >= 0:
            if start == 0 or data[start - 1 : start] == b"\n":
                stop = data.find(b"\n", start)
                return bytes(data[start : stop if stop >= 0 else len(data)])
            end = start
    return None


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
            if _stands_at(path, file):
                sweep(path)
                kept = _Kept(file, keep)
                replace_lines(path, kept)
                return kept.removed


class _Kept:
    """The lines of a file that are kept, and how many were not."""

    def __init__(self, file: BinaryIO, keep: Callable[[bytes], bool]) -> None:
        self._file = file
        self._keep = keep
        self.removed = 0

    def __iter__(self) -> Iterator[bytes]:
        for line in self._file:
            if self._keep(line):
                yield line
            else:
                self.removed += 1


def _stands_at(path: Path, file: BinaryIO) -> bool:
    """Return whether the open file is still the one at `path`: another process may have put a new one there."""
    try:
        return path.stat().st_ino == os.fstat(file.fileno()).st_ino
    except FileNotFoundError:
        return False


class _mapped:  # noqa: N801 - used as a function
    """The bytes of a file, mapped; empty where the file is missing or empty."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._map: mmap.mmap | None = None

    def __enter__(self) -> "mmap.mmap | bytes":
        try:
            with self._path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (FileNotFoundError, ValueError):  # missing, or empty: an empty file cannot be mapped
            return b""
        return self._map

    def __exit__(self, *_: object) -> None:
        if self._map is not None:
            self._map.close()
