"""The embedded store: Qdrant's own engine in this process, on disk, with a write-ahead log. One process only.

What is kept in its folder, and how, is `edge_index`; here is what it is asked.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import Final

import qdrant_edge as edge

from rag.adapters import edge_older, points
from rag.adapters.disk_room import TO_DELETE, TO_WRITE, require_room
from rag.adapters.edge_format import filter_of, found_of, point_of, scope_filter, vectors_of
from rag.adapters.edge_index import EdgeIndex
from rag.adapters.edge_queries import WordCounts, dense_query, sparse_query
from rag.adapters.vector_layout import EXACT_UP_TO, SEAL_EVERY, QuantizationChoice
from rag.errors import CandorError
from rag.models import Chunk, ServiceStatus
from rag.protocols import IndexedChunk, OlderChunks, Scored, SearchScope, SparseVector, Vector

_PAYLOAD: Final = list(points.CHUNK_KEYS)
_DENSE: Final = [points.DENSE]


class EdgeStore:
    """A `VectorStore` in a folder. Threads may read and write at once; a second process is refused.

    Args:
        path: Folder of the index; made where it does not exist.
        dimension: Length of the dense vectors.
        exact_up_to: Vectors up to which all are compared; beyond, `optimize` builds a graph.
        quantization: Whether a smaller copy of the vectors is searched first, and which; another one takes effect at
            the next `optimize`.
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
        quantization: QuantizationChoice = "none",
        word_counts: WordCounts | None = None,
        seal_every: int = SEAL_EVERY,
    ) -> None:
        self._word_counts = word_counts
        self._index = EdgeIndex(
            Path(path),
            dimension=dimension,
            exact_up_to=exact_up_to,
            quantization=quantization,
            seal_every=seal_every,
        )

    @property
    def dimension(self) -> int:
        """Length of the dense vectors."""
        return self._index.dimension

    def clear(self, dimension: int) -> None:
        """Remove every chunk; from now on vectors have another length.

        The old files are put aside in one step: a crash before it leaves the old index, one after it an empty index.

        Raises:
            IndexNotReady: The new index cannot be made.
            StoreUnavailable: The old one cannot be put aside.
        """
        self._index.clear(dimension)

    @property
    def older(self) -> OlderChunks | None:
        """What an older Candor wrote with one vector for a chunk, until it is written anew."""
        return edge_older.older_index(self._index.path)

    def index_id(self) -> str | None:
        """Return the id that was given to this index, or None."""
        return self._index.index_id

    def set_index_id(self, index_id: str) -> None:
        """Keep the id of the index in a file of its folder.

        Raises:
            StoreUnavailable: It cannot be written.
        """
        self._index.set_index_id(index_id)

    def upsert(self, chunks: Sequence[IndexedChunk]) -> None:
        """Write chunks; one that has the same id is replaced. On disk on return.

        Raises:
            IndexNotReady: A vector is of another dimension; nothing is written.
            StoreUnavailable: The engine failed, or the disk is full.
        """
        for indexed in chunks:
            points.require_vectors(indexed, self._index.dimension)
        require_room(self._index.path, TO_WRITE)
        for group in points.in_batches(chunks):
            self._index.write(edge.UpdateOperation.upsert_points([point_of(indexed) for indexed in group]))
        self._index.sync(len(chunks))
        self._index.seal_after(len(chunks))

    def delete(self, document: str, *, version: str | None = None, keep: str | None = None) -> None:
        """Remove a document's chunks: all, only those of one `version`, or all but the version to `keep`."""
        equal: list[tuple[str, str | int]] = [("document", document)]
        if version is not None:
            equal.append(("version", version))
        where = filter_of(points.Conditions(tuple(equal), without_versions=() if keep is None else (keep,)))
        doomed = self._index.ask(lambda shard: shard.count(edge.CountRequest(exact=True, filter=where)))
        if doomed:
            require_room(self._index.path, TO_DELETE)
            self._index.write(edge.UpdateOperation.delete_points_by_filter(where))
            self._index.sync(doomed)

    def search_dense(self, vector: Vector, *, limit: int, scope: SearchScope) -> list[Scored]:
        """Return the chunks whose best window is nearest by cosine, best first, equal scores ordered by chunk id."""
        points.require_dimension(vector, self._index.dimension)
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
        points.require_dimension(vector, self._index.dimension)
        numbers: list[float] = vector.tolist()
        most = points.with_ties(limit)
        requests = [self._dense(numbers, most, scope), self._sparse(sparse, most, scope)]
        near, worded = self._index.ask(
            lambda shard: [found_of(hits) for hits in shard.query_batch(edge.QueryBatchRequest(requests))]
        )
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
        records = self._index.ask(lambda shard: shard.retrieve(list(ids), _PAYLOAD, _DENSE))
        by_id = {str(record.id): record for record in records}
        found = [record for record in map(by_id.get, ids) if record is not None]
        return [points.indexed_of(record.payload, vectors_of(record), self._index.dimension) for record in found]

    def count(self, scope: SearchScope) -> int:
        """Return how many chunks the scope holds."""
        where = scope_filter(scope)
        if where is None:  # the next is exact, and 50 times as fast as counting
            return self._index.ask(lambda shard: shard.info().points_count)
        return self._index.ask(lambda shard: shard.count(edge.CountRequest(exact=True, filter=where)))

    def scroll(self, scope: SearchScope, *, batch: int = 256) -> Iterator[Chunk]:
        """Yield every chunk of the scope, read `batch` at a time, ordered by chunk id."""
        where, offset = scope_filter(scope), None
        while True:
            request = edge.ScrollRequest(offset=offset, limit=batch, filter=where, with_payload=["chunk"])
            records, offset = self._index.ask(lambda shard, request=request: shard.scroll(request))  # type: ignore[misc]
            yield from (points.chunk_of((record.payload or {}).get("chunk")) for record in records)
            if offset is None:
                return

    def facets(self, field: str, scope: SearchScope) -> dict[str, int]:
        """Return each value of a metadata field and in how many chunks it occurs; a chunk counts on all its pages."""
        request = edge.FacetRequest(points.facet_key(field), points.MOST_FACETS, True, scope_filter(scope))
        hits = self._index.ask(lambda shard: shard.facet(request).hits)
        return points.ordered_facets((hit.value, hit.count) for hit in hits)

    def optimize(self, *, is_wanted: Callable[[], bool] | None = None) -> None:
        """Merge segments, drop deleted points and, where there are too many vectors to compare all, build a graph.

        A graph takes minutes, and disk space for a second copy meanwhile: questions go on being answered, writers wait.

        Args:
            is_wanted: Asked four times a second while a graph is built; where it says no, what is done by then stays.

        Raises:
            StoreUnavailable: The engine failed, the disk is full, or it was not wanted any more; no chunk is lost.
        """
        self._index.optimize(is_wanted)

    def due(self) -> bool:
        """Return whether so many vectors are in no graph that one is wanted, or graphs are quantised in another way.

        After an `optimize` that failed or did not help, not before some more chunks have been written.
        """
        return self._index.due()

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
        self._index.close()

    def _dense(self, numbers: list[float], limit: int, scope: SearchScope) -> edge.QueryRequest:
        return dense_query(numbers, limit, scope, self._index.search_params)

    def _sparse(
        self, sparse: SparseVector, limit: int, scope: SearchScope, *, only: edge.Filter | None = None
    ) -> edge.QueryRequest:
        return sparse_query(sparse, limit, scope, word_counts=self._word_counts, only=only)

    def _query(self, request: edge.QueryRequest) -> points.Found:
        return self._index.ask(lambda shard: found_of(shard.query(request)))
