"""Searches as the embedded engine takes them.

BM25's idf is `ln((N - n + 0.5) / (n + 0.5) + 1)` over the chunks that are visible now. By itself the engine would go on
counting deleted chunks until segments are merged, and a restart would change scores. Told over which chunks to count
(`IdfParams`) it counts them for every question: 1 ms at 100,000 chunks. Where somebody knows the counts (`WordCounts`,
the catalogue does), the query's weights bring the idf with them and the engine counts over no chunk at all, which makes
its own factor the same for every word: `ln((0 - 0 + 0.5) / (0 + 0.5) + 1) = ln 2`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

import qdrant_edge as edge

from rag.adapters import points
from rag.adapters.edge_format import filter_of, scope_filter
from rag.language.bm25 import idf
from rag.protocols import SearchScope, SparseVector

WordCounts: TypeAlias = Callable[[Sequence[int]], tuple[int, Mapping[int, int]]]
"""Says how many chunks are visible now, and in how many of them each of some term ids occurs."""
_NOBODY: Final = edge.Filter(must=[edge.HasIdCondition({"00000000-0000-0000-0000-000000000000"})])


def dense_query(numbers: list[float], limit: int, scope: SearchScope, params: edge.SearchParams) -> edge.QueryRequest:
    """Return the search for the nearest vectors."""
    nearest = edge.Query.Nearest(numbers, using=points.DENSE)
    return edge.QueryRequest(limit=limit, query=nearest, filter=scope_filter(scope), params=params)


def sparse_query(
    sparse: SparseVector,
    limit: int,
    scope: SearchScope,
    *,
    word_counts: WordCounts | None,
    only: edge.Filter | None = None,
) -> edge.QueryRequest:
    """Return the search by BM25, in the scope or among the chunks of `only`; the idf is that of the scope."""
    weights, counted = _weighted(sparse, scope, word_counts)
    return edge.QueryRequest(
        limit=limit,
        query=edge.Query.Nearest(edge.SparseVector(list(sparse.indices), weights), using=points.SPARSE),
        filter=scope_filter(scope) if only is None else only,
        params=edge.SearchParams(idf=edge.IdfParams(corpus=counted)),
    )


def _weighted(
    sparse: SparseVector, scope: SearchScope, word_counts: WordCounts | None
) -> tuple[list[float], edge.Filter]:
    """Return the query's weights, and over which chunks the engine is to count its own idf."""
    if word_counts is None:
        return list(sparse.values), filter_of(points.Conditions(hidden=scope.hidden_versions))
    chunks, found = word_counts(sparse.indices)
    factors = (idf(found.get(term, 0), chunks) / math.log(2) for term in sparse.indices)
    return [value * factor for value, factor in zip(sparse.values, factors, strict=True)], _NOBODY
