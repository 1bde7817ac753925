"""What the segments of an embedded index hold, read from their files.

The engine's own `indexed_vectors_count` does not say it: it adds the vectors of the words, and counts segments that are
closed but too small for their graph to be used. What is read here was true at the last flush.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rag.adapters import points
from rag.adapters.edge_optimizer import SEALED
from rag.adapters.vector_layout import Quantization

_KINDS: Final[Mapping[str, Quantization]] = {"scalar": "int8", "turbo": "int4"}
"""The engine's names of quantizations."""
_MERGED: Final = ".deleted"
"""How the name of a segment ends that was merged into another and is being removed; a crash may leave part of it."""
_VERSION_BYTES: Final = 8
"""What the open segment keeps on disk as the version of one chunk, deleted ones included."""


@dataclass(frozen=True, slots=True)
class Graph:
    """A closed segment whose graph is used.

    Attributes:
        chunks: How many it holds that are not deleted.
        quantization: How its small vectors are kept.
    """

    chunks: int
    quantization: Quantization


def lacks_graph(index: Path, chunks: int, exact_up_to: int, quantization: Quantization) -> bool:
    """Return whether a graph is wanted that is not there; no file is read where there are too few chunks for one.

    Args:
        index: The folder of the index.
        chunks: How many it holds.
        exact_up_to: Vectors up to which all are compared, in a segment as in what is in no graph.
        quantization: How small vectors are to be kept; a graph with others is to be built anew.

    Raises:
        OSError: A file cannot be read.
        ValueError: A file is damaged.
    """
    if chunks < exact_up_to:
        return False
    found = [graph for segment in _closed(index) if (graph := _graph(segment)).chunks >= exact_up_to]
    outside = chunks - sum(graph.chunks for graph in found)
    return outside >= exact_up_to or any(graph.quantization != quantization for graph in found)


def has_graph(index: Path, exact_up_to: int) -> bool:
    """Return whether there is a closed segment in which a graph was built, whatever was deleted of it since.

    What cannot be read counts as none: that a file is damaged is for the engine to say when it opens the index.
    """
    for segment in _closed(index):
        with suppress(OSError, ValueError, KeyError, TypeError):
            if _built(segment) >= exact_up_to:
                return True
    return False


def open_chunks(index: Path) -> int:
    """Return how many chunks the segment that is written to holds in memory, deleted ones included."""
    versions = (index / "segments").glob("*/mutable_id_tracker.versions")
    return sum(file.stat().st_size // _VERSION_BYTES for file in versions)


def _closed(index: Path) -> Iterator[Path]:
    """Yield the folders of closed segments, but for what is left of those that were merged into others."""
    found = (marker.parent for marker in (index / "segments").glob(f"*/{SEALED}"))
    return (segment for segment in found if segment.suffix != _MERGED)


def _built(segment: Path) -> int:
    """Return over how many vectors a segment's graph was built; 0 without one."""
    described = segment / f"vector_index-{points.DENSE}" / "hnsw_config.json"
    if not described.exists():
        return 0
    return int(json.loads(described.read_text(encoding="utf-8"))["indexed_vector_count"])


def _graph(segment: Path) -> Graph:
    built = _built(segment)
    deleted = int.from_bytes((segment / "id_tracker.deleted").read_bytes(), "little").bit_count()
    config = json.loads((segment / "segment.json").read_text(encoding="utf-8"))["config"]
    quantized = config["vector_data"][points.DENSE].get("quantization_config") or {}
    return Graph(built - deleted, next((kind for name, kind in _KINDS.items() if name in quantized), "none"))
