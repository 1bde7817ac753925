"""JSON lines on disk as tables of an in-process DuckDB, read once and then only what was added.

A file is known by its inode and its first bytes, so that a log keeps its rows when rotation renames it. What was
appended since is read from where the last reading ended; a line that is still being written waits for the next one.
Where a folder for them is given, rows are kept there as Parquet files, and the next process parses only what is new. A
segment holds the rows of one range of bytes of one file, and is named by both; it is written once and never changed.
The values are those of the lines, not aggregates of them: percentiles over segments are exact. A folder that cannot be
written costs time at the next start and nothing else.
"""

import contextlib
import hashlib
import logging
import tempfile
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

PIECE_BYTES = 16_000_000
"""How much is read at a time."""
KEEP_BYTES = 4_000_000
"""A piece of a file that still grows becomes a segment from this size on; smaller ones would make thousands."""
_HEAD_BYTES = 160
_logger = logging.getLogger("candor.report")


@dataclass(frozen=True, slots=True)
class Segment:
    """One Parquet file and the bytes, from `start` up to `end`, whose rows it holds."""

    path: Path
    start: int
    end: int


class Segments:
    """The segments of the files of one table; any number of processes may share the folder.

    Args:
        folder: Where they are kept; made when the first is written.
        layout: What the rows look like, in words; segments of another layout are never read, and removed.
    """

    def __init__(self, folder: Path, layout: str) -> None:
        self._folder = folder
        self._layout = _digest(layout, 8)

    def of(self, key: str, size: int) -> list[Segment]:
        """Return the segments that cover a file from its first byte without a gap, none beyond `size`.

        Args:
            key: What the file is known by.
            size: How many bytes the file has now.
        """
        found = sorted(map(_parsed, self._folder.glob(f"{self._prefix(key)}-*.parquet")), key=lambda one: one.start)
        chain: list[Segment] = []
        for segment in found:
            if segment.start == (chain[-1].end if chain else 0) and segment.end <= size:
                chain.append(segment)
        return chain

    def keep(self, cursor: duckdb.DuckDBPyConnection, table: str, key: str, start: int, end: int) -> bool:
        """Write the rows of `table` as a segment; return whether it is there now."""
        path = self._folder / f"{self._prefix(key)}-{start}-{end}.parquet"
        part = path.with_suffix(f".{id(cursor):x}.part")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            cursor.execute(f"COPY {table} TO '{_quoted(part)}' (FORMAT parquet, COMPRESSION zstd)")
            part.replace(path)
        except (OSError, duckdb.Error) as error:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
            _logger.warning("What was read of the log cannot be kept in %s (%s).", self._folder, error)
            return False
        return True

    def drop(self, segment: Segment) -> None:
        """Remove a segment, as one that cannot be read."""
        with contextlib.suppress(OSError):
            segment.path.unlink(missing_ok=True)

    def prune(self, keys: Collection[str]) -> None:
        """Remove what belongs to no file of these, or to another layout."""
        wanted = {self._prefix(key) for key in keys}
        for path in self._folder.glob("*-*-*-*"):
            if "-".join(path.name.split("-")[:2]) not in wanted:
                with contextlib.suppress(OSError):
                    path.unlink(missing_ok=True)

    def _prefix(self, key: str) -> str:
        return f"{_digest(key, 16)}-{self._layout}"


def _parsed(path: Path) -> Segment:
    start, end = path.stem.split("-")[2:4]
    return Segment(path, int(start), int(end))


def _digest(text: str, length: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:length]


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


@dataclass(frozen=True, slots=True)
class _Seen:
    """How far a file has been read, and how far that is kept as segments; `number` marks its rows."""

    number: int
    size: int = 0
    kept: int = 0


class LineTable:
    """One table over files of JSON lines.

    Args:
        connection: The database to keep the table in.
        name: Name of the table.
        fields: JSON fields to read and their SQL types; other fields cost nothing, missing ones are null.
        columns: Columns of the table, as SQL expressions over the fields; a column `file` is added.
        kept_in: Folder for what was read, so that the next process need not parse it; None: nothing is kept.
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
        self._columns = ", ".join(f"{expression} AS {column}" for column, expression in columns.items())
        self._segments = Segments(kept_in, f"{self._fields} {self._columns}") if kept_in else None
        self._seen: dict[str, _Seen] = {}
        self._next_number = 0
        self._lock = threading.Lock()
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as empty:
            parse = f"CREATE TABLE {name} AS SELECT 0::INTEGER AS file, {self._parsed()}"
            self._connection.execute(parse, [empty.name, self._fields])

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
        chain = self._segments.of(key, size) if self._segments else []
        return size - (chain[-1].end if chain else 0)

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
            gone = self._seen.keys() - present.keys()
            for key in gone:
                self._forget(key)
            new = present.keys() - self._seen.keys()
            for key, path in present.items():
                self._read(key, path, told)
            if self._segments and (gone or new):
                self._segments.prune(present)

    def _read(self, key: str, path: Path, told: Callable[[int], None]) -> None:
        try:
            size = path.stat().st_size
            if (seen := self._seen.get(key)) and size < seen.size:
                self._forget(key)
            if key not in self._seen:
                self._seen[key] = self._from_segments(key, size)
            while (start := self._seen[key].size) < size and (lines := _whole_lines(path, start, size)):
                self._add(key, lines, keep=len(lines) >= KEEP_BYTES or _is_rotated(path))
                told(len(lines))
            self._keep_rest(key, path, least=1 if _is_rotated(path) else PIECE_BYTES)
        except FileNotFoundError:
            return  # rotated away between the listing and now; the next refresh finds it under its new name

    def _from_segments(self, key: str, size: int) -> _Seen:
        """Take the rows that are kept of a file; a segment that cannot be read ends what is taken."""
        number, end = self._new_number(), 0
        chain = self._segments.of(key, size) if self._segments else []
        if chain and self._take(chain, number):
            return _Seen(number, chain[-1].end, chain[-1].end)
        for segment in chain:  # one of them is damaged
            if not self._take([segment], number):
                break
            end = segment.end
        return _Seen(number, end, end)

    def _take(self, chain: Sequence[Segment], number: int) -> bool:
        """Take all rows of segments, or none where one is damaged."""
        taken = f"INSERT INTO {self._name} SELECT ?::INTEGER AS file, * FROM read_parquet(?)"  # noqa: S608 - own name
        try:
            self._connection.cursor().execute(taken, [number, [str(segment.path) for segment in chain]])
        except duckdb.Error as error:
            _logger.warning("What was read of the log cannot be taken over (%s); it is read again.", error)
            if self._segments and len(chain) == 1:
                self._segments.drop(chain[0])
            return False
        return True

    def _add(self, key: str, lines: bytes, *, keep: bool) -> None:
        """Add whole lines that follow what was seen; they are kept, if wanted, where all before them is kept too."""
        seen = self._seen[key]
        end, kept = seen.size + len(lines), seen.kept
        with self._connection.cursor() as cursor:
            self._parse(cursor, lines)
            cursor.execute(f"INSERT INTO {self._name} SELECT ?::INTEGER AS file, * FROM piece", [seen.number])  # noqa: S608
            if keep and self._segments and seen.kept == seen.size:
                kept = end if self._segments.keep(cursor, "piece", key, seen.size, end) else kept
        self._seen[key] = _Seen(seen.number, end, kept)

    def _keep_rest(self, key: str, path: Path, *, least: int) -> None:
        """Keep what was read in small steps, a piece at a time, while at least `least` bytes of it are not kept."""
        while self._segments and (seen := self._seen[key]).size - seen.kept >= least:
            if not (lines := _whole_lines(path, seen.kept, seen.size)):
                return
            with self._connection.cursor() as cursor:
                self._parse(cursor, lines)
                if not self._segments.keep(cursor, "piece", key, seen.kept, seen.kept + len(lines)):
                    return
            self._seen[key] = _Seen(seen.number, seen.size, seen.kept + len(lines))

    def _parse(self, cursor: duckdb.DuckDBPyConnection, lines: bytes) -> None:
        """Put the rows of lines into the temporary table `piece`, through a copy that nobody appends to."""
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as copy:
            copy.write(lines)
            copy.flush()
            cursor.execute(f"CREATE OR REPLACE TEMP TABLE piece AS SELECT {self._parsed()}", [copy.name, self._fields])

    def _parsed(self) -> str:
        return (
            f"{self._columns} FROM read_json($1, format := 'newline_delimited', ignore_errors := true, "
            "maximum_object_size := 67108864, columns := $2)"
        )

    def _forget(self, key: str) -> None:
        seen = self._seen.pop(key)
        self._connection.cursor().execute(f"DELETE FROM {self._name} WHERE file = ?", [seen.number])  # noqa: S608

    def _new_number(self) -> int:
        self._next_number += 1
        return self._next_number


def _present(files: Iterable[Path]) -> dict[str, Path]:
    return {key: path for path in files if (key := _identity(path)) is not None}


def _is_rotated(path: Path) -> bool:
    """Return whether a file is written no more: rotation gave it a number."""
    return path.suffix[1:].isdigit()


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
    return f"{inode}:{hashlib.sha256(head).hexdigest()}" if head.endswith(b"\n") or len(head) == _HEAD_BYTES else None
