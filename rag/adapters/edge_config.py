"""`vector_layout` in the words of the embedded engine."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

import qdrant_edge as edge

from rag.adapters import points
from rag.adapters.vector_layout import BUILD_WIDTH, LINKS, OVERSAMPLING, Quantization, search_width, threshold_kb
from rag.errors import ConfigurationError


def index_config(dimension: int, *, exact_up_to: int, quantization: Quantization) -> edge.EdgeConfig:
    """Return the configuration of an index; one that exists takes it over at its next `optimize`.

    Args:
        dimension: Length of the dense vectors.
        exact_up_to: Vectors up to which all are compared.
        quantization: `int8` or `int4` keep a second, smaller copy of each vector in memory and leave the whole ones
            to the disk and its cache.

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
    )
    return edge.EdgeConfig(
        vectors={points.DENSE: dense},
        sparse_vectors={points.SPARSE: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
        optimizers=edge.EdgeOptimizersConfig(indexing_threshold=kilobytes),
        wal_enabled=True,
    )


def search_params(quantization: Quantization, vectors: int = 0) -> edge.SearchParams:
    """Return how a dense search among so many vectors is done; scores are always those of the whole vectors."""
    width = search_width(vectors)
    if quantization == "none":
        return edge.SearchParams(hnsw_ef=width)
    again = edge.QuantizationSearchParams(rescore=True, oversampling=OVERSAMPLING)
    return edge.SearchParams(hnsw_ef=width, quantization=again)


def _quantized(name: Quantization) -> edge.ScalarQuantizationConfig | edge.TurboQuantQuantizationConfig | None:
    kinds: Mapping[str, edge.ScalarQuantizationConfig | edge.TurboQuantQuantizationConfig | None] = {
        "none": None,
        "int8": edge.ScalarQuantizationConfig(edge.ScalarType.Int8, memory=edge.Memory.Pinned),
        "int4": edge.TurboQuantQuantizationConfig(bits=edge.TurboQuantBitSize.Bits4, memory=edge.Memory.Pinned),
    }
    if name not in kinds:
        known = ", ".join(get_args(Quantization))
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
