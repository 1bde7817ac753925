"""The files of an embedded index: opened, written, sealed, optimised, replaced and closed, by one process at a time.

The engine raises bare `Exception`, and a Rust panic as a `BaseException`; both are translated here.
"""

import logging
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeAlias, TypeVar

import qdrant_edge as edge

from rag.adapters import edge_older, edge_optimizer
from rag.adapters.edge_config import Work, field_schemas, index_config, search_params
from rag.adapters.edge_files import (
    TO_OPEN,
    TO_SEAL,
    free_bytes,
    has_graph,
    lacks_graph,
    open_chunks,
    read_id,
    require_room,
    translated,
    write_id,
)
from rag.adapters.vector_layout import EXACT_UP_TO, RETRY_AFTER, SEAL_EVERY, QuantizationChoice, quantization_of
from rag.errors import CandorError

Result = TypeVar("Result")
WordCounts: TypeAlias = Callable[[Sequence[int]], tuple[int, Mapping[int, int]]]
"""Says how many chunks are visible now, and in how many of them each of some term ids occurs."""
_log = logging.getLogger(__name__)

FLUSH_EVERY: Final = 4_000
"""Chunks written between two flushes of everything: about one second of replay after a crash."""


class EdgeIndex:
    """The part of `EdgeStore` that holds its files.

    Every method may raise `StoreUnavailable` (the engine failed, or the disk is full) or `IndexNotReady`.

    Args:
        path: Folder of the index; made where it does not exist.
        exact_up_to: Vectors up to which all are compared; beyond, `optimize` builds a graph.
        quantization: Whether a smaller copy of the vectors is searched first, and which; another one takes effect at
            the next `optimize`.
        word_counts: Who knows how often words occur; None: the engine counts for every question.
        seal_every: Chunks after which the segment being written is closed: the engine holds all of it in memory.

    Attributes:
        search_params: How a dense search is done in as many vectors as there were at the last `optimize`.

    Raises:
        IndexNotReady: Another process has it open, it has another dimension, or its files are damaged.
        StoreUnavailable: The disk has too little room left.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        dimension: int = 384,
        exact_up_to: int = EXACT_UP_TO,
        quantization: QuantizationChoice = "none",
        word_counts: WordCounts | None = None,
        seal_every: int = SEAL_EVERY,
    ) -> None:
        self.path, self._width, self._word_counts = Path(path), dimension, word_counts
        self._exact_up_to, self._choice, self._seal_every = exact_up_to, quantization, seal_every
        self._writing = Lock()
        self._unflushed = self._unsealed = self._retry_from = 0
        self._closed = self._is_displaced = False
        self._index_id: str | None = None
        with self._border(opening=True):
            self._open()

    def _ask(self, call: Callable[[edge.EdgeShard], Result]) -> Result:
        """Return what a call that reads returns."""
        with self._border():
            return call(self._shard)

    def _write(self, operation: edge.UpdateOperation) -> None:
        """Apply one change; `_sync` puts it on disk."""
        with self._turn():
            self._shard.update(operation)

    def _sync(self, changed: int) -> None:
        """Put the log on disk, so that what was written outlives a power cut as it outlives a killed process."""
        # `flush` would do too, but syncs some 60 files: 300 ms on a slow disk, against 5 ms for the log.
        with self._turn():
            self._unflushed += changed
            if self._unflushed >= FLUSH_EVERY:
                self._shard.flush()
                self._unflushed = 0
            else:
                _sync_files(self.path / "wal")

    def _seal_after(self, added: int) -> None:
        """Close the segment being written once it holds enough chunks; where that fails, after as many chunks more."""
        self._unsealed += added
        if self._unsealed < self._seal_every:
            return
        with self._turn():
            self._unsealed = 0
            if free_bytes(self.path) < TO_SEAL:
                return
            try:
                self._shard.flush()
                self._optimize_beside("sealing", graphs=self._has_graph())
            except (OSError, RuntimeError) as error:
                _log.warning("A segment of the index in %s stays in memory for now: %s", self.path, error)

    def optimize(self, *, is_wanted: Callable[[], bool] | None = None) -> None:
        """Merge segments, drop deleted points and, where there are too many vectors to compare all, build a graph.

        A graph takes minutes, and disk space for a second copy meanwhile: questions go on being answered, writers wait.

        Args:
            is_wanted: Asked four times a second while a graph is built; where it says no, what is done by then stays
                and `StoreUnavailable` is raised; no chunk is lost.
        """
        with self._turn():
            self._shard.flush()
            chunks = self._shard.info().points_count
            self._retry_from = chunks + RETRY_AFTER
            if chunks >= self._exact_up_to:
                self._optimize_beside("merging", graphs=True, is_wanted=is_wanted)
                if self._lacks_graph():  # the engine merges three segments or more: the open one is closed for it
                    self._optimize_beside("sealing", graphs=True, is_wanted=is_wanted)
                    self._optimize_beside("merging", graphs=True, is_wanted=is_wanted)
            else:
                self._shard.optimize()
                self._shard.flush()
                self._choose_search()
            if not self._lacks_graph():
                self._retry_from = 0

    def due(self) -> bool:
        """Return whether so many vectors are in no graph that one is wanted, or graphs are quantised in another way.

        After an `optimize` that failed or did not help, not before some more chunks have been written.
        """
        with self._turn():
            return self._shard.info().points_count >= self._retry_from and self._lacks_graph()

    @property
    def dimension(self) -> int:
        """Length of the dense vectors."""
        return self._width

    def index_id(self) -> str | None:
        """Return the id that was given to this index, or None."""
        return self._index_id

    def set_index_id(self, index_id: str) -> None:
        """Keep the id of the index in a file of its folder."""
        with self._turn():
            write_id(self.path, index_id)
            self._index_id = index_id

    def clear(self, dimension: int) -> None:
        """Remove every chunk; from now on vectors have another length.

        The old files are put aside in one step: a crash before it leaves the old index, one after it an empty index.
        """
        with self._turn(opening=True):
            self._shard.close()
            shutil.rmtree(self._aside, ignore_errors=True)
            if older := edge_older.older_index(self.path):
                older.drop()
            self.path.rename(self._aside)
            self._width, self._retry_from = dimension, 0
            self._open()

    def close(self) -> None:
        """Flush and release the folder for other processes; calling it again does nothing."""
        with self._writing:
            if self._closed:
                return
            self._closed = True
            # A displaced one's files are another's by now: it must not write into them.
            releases = (self._shard.close,) if self._is_displaced else (self._shard.flush, self._shard.close)
            for release in releases:
                try:
                    release()
                except Exception as error:  # a full disk, say; what was written stands in the log and is read again
                    _log.warning("The index in %s was closed without writing all of it down: %s", self.path, error)

    @property
    def _aside(self) -> Path:
        """Where the files of an index go that is being replaced."""
        return self.path.with_name(f"{self.path.name}.replaced")

    def _open(self) -> None:
        """Open the index, or make an empty one; what was interrupted is tidied up once the index is ours."""
        edge_optimizer.restore(self.path)
        edge_older.put_aside(self.path)
        self.path.mkdir(parents=True, exist_ok=True)
        require_room(self.path, TO_OPEN)
        self._load()
        present = self._shard.info().payload_schema
        for key, kind in field_schemas().items():
            if key not in present:
                self._shard.update(edge.UpdateOperation.create_field_index(key, kind))
        self._index_id = read_id(self.path)
        shutil.rmtree(self._aside, ignore_errors=True)
        edge_optimizer.tidy(self.path)

    def _load(self) -> None:
        """Open the files; what a crash left in the log only is written down: the open segment is counted from files."""
        layout = self._layout("answering", graphs=self._has_graph())
        self._shard = edge.EdgeShard.load(str(self.path), index_config(**layout))
        self._is_displaced = False
        self._shard.flush()
        self._unflushed, self._unsealed = 0, open_chunks(self.path)
        self._choose_search()

    def _layout(self, work: Work, *, graphs: bool) -> dict[str, Any]:
        quantization = quantization_of(self._choice, graphs=graphs)
        return {"dimension": self._width, "exact_up_to": self._exact_up_to, "quantization": quantization, "work": work}

    def _choose_search(self) -> None:
        """Choose how to search as many vectors as there are: the width of one segment's share alone lost recall."""
        quantization = quantization_of(self._choice, graphs=self._has_graph())
        self.search_params = search_params(quantization, self._shard.info().points_count)

    def _has_graph(self) -> bool:
        return has_graph(self.path, self._exact_up_to)

    def _lacks_graph(self) -> bool:
        quantization = quantization_of(self._choice, graphs=True)
        return lacks_graph(self.path, self._shard.info().points_count, self._exact_up_to, quantization)

    def _optimize_beside(self, work: Work, *, graphs: bool, is_wanted: Callable[[], bool] | None = None) -> None:
        """Have a copy optimised and go on with that; readers that are at it finish on the old files."""
        copy = edge_optimizer.optimized_copy(self.path, self._layout(work, graphs=graphs), is_wanted=is_wanted)
        edge_optimizer.take_place(copy, self.path)
        self._is_displaced = True
        self._open_in_place()

    def _open_in_place(self) -> None:
        """Open the copy that stands where the index was."""
        # Where that fails (no file can be opened, or another process was quicker) questions are still answered from the
        # old files. Nothing is written to them, for they are worthless from now on: who writes next tries again.
        self._load()
        edge_optimizer.tidy(self.path)

    @contextmanager
    def _turn(self, *, opening: bool = False) -> Iterator[None]:
        """Hold the files against all others that write, and see that they are those of the index."""
        with self._border(opening=opening), self._writing:
            if self._is_displaced and not self._closed:
                self._open_in_place()
            yield

    @contextmanager
    def _border(self, *, opening: bool = False) -> Iterator[None]:
        """Translate whatever the engine raises."""
        try:
            yield
        except CandorError:
            raise
        except BaseException as error:
            is_panic = type(error).__name__ == "PanicException"
            if not isinstance(error, Exception) and not is_panic:
                raise
            closed = self._closed and not is_panic
            raise translated(error, self.path, opening=opening, closed=closed) from error


def _sync_files(folder: Path, looks: int = 10) -> None:
    """Put the files of a folder on disk; it is looked at again while its files change their names."""
    try:
        for path in folder.iterdir():
            with path.open("rb") as file:
                os.fsync(file)
    except FileNotFoundError:  # the engine makes the log's next file in a thread of its own, and renames it then
        if looks == 1:
            raise
        _sync_files(folder, looks - 1)
