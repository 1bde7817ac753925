"""JSON lines on disk as tables of an in-process DuckDB, read once and then only what was added.

A file is known by its inode and its first bytes, so that a log keeps its rows when rotation renames it. What was
appended since is read from where the last reading ended; a line that is still being written waits for the next one.
Where a folder for them is given, the rows of each rotated file are kept there as Parquet, and the next process need not
parse it. The values are those of the lines, not aggregates of them: percentiles are exact. A folder that cannot be
written costs time at the next start and nothing else.
"""

import hashlib
import logging
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import duckdb

from rag.process.data_folder import has_file

PIECE_BYTES = 16_000_000
"""How much is read at a time."""
_HEAD_BYTES = 160
_logger = logging.getLogger("candor.report")


@dataclass(slots=True)
class _Seen:
    """How far a file has been read; `number` marks its rows."""

    number: int
    size: int = 0
    is_done: bool = False
    """Whether it is written no more, and its rows are kept or cannot be."""


class LineTable:
    """One table over files of JSON lines.

    Args:
        connection: The database to keep the table in.
        name: Name of the table.
        fields: JSON fields to read and their SQL types; other fields cost nothing, missing ones are null.
        columns: Columns of the table, as SQL expressions over the fields; a column `file` is added.
        kept_in: Folder for the rows of rotated files, which any number of processes may share; None: nothing is kept.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        name: str,
        fields: Mapping[str, str],
        columns: Mapping[str, str],
        *,
        kept_in: Path | None = None,
    ) -> None:
        self._connection = connection
        self._name = name
        self._fields = dict(fields)
        named = ", ".join(f"{expression} AS {column}" for column, expression in columns.items())
        self._rows = (
            f"SELECT $number::INTEGER AS file, {named} FROM read_json($path, format := 'newline_delimited', "  # noqa: S608
            "ignore_errors := true, maximum_object_size := 67108864, columns := $fields)"
        )
        self._kept_in = kept_in
        self._layout = _digest(f"{self._fields} {self._rows}".encode(), 8)
        self._seen: dict[str, _Seen] = {}
        self._next_number = 0
        self._lock = threading.Lock()
        self._parse(f"CREATE TABLE {name} AS", 0, b"")

    def unread(self, files: Iterable[Path]) -> int:
        """Return how many bytes the next refresh has to parse; does not wait for one that is under way."""
        return sum(self._unread_of(key, path) for key, path in _present(files).items())

    def _unread_of(self, key: str, path: Path) -> int:
        try:
            size = path.stat().st_size
        except FileNotFoundError:
            return 0
        if seen := self._seen.get(key):
            return max(size - seen.size, 0)
        kept = self._kept(key, size)
        return 0 if kept and has_file(kept) else size

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
            gone, new = self._seen.keys() - present.keys(), present.keys() - self._seen.keys()
            for key in gone:
                self._forget(key)
            for key, path in present.items():
                with suppress(FileNotFoundError):  # rotated away since; the next refresh finds it under its new name
                    self._read(key, path, told)
            if gone or new:
                self._remove_others()

    def _read(self, key: str, path: Path, told: Callable[[int], None]) -> None:
        size = path.stat().st_size
        if key in self._seen and size < self._seen[key].size:
            self._forget(key)
        if key not in self._seen:
            self._seen[key] = self._from_kept(key, size)
        seen = self._seen[key]
        while seen.size < size and (lines := _whole_lines(path, seen.size, size)):
            self._parse(f"INSERT INTO {self._name}", seen.number, lines)
            seen.size += len(lines)
            told(len(lines))
        if path.suffix[1:].isdigit() and not seen.is_done:  # rotation gave it a number: it is written no more
            seen.size, seen.is_done = size, True
            self._keep(key, seen)

    def _parse(self, into: str, number: int, lines: bytes) -> None:
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as copy, self._connection.cursor() as cursor:
            copy.write(lines)
            copy.flush()
            cursor.execute(f"{into} {self._rows}", {"number": number, "path": copy.name, "fields": self._fields})

    def _forget(self, key: str) -> None:
        seen = self._seen.pop(key)
        self._connection.cursor().execute(f"DELETE FROM {self._name} WHERE file = ?", [seen.number])  # noqa: S608

    # --- what is kept of rotated files ---------------------------------------------------------------------------

    def _kept(self, key: str, size: int) -> Path | None:
        return self._kept_in / f"{_digest(key.encode(), 16)}-{self._layout}-{size}.parquet" if self._kept_in else None

    def _from_kept(self, key: str, size: int) -> _Seen:
        """Begin a file with the rows that are kept of it; those that cannot be read are parsed again."""
        self._next_number += 1
        seen, kept = _Seen(self._next_number), self._kept(key, size)
        if kept and has_file(kept):
            taken = f"INSERT INTO {self._name} SELECT ?::INTEGER AS file, * FROM read_parquet(?)"  # noqa: S608
            try:
                self._connection.cursor().execute(taken, [seen.number, str(kept)])
                seen.size, seen.is_done = size, True
            except duckdb.Error as error:
                _logger.warning("What was read of the log cannot be taken over (%s); it is read again.", error)
        return seen

    def _keep(self, key: str, seen: _Seen) -> None:
        kept = self._kept(key, seen.size)
        if not kept:
            return
        rows = f"SELECT * EXCLUDE (file) FROM {self._name} WHERE file = {seen.number}"  # noqa: S608
        part = kept.with_suffix(f".{id(self):x}.part")
        quoted = str(part).replace("'", "''")
        try:
            kept.parent.mkdir(parents=True, exist_ok=True)
            self._connection.cursor().execute(f"COPY ({rows}) TO '{quoted}' (FORMAT parquet, COMPRESSION zstd)")
            part.replace(kept)
        except (OSError, duckdb.Error) as error:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            _logger.warning("What was read of the log cannot be kept in %s (%s).", kept.parent, error)

    def _remove_others(self) -> None:
        """Remove what is kept of no file of these, or in another layout."""
        kept = {self._kept(key, seen.size) for key, seen in self._seen.items() if seen.is_done}
        names = {path.stem for path in kept if path}
        for path in self._kept_in.glob("*-*") if self._kept_in else ():
            if path.name.partition(".")[0] not in names:
                with suppress(OSError):
                    path.unlink(missing_ok=True)


def _digest(data: bytes, length: int) -> str:
    return hashlib.sha256(data).hexdigest()[:length]


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
        with path.open("rb") as file:
            head = file.readline(_HEAD_BYTES)
            inode = path.stat().st_ino
    except FileNotFoundError:
        return None
    return f"{inode}:{_digest(head, 64)}" if head.endswith(b"\n") or len(head) == _HEAD_BYTES else None
