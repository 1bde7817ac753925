"""What a chunk scores that was found: meaning and words together, and the names that tell documents apart.

    semantic = (1 - s) * cosine(question, chunk) + s * max over sentences cosine(question, sentence)
    lexical  = mean(BM25 / best BM25, BM25 / largest possible, idf share in the best sentence, idf share of word pairs)
               - n * share of the question's names that are in other candidates' titles and nowhere in this one
    fused    = w * semantic + (1 - w) * lexical

A convex combination of scores keeps what ranks forget: by how much (Bruch, Gai and Ingber 2023, "An Analysis of Fusion
Functions for Hybrid Retrieval").
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rag.language.lexical import PassageTerms, QuestionTerms, passage_terms
from rag.language.mentions import misnamed
from rag.models import Chunk, Mode, Query
from rag.protocols import IndexedChunk, Vector

SENTENCE_SHARE = 0.4
"""What the best sentence counts in `semantic`; the chunk as a whole has the rest."""
NAMES = 0.25
"""What names count (`n`): one in some candidates' titles parts near-identical reports of several companies."""


@dataclass(frozen=True, slots=True)
class RetrievalRules:
    """The operator's settings of retrieval."""

    dense_weight: float = 0.6
    candidates: int = 50
    chapter_bonus: float = 0.1
    language: str = "english"


class Candidate(NamedTuple):
    """A chunk before it is read. A cosine that search did not give is the lowest that it gave: an upper bound."""

    chunk_id: str
    cosine: float
    bm25: float
    dense_rank: int | None = None
    bm25_rank: int | None = None


@dataclass(frozen=True, slots=True)
class Scale:
    """What makes BM25 comparable: the best score of this question, and the largest that its words allow."""

    best: float
    largest: float

    def relative(self, score: float) -> float:
        """Return the score against the best one, 0..1."""
        return score / self.best if self.best > 0 else 0.0

    def absolute(self, score: float) -> float:
        """Return the score against the largest possible one, 0..1."""
        return min(score / self.largest, 1.0) if self.largest > 0 else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """A chunk that was read, with the scores it is ranked by."""

    candidate: Candidate
    chunk: Chunk
    cosine: float
    fused: float
    sentence_scores: tuple[float, ...]
    preferred: bool
    words: PassageTerms


def ranking(
    query: Query,
    vector: Vector,
    candidates: Sequence[Candidate],
    read: Sequence[IndexedChunk],
    *,
    terms: QuestionTerms,
    scale: Scale,
    rules: RetrievalRules,
) -> list[Read]:
    """Return the chunks read, best first, every score exact: a cosine that search did not give is of the vector."""
    by_id = {item.chunk_id: item for item in candidates}
    chunks = [item.chunk for item in read]
    words = [passage_terms(item.chunk.content, item.chunk.sentences, rules.language, item.stems) for item in read]
    others = misnamed(query.question, chunks, words, language=rules.language)
    scored = [
        _score(query, vector, by_id[item.chunk.chunk_id], item, said, other, terms=terms, scale=scale, rules=rules)
        for item, said, other in zip(read, words, others, strict=True)
    ]
    return sorted(scored, key=lambda item: (-item.fused, item.chunk.chunk_id))


def _score(
    query: Query,
    vector: Vector,
    candidate: Candidate,
    item: IndexedChunk,
    words: PassageTerms,
    unnamed: float,
    *,
    terms: QuestionTerms,
    scale: Scale,
    rules: RetrievalRules,
) -> Read:
    """Return one chunk with its scores, fused as the module's docstring says; `unnamed` is the share of names."""
    chunk = item.chunk
    cosine = candidate.cosine if candidate.dense_rank is not None else round(float(np.dot(item.vector, vector)), 6)
    sentence_scores: tuple[float, ...] = tuple((item.sentence_vectors @ vector).tolist())
    semantic = (1 - SENTENCE_SHARE) * cosine + SENTENCE_SHARE * max(sentence_scores, default=cosine)
    lexical = (
        scale.relative(candidate.bm25)
        + scale.absolute(candidate.bm25)
        + max(map(terms.share, words.by_sentence))
        + terms.pair_share(words.all, words.distinct)
    ) / 4 - NAMES * unnamed
    preferred = query.mode is Mode.CHAPTER_AWARE and chunk.chapter == query.filters.chapter
    fused = rules.dense_weight * semantic + (1 - rules.dense_weight) * lexical + preferred * rules.chapter_bonus
    return Read(candidate, chunk, cosine, fused, sentence_scores, preferred, words)
