"""Stage 4: are the hits good enough to answer from? Decided before any model is asked, and explained.

An estimator turns what was retrieved into a confidence in 0..1; a threshold decides. Two estimators stand here: the
written rule of the data models, and the best similarity. The calibrated one is `rag.confidence.calibrated`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from rag.models import EstimatorName, GateDecision, Query, Retrieval
from rag.ranking.closest import nearest_misses


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
