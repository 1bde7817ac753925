"""Rows that were read from JSON lines, kept as Parquet files, so that no line is parsed twice.

A segment holds the rows of one range of bytes of one file, and is named by both; it is written once and never changed.
The values are those of the lines, not aggregates of them: percentiles over segments are exact. A folder that cannot be
written costs time at the next start and nothing else.
"""

import contextlib
import hashlib
import logging
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import duckdb

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
