"""An embedded index that an older Candor wrote, with one vector for a chunk: put aside, and its chunks written anew.

    index          what is searched, in today's layout
    index.older    the old files, from the first opening until all their chunks stand in the other

A crash leaves both: whoever opens the index next goes on.
"""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import numpy as np
import qdrant_edge as edge

from rag.adapters import points
from rag.adapters.edge_files import read_id, translated, write_id
from rag.protocols import IndexedChunk, SparseVector

_ENDING: Final = ".older"
_NO_VECTORS: Final = np.zeros((0, 0), dtype=np.float32)


class OlderIndex:
    """What `OlderChunks` asks for, of a folder of old files. Raises `IndexNotReady` where they are damaged."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def count(self) -> int:
        """Return how many chunks there are."""
        with _opened(self._path) as shard:
            return shard.info().points_count

    def batches(self, size: int) -> Iterator[list[IndexedChunk]]:
        """Yield all chunks without vectors, so many at a time, with their sparse vectors."""
        offset = None
        with _opened(self._path) as shard:
            while True:
                request = edge.ScrollRequest(
                    offset=offset, limit=size, with_payload=list(points.CHUNK_KEYS), with_vector=[points.SPARSE]
                )
                records, offset = shard.scroll(request)
                yield [_without_vectors(record) for record in records]
                if offset is None:
                    return

    def drop(self) -> None:
        """Remove the old files."""
        shutil.rmtree(self._path, ignore_errors=True)


def older_index(index: Path) -> OlderIndex | None:
    """Return what is left of an older index beside one that is open, or None."""
    path = _older(index)
    return OlderIndex(path) if path.exists() else None


def is_older(index: Path) -> bool:
    """Return whether chunks wait to be written anew: of this index, or put aside of it before.

    The index is not opened: this works while another process has it. A file that cannot be read says no; the engine
    says what is wrong with it.
    """
    if _older(index).exists():
        return True
    try:
        vectors = json.loads((index / "edge_config.json").read_text(encoding="utf-8"))["vectors"]
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return isinstance(vectors, dict) and bool(vectors) and points.DENSE not in vectors


def put_aside(index: Path) -> None:
    """Put an older index aside, where this is one; call it before the index is opened.

    Raises:
        IndexNotReady: Another process has it open, or its files are damaged.
        OSError: It cannot be put aside.
    """
    older = _older(index)
    if is_older(index) and not older.exists():
        with _opened(index) as shard:
            shard.flush()
        index.rename(older)
    if older.exists() and not (index / "edge_config.json").exists():
        index.mkdir(parents=True, exist_ok=True)
        if name := read_id(older):
            write_id(index, name)


def _older(index: Path) -> Path:
    return index.with_name(f"{index.name}{_ENDING}")


@contextmanager
def _opened(path: Path) -> Iterator[edge.EdgeShard]:
    """Open old files in their own layout."""
    try:
        shard = edge.EdgeShard.load(str(path))
        try:
            yield shard
        finally:
            shard.close()
    except Exception as error:  # the engine has no classes of its own
        raise translated(error, path, opening=True, closed=False) from error


def _without_vectors(record: edge.Record) -> IndexedChunk:
    vectors = record.vector
    words = vectors.get(points.SPARSE) if isinstance(vectors, dict) else None
    found = points.NO_SPARSE
    if isinstance(words, edge.SparseVector):
        found = SparseVector(tuple(words.indices), tuple(words.values))
    return IndexedChunk(points.chunk_of(record.payload), _NO_VECTORS, found)
