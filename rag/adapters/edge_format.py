"""Chunks, filters and hits as the embedded engine takes and gives them."""

from collections.abc import Sequence

import qdrant_edge as edge

from rag.adapters import points
from rag.protocols import IndexedChunk, SearchScope


def point_of(indexed: IndexedChunk) -> edge.Point:
    """Return a chunk with the vectors of its windows and all that is kept of it."""
    vectors: dict[str, edge.NamedVector] = {points.DENSE: indexed.vectors.tolist()}
    if indexed.sparse.indices:
        vectors[points.SPARSE] = edge.SparseVector(list(indexed.sparse.indices), list(indexed.sparse.values))
    return edge.Point(indexed.chunk.chunk_id, vectors, points.payload_of(indexed))


def filter_of(conditions: points.Conditions) -> edge.Filter:
    """Return conditions as a filter, versions in flight and unwanted documents left out."""
    must: list[edge.ConditionType] = [
        edge.FieldCondition(key, match=edge.MatchValue(value)) for key, value in conditions.equal
    ]
    if conditions.documents is not None:
        must.append(edge.FieldCondition("document", match=edge.MatchAny(list(conditions.documents))))
    must_not: list[edge.ConditionType] = [
        edge.FieldCondition(key, match=edge.MatchAny(list(values))) for key, values in conditions.unwanted
    ]
    must_not += [_both(name, versions) for name, versions in conditions.hidden_by_document]
    return edge.Filter(must=must or None, must_not=must_not or None)


def _both(document: str, versions: Sequence[str]) -> edge.Filter:
    """Return what a chunk of one document matches that has one of these versions; as quick as the version alone."""
    named = edge.FieldCondition("document", match=edge.MatchValue(document))
    dated = edge.FieldCondition("version", match=edge.MatchAny(list(versions)))
    return edge.Filter(must=[named, dated])


def scope_filter(scope: SearchScope) -> edge.Filter | None:
    """Return where to search, or None for everywhere, which is quicker than an empty filter."""
    conditions = points.conditions_of(scope)
    return None if conditions == points.Conditions() else filter_of(conditions)


def found_of(hits: Sequence[edge.ScoredPoint]) -> points.Found:
    """Return ids and scores in the engine's order."""
    return [(str(hit.id), hit.score) for hit in hits]


def vectors_of(record: edge.Record) -> list[list[float]]:
    """Return the vectors of the windows of what was read; none where it was read without them."""
    vectors = record.vector
    return vectors[points.DENSE] if isinstance(vectors, dict) else []  # type: ignore[return-value]
