"""How a collection is laid out on a Qdrant server or cluster, and how its vectors are searched."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

from qdrant_client import models

from rag.adapters import points
from rag.adapters.vector_layout import BUILD_WIDTH, LINKS, Quantization, oversampling, search_width, threshold_kb
from rag.errors import ConfigurationError

KNOWN_FOR_S: Final = 600.0
"""Seconds for which the size of a shard is taken to be what the server last said."""


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
        return {
            "vectors_config": {points.DENSE: self._vectors(dimension)},
            "sparse_vectors_config": {points.SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
            "hnsw_config": models.HnswConfigDiff(m=LINKS, ef_construct=BUILD_WIDTH, full_scan_threshold=kilobytes),
            "optimizers_config": models.OptimizersConfigDiff(indexing_threshold=kilobytes),
            "quantization_config": self._quantized(),
            "shard_number": self.shards,
            "replication_factor": self.replicas,
            "write_consistency_factor": self.write_consistency,
        }

    def search_params(self, vectors: int = 0) -> models.SearchParams:
        """Return how a dense search is done in shards of so many vectors; scores are always those of the whole ones."""
        again = models.QuantizationSearchParams(rescore=True, oversampling=oversampling(self.quantization))
        return models.SearchParams(hnsw_ef=search_width(vectors), quantization=again)

    def _vectors(self, dimension: int) -> models.VectorParams:
        on_disk = None if self.quantization == "none" else True
        return models.VectorParams(
            size=dimension,
            distance=models.Distance.COSINE,
            on_disk=on_disk,
            multivector_config=models.MultiVectorConfig(comparator=models.MultiVectorComparator.MAX_SIM),
        )

    def _quantized(self) -> models.ScalarQuantization | models.TurboQuantization | None:
        if self.quantization == "int8":
            eight = models.ScalarQuantizationConfig(type=models.ScalarType.INT8, always_ram=True)
            return models.ScalarQuantization(scalar=eight)
        if self.quantization == "int4":
            four = models.TurboQuantQuantizationConfig(bits=models.TurboQuantBitSize.BITS4, always_ram=True)
            return models.TurboQuantization(turbo=four)
        return None


class ShardSize:
    """How many vectors a shard of the collection holds, as the server last said.

    Args:
        clock: Seconds that never go back.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._asked_at: float | None = None
        self.vectors = 0

    def is_old(self) -> bool:
        """Return whether it is time to ask again; whoever is told so asks, and nobody else meanwhile."""
        now = self._clock()
        if self._asked_at is not None and now - self._asked_at < KNOWN_FOR_S:
            return False
        self._asked_at = now
        return True

    def note(self, collection: models.CollectionInfo) -> None:
        """Take over what the server says of the collection."""
        self.vectors = (collection.points_count or 0) // (collection.config.params.shard_number or 1)
        self._asked_at = self._clock()
