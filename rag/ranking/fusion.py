"""What retrieval ranks by: the cosine of a chunk's best window and its BM25 score together.

    fused = w * cosine + (1 - w) * mean(BM25 / best BM25 of this question, BM25 / largest that its words allow)

A convex combination of scores keeps what ranks forget: by how much (Bruch, Gai and Ingber 2023, "An Analysis of Fusion
Functions for Hybrid Retrieval").
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rag.models import RetrievedChunk
from rag.protocols import IndexedChunk, SparseVector, Vector
from rag.text.bm25 import K1, idf


@dataclass(frozen=True, slots=True)
class RetrievalRules:
    """The operator's settings of retrieval."""

    dense_weight: float = 0.75
    candidates: int = 50
    chapter_bonus: float = 0.1
    named_bonus: float = 0.3
    language: str = "english"


class Candidate(NamedTuple):
    """A chunk before its text is fetched. A cosine that search did not give is the lowest that it gave."""

    chunk_id: str
    cosine: float
    bm25_score: float
    dense_rank: int | None = None
    bm25_rank: int | None = None


@dataclass(frozen=True, slots=True)
class Scale:
    """What makes BM25 comparable: the best score of this question, and the largest that its words allow."""

    best: float
    largest: float

    def lexical(self, score: float) -> float:
        """Return a BM25 score as a number in 0..1."""
        relative = score / self.best if self.best > 0 else 0.0
        return (relative + (min(score / self.largest, 1.0) if self.largest > 0 else 0.0)) / 2


def largest_score(terms: SparseVector, frequencies: Mapping[int, int], chunks: int) -> float:
    """Return the BM25 score that no chunk can exceed: each word of the question as often as can count."""
    return (K1 + 1) * sum(idf(frequencies.get(term, 0), chunks) for term in terms.indices)


def scored(
    vector: Vector,
    candidate: Candidate,
    item: IndexedChunk,
    *,
    scale: Scale,
    rules: RetrievalRules,
    preferred: bool,
    named: bool = False,
) -> RetrievedChunk:
    """Return a fetched chunk with its scores, not ranked yet.

    Args:
        vector: The embedded question.
        candidate: The chunk as search found it.
        item: The chunk with the vectors of its windows.
        scale: Makes BM25 comparable.
        rules: The operator's settings.
        preferred: Whether it stands in the chapter asked for, which adds `chapter_bonus`.
        named: Whether an identifier of the question names its document, which adds `named_bonus`.
    """
    cosines = tuple(round(float(one), 6) for one in np.asarray(item.vectors) @ vector)
    cosine = max(cosines, default=candidate.cosine)
    fused = rules.dense_weight * cosine + (1 - rules.dense_weight) * scale.lexical(candidate.bm25_score)
    fused += preferred * rules.chapter_bonus + named * rules.named_bonus
    return RetrievedChunk.assembled(
        **item.chunk.__dict__,
        rank=0,
        similarity_score=min(max(cosine, 0.0), 1.0),
        cosine=cosine,
        bm25_score=candidate.bm25_score,
        fused_score=fused,
        dense_rank=candidate.dense_rank,
        bm25_rank=candidate.bm25_rank,
        retrieval_rank=0,
        window_cosines=cosines,
        window_readings=(),
        marks=(),
        preferred=preferred,
        named=named,
    )
