"""How vectors are kept and searched, embedded or on a server: all compared, or a graph; whole, or quantised first.

The figures behind the constants are in `docs/performance.md`; `python -m benchmarks.million` measures them again.
"""

from typing import Final, Literal, TypeAlias

Quantization: TypeAlias = Literal["none", "int8", "int4"]
EXACT_UP_TO: Final = 20_000
"""Vectors in a segment, or left by a filter, up to which all are compared; beyond, HNSW is built."""
LINKS, BUILD_WIDTH, SEARCH_WIDTH = 16, 100, 128
"""HNSW's m, ef_construct and ef (Malkov and Yashunin 2018)."""
OVERSAMPLING: Final = 2.0
"""How many quantised candidates, for each result, are compared again by their whole vectors."""


def threshold_kb(dimension: int, exact_up_to: int = EXACT_UP_TO) -> int:
    """Return the size of `exact_up_to` float32 vectors in kilobytes, as Qdrant's thresholds are given; at least 1."""
    return max(1, exact_up_to * dimension * 4 // 1024)
