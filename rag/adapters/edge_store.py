"""The embedded store: Qdrant's own engine in this process, on disk, with a write-ahead log. One process only.

What is kept in its folder, and how, is `edge_index`; here is what it is asked.
"""

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import qdrant_edge as edge

from rag.adapters import edge_config, edge_older, points
from rag.adapters.edge_config import WordCounts
from rag.adapters.edge_files import TO_DELETE, TO_WRITE, require_room
from rag.adapters.edge_index import EdgeIndex
from rag.adapters.point_store import PointStore
from rag.adapters.vector_layout import EXACT_UP_TO, SEAL_EVERY, QuantizationChoice
from rag.errors import CandorError
from rag.models import ServiceStatus
from rag.protocols import IndexedChunk, OlderChunks, SearchScope, SparseVector


class EdgeStore(EdgeIndex, PointStore):
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
        super().__init__(
            Path(path),
            dimension=dimension,
            exact_up_to=exact_up_to,
            quantization=quantization,
            seal_every=seal_every,
        )

    @property
    def older(self) -> OlderChunks | None:
        """What an older Candor wrote with one vector for a chunk, until it is written anew."""
        return edge_older.older_index(self.path)

    def upsert(self, chunks: Sequence[IndexedChunk]) -> None:
        """Write chunks; one that has the same id is replaced. On disk on return."""
        for indexed in chunks:
            points.require_vectors(indexed, self._width)
        require_room(self.path, TO_WRITE)
        for group in points.in_batches(chunks):
            self._write(edge.UpdateOperation.upsert_points([edge_config.point_of(indexed) for indexed in group]))
        self._sync(len(chunks))
        self._seal_after(len(chunks))

    def count(self, scope: SearchScope) -> int:
        """Return how many chunks the scope holds."""
        where = self._scope_filter(scope)
        if where is None:  # the next is exact, and 50 times as fast as counting
            return self._ask(lambda shard: shard.info().points_count)
        return self._ask(lambda shard: shard.count(edge.CountRequest(exact=True, filter=where)))

    def check(self) -> ServiceStatus:
        """Probe the engine; never raises."""
        start = perf_counter()
        try:
            chunks = self.count(SearchScope())
        except CandorError as error:
            return ServiceStatus(state="disconnected", latency_ms=None, detail=error.message)
        latency_ms = (perf_counter() - start) * 1000
        return ServiceStatus(state="connected", latency_ms=latency_ms, detail=f"embedded Qdrant, {chunks} chunks")

    def _matching(self, key: str, wanted: str | int | tuple[str, ...]) -> edge.FieldCondition:
        return edge_config.matching(key, wanted)

    def _joined(self, must: list[Any], must_not: list[Any]) -> edge.Filter:
        return edge.Filter(must=must or None, must_not=must_not or None)

    def _dense(self, numbers: list[float], limit: int, scope: SearchScope) -> edge.QueryRequest:
        return edge_config.dense_query(numbers, limit, self._scope_filter(scope), self.search_params)

    def _sparse(
        self, sparse: SparseVector, limit: int, scope: SearchScope, among: Sequence[str] | None = None
    ) -> edge.QueryRequest:
        visible = self._filter(points.Conditions(hidden=scope.hidden_versions))
        where = self._scope_filter(scope) if among is None else edge.Filter(must=[edge.HasIdCondition(set(among))])
        return edge_config.sparse_query(sparse, limit, where, word_counts=self._word_counts, visible=visible)

    def _query(self, *requests: edge.QueryRequest) -> list[points.Found]:
        if len(requests) == 1:
            return [self._ask(lambda shard: edge_config.found_of(shard.query(requests[0])))]
        batch = edge.QueryBatchRequest(list(requests))
        return self._ask(lambda shard: [edge_config.found_of(hits) for hits in shard.query_batch(batch)])

    def _retrieve(self, ids: list[str]) -> Sequence[edge.Record]:
        return self._ask(lambda shard: shard.retrieve(list(ids), list(points.CHUNK_KEYS), [points.DENSE]))

    def _page(self, where: edge.Filter | None, offset: Any, size: int) -> tuple[Sequence[edge.Record], Any]:
        request = edge.ScrollRequest(offset=offset, limit=size, filter=where, with_payload=["chunk"])
        return self._ask(lambda shard: shard.scroll(request))

    def _facet(self, key: str, where: edge.Filter | None) -> Sequence[Any]:
        request = edge.FacetRequest(key, points.MOST_FACETS, True, where)
        return self._ask(lambda shard: shard.facet(request).hits)

    def _delete(self, where: edge.Filter) -> None:
        doomed = self._ask(lambda shard: shard.count(edge.CountRequest(exact=True, filter=where)))
        if doomed:
            require_room(self.path, TO_DELETE)
            self._write(edge.UpdateOperation.delete_points_by_filter(where))
            self._sync(doomed)
