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
    Segments,
    free_bytes,
    is_engine_error,
    read_id,
    read_segments,
    require_room,
    translated,
    used_bytes,
    write_id,
    write_segments,
)
from rag.adapters.vector_layout import (
    EXACT_UP_TO,
    RETRY_AFTER,
    SEAL_EVERY,
    SEAL_SHARE,
    QuantizationChoice,
    quantization_of,
)
from rag.errors import CandorError

Result = TypeVar("Result")
WordCounts: TypeAlias = Callable[[Sequence[int]], tuple[int, Mapping[int, int]]]
"""Says how many chunks are visible now, and in how many of them each of some term ids occurs."""
_log = logging.getLogger(__name__)

FLUSH_EVERY: Final = 4_000  # chunks written between two flushes of everything: about one second of replay after a crash


class EdgeIndex:
    """The part of `EdgeStore` that holds its files.

    Every method may raise `StoreUnavailable` (the engine failed, or the disk is full) or `IndexNotReady`.

    Args:
        path: Folder of the index; made where it does not exist.
        exact_up_to: Vectors up to which all are compared; beyond, `optimize` builds a graph.
        quantization: Whether a smaller copy of the vectors is searched first, and which; another one takes effect at
            the next `optimize`.
        word_counts: Who knows how often words occur; None: the engine counts for every question.
        seal_every: Chunks after which, at the earliest, the segment being written is closed: the engine holds all of it
            in memory.

    Attributes:
        search_params: How a dense search is done in as many vectors as there were at the last `optimize`.

    Raises:
        IndexNotReady: Another process has it open, it has another dimension, or its files are damaged.
        StoreUnavailable: The disk has too little room left.
    """

    _segments: Segments

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
        self._unflushed = self._seal_from = self._retry_from = 0
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

    def _sync(self, changed: int, *, added: int = 0) -> None:
        """Put the log on disk, so that what was written outlives a power cut as it outlives a killed process."""
        # `flush` would do too, but syncs some 60 files: 300 ms on a slow disk, against 5 ms for the log.
        with self._turn():
            self._segments = self._segments.grown(added)
            self._unflushed += changed
            if self._unflushed >= FLUSH_EVERY or not _synced(self.path / "wal"):
                self._flush()

    def _flush(self) -> None:
        """Write down all that is in the log only, and what is noted of the segments."""
        self._shard.flush()
        self._unflushed = 0
        self._segments = self._segments.model_copy(update={"chunks": self._chunks()})
        write_segments(self.path, self._segments)

    def _seal_if_due(self) -> None:
        """Close the segment being written once it holds enough chunks; where that fails, after as many chunks more."""
        with self._turn():
            enough, unsealed = max(self._seal_every, int(self._chunks() * SEAL_SHARE)), self._segments.unsealed
            if unsealed < max(enough, self._seal_from):
                return
            self._seal_from = unsealed + enough
            try:
                if free_bytes(self.path) >= TO_SEAL + used_bytes(self.path):
                    self._flush()
                    self._optimize_beside("sealing")
                    self._seal_from = 0
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
            self._flush()
            self._retry_from = self._chunks() + RETRY_AFTER
            if self._lacks_graph() and self._shard.info().segments_count == 2:
                self._optimize_beside("sealing", is_wanted)  # the engine merges three segments or more
            self._optimize_beside("merging" if self._chunks() >= self._exact_up_to else "answering", is_wanted)
            self._retry_from = 0

    def due(self) -> bool:
        """Return whether so many vectors are in no graph that one is wanted, or graphs are quantised in another way.

        After an `optimize` that failed, not before some more chunks have been written.
        """
        with self._turn():
            return self._chunks() >= self._retry_from and self._lacks_graph()

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
            edge_older.drop(self.path)
            self.path.rename(self._aside)
            self._width, self._retry_from, self._seal_from = dimension, 0, 0
            self._open()

    def close(self) -> None:
        """Flush and release the folder for other processes; calling it again does nothing."""
        with self._writing:
            if self._closed:
                return
            self._closed = True
            # A displaced one's files are another's by now: it must not write into them.
            releases = (self._shard.close,) if self._is_displaced else (self._flush, self._shard.close)
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
        self._flush()
        self._index_id = read_id(self.path)
        shutil.rmtree(self._aside, ignore_errors=True)
        edge_optimizer.tidy(self.path)

    def _load(self) -> None:
        """Open the files; what a crash left in the log only is counted as written to the open segment."""
        noted = read_segments(self.path)
        layout = self._layout("answering", graphs=noted is not None and noted.graphs is not None)
        self._shard = edge.EdgeShard.load(str(self.path), index_config(**layout))
        self._is_displaced, self._unflushed, chunks = False, 0, self._chunks()
        if noted is None:  # nothing is known but that so many have a graph, or are to get one
            graphs = quantization_of(self._choice, graphs=True) if chunks >= self._exact_up_to else None
            noted = Segments(dimension=self._width, chunks=0, unsealed=0, ungraphed=0, graphs=graphs)
        self._segments = noted.grown(max(0, chunks - noted.chunks))
        # As many vectors as there are: the width of one segment's share alone lost recall.
        self.search_params = search_params(layout["quantization"], chunks)

    def _chunks(self) -> int:
        return self._shard.info().points_count

    def _layout(self, work: Work, *, graphs: bool) -> dict[str, Any]:
        quantization = quantization_of(self._choice, graphs=graphs)
        return {"dimension": self._width, "exact_up_to": self._exact_up_to, "quantization": quantization, "work": work}

    def _lacks_graph(self) -> bool:
        if self._chunks() < self._exact_up_to:
            return False
        is_other = self._segments.graphs != quantization_of(self._choice, graphs=True)
        return is_other or self._segments.ungraphed >= self._exact_up_to

    def _optimize_beside(self, work: Work, is_wanted: Callable[[], bool] | None = None) -> None:
        """Have a copy optimised and go on with that; readers that are at it finish on the old files."""
        graphs = self._segments.graphs is not None if work == "sealing" else work == "merging"
        layout = self._layout(work, graphs=graphs)
        merged = {"ungraphed": 0, "graphs": layout["quantization"] if graphs else None}
        segments = self._segments.model_copy(update={"unsealed": 0} if work == "sealing" else merged)
        copy = edge_optimizer.optimized_copy(self.path, layout, segments, is_wanted=is_wanted)
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
            if not is_engine_error(error):
                raise
            closed = self._closed and isinstance(error, Exception)
            raise translated(error, self.path, opening=opening, closed=closed) from error


def _synced(folder: Path) -> bool:
    """Put the files of a folder on disk; return False where there is none, or one changed its name meanwhile."""
    try:
        files = list(folder.iterdir())
        for path in files:
            with path.open("rb") as file:
                os.fsync(file)
    except FileNotFoundError:  # the engine makes the log's next file in a thread of its own, and renames it then
        return False
    return bool(files)
