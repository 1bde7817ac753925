"""JSON lines on disk as tables of an in-process DuckDB, read once and then only what was added.

A file is known by its inode and its first bytes, so that a log keeps its rows when rotation renames it. What was
appended since is read from where the last reading ended; a line that is still being written waits for the next one.
The rows are those of the lines, not aggregates of them: percentiles are exact.
"""

import hashlib
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import duckdb

PIECE_BYTES = 16_000_000  # how much is read at a time
_HEAD_BYTES = 160


@dataclass(slots=True)
class _Seen:
    """How many bytes of a file have been read; `number` marks its rows."""

    number: int
    size: int = 0


class LineTable:
    """One table over files of JSON lines.

    Args:
        connection: The database to keep the table in.
        name: Name of the table.
        fields: JSON fields to read and their SQL types; other fields cost nothing, missing ones are null.
        columns: Columns of the table, as SQL expressions over the fields; a column `file` is added.
    """

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, name: str, fields: Mapping[str, str], columns: Mapping[str, str]
    ) -> None:
        self._connection = connection
        self._name = name
        self._fields = dict(fields)
        named = ", ".join(f"{expression} AS {column}" for column, expression in columns.items())
        self._rows = (
            f"SELECT $number::INTEGER AS file, {named} FROM read_json($path, format := 'newline_delimited', "  # noqa: S608
            "ignore_errors := true, maximum_object_size := 67108864, columns := $fields)"
        )
        self._seen: dict[str, _Seen] = {}
        self._next_number = 0
        self._lock = threading.Lock()
        self._parse(f"CREATE TABLE {name} AS", 0, b"")

    def unread(self, files: Iterable[Path]) -> int:
        """Return how many bytes the next refresh has to parse; does not wait for one that is under way."""
        left = 0
        for key, path in _present(files).items():
            with suppress(FileNotFoundError):  # rotated away since
                left += max(path.stat().st_size - self._seen.get(key, _Seen(0)).size, 0)
        return left

    def refresh(self, files: Iterable[Path], *, told: Callable[[int], None] = lambda count: None) -> None:
        """Read what was added to `files` since the last call, and forget the rows of files that are gone.

        Args:
            files: All files of the table.
            told: Told of each piece how many bytes it has.

        Raises:
            OSError: A file that is there cannot be read.
        """
        with self._lock:
            present = _present(files)
            for key in self._seen.keys() - present.keys():
                self._forget(key)
            for key, path in present.items():
                with suppress(FileNotFoundError):  # rotated away since; the next refresh finds it under its new name
                    self._read(key, path, told)

    def _read(self, key: str, path: Path, told: Callable[[int], None]) -> None:
        size = path.stat().st_size
        if key in self._seen and size < self._seen[key].size:
            self._forget(key)
        if key not in self._seen:
            self._next_number += 1
            self._seen[key] = _Seen(self._next_number)
        seen = self._seen[key]
        while seen.size < size and (lines := _whole_lines(path, seen.size, size)):
            self._parse(f"INSERT INTO {self._name}", seen.number, lines)
            seen.size += len(lines)
            told(len(lines))

    def _parse(self, into: str, number: int, lines: bytes) -> None:
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as copy, self._connection.cursor() as cursor:
            copy.write(lines)
            copy.flush()
            cursor.execute(f"{into} {self._rows}", {"number": number, "path": copy.name, "fields": self._fields})

    def _forget(self, key: str) -> None:
        seen = self._seen.pop(key)
        self._connection.cursor().execute(f"DELETE FROM {self._name} WHERE file = ?", [seen.number])  # noqa: S608


def _present(files: Iterable[Path]) -> dict[str, Path]:
    return {key: path for path in files if (key := _identity(path)) is not None}


def _whole_lines(path: Path, start: int, end: int) -> bytes:
    """Return whole lines from `start` on, a piece of them, or all up to `end` where a line is longer than a piece."""
    for most in (PIECE_BYTES, end - start):
        with path.open("rb") as file:
            file.seek(start)
            lines = file.read(min(most, end - start))
        if lines := lines[: lines.rfind(b"\n") + 1]:
            return lines
    return b""


def _identity(path: Path) -> str | None:
    """Return what stays the same when a file is renamed or grows; None for a file that is missing or empty."""
    try:
        found = path.stat()
        return _told_by(path, found.st_ino, found.st_size, found.st_mtime_ns)
    except FileNotFoundError:
        return None


@lru_cache(maxsize=4_096)
def _told_by(path: Path, *_as_it_is: int) -> str | None:
    """Return the same by the file's first bytes, which are read once as long as nothing about it changes."""
    with path.open("rb") as file:
        head = file.readline(_HEAD_BYTES)
        inode = path.stat().st_ino
    is_whole = head.endswith(b"\n") or len(head) == _HEAD_BYTES
    return f"{inode}:{hashlib.sha256(head).hexdigest()}" if is_whole else None
