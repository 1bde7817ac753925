"""How a collection is laid out on a Qdrant server or cluster, and how its vectors are searched."""

from dataclasses import dataclass
from typing import Any

from qdrant_client import models

from rag.adapters import points
from rag.adapters.vector_layout import BUILD_WIDTH, LINKS, Quantization, oversampling, search_width, threshold_kb
from rag.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Cluster:
    """What the operator says of the cluster. It counts when the collection is made; one that exists keeps its own.

    Attributes:
        shards: Parts that a collection is cut into, spread over the nodes; None: the server decides.
        replicas: Copies of each shard.
        write_consistency: Copies that must have a write before it is acknowledged; 1 to `replicas`.
        quantization: Whether a smaller copy of the vectors is searched first.

    Raises:
        ConfigurationError: More copies must acknowledge than there are.
    """

    shards: int | None = None
    replicas: int = 1
    write_consistency: int = 1
    quantization: Quantization = "none"

    def __post_init__(self) -> None:
        if self.write_consistency > self.replicas:
            raise ConfigurationError(
                f"CANDOR_QDRANT_WRITE_CONSISTENCY={self.write_consistency} asks for more copies than "
                f"CANDOR_QDRANT_REPLICAS={self.replicas} makes: no write could ever be acknowledged. "
                f"Lower it to at most {self.replicas}, or keep more copies."
            )

    def layout(self, dimension: int) -> dict[str, Any]:
        """Return what a collection is made with, as `QdrantClient.create_collection` takes it."""
        kilobytes = threshold_kb(dimension)
        dense = models.VectorParams(
            size=dimension,
            distance=models.Distance.COSINE,
            on_disk=None if self.quantization == "none" else True,
            multivector_config=models.MultiVectorConfig(comparator=models.MultiVectorComparator.MAX_SIM),
        )
        return {
            "vectors_config": {points.DENSE: dense},
            "sparse_vectors_config": {points.SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
            "hnsw_config": models.HnswConfigDiff(m=LINKS, ef_construct=BUILD_WIDTH, full_scan_threshold=kilobytes),
            "optimizers_config": models.OptimizersConfigDiff(indexing_threshold=kilobytes),
            "quantization_config": self._quantized(),
            "shard_number": self.shards,
            "replication_factor": self.replicas,
            "write_consistency_factor": self.write_consistency,
        }

    def search_params(self, vectors: int) -> models.SearchParams:
        """Return how a dense search is done in shards of so many vectors; scores are always those of the whole ones."""
        again = models.QuantizationSearchParams(rescore=True, oversampling=oversampling(self.quantization))
        return models.SearchParams(hnsw_ef=search_width(vectors), quantization=again)

    def _quantized(self) -> models.ScalarQuantization | models.TurboQuantization | None:
        if self.quantization == "int8":
            eight = models.ScalarQuantizationConfig(type=models.ScalarType.INT8, always_ram=True)
            return models.ScalarQuantization(scalar=eight)
        if self.quantization == "int4":
            four = models.TurboQuantQuantizationConfig(bits=models.TurboQuantBitSize.BITS4, always_ram=True)
            return models.TurboQuantization(turbo=four)
        return None
