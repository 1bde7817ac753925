"""JSON lines on disk as tables of an in-process DuckDB, read once and then only what was added.

A file is known by its inode and its first bytes, so that a log keeps its rows when rotation renames it. What was
appended since is read from where the last reading ended; a line that is still being written waits for the next one.
"""

import hashlib
import tempfile
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb

_HEAD_BYTES = 160
_STILL_S = 5.0


@dataclass(frozen=True, slots=True)
class _Seen:
    """How far a file has been read; `number` marks its rows."""

    number: int
    size: int


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
        self._columns = ", ".join(f"{expression} AS {column}" for column, expression in columns.items())
        self._seen: dict[str, _Seen] = {}
        self._next_number = 0
        self._lock = threading.Lock()
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as empty:
            self._connection.execute(f"CREATE TABLE {name} AS {self._select(0)}", [empty.name, self._fields])

    def refresh(self, files: Iterable[Path]) -> None:
        """Read what was added to `files` since the last call, and forget the rows of files that are gone."""
        with self._lock:
            present = {key: path for path in files if (key := _identity(path)) is not None}
            for key in self._seen.keys() - present.keys():
                self._forget(key)
            for key, path in present.items():
                self._read(key, path)

    def _read(self, key: str, path: Path) -> None:
        seen = self._seen.get(key)
        try:
            state = path.stat()
            if seen is not None and state.st_size == seen.size:
                return
            if seen is not None and state.st_size < seen.size:
                self._forget(key)
                seen = None
            if seen is None and time.time() - state.st_mtime > _STILL_S:
                self._insert(path, number := self._new_number())
                self._seen[key] = _Seen(number, state.st_size)
                if path.stat().st_size == state.st_size:
                    return
                self._forget(key)  # somebody wrote meanwhile: read again, up to a size that is known
            self._read_added(key, path, seen if key in self._seen else None, state.st_size)
        except FileNotFoundError:
            return  # rotated away between the listing and now; the next refresh finds it under its new name

    def _read_added(self, key: str, path: Path, seen: _Seen | None, size: int) -> None:
        """Read whole lines between what was seen and `size`, through a copy that nobody appends to."""
        start = seen.size if seen else 0
        with path.open("rb") as file:
            file.seek(start)
            added = file.read(size - start)
        added = added[: added.rfind(b"\n") + 1]
        if not added:
            return
        number = seen.number if seen else self._new_number()
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as copy:
            copy.write(added)
            copy.flush()
            self._insert(Path(copy.name), number)
        self._seen[key] = _Seen(number, start + len(added))

    def _insert(self, path: Path, number: int) -> None:
        self._connection.execute(f"INSERT INTO {self._name} {self._select(number)}", [str(path), self._fields])

    def _select(self, number: int) -> str:
        return (
            f"SELECT {number}::INTEGER AS file, {self._columns} "  # noqa: S608 - names and types of our own
            "FROM read_json($1, format := 'newline_delimited', ignore_errors := true, columns := $2)"
        )

    def _forget(self, key: str) -> None:
        seen = self._seen.pop(key)
        self._connection.execute(f"DELETE FROM {self._name} WHERE file = ?", [seen.number])  # noqa: S608 - own name

    def _new_number(self) -> int:
        self._next_number += 1
        return self._next_number


def _identity(path: Path) -> str | None:
    """Return what stays the same when a file is renamed or grows; None for a file that is missing or empty."""
    try:
        with path.open("rb") as file:
            head = file.readline(_HEAD_BYTES)
            inode = path.stat().st_ino
    except OSError:
        return None
    return f"{inode}:{hashlib.sha256(head).hexdigest()}" if head.endswith(b"\n") or len(head) == _HEAD_BYTES else None
