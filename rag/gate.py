"""Stage 5: are the hits good enough to answer from? Decided before any model is asked, and explained.

An estimator turns what was retrieved into a confidence in 0..1; a threshold decides. Two estimators stand here: the
written rule of the data models, and the best similarity. The calibrated one is `rag.confidence.calibrated`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from rag.models import EstimatorName, GateDecision, Outcome, Query, Retrieval
from rag.ranking.closest import nearest_misses


@dataclass(frozen=True, slots=True)
class Estimate:
    """A confidence in 0..1, every number it came from, and what a reader must be warned of."""

    confidence: float
    inputs: Mapping[str, float]
    warnings: tuple[str, ...] = field(default=())


class Estimator(Protocol):
    """Turns a retrieval into a confidence."""

    @property
    def name(self) -> EstimatorName:
        """Its name in settings and answers."""

    @property
    def threshold(self) -> float:
        """Answer from here on, unless the person sets another."""

    @property
    def unsure_threshold(self) -> float | None:
        """Show passages as unsure from here on; None: this estimator knows no unsure."""

    @property
    def fingerprint(self) -> str:
        """Name and version of the fit."""

    def estimate(self, query: Query, retrieval: Retrieval) -> Estimate:
        """Return the confidence that the hits answer the question."""


class MeanSimilarity:
    """The written rule: the mean cosine similarity of the retrieved chunks, refused below 0.5 (seed 000)."""

    name: EstimatorName = "mean_similarity"
    threshold = 0.5
    unsure_threshold = None
    fingerprint = "mean_similarity/2"

    def estimate(self, query: Query, retrieval: Retrieval) -> Estimate:
        """Return the mean of `similarity_score` over the hits; 0 where there are none."""
        scores = [hit.similarity_score for hit in retrieval.hits]
        mean = sum(scores) / len(scores) if scores else 0.0
        return Estimate(mean, {"mean_similarity": mean, "chunks": float(len(scores))})


class MaxSimilarity:
    """The cosine similarity of the most similar hit."""

    name: EstimatorName = "max_similarity"
    threshold = 0.5
    unsure_threshold = None
    fingerprint = "max_similarity/2"

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
    unsure_threshold: float | None = None,
) -> GateDecision:
    """Return whether to answer from the hits, to show them as unsure, or to refuse, and why.

    Args:
        query: Its `confidence_threshold` and `unsure_threshold`, where set, come first.
        retrieval: What was found and read.
        estimator: Turns it into a confidence in 0..1.
        threshold: The operator's threshold; None: the estimator's own.
        unsure_threshold: The same for unsure; never above the threshold. An estimator without one knows no unsure.
    """
    estimate = estimator.estimate(query, retrieval)
    confidence = min(max(estimate.confidence, 0.0), 1.0)
    limit = _first(query.confidence_threshold, threshold, estimator.threshold)
    unsure = None
    if estimator.unsure_threshold is not None:
        unsure = min(_first(query.unsure_threshold, unsure_threshold, estimator.unsure_threshold), limit)
    passed = bool(retrieval.hits) and confidence >= limit
    may_answer = bool(retrieval.hits) and unsure is not None and confidence >= unsure
    outcome: Outcome = "answered" if passed else "unsure" if may_answer else "refused"
    return GateDecision(
        passed=passed,
        outcome=outcome,
        estimator=estimator.name,
        confidence=confidence,
        threshold=limit,
        unsure_threshold=unsure,
        margin=confidence - limit,
        inputs=dict(estimate.inputs),
        reason=_reason(retrieval, confidence, limit, unsure, outcome),
        removed_by_filters=max(retrieval.indexed - retrieval.searched, 0),
        removed_by_threshold=retrieval.below_threshold,
        nearest_misses=() if passed else nearest_misses(retrieval),
        warnings=estimate.warnings,
    )


def _first(*values: float | None) -> float:
    return next(value for value in values if value is not None)


def _reason(retrieval: Retrieval, confidence: float, limit: float, unsure: float | None, outcome: Outcome) -> str:
    if retrieval.indexed == 0:
        return "Nothing is indexed yet."
    if retrieval.searched == 0:
        left = "the one indexed chunk" if retrieval.indexed == 1 else f"all {retrieval.indexed} indexed chunks"
        return f"The filters exclude {left}."
    if not retrieval.hits:
        below = retrieval.below_threshold
        found = "The one candidate is" if below == 1 else f"All {below} candidates are"
        return f"{found} less similar than the similarity threshold." if below else "Nothing found."
    passed = outcome == "answered"
    relation = "at or above" if passed else "below"
    digits = next((count for count in (2, 4, 6) if passed or round(confidence, count) < round(limit, count)), 9)
    said = f"The confidence {confidence:.{digits}f} is {relation} the threshold {limit:.{digits}f}"
    if outcome == "unsure":
        return f"{said}, and at or above the unsure threshold {unsure:.2f}."
    return f"{said}."
