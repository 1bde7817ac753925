"""Stage 4: are the hits good enough to answer from? Decided before any model is asked, and explained.

An estimator turns what was retrieved into a confidence in 0..1; a threshold decides. Two estimators stand here: the
written rule of the data models, and the best similarity. The calibrated one is `rag.confidence.calibrated`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from rag.grounding.excerpts import EXCERPT_LIMIT, cut_to_words
from rag.language.headrows import silent_rows
from rag.models import EstimatorName, GateDecision, NearMiss, Query, Retrieval, RetrievedChunk
from rag.ranking.sentences import ranked_sentences

NEAREST_MISSES = 3


@dataclass(frozen=True, slots=True)
class Estimate:
    """A confidence in 0..1, every number it came from, and what a reader must be warned of.

    `against` says what speaks against an answer, weightiest first; it is asked of a refusal only.
    """

    confidence: float
    inputs: Mapping[str, float]
    warnings: tuple[str, ...] = field(default=())
    against: Callable[[], tuple[str, ...]] = tuple


class Estimator(Protocol):
    """Turns a retrieval into a confidence."""

    @property
    def name(self) -> EstimatorName:
        """Its name in settings and answers."""
        ...

    @property
    def threshold(self) -> float:
        """Refuse below this, unless the person sets another."""
        ...

    @property
    def fingerprint(self) -> str:
        """Name and version of the fit."""
        ...

    def estimate(self, query: Query, retrieval: Retrieval) -> Estimate:
        """Return the confidence that the hits answer the question."""
        ...


class MeanSimilarity:
    """The written rule: the mean cosine similarity of the retrieved chunks, refused below 0.5 (seed 000)."""

    name: EstimatorName = "mean_similarity"
    threshold = 0.5
    fingerprint = "mean_similarity/1"

    def estimate(self, query: Query, retrieval: Retrieval) -> Estimate:
        """Return the mean of `similarity_score` over the hits; 0 where there are none."""
        scores = [hit.similarity_score for hit in retrieval.hits]
        mean = sum(scores) / len(scores) if scores else 0.0
        return Estimate(mean, {"mean_similarity": mean, "chunks": float(len(scores))})


class MaxSimilarity:
    """The cosine similarity of the most similar hit."""

    name: EstimatorName = "max_similarity"
    threshold = 0.5
    fingerprint = "max_similarity/1"

    def estimate(self, query: Query, retrieval: Retrieval) -> Estimate:
        """Return the largest `similarity_score`; 0 where there are no hits."""
        best = max((hit.similarity_score for hit in retrieval.hits), default=0.0)
        return Estimate(best, {"max_similarity": best, "chunks": float(len(retrieval.hits))})


def decide(
    query: Query,
    retrieval: Retrieval,
    *,
    estimator: Estimator,
    threshold: float | None = None,
    language: str = "english",
) -> GateDecision:
    """Return whether to answer from the hits, and why.

    Args:
        query: Its `confidence_threshold`, where set, comes first.
        retrieval: What was found.
        estimator: Turns it into a confidence in 0..1.
        threshold: The operator's threshold; None: the estimator's own.
        language: Snowball stemmer.
    """
    estimate = estimator.estimate(query, retrieval)
    confidence = min(max(estimate.confidence, 0.0), 1.0)
    limit = next(value for value in (query.confidence_threshold, threshold, estimator.threshold) if value is not None)
    passed = bool(retrieval.hits) and confidence >= limit
    return GateDecision(
        passed=passed,
        estimator=estimator.name,
        confidence=confidence,
        threshold=limit,
        margin=confidence - limit,
        inputs=dict(estimate.inputs),
        reason=_reason(retrieval, confidence, limit, passed=passed),
        removed_by_filters=max(retrieval.indexed - retrieval.searched, 0),
        removed_by_threshold=retrieval.below_threshold,
        nearest_misses=() if passed else nearest_misses(retrieval, query.question, language=language),
        against=() if passed else estimate.against(),
        warnings=estimate.warnings,
    )


def nearest_misses(
    retrieval: Retrieval, question: str, *, limit: int = NEAREST_MISSES, language: str = "english"
) -> tuple[NearMiss, ...]:
    """Return the passages that came closest, best first, each with its best sentence for the question."""
    found = [*retrieval.hits, *retrieval.rest][:limit]
    return tuple(
        NearMiss(
            chunk_id=hit.chunk_id,
            document=hit.document,
            page=hit.page,
            chapter=hit.chapter,
            chapter_title=hit.chapter_title,
            section=hit.section,
            similarity_score=hit.similarity_score,
            excerpt=_beginning(best_sentence(hit, question, language)),
        )
        for hit in found
    )


def best_sentence(hit: RetrievedChunk, question: str, language: str = "english") -> str:
    """Return the sentence of a hit that is nearest to the question by meaning and words, verbatim; no table's heads."""
    if not hit.sentence_scores or not hit.sentences:
        return hit.content
    ranked, silent = [one.index for one in ranked_sentences(question, [hit], language)], silent_rows(hit)
    start, end = hit.sentences[next((index for index in ranked if index not in silent), ranked[0])]
    return hit.content[start:end]


def _beginning(text: str) -> str:
    """Return the beginning of a text that is short enough to be shown and ends at a word's end."""
    start, end = cut_to_words(text, (0, len(text)), EXCERPT_LIMIT)
    return text[start:end]


def _reason(retrieval: Retrieval, confidence: float, limit: float, *, passed: bool) -> str:
    if retrieval.indexed == 0:
        return "Nothing is indexed yet."
    if retrieval.searched == 0:
        left = "not the one chunk there is" if retrieval.indexed == 1 else f"none of the {retrieval.indexed} chunks"
        return f"The filters leave {left} to search in."
    if not retrieval.hits:
        below = retrieval.below_threshold
        found = "The one candidate is" if below == 1 else f"All {below} candidates are"
        return f"{found} less similar than the similarity threshold." if below else "Nothing found."
    relation = "at or above" if passed else "below"
    digits = next((count for count in (2, 4, 6) if passed or round(confidence, count) < round(limit, count)), 9)
    return f"The confidence {confidence:.{digits}f} is {relation} the threshold {limit:.{digits}f}."
