"""Chunks, filters and queries as the Qdrant client takes and gives them."""

from collections.abc import Sequence

from qdrant_client import models

from rag.adapters import points
from rag.protocols import IndexedChunk, SearchScope, SparseVector


def point_of(indexed: IndexedChunk) -> models.PointStruct:
    """Return a chunk with the vectors of its windows and all that is kept of it."""
    vectors: dict[str, models.Vector] = {points.DENSE: indexed.vectors.tolist()}
    if indexed.sparse.indices:
        vectors[points.SPARSE] = models.SparseVector(
            indices=list(indexed.sparse.indices), values=list(indexed.sparse.values)
        )
    return models.PointStruct(id=indexed.chunk.chunk_id, vector=vectors, payload=points.payload_of(indexed))


def filter_of(conditions: points.Conditions) -> models.Filter:
    """Return conditions as a filter, versions in flight and unwanted documents left out."""
    must: list[models.Condition] = [
        models.FieldCondition(key=key, match=models.MatchValue(value=value)) for key, value in conditions.equal
    ]
    if conditions.documents is not None:
        must.append(models.FieldCondition(key="document", match=models.MatchAny(any=list(conditions.documents))))
    must_not: list[models.Condition] = [
        models.FieldCondition(key=key, match=models.MatchAny(any=list(values))) for key, values in conditions.unwanted
    ]
    must_not += [_both(name, versions) for name, versions in conditions.hidden_by_document]
    return models.Filter(must=must or None, must_not=must_not or None)


def _both(document: str, versions: Sequence[str]) -> models.Filter:
    """Return what a chunk of one document matches that has one of these versions."""
    named = models.FieldCondition(key="document", match=models.MatchValue(value=document))
    dated = models.FieldCondition(key="version", match=models.MatchAny(any=list(versions)))
    return models.Filter(must=[named, dated])


def scope_filter(scope: SearchScope) -> models.Filter | None:
    """Return where to search, or None for everywhere."""
    conditions = points.conditions_of(scope)
    return None if conditions == points.Conditions() else filter_of(conditions)


def sparse_query(
    sparse: SparseVector, limit: int, scope: SearchScope, *, only: models.Filter | None = None
) -> models.QueryRequest:
    """Return a search by BM25; the idf is that of all visible chunks, whatever the search is limited to."""
    terms = models.SparseVector(indices=list(sparse.indices), values=list(sparse.values))
    visible = filter_of(points.Conditions(hidden=scope.hidden_versions))
    return models.QueryRequest(
        query=models.NearestQuery(nearest=terms),
        using=points.SPARSE,
        filter=scope_filter(scope) if only is None else only,
        params=models.SearchParams(idf=models.IdfCorpusParams(corpus=visible)),
        limit=limit,
        with_payload=False,
    )


def vectors_of(record: models.Record) -> list[list[float]]:
    """Return the vectors of the windows of what was read; none where it was read without them."""
    vectors = record.vector
    return vectors[points.DENSE] if isinstance(vectors, dict) else []  # type: ignore[return-value]
