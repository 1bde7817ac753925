"""The embedded store: Qdrant's own engine in this process, on disk, with a write-ahead log. One process only.

The engine raises bare `Exception`, and a Rust panic as a `BaseException`; both are translated here.
"""

import logging
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import Final

import qdrant_edge as edge

from rag.adapters import edge_id, edge_optimizer, edge_segments, points
from rag.adapters.disk_room import TO_DELETE, TO_OPEN, TO_SEAL, TO_WRITE, has_room, require_room
from rag.adapters.edge_config import field_schemas, index_config, search_params
from rag.adapters.edge_errors import translated
from rag.adapters.edge_format import filter_of, found_of, point_of, scope_filter, vector_of
from rag.adapters.edge_queries import WordCounts, dense_query, sparse_query
from rag.adapters.vector_layout import EXACT_UP_TO, RETRY_AFTER, SEAL_EVERY, Quantization
from rag.errors import CandorError
from rag.models import Chunk, ServiceStatus
from rag.protocols import IndexedChunk, Scored, SearchScope, SparseVector, Vector

_log = logging.getLogger(__name__)

FLUSH_EVERY: Final = 4_000
"""Chunks written between two flushes of everything: about one second of replay after a crash."""


class EdgeStore:
    """A `VectorStore` in a folder. Threads may read and write at once; a second process is refused.

    Args:
        path: Folder of the index; made where it does not exist.
        dimension: Length of the dense vectors.
        exact_up_to: Vectors up to which all are compared; beyond, `optimize` builds a graph.
        quantization: Whether a smaller copy of the vectors is searched first; it takes effect at the next `optimize`.
        word_counts: Who knows how often words occur; None: the engine counts for every question.
        seal_every: Chunks after which the segment being written is closed: the engine holds all of it in memory.

    Raises:
        IndexNotReady: Another process has it open, it has another dimension, or its files are damaged.
        StoreUnavailable: The disk has too little room left.
        ConfigurationError: There is no such quantization.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        dimension: int = 384,
        exact_up_to: int = EXACT_UP_TO,
        quantization: Quantization = "none",
        word_counts: WordCounts | None = None,
        seal_every: int = SEAL_EVERY,
    ) -> None:
        self._path = Path(path)
        self._dimension = dimension
        self._exact_up_to, self._seal_every = exact_up_to, seal_every
        self._config = partial(index_config, exact_up_to=exact_up_to, quantization=quantization)
        self._quantization = quantization
        self._word_counts = word_counts
        self._writing = Lock()
        self._unflushed = self._unsealed = self._retry_from = 0
        self._closed = False
        self._index_id: str | None = None
        with self._border(opening=True):
            self._open()

    @property
    def dimension(self) -> int:
        """Length of the dense vectors."""
        return self._dimension

    def clear(self, dimension: int) -> None:
        """Remove every chunk; from now on vectors have another length.

        The old files are put aside in one step: a crash before it leaves the old index, one after it an empty index.

        Raises:
            IndexNotReady: The new index cannot be made.
            StoreUnavailable: The old one cannot be put aside.
        """
        with self._border(opening=True), self._writing:
            self._shard.close()
            self._drop_aside()
            self._path.rename(self._aside)
            self._dimension, self._retry_from = dimension, 0
            self._open()

    def index_id(self) -> str | None:
        """Return the id that was given to this index, or None."""
        return self._index_id

    def set_index_id(self, index_id: str) -> None:
        """Keep the id of the index in a file of its folder.

        Raises:
            StoreUnavailable: It cannot be written.
        """
        with self._border(), self._writing:
            edge_id.write(self._path, index_id)
            self._index_id = index_id

    def upsert(self, chunks: Sequence[IndexedChunk]) -> None:
        """Write chunks; one that has the same id is replaced. On disk on return.

        Raises:
            IndexNotReady: A vector is of another dimension; nothing is written.
            StoreUnavailable: The engine failed, or the disk is full.
        """
        for indexed in chunks:
            points.require_dimension(indexed.vector, self._dimension)
        require_room(self._path, TO_WRITE)
        for group in points.in_batches(chunks):
            self._write(edge.UpdateOperation.upsert_points([point_of(indexed) for indexed in group]))
        self._sync(len(chunks))
        self._unsealed += len(chunks)
        if self._unsealed >= self._seal_every:
            self._seal()

    def delete(self, document: str, *, version: str | None = None, keep: str | None = None) -> None:
        """Remove a document's chunks: all, only those of one `version`, or all but the version to `keep`."""
        equal: list[tuple[str, str | int]] = [("document", document)]
        if version is not None:
            equal.append(("version", version))
        where = filter_of(points.Conditions(tuple(equal), () if keep is None else (keep,)))
        with self._border():
            doomed = self._shard.count(edge.CountRequest(exact=True, filter=where))
        if doomed:
            require_room(self._path, TO_DELETE)
            self._write(edge.UpdateOperation.delete_points_by_filter(where))
            self._sync(doomed)

    def search_dense(self, vector: Vector, *, limit: int, scope: SearchScope) -> list[Scored]:
        """Return the nearest chunks by cosine, best first, equal scores ordered by chunk id."""
        points.require_dimension(vector, self._dimension)
        numbers: list[float] = vector.tolist()
        return points.ranked(lambda most: self._query(self._dense(numbers, most, scope)), limit)

    def search_sparse(self, sparse: SparseVector, *, limit: int, scope: SearchScope) -> list[Scored]:
        """Return the best chunks by BM25, best first, none with score 0; the idf is that of all visible chunks."""
        if not sparse.indices:
            return []
        return points.ranked(lambda most: self._query(self._sparse(sparse, most, scope)), limit)

    def search_hybrid(
        self, vector: Vector, sparse: SparseVector, *, limit: int, scope: SearchScope
    ) -> tuple[list[Scored], list[Scored]]:
        """Return what `search_dense` and `search_sparse` return, from one pass over the segments."""
        if not sparse.indices or limit < 1:
            return self.search_dense(vector, limit=limit, scope=scope), []
        points.require_dimension(vector, self._dimension)
        numbers: list[float] = vector.tolist()
        most = points.with_ties(limit)
        requests = [self._dense(numbers, most, scope), self._sparse(sparse, most, scope)]
        with self._border():
            near, worded = map(found_of, self._shard.query_batch(edge.QueryBatchRequest(requests)))
        return (
            points.ranked(lambda most: self._query(self._dense(numbers, most, scope)), limit, near),
            points.ranked(lambda most: self._query(self._sparse(sparse, most, scope)), limit, worded),
        )

    def score_sparse(
        self, sparse: SparseVector, chunk_ids: Sequence[str], *, scope: SearchScope = SearchScope()
    ) -> dict[str, float]:
        """Return the BM25 score of the given chunks; one that has none of the words is missing.

        `scope` decides only over which chunks the idf is taken (its hidden versions do not count), so that scores equal
        those of `search_sparse` with the same scope.
        """
        ids = points.point_ids(chunk_ids)
        if not sparse.indices or not ids:
            return {}
        request = self._sparse(sparse, len(ids), scope, only=edge.Filter(must=[edge.HasIdCondition(set(ids))]))
        return {chunk_id: round(score, 6) for chunk_id, score in self._query(request)}

    def fetch(self, chunk_ids: Sequence[str]) -> list[IndexedChunk]:
        """Return chunks with their vectors, in the order asked for; unknown ids are left out."""
        ids = points.point_ids(chunk_ids)
        if not ids:
            return []
        with self._border():
            records = self._shard.retrieve(list(ids), list(points.CHUNK_KEYS), [points.DENSE])
        by_id = {str(record.id): record for record in records}
        found = [record for record in map(by_id.get, ids) if record is not None]
        return points.indexed_of([record.payload for record in found], [vector_of(record) for record in found])

    def count(self, scope: SearchScope) -> int:
        """Return how many chunks the scope holds."""
        where = scope_filter(scope)
        with self._border():
            if where is None:
                return self._shard.info().points_count  # exact, and 50 times as fast as counting
            return self._shard.count(edge.CountRequest(exact=True, filter=where))

    def scroll(self, scope: SearchScope, *, batch: int = 256) -> Iterator[Chunk]:
        """Yield every chunk of the scope, read `batch` at a time, ordered by chunk id."""
        where, offset = scope_filter(scope), None
        while True:
            request = edge.ScrollRequest(offset=offset, limit=batch, filter=where, with_payload=["chunk"])
            with self._border():
                records, offset = self._shard.scroll(request)
            yield from (points.chunk_of((record.payload or {}).get("chunk")) for record in records)
            if offset is None:
                return

    def facets(self, field: str, scope: SearchScope) -> dict[str, int]:
        """Return each value of a metadata field and in how many chunks it occurs; a chunk counts on all its pages."""
        request = edge.FacetRequest(points.facet_key(field), points.MOST_FACETS, True, scope_filter(scope))
        with self._border():
            hits = self._shard.facet(request).hits
        return points.ordered_facets((hit.value, hit.count) for hit in hits)

    def optimize(self) -> None:
        """Merge segments, drop deleted points and, where there are too many vectors to compare all, build a graph.

        A graph takes minutes, and disk space for a second copy meanwhile: questions go on being answered, writers wait.
        """
        with self._border(), self._writing:
            self._shard.flush()
            chunks = self._shard.info().points_count
            self._retry_from = chunks + RETRY_AFTER
            if chunks >= self._exact_up_to:
                self._optimize_beside()
                if self._lacks_graph():  # the engine merges three segments or more: the open one is closed for it
                    self._optimize_beside(sealing=True)
                    self._optimize_beside()
            else:
                self._shard.optimize()
                self._shard.flush()
            self._params = self._search_params()
            if not self._lacks_graph():
                self._retry_from = 0

    def due(self) -> bool:
        """Return whether so many vectors are in no graph that one is wanted, or graphs are quantised in another way.

        After an `optimize` that failed or did not help, not before some more chunks have been written.
        """
        with self._border(), self._writing:
            return self._shard.info().points_count >= self._retry_from and self._lacks_graph()

    def _lacks_graph(self) -> bool:
        chunks = self._shard.info().points_count
        return edge_segments.lacks_graph(self._path, chunks, self._exact_up_to, self._quantization)

    def _seal(self) -> None:
        """Close the segment that is being written, so that memory does not grow with the index.

        Where that fails nothing is lost: it is tried again after as many chunks more.
        """
        with self._border(), self._writing:
            self._unsealed = 0
            if not has_room(self._path, TO_SEAL):
                return
            try:
                self._shard.flush()
                self._optimize_beside(sealing=True)
            except (OSError, RuntimeError) as error:
                _log.warning("A segment of the index in %s stays in memory for now: %s", self._path, error)

    def _optimize_beside(self, *, sealing: bool = False) -> None:
        """Have a copy optimised and go on with that; readers that are at it finish on the old files."""
        copy = edge_optimizer.optimized_copy(
            self._path, self._config.keywords | {"dimension": self._dimension, "sealing": sealing}
        )
        edge_optimizer.take_place(copy, self._path)
        self._load()
        edge_optimizer.tidy(self._path)

    def _search_params(self) -> edge.SearchParams:
        """Return how to search as many vectors as there are: the width of one segment's share alone lost recall."""
        return search_params(self._quantization, self._shard.info().points_count)

    def check(self) -> ServiceStatus:
        """Probe the engine; never raises."""
        start = perf_counter()
        try:
            chunks = self.count(SearchScope())
        except CandorError as error:
            return ServiceStatus(state="disconnected", latency_ms=None, detail=error.message)
        latency_ms = (perf_counter() - start) * 1000
        return ServiceStatus(state="connected", latency_ms=latency_ms, detail=f"embedded Qdrant, {chunks} chunks")

    def close(self) -> None:
        """Flush and release the folder for other processes; calling it again does nothing."""
        with self._writing:
            if self._closed:
                return
            self._closed = True
            for release in (self._shard.flush, self._shard.close):
                try:
                    release()
                except Exception as error:  # a full disk, say; what was written stands in the log and is read again
                    _log.warning("The index in %s was closed without writing all of it down: %s", self._path, error)

    @property
    def _aside(self) -> Path:
        """Where the files of an index go that is being replaced."""
        return self._path.with_name(f"{self._path.name}.replaced")

    def _drop_aside(self) -> None:
        shutil.rmtree(self._aside, ignore_errors=True)

    def _open(self) -> None:
        """Open the index, or make an empty one; what was interrupted is tidied up once the index is ours."""
        edge_optimizer.restore(self._path)
        self._path.mkdir(parents=True, exist_ok=True)
        require_room(self._path, TO_OPEN)
        self._load()
        self._create_indexes()
        self._params = self._search_params()
        self._index_id = edge_id.read(self._path)
        self._drop_aside()
        edge_optimizer.tidy(self._path)

    def _load(self) -> None:
        """Open the files; what a crash left in the log only is written down: the open segment is counted from files."""
        self._shard = edge.EdgeShard.load(str(self._path), self._config(self._dimension))
        self._shard.flush()
        self._unflushed, self._unsealed = 0, edge_segments.open_chunks(self._path)

    def _create_indexes(self) -> None:
        present = self._shard.info().payload_schema
        for key, kind in field_schemas().items():
            if key not in present:
                self._shard.update(edge.UpdateOperation.create_field_index(key, kind))

    def _write(self, operation: edge.UpdateOperation) -> None:
        with self._border(), self._writing:
            self._shard.update(operation)

    def _sync(self, changed: int) -> None:
        """Put the log on disk, so that what was written outlives a power cut as it outlives a killed process.

        `flush` would do too, but syncs some 60 files (300 ms on a slow disk, against 5 ms for the log). It is called
        only so often that the log, which is replayed on opening after a crash, stays short.
        """
        with self._border(), self._writing:
            self._unflushed += changed
            if self._unflushed >= FLUSH_EVERY:
                self._shard.flush()
                self._unflushed = 0
            else:
                _sync_files(self._path / "wal")

    def _dense(self, numbers: list[float], limit: int, scope: SearchScope) -> edge.QueryRequest:
        return dense_query(numbers, limit, scope, self._params)

    def _sparse(
        self, sparse: SparseVector, limit: int, scope: SearchScope, *, only: edge.Filter | None = None
    ) -> edge.QueryRequest:
        return sparse_query(sparse, limit, scope, word_counts=self._word_counts, only=only)

    def _query(self, request: edge.QueryRequest) -> points.Found:
        with self._border():
            return found_of(self._shard.query(request))

    @contextmanager
    def _border(self, *, opening: bool = False) -> Iterator[None]:
        """Translate whatever the engine raises."""
        try:
            yield
        except CandorError:
            raise
        except Exception as error:
            raise translated(error, self._path, opening=opening, closed=self._closed) from error
        except BaseException as error:
            if type(error).__name__ != "PanicException":
                raise
            raise translated(error, self._path, opening=opening, closed=False) from error


def _sync_files(folder: Path) -> None:
    for file in folder.iterdir():
        descriptor = os.open(file, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
