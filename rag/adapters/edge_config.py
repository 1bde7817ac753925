"""The embedded engine's own words: layout, chunks, filters, searches.

BM25's idf is `ln((N - n + 0.5) / (n + 0.5) + 1)` over the chunks that are visible now. By itself the engine would go on
counting deleted chunks until segments are merged, and a restart would change scores. Told over which chunks to count
(`IdfParams`) it counts them for every question: 1 ms at 100,000 chunks. Where somebody knows the counts (`WordCounts`,
the catalogue does), the query's weights bring the idf with them and the engine counts over no chunk at all, which makes
its own factor the same for every word: `ln((0 - 0 + 0.5) / (0 + 0.5) + 1) = ln 2`.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

import qdrant_edge as edge

from rag.adapters import points
from rag.adapters.vector_layout import (
    BUILD_WIDTH,
    LARGEST_SEGMENT,
    LINKS,
    Quantization,
    QuantizationChoice,
    oversampling,
    search_width,
    threshold_kb,
)
from rag.errors import ConfigurationError
from rag.language.bm25 import idf
from rag.protocols import IndexedChunk, SparseVector

_MAPPED: Final = edge.Memory.Cached
"""Read from mapped files, which the kernel takes back when it needs memory; a process of its own holds next to nothing
of a segment that is no longer written to."""
_NEVER_MERGED: Final = 100_000
_NEVER_CLOSED: Final = 1 << 40
Work: TypeAlias = Literal["answering", "sealing", "merging"]
WordCounts: TypeAlias = Callable[[Sequence[int]], tuple[int, Mapping[int, int]]]
"""Says how many chunks are visible now, and in how many of them each of some term ids occurs."""
_NOBODY: Final = edge.Filter(must=[edge.HasIdCondition({"00000000-0000-0000-0000-000000000000"})])


def index_config(
    dimension: int, *, exact_up_to: int, quantization: Quantization, work: Work = "answering"
) -> edge.EdgeConfig:
    """Return the configuration of an index; one that exists takes it over at its next `optimize`.

    Args:
        dimension: Length of the vectors of windows.
        exact_up_to: Vectors left by a filter up to which all are compared.
        quantization: `int8` or `int4` search a second, smaller copy of each vector first.
        work: For what `optimize` is called. `answering`: to merge small segments where questions are answered, without
            a graph. `sealing`: only to close the segment that is being written; what is stored stays the same in every
            respect, so that no other segment is built anew. `merging`: to build graphs, too.

    Raises:
        ConfigurationError: There is no such quantization.
    """
    kilobytes = threshold_kb(dimension, exact_up_to)
    graph = edge.HnswIndexConfig(LINKS, BUILD_WIDTH, kilobytes)
    dense = edge.EdgeVectorParams(
        size=dimension,
        distance=edge.Distance.Cosine,
        hnsw_config=graph,
        quantization_config=_quantized(quantization),
        memory=None if quantization == "none" else edge.Memory.Cold,
        multivector_config=edge.MultiVectorConfig(edge.MultiVectorComparator.MaxSim),
    )
    return edge.EdgeConfig(
        vectors={points.DENSE: dense},
        sparse_vectors={points.SPARSE: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf, memory=_MAPPED)},
        optimizers=_closing() if work == "sealing" else _merging(dimension, work, kilobytes),
        id_tracker_memory=_MAPPED,
        wal_enabled=True,
    )


def _merging(dimension: int, work: Work, kilobytes: int) -> edge.EdgeOptimizersConfig:
    """Return what makes `optimize` merge small segments, as long as they do not become too large."""
    return edge.EdgeOptimizersConfig(
        indexing_threshold=kilobytes if work == "merging" else _NEVER_CLOSED,
        default_segment_number=1,
        max_segment_size=threshold_kb(dimension, LARGEST_SEGMENT),
    )


def _closing() -> edge.EdgeOptimizersConfig:
    """Return what makes `optimize` close the segment being written, and leave all others alone."""
    return edge.EdgeOptimizersConfig(indexing_threshold=1, default_segment_number=_NEVER_MERGED, deleted_threshold=1.0)


def field_schemas() -> dict[str, edge.KeywordIndexParams | edge.IntegerIndexParams]:
    """Return how each key that can be filtered or counted is indexed."""
    keywords = {key: edge.KeywordIndexParams(memory=_MAPPED) for key in points.KEYWORD_KEYS}
    return keywords | {
        key: edge.IntegerIndexParams(lookup=True, range=False, memory=_MAPPED) for key in points.INTEGER_KEYS
    }


def search_params(quantization: Quantization, vectors: int = 0) -> edge.SearchParams:
    """Return how a dense search among so many vectors is done; scores are always those of the whole vectors."""
    again = edge.QuantizationSearchParams(rescore=True, oversampling=oversampling(quantization))
    return edge.SearchParams(hnsw_ef=search_width(vectors), quantization=again)


def _quantized(name: Quantization) -> edge.ScalarQuantizationConfig | edge.TurboQuantQuantizationConfig | None:
    kinds: Mapping[str, edge.ScalarQuantizationConfig | edge.TurboQuantQuantizationConfig | None] = {
        "none": None,
        "int8": edge.ScalarQuantizationConfig(edge.ScalarType.Int8, memory=_MAPPED),
        "int4": edge.TurboQuantQuantizationConfig(bits=edge.TurboQuantBitSize.Bits4, memory=_MAPPED),
    }
    if name not in kinds:
        known = ", ".join(get_args(QuantizationChoice))
        raise ConfigurationError(f"There is no quantization {name!r}. Set CANDOR_QUANTIZATION to one of: {known}.")
    return kinds[name]


def indexed_dimension(path: Path | str) -> int | None:
    """Return the length of the vectors of an index on disk, or None where there is none that can be read.

    The index is not opened: this works while another process has it.
    """
    try:
        config = json.loads((Path(path) / "edge_config.json").read_text(encoding="utf-8"))
        return int(config["vectors"][points.DENSE]["size"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def point_of(indexed: IndexedChunk) -> edge.Point:
    """Return a chunk with the vectors of its windows and all that is kept of it."""
    vectors: dict[str, edge.NamedVector] = {points.DENSE: indexed.vectors.tolist()}
    if indexed.sparse.indices:
        vectors[points.SPARSE] = edge.SparseVector(list(indexed.sparse.indices), list(indexed.sparse.values))
    return edge.Point(indexed.chunk.chunk_id, vectors, points.payload_of(indexed))


def matching(key: str, wanted: str | int | tuple[str, ...]) -> edge.FieldCondition:
    """Return the condition that a key has this value, or one of these."""
    match = edge.MatchAny(list(wanted)) if isinstance(wanted, tuple) else edge.MatchValue(wanted)
    return edge.FieldCondition(key, match=match)


def found_of(hits: Sequence[edge.ScoredPoint]) -> points.Found:
    """Return ids and scores in the engine's order."""
    return [(str(hit.id), hit.score) for hit in hits]


def dense_query(
    numbers: list[float], limit: int, where: edge.Filter | None, params: edge.SearchParams
) -> edge.QueryRequest:
    """Return the search for the nearest vectors."""
    nearest = edge.Query.Nearest(numbers, using=points.DENSE)
    return edge.QueryRequest(limit=limit, query=nearest, filter=where, params=params)


def sparse_query(
    sparse: SparseVector,
    limit: int,
    where: edge.Filter | None,
    *,
    word_counts: WordCounts | None,
    visible: edge.Filter,
) -> edge.QueryRequest:
    """Return the search by BM25; the idf is that of the chunks that are visible, wherever is searched."""
    weights, counted = _weighted(sparse, word_counts, visible)
    return edge.QueryRequest(
        limit=limit,
        query=edge.Query.Nearest(edge.SparseVector(list(sparse.indices), weights), using=points.SPARSE),
        filter=where,
        params=edge.SearchParams(idf=edge.IdfParams(corpus=counted)),
    )


def _weighted(
    sparse: SparseVector, word_counts: WordCounts | None, visible: edge.Filter
) -> tuple[list[float], edge.Filter]:
    """Return the query's weights, and over which chunks the engine is to count its own idf."""
    if word_counts is None:
        return list(sparse.values), visible
    chunks, found = word_counts(sparse.indices)
    factors = (idf(found.get(term, 0), chunks) / math.log(2) for term in sparse.indices)
    return [value * factor for value, factor in zip(sparse.values, factors, strict=True)], _NOBODY
