"""The embedded store: Qdrant's own engine in this process, on disk, with a write-ahead log. One process only.

What is kept in its folder, and how, is `edge_index`; here is what it is asked.

BM25's idf is `ln((N - n + 0.5) / (n + 0.5) + 1)` over the chunks that are visible now. By itself the engine would go on
counting deleted chunks until segments are merged, and a restart would change scores. Told over which chunks to count
(`IdfParams`) it counts them for every question: 1 ms at 100,000 chunks. Where somebody knows the counts (`WordCounts`,
the catalogue does), the query's weights bring the idf with them and the engine counts over no chunk at all, which makes
its own factor the same for every word: `ln((0 - 0 + 0.5) / (0 + 0.5) + 1) = ln 2`.
"""

import math
from collections.abc import Sequence
from typing import Any, Final

import qdrant_edge as edge

from rag.adapters import edge_older, points
from rag.adapters.edge_files import TO_DELETE, TO_WRITE, require_room
from rag.adapters.edge_index import EdgeIndex
from rag.adapters.point_store import PointStore
from rag.protocols import IndexedChunk, SearchScope, SparseVector
from rag.text.bm25 import idf

_NOBODY: Final = edge.Filter(must=[edge.HasIdCondition({"00000000-0000-0000-0000-000000000000"})])


class EdgeStore(EdgeIndex, PointStore):
    """A `VectorStore` in a folder, opened as `EdgeIndex` says. Threads may read and write at once."""

    @property
    def is_older(self) -> bool:
        """Whether an older Candor wrote it, with one vector for a chunk: nothing of that is searched."""
        return edge_older.is_older(self.path)

    def upsert(self, chunks: Sequence[IndexedChunk]) -> None:
        """Write chunks; one that has the same id is replaced. On disk on return."""
        require_room(self.path, TO_WRITE)
        super().upsert(chunks)
        self._sync(len(chunks), added=len(chunks))
        self._seal_if_due()

    def count(self, scope: SearchScope) -> int:
        """Return how many chunks the scope holds."""
        where = self._scope_filter(scope)
        if where is None:  # the next is exact, and 50 times as fast as counting
            return self._ask(lambda shard: shard.info().points_count)
        return self._ask(lambda shard: shard.count(edge.CountRequest(exact=True, filter=where)))

    def _put(self, chunks: Sequence[IndexedChunk]) -> None:
        self._write(edge.UpdateOperation.upsert_points([_point_of(indexed) for indexed in chunks]))

    def _found_by_probing(self) -> str:
        return f"embedded Qdrant, {self.count(SearchScope())} chunks"

    def _matching(self, key: str, wanted: str | int | tuple[str, ...]) -> edge.FieldCondition:
        match = edge.MatchAny(list(wanted)) if isinstance(wanted, tuple) else edge.MatchValue(wanted)
        return edge.FieldCondition(key, match=match)

    def _joined(self, must: list[Any], must_not: list[Any]) -> edge.Filter:
        return edge.Filter(must=must or None, must_not=must_not or None)

    def _dense(self, numbers: list[float], scope: SearchScope, limit: int) -> edge.QueryRequest:
        nearest = edge.Query.Nearest(numbers, using=points.DENSE)
        where = self._scope_filter(scope)
        return edge.QueryRequest(limit=limit, query=nearest, filter=where, params=self.search_params)

    def _sparse(
        self, sparse: SparseVector, scope: SearchScope, limit: int, among: Sequence[str] | None = None
    ) -> edge.QueryRequest:
        weights, counted = list(sparse.values), self._visible(scope)
        if self._word_counts is not None:
            chunks, found = self._word_counts(sparse.indices)
            factors = (idf(found.get(term, 0), chunks) / math.log(2) for term in sparse.indices)
            weights, counted = [value * factor for value, factor in zip(weights, factors, strict=True)], _NOBODY
        return edge.QueryRequest(
            limit=limit,
            query=edge.Query.Nearest(edge.SparseVector(list(sparse.indices), weights), using=points.SPARSE),
            filter=self._scope_filter(scope) if among is None else edge.Filter(must=[edge.HasIdCondition(set(among))]),
            params=edge.SearchParams(idf=edge.IdfParams(corpus=counted)),
        )

    def _query(self, *requests: edge.QueryRequest) -> list[points.Found]:
        answers = self._ask(lambda shard: shard.query_batch(edge.QueryBatchRequest(list(requests))))
        return [[(str(hit.id), hit.score) for hit in hits] for hits in answers]

    def _retrieve(self, ids: list[str]) -> Sequence[edge.Record]:
        return self._ask(lambda shard: shard.retrieve(list(ids), list(points.CHUNK_KEYS), [points.DENSE]))

    def _page(self, where: edge.Filter | None, offset: Any, size: int) -> tuple[Sequence[edge.Record], Any]:
        request = edge.ScrollRequest(offset=offset, limit=size, filter=where, with_payload=list(points.CHUNK_KEYS))
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


def _point_of(indexed: IndexedChunk) -> edge.Point:
    """Return a chunk with the vectors of its windows and all that is kept of it."""
    vectors: dict[str, edge.NamedVector] = {points.DENSE: indexed.vectors.tolist()}
    if indexed.sparse.indices:
        vectors[points.SPARSE] = edge.SparseVector(list(indexed.sparse.indices), list(indexed.sparse.values))
    return edge.Point(indexed.chunk.chunk_id, vectors, points.payload_of(indexed))
