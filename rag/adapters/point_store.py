"""What a `VectorStore` of Qdrant's points does alike, embedded or on a server; an engine adds how each call is made."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from time import perf_counter
from typing import Any

from rag.adapters import points
from rag.errors import CandorError, InvalidQuery
from rag.models import Chunk, ServiceStatus
from rag.protocols import IndexedChunk, Scored, SearchScope, SparseVector, Vector

Request = Any  # a search, and `Filter` a filter, as the engine takes them
Filter = Any


class PointStore(ABC):
    """Searches, reads and counts points. Every method may raise `IndexNotReady` or `StoreUnavailable`."""

    _width: int  # length of the dense vectors that are written and searched

    def upsert(self, chunks: Sequence[IndexedChunk]) -> None:
        """Write chunks; one that has the same id is replaced. Durable on return."""
        for indexed in chunks:
            points.require_dimension(indexed.vectors, self._width)
        for start in range(0, len(chunks), points.WRITE_BATCH):
            self._put(chunks[start : start + points.WRITE_BATCH])

    def check(self) -> ServiceStatus:
        """Probe the engine with one request; never raises."""
        start = perf_counter()
        try:
            detail = self._found_by_probing()
        except CandorError as error:
            return ServiceStatus(state="disconnected", latency_ms=None, detail=error.message)
        return ServiceStatus(state="connected", latency_ms=(perf_counter() - start) * 1000, detail=detail)

    def delete(self, document: str, *, version: str | None = None, keep: str | None = None) -> None:
        """Remove a document's chunks: all, only those of one `version`, or all but the version to `keep`."""
        must = [self._matching("document", document)]
        if version is not None:
            must.append(self._matching("version", version))
        self._delete(self._joined(must, [] if keep is None else [self._matching("version", keep)]))

    def search_dense(self, vector: Vector, *, limit: int, scope: SearchScope) -> list[Scored]:
        """Return the chunks whose best window is nearest by cosine, best first, equal scores ordered by chunk id."""
        points.require_dimension(vector, self._width)
        return self._best(limit, partial(self._dense, vector.tolist(), scope))[0]

    def search_sparse(self, sparse: SparseVector, *, limit: int, scope: SearchScope) -> list[Scored]:
        """Return the best chunks by BM25, best first, none with score 0; the idf is that of all visible chunks."""
        return self._best(limit, partial(self._sparse, sparse, scope))[0] if sparse.indices else []

    def search_hybrid(
        self, vector: Vector, sparse: SparseVector, *, limit: int, scope: SearchScope
    ) -> tuple[list[Scored], list[Scored]]:
        """Return what `search_dense` and `search_sparse` return, from one request."""
        if not sparse.indices:
            return self.search_dense(vector, limit=limit, scope=scope), []
        points.require_dimension(vector, self._width)
        both = partial(self._dense, vector.tolist(), scope), partial(self._sparse, sparse, scope)
        near, worded = self._best(limit, *both)
        return near, worded

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
        (found,) = self._query(self._sparse(sparse, scope, len(ids), among=ids))
        return {chunk_id: round(score, 6) for chunk_id, score in found}

    def fetch(self, chunk_ids: Sequence[str]) -> list[IndexedChunk]:
        """Return chunks with their vectors, in the order asked for; unknown ids are left out."""
        ids = points.point_ids(chunk_ids)
        by_id = {str(record.id): record for record in self._retrieve(ids)} if ids else {}
        return [points.indexed_of(by_id[each], self._width) for each in ids if each in by_id]

    def scroll(self, scope: SearchScope, *, batch: int = 256) -> Iterator[Chunk]:
        """Yield every chunk of the scope, read `batch` at a time, ordered by chunk id."""
        where, offset = self._scope_filter(scope), None
        while True:
            records, offset = self._page(where, offset, batch)
            yield from (points.chunk_of(record.payload) for record in records)
            if offset is None:
                return

    def facets(self, field: str, scope: SearchScope) -> dict[str, int]:
        """Return each value of a metadata field, in order, and in how many chunks it occurs.

        A chunk counts on all its pages.

        Raises:
            InvalidQuery: There is no such field.
        """
        if field not in points.FACET_KEYS:
            known = ", ".join(points.FACET_KEYS)
            raise InvalidQuery(f"The field {field!r} cannot be counted. Use one of: {known}.")
        hits = self._facet(points.FACET_KEYS[field], self._scope_filter(scope))
        return {str(value): count for value, count in sorted((hit.value, hit.count) for hit in hits) if count}

    def _best(self, limit: int, *asked: Callable[[int], Request]) -> list[list[Scored]]:
        """Return the `limit` best of each search. A few more are asked for: ties at the limit are frequent."""
        if limit < 1:
            return [[] for _ in asked]
        most = limit + 1 + limit // 5
        found = self._query(*(ask(most) for ask in asked))
        return [self._ranked(ask, limit, most, hits) for ask, hits in zip(asked, found, strict=True)]

    def _ranked(self, ask: Callable[[int], Request], limit: int, most: int, found: points.Found) -> list[Scored]:
        """Return the `limit` best; equal scores are ordered by chunk id, also where the limit cuts a tie."""
        # Rounded to 6 decimals: engines compute in float32 and differ beyond that, and equal texts must tie.
        while len(found) >= most and round(found[-1][1], 6) == round(found[limit - 1][1], 6):
            most *= 4
            (found,) = self._query(ask(most))
        scored = sorted([(-round(score, 6), chunk_id) for chunk_id, score in found])
        return [Scored(chunk_id, -score) for score, chunk_id in scored[:limit]]

    # --- filters ------------------------------------------------------------------------------------------------------

    def _scope_filter(self, scope: SearchScope) -> Filter | None:
        """Return where to search, or None for everywhere, which is quicker than an empty filter."""
        filters = scope.filters
        wanted = [
            ("document", filters.source),
            ("document", filters.sources),
            ("chapter", filters.chapter),
            ("section_keys", None if filters.section is None else points.section_key(filters.section)),
            ("module", filters.module),
            ("pages", filters.page),
        ]
        must = [self._matching(key, value) for key, value in wanted if value is not None]
        without = [self._matching("document", scope.without)] if scope.without else []
        must_not = [*self._hidden(scope), *without]
        return self._joined(must, must_not) if must or must_not else None

    def _visible(self, scope: SearchScope) -> Filter:
        """Return over which chunks the idf is taken: all but the hidden versions, whatever is searched."""
        return self._joined([], self._hidden(scope))

    def _hidden(self, scope: SearchScope) -> list[Filter]:
        """Return a condition for each document with hidden versions: another of the same bytes stays."""
        versions: dict[str, tuple[str, ...]] = {}
        for document, version in scope.hidden_versions:
            versions[document] = (*versions.get(document, ()), version)
        return [
            self._joined([self._matching("document", document), self._matching("version", hidden)], [])
            for document, hidden in versions.items()
        ]

    # --- what an engine adds ------------------------------------------------------------------------------------------

    @abstractmethod
    def _put(self, chunks: Sequence[IndexedChunk]) -> None: ...

    @abstractmethod
    def _found_by_probing(self) -> str:
        """Ask the engine for something; return in words what there is."""

    @abstractmethod
    def _matching(self, key: str, wanted: str | int | tuple[str, ...]) -> Filter:
        """Return the condition that a key has this value, or one of these."""

    @abstractmethod
    def _joined(self, must: list[Filter], must_not: list[Filter]) -> Filter: ...

    @abstractmethod
    def _dense(self, numbers: list[float], scope: SearchScope, limit: int) -> Request: ...

    @abstractmethod
    def _sparse(
        self, sparse: SparseVector, scope: SearchScope, limit: int, among: Sequence[str] | None = None
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
    def _facet(self, key: str, where: Filter | None) -> Sequence[Any]: ...

    @abstractmethod
    def _delete(self, where: Filter) -> None:
        """Remove the points that a filter lets through. Durable on return."""
