"""What a `VectorStore` of Qdrant's points does alike, embedded or on a server; an engine adds how each call is made."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from rag.adapters import points
from rag.models import Chunk
from rag.protocols import IndexedChunk, Scored, SearchScope, SparseVector, Vector

Request = Any
"""A search, and `Filter` a filter, as the engine takes them."""
Filter = Any


class PointStore(ABC):
    """Searches, reads and counts points. Every method may raise `IndexNotReady` or `StoreUnavailable`."""

    _width: int
    """Length of the dense vectors that are written and searched."""

    def delete(self, document: str, *, version: str | None = None, keep: str | None = None) -> None:
        """Remove a document's chunks: all, only those of one `version`, or all but the version to `keep`."""
        equal: list[tuple[str, str | int]] = [("document", document)]
        if version is not None:
            equal.append(("version", version))
        kept = () if keep is None else (keep,)
        self._delete(self._filter(points.Conditions(tuple(equal), without_versions=kept)))

    def search_dense(self, vector: Vector, *, limit: int, scope: SearchScope) -> list[Scored]:
        """Return the chunks whose best window is nearest by cosine, best first, equal scores ordered by chunk id."""
        points.require_dimension(vector, self._width)
        return self._nearest(vector.tolist(), limit, scope)

    def search_sparse(self, sparse: SparseVector, *, limit: int, scope: SearchScope) -> list[Scored]:
        """Return the best chunks by BM25, best first, none with score 0; the idf is that of all visible chunks."""
        return self._worded(sparse, limit, scope) if sparse.indices else []

    def search_hybrid(
        self, vector: Vector, sparse: SparseVector, *, limit: int, scope: SearchScope
    ) -> tuple[list[Scored], list[Scored]]:
        """Return what `search_dense` and `search_sparse` return, from one request."""
        if not sparse.indices or limit < 1:
            return self.search_dense(vector, limit=limit, scope=scope), []
        points.require_dimension(vector, self._width)
        numbers: list[float] = vector.tolist()
        most = points.with_ties(limit)
        near, worded = self._query(self._dense(numbers, most, scope), self._sparse(sparse, most, scope))
        return self._nearest(numbers, limit, scope, near), self._worded(sparse, limit, scope, worded)

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
        (found,) = self._query(self._sparse(sparse, len(ids), scope, among=ids))
        return {chunk_id: round(score, 6) for chunk_id, score in found}

    def fetch(self, chunk_ids: Sequence[str]) -> list[IndexedChunk]:
        """Return chunks with their vectors, in the order asked for; unknown ids are left out."""
        ids = points.point_ids(chunk_ids)
        if not ids:
            return []
        by_id = {str(record.id): record for record in self._retrieve(ids)}
        found = [record for record in map(by_id.get, ids) if record is not None]
        return [points.indexed_of(record.payload, _vectors_of(record), self._width) for record in found]

    def scroll(self, scope: SearchScope, *, batch: int = 256) -> Iterator[Chunk]:
        """Yield every chunk of the scope, read `batch` at a time, ordered by chunk id."""
        where, offset = self._scope_filter(scope), None
        while True:
            records, offset = self._page(where, offset, batch)
            yield from (points.chunk_of((record.payload or {}).get("chunk")) for record in records)
            if offset is None:
                return

    def facets(self, field: str, scope: SearchScope) -> dict[str, int]:
        """Return each value of a metadata field and in how many chunks it occurs; a chunk counts on all its pages."""
        hits = self._facet(points.facet_key(field), self._scope_filter(scope))
        return points.ordered_facets((hit.value, hit.count) for hit in hits)

    def _nearest(
        self, numbers: list[float], limit: int, scope: SearchScope, found: points.Found | None = None
    ) -> list[Scored]:
        return points.ranked(lambda most: self._query(self._dense(numbers, most, scope))[0], limit, found)

    def _worded(
        self, sparse: SparseVector, limit: int, scope: SearchScope, found: points.Found | None = None
    ) -> list[Scored]:
        return points.ranked(lambda most: self._query(self._sparse(sparse, most, scope))[0], limit, found)

    # --- filters ------------------------------------------------------------------------------------------------------

    def _scope_filter(self, scope: SearchScope) -> Filter | None:
        """Return where to search, or None for everywhere, which is quicker than an empty filter."""
        conditions = points.conditions_of(scope)
        return None if conditions == points.Conditions() else self._filter(conditions)

    def _filter(self, conditions: points.Conditions) -> Filter:
        """Return conditions as a filter, versions in flight and unwanted documents left out."""
        must = [self._matching(key, value) for key, value in conditions.equal]
        if conditions.documents is not None:
            must.append(self._matching("document", conditions.documents))
        must_not = [self._matching(key, values) for key, values in conditions.unwanted]
        for document, versions in conditions.hidden_by_document:  # as quick as the version alone
            both = [self._matching("document", document), self._matching("version", versions)]
            must_not.append(self._joined(both, []))
        return self._joined(must, must_not)

    # --- what an engine adds ------------------------------------------------------------------------------------------

    @abstractmethod
    def _matching(self, key: str, wanted: str | int | tuple[str, ...]) -> Filter:
        """Return the condition that a key has this value, or one of these."""

    @abstractmethod
    def _joined(self, must: list[Filter], must_not: list[Filter]) -> Filter:
        """Return conditions as one filter."""

    @abstractmethod
    def _dense(self, numbers: list[float], limit: int, scope: SearchScope) -> Request:
        """Return the search for the nearest vectors."""

    @abstractmethod
    def _sparse(
        self, sparse: SparseVector, limit: int, scope: SearchScope, among: Sequence[str] | None = None
    ) -> Request:
        """Return the search by BM25, in the scope or among chunks of these ids; the idf is that of the scope."""

    @abstractmethod
    def _query(self, *requests: Request) -> list[points.Found]:
        """Return what each search finds, of several in one call."""

    @abstractmethod
    def _retrieve(self, ids: list[str]) -> Sequence[Any]:
        """Return the points of these ids with chunk and dense vectors, in any order."""

    @abstractmethod
    def _page(self, where: Filter | None, offset: Any, size: int) -> tuple[Sequence[Any], Any]:
        """Return the next points with their chunks, and where to go on; None: they were the last."""

    @abstractmethod
    def _facet(self, key: str, where: Filter | None) -> Sequence[Any]:
        """Return the values of a key with their counts."""

    @abstractmethod
    def _delete(self, where: Filter) -> None:
        """Remove the points that a filter lets through. Durable on return."""


def _vectors_of(record: Any) -> list[list[float]]:
    """Return the vectors of the windows of what was read; none where it was read without them."""
    return record.vector[points.DENSE] if isinstance(record.vector, dict) else []
