"""The layout of an embedded index in the engine's own words."""

from pathlib import Path
from typing import Final, Literal, TypeAlias

import qdrant_edge as edge

from rag.adapters import points
from rag.adapters.edge_files import read_segments
from rag.adapters.edge_older import probed_dimension
from rag.adapters.vector_layout import (
    BUILD_WIDTH,
    LARGEST_SEGMENT,
    LINKS,
    Quantization,
    oversampling,
    search_width,
    threshold_kb,
)

_MAPPED: Final = edge.Memory.Cached
"""Read from mapped files, which the kernel takes back when it needs memory; a process of its own holds next to nothing
of a segment that is no longer written to."""
_NEVER_MERGED: Final = 100_000
_NEVER_CLOSED: Final = 1 << 40
Work: TypeAlias = Literal["answering", "sealing", "merging"]


def index_config(
    dimension: int, *, exact_up_to: int, quantization: Quantization, work: Work = "answering"
) -> edge.EdgeConfig:
    """Return the configuration of an index; one that exists takes it over at its next `optimize`.

    Args:
        dimension: Length of the vectors of windows.
        exact_up_to: Vectors left by a filter up to which all are compared.
        quantization: `int8` or `int4` search a second, smaller copy of each vector first.
        work: For what `optimize` is called. `answering`: to merge small segments without a graph. `sealing`: only to
            close the segment that is being written; what is stored stays the same in every respect, so that no other
            segment is built anew. `merging`: to build graphs, too.
    """
    kilobytes = threshold_kb(dimension, exact_up_to)
    if work == "sealing":
        optimizers = edge.EdgeOptimizersConfig(
            indexing_threshold=1, default_segment_number=_NEVER_MERGED, deleted_threshold=1.0
        )
    else:
        optimizers = edge.EdgeOptimizersConfig(
            indexing_threshold=kilobytes if work == "merging" else _NEVER_CLOSED,
            default_segment_number=1,
            max_segment_size=threshold_kb(dimension, LARGEST_SEGMENT),
        )
    dense = edge.EdgeVectorParams(
        size=dimension,
        distance=edge.Distance.Cosine,
        hnsw_config=edge.HnswIndexConfig(LINKS, BUILD_WIDTH, kilobytes),
        quantization_config=_quantized(quantization),
        memory=None if quantization == "none" else edge.Memory.Cold,
        multivector_config=edge.MultiVectorConfig(edge.MultiVectorComparator.MaxSim),
    )
    return edge.EdgeConfig(
        vectors={points.DENSE: dense},
        sparse_vectors={points.SPARSE: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf, memory=_MAPPED)},
        optimizers=optimizers,
        id_tracker_memory=_MAPPED,
        wal_enabled=True,
    )


def field_schemas() -> dict[str, edge.KeywordIndexParams | edge.IntegerIndexParams]:
    """Return how each key that can be filtered or counted is indexed."""
    keywords = {key: edge.KeywordIndexParams(memory=_MAPPED) for key in points.KEYWORD_KEYS}
    return keywords | {
        key: edge.IntegerIndexParams(lookup=True, range=False, memory=_MAPPED) for key in points.INTEGER_KEYS
    }


def search_params(quantization: Quantization, vectors: int) -> edge.SearchParams:
    """Return how a dense search among so many vectors is done; scores are always those of the whole vectors."""
    again = edge.QuantizationSearchParams(rescore=True, oversampling=oversampling(quantization))
    return edge.SearchParams(hnsw_ef=search_width(vectors), quantization=again)


def _quantized(name: Quantization) -> edge.ScalarQuantizationConfig | edge.TurboQuantQuantizationConfig | None:
    if name == "int8":
        return edge.ScalarQuantizationConfig(edge.ScalarType.Int8, memory=_MAPPED)
    if name == "int4":
        return edge.TurboQuantQuantizationConfig(bits=edge.TurboQuantBitSize.Bits4, memory=_MAPPED)
    return None


def indexed_dimension(path: Path | str) -> int | None:
    """Return the length of the vectors of an index on disk, or None where there is none that can be read.

    The index is opened only where an older Candor made it; else this works while another process has it.
    """
    noted = read_segments(Path(path))
    return noted.dimension if noted else probed_dimension(Path(path), points.DENSE)
