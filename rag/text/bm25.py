"""BM25 as two sparse vectors, so that any store with an idf modifier scores it.

score(q, d) = sum over terms t of q: idf(t) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * |d| / avgdl))

The fraction is the passage's weight for the term; the store multiplies by idf(t) = ln(1 + (N - n + 0.5) / (n + 0.5)).
(Robertson and Zaragoza, 2009, "The Probabilistic Relevance Framework: BM25 and Beyond".)
"""

import math

from rag.protocols import SparseVector
from rag.text.words import stems, term_id

K1 = 1.2
B = 0.75
AVERAGE_LENGTH = 80.0  # content words of a usual chunk. A constant: the mean over a corpus would move with each ingest.
CONTEXT_WEIGHT = 0.5  # what an occurrence in the context (title, section path) counts against one in the text


def idf(frequency: int, chunks: int) -> float:
    """Return ln(1 + (N - n + 0.5) / (n + 0.5)) for a term in `frequency` of `chunks` chunks (Robertson 2009).

    >>> round(idf(1, 1000), 3)
    6.503
    """
    return math.log(1 + (max(chunks - frequency, 0) + 0.5) / (frequency + 0.5))


def encode_passage(text: str, *, context: str = "", language: str = "english") -> SparseVector:
    """Return the BM25 weights of a passage's terms.

    Args:
        text: The bare text.
        context: Where it stands; a word of it counts `CONTEXT_WEIGHT` once and adds nothing to the length.
        language: Snowball stemmer.
    """
    frequencies: dict[str, float] = dict.fromkeys(stems(context, language=language), CONTEXT_WEIGHT)
    body = stems(text, language=language)
    for stem in body:
        frequencies[stem] = frequencies.get(stem, 0.0) + 1.0
    saturation = K1 * (1 - B + B * len(body) / AVERAGE_LENGTH)
    return _sorted({term_id(stem): tf * (K1 + 1) / (tf + saturation) for stem, tf in frequencies.items()})


def encode_query(text: str, *, language: str = "english") -> SparseVector:
    """Return weight 1 for every distinct content word of a question."""
    return _sorted({term_id(stem): 1.0 for stem in stems(text, language=language)})


def _sorted(weights: dict[int, float]) -> SparseVector:
    pairs = sorted(weights.items())
    return SparseVector(indices=tuple(index for index, _ in pairs), values=tuple(value for _, value in pairs))
