"""How vectors are kept and searched, embedded or on a server: all compared, or a graph; whole, or quantised first.

The figures behind the constants are in `docs/performance.md`; `python -m benchmarks.million` measures them again.
"""

from typing import Final, Literal, TypeAlias

Quantization: TypeAlias = Literal["none", "int8", "int4"]
QuantizationChoice: TypeAlias = Literal["auto", "none", "int8", "int4"]
EXACT_UP_TO: Final = 20_000
"""Chunks in a segment up to which all windows are compared; beyond, HNSW is built. Among those that a filter leaves it
counts windows: the engine measures vectors."""
LINKS, BUILD_WIDTH, SEARCH_WIDTH = 16, 100, 512
"""HNSW's m, ef_construct, and ef up to 50,000 chunks (Malkov and Yashunin 2018)."""
LARGEST_SEGMENT: Final = 200_000
"""Vectors up to which the embedded engine merges segments: what building one takes in time and memory ends there."""
SEAL_EVERY: Final = 8_000
"""Chunks written to the embedded engine until the segment is closed that holds them in memory (1.6 kB a window)."""
SEAL_SHARE: Final = 0.05
"""As many as this share of the chunks in the index, where that is more. For closing a segment the index is copied; with
each copy 1.05 times the last, all copies of an ingest are at most 1 / .05 = 20 times the index at its end. Of a million
chunks they are 54 copies, 17 times the index, and the open segment grows to 50,000 chunks (160 MB); closed every 8,000
they would be 125, 63 times the index."""
RETRY_AFTER: Final = 2_000  # chunks written after an `optimize` that failed until it is due again


def search_width(chunks: int) -> int:
    """Return HNSW's ef for so many chunks: recall falls as they become more, and a wider search brings it back.

    A graph over chunks of several windows finds less than one over single vectors, at the same width: of the ten (and
    fifty) nearest of 20,000 chunks of two windows .972 (.939) at 128 and .998 (.986) at 512; of 100,000 .918 (.852) at
    128, .982 (.959) at 512, .987 (.978) at 1,024.

    >>> [search_width(chunks) for chunks in (0, 50_000, 50_001, 250_000, 1_000_000)]
    [512, 512, 1024, 1024, 2048]
    """
    if chunks <= 50_000:
        return SEARCH_WIDTH
    return SEARCH_WIDTH * (2 if chunks <= 300_000 else 4)


def oversampling(quantization: Quantization) -> float:
    """Return how many quantised candidates, for each result, are compared again by their whole vectors.

    With 4 bits, 4 of 500 vectors made nearly alike were needed where 2 lost a fifth of the fifty nearest; it costs
    .03 ms. Also where nothing is to be quantised: what was written under another setting may still be.

    >>> oversampling("int8"), oversampling("int4"), oversampling("none")
    (2.0, 4.0, 4.0)
    """
    return 2.0 if quantization == "int8" else 4.0


def quantization_of(choice: QuantizationChoice, *, graphs: bool) -> Quantization:
    """Return how small vectors are kept: `auto` is what compares all of them soonest, and what finds most by a graph.

    Comparing all of 12,764 vectors takes .3 ms of processor time with `int4` and 1.2 without, and 1,199 questions found
    the same fifty; `int8` needs a closed segment. Through a graph over 250,000 `int4` found .983 of the ten nearest,
    `int8` .987 at half the width.

    >>> [quantization_of("auto", graphs=graphs) for graphs in (False, True)], quantization_of("none", graphs=True)
    (['int4', 'int8'], 'none')
    """
    if choice != "auto":
        return choice
    return "int8" if graphs else "int4"


def threshold_kb(dimension: int, exact_up_to: int = EXACT_UP_TO) -> int:
    """Return the size of `exact_up_to` float32 vectors in kilobytes, as Qdrant's thresholds are given; at least 1."""
    return max(1, exact_up_to * dimension * 4 // 1024)
