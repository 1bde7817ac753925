"""Recorded chunks ranked anew under another weight of similarity, for many questions at once.

    fused = w * semantic + (1 - w) * lexical

so that a record of `fused`, of what `semantic` is made of, and of `w` holds what every other weight would have said of
the same chunks. Arrays have a row for each question and a column for each recorded chunk, in the recorded order; what
is missing is NaN.
"""

import numpy as np
from numpy.typing import NDArray

from rag.ranking.fusion import SENTENCE_SHARE

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Positions = NDArray[np.int64]


def slopes(similarities: Floats, sentences: Floats, fused: Floats, weights: Floats) -> Floats:
    """Return by how much `fused` grows when the weight of similarity grows by 1: semantic minus lexical score.

    Args:
        similarities: Cosine of question and chunk, shape `(n, most)`.
        sentences: Cosine of question and best sentence, shape `(n, most)`.
        fused: What the chunks were ranked by, shape `(n, most)`.
        weights: With what weight, 0..1, shape `(n,)`; at 1 the record does not tell the lexical score: NaN.
    """
    semantic = (1 - SENTENCE_SHARE) * similarities + SENTENCE_SHARE * sentences
    weight = np.where(weights < 1, weights, np.nan)[:, None]
    found: Floats = semantic - (fused - weight * semantic) / (1 - weight)
    return found


def as_ranked(similarities: Floats) -> Positions:
    """Return the positions of the chunks, best first, as they were ranked: shape `(n, most)`."""
    return np.tile(np.arange(similarities.shape[1]), (len(similarities), 1))


def ranked_again(fused: Floats, slopes: Floats, weights: Floats, weight: float | None) -> tuple[Positions, Flags]:
    """Return the positions of the chunks, best first, under another weight, and for whom it is another weight.

    Questions of which it is not known with what weight they were ranked keep their order, and count as changed.

    Args:
        fused: What the chunks were ranked by.
        slopes: As `slopes` gives them.
        weights: With what weight they were ranked; NaN: not known.
        weight: The weight to try, 0..1; None: the recorded one.
    """
    if weight is None:
        return as_ranked(fused), np.zeros(len(fused), dtype=bool)
    change = weight - weights
    other = ~(np.abs(change) < 1e-9)
    scores = fused + change[:, None] * slopes
    known = other & ~np.isnan(scores).all(axis=1)
    order = np.argsort(np.where(np.isnan(scores), np.inf, -scores), axis=1, kind="stable")
    return np.where(known[:, None], order, as_ranked(fused)), other


def hits_of(similarities: Floats, order: Positions, floors: Floats, limits: Positions) -> Flags:
    """Return which chunks are hits: similar enough, and among the first `limits` of those in this order.

    Args:
        similarities: Cosine of question and chunk.
        order: Positions of the chunks, best first.
        floors: The similarity threshold of each question, shape `(n,)`.
        limits: How many chunks each may rest on, shape `(n,)`.
    """
    similar = np.take_along_axis(similarities, order, axis=1) >= floors[:, None]
    chosen = similar & (np.cumsum(similar, axis=1) <= limits[:, None])
    hits = np.zeros(similarities.shape, dtype=bool)
    np.put_along_axis(hits, order, chosen, axis=1)
    return hits


def first_hits(hits: Flags, order: Positions) -> Positions:
    """Return the position of the best hit in this order, shape `(n,)`; -1 where there is none."""
    if not hits.shape[1]:
        return np.full(len(hits), -1)
    chosen = np.take_along_axis(hits, order, axis=1)
    first = np.take_along_axis(order, chosen.argmax(axis=1)[:, None], axis=1)[:, 0]
    return np.where(chosen.any(axis=1), first, -1)
