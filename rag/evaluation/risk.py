"""A threshold with a guarantee on false answers.

Learn-then-Test (Angelopoulos, Bates, Candès, Jordan, Lei 2021, "Learn then Test: calibrating predictive algorithms to
achieve risk control"): each threshold is a null hypothesis "its false-answer rate is above the target"; going from the
strictest one of a fixed grid down, thresholds are accepted while the exact binomial test rejects it (fixed sequence
testing, so that no correction for many thresholds is needed). The rate cannot rise as the threshold rises.

What it assumes: the labelled questions and those to come are exchangeable. Questions written from the same passage are
less than independent, another subject is another population: fit and measure on what will be asked.
"""

import math
from bisect import bisect_left
from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from rag.errors import ConfigurationError
from rag.evaluation.intervals import clopper_pearson_upper
from rag.models import Value
from rag.text.counted import several

Floats = NDArray[np.float64]
Horizon: TypeAlias = int | Literal["as labelled"] | None
"""How many unanswerable questions to come a promise is about: a number, as many as are labelled, or None: all."""
GRID = 10_000  # thresholds are multiples of 1 / GRID, from 1 down to 0
_MOST_LABELS = 10_000_000


class RiskControl(Value):
    """The lowest threshold for which the false-answer rate is proven to keep the target."""

    threshold: float | None = Field(None, description="Answer where confidence >= threshold; null: none is proven.")
    target: float = Field(description="The false-answer rate that is to be kept.")
    confidence: float = Field(description="With what probability over the labelled questions it is kept.")
    horizon: int | None = Field(None, description="Kept among so many questions to come; null: in the long run.")
    count: int = Field(description="Labelled unanswerable questions.")
    false_answers: int | None = Field(None, description="How many of them the threshold answers; null without one.")
    bound: float | None = Field(None, description="One-sided upper bound of the long-run rate at the threshold.")
    needed: int = Field(description="How many more labelled unanswerable questions a guarantee takes at least.")
    reason: str = Field(description="One plain sentence.")


def threshold_for(
    confidences_unanswerable: Sequence[float], *, target: float, confidence: float = 0.95, horizon: Horizon = None
) -> RiskControl:
    """Return the lowest threshold whose false-answer rate keeps the target, with the bound that proves it.

    Without `horizon` the promise is on the long-run rate R: P(R(threshold) <= target) >= confidence, over the draw of
    the labelled questions. A rate observed on few questions scatters around R; with `horizon` the promise is on the
    rate observed among that many unanswerable questions to come, which asks for a margin for both samples.

    Args:
        confidences_unanswerable: Confidence of each labelled unanswerable question, 0..1; none of them may have been
            used to fit the estimator.
        target: The false-answer rate to keep, above 0 and below 1.
        confidence: With what probability, above 0 and below 1.
        horizon: How many unanswerable questions to come the promise is about, at least 1; or as many as are labelled.

    Raises:
        ConfigurationError: An argument is outside its range.
    """
    scores = np.sort(np.asarray(confidences_unanswerable, dtype=np.float64))
    count, coming = len(scores), max(len(scores), 1) if horizon == "as labelled" else horizon
    if not (0 < target < 1 and 0 < confidence < 1 and (coming is None or coming >= 1)):
        given = f"target is {target}, confidence {confidence}, horizon {horizon}"
        raise ConfigurationError(f"{given}: the first two must be above 0 and below 1, the third at least 1 question.")
    if count and not (scores[0] >= 0 and scores[-1] <= 1):
        raise ConfigurationError(f"Confidences run from {scores[0]} to {scores[-1]}; they must lie in 0..1.")
    allowed = allowed_false_answers(count, target=target, confidence=confidence, horizon=coming)
    grid = np.arange(GRID, -1, -1) / GRID
    false = count - np.searchsorted(scores, grid, "left")
    accepted = int((false <= allowed).sum())
    needed = 0 if allowed >= 0 else labels_needed(target=target, confidence=confidence, horizon=horizon) - count
    found = RiskControl(target=target, confidence=confidence, horizon=coming, count=count, needed=needed, reason="")
    if not accepted:
        return found.model_copy(update={"reason": _why_none(found)})
    threshold, answered = float(grid[accepted - 1]), int(false[accepted - 1])
    bound = clopper_pearson_upper(answered, count, confidence=confidence)
    reason = (
        f"At {threshold:.4f} {answered} of {several(count, 'unanswerable question')} are answered: the "
        f"false-answer rate is at most {bound:.2%} with {confidence:.0%} confidence."
    )
    if coming:
        reason += f" It keeps {target:.1%} among the next {coming} with that confidence."
    proven = {"threshold": threshold, "false_answers": answered, "bound": bound, "reason": reason}
    return found.model_copy(update=proven)


def threshold_keeping(confidences_unanswerable: Sequence[float], *, target: float, grid: int = GRID) -> float:
    """Return the lowest multiple of 1 / grid at which at most a share `target`, 0..1, of these confidences is answered.

    It is a count over the questions given, at least one, and no promise about others. Where more than that have a
    confidence of 1, it is 1 and does not keep the target: count what it answers.
    """
    below = _below(confidences_unanswerable, grid)
    kept = np.flatnonzero(below >= (1 - target) * len(confidences_unanswerable) - 1e-9)
    return float(kept[0] / grid) if len(kept) else 1.0


def refusing(confidences_answerable: Sequence[float], *, most: float, grid: int = GRID) -> float:
    """Return the highest multiple of 1 / grid below which at most a share `most`, 0..1, of these confidences lies.

    It is a count over the questions given, at least one: of others more may be refused.

    >>> refusing([0.2, 0.4, 0.6, 0.8], most=0.25), refusing([0.2, 0.4], most=0.0), refusing([0.2], most=1.0)
    (0.4, 0.2, 1.0)
    """
    below = _below(confidences_answerable, grid)
    return float(np.flatnonzero(below <= most * len(confidences_answerable) + 1e-9)[-1] / grid)


def _below(confidences: Sequence[float], grid: int) -> NDArray[np.intp]:
    """Return how many confidences lie below each multiple of 1 / grid, from 0 up to 1."""
    return np.searchsorted(np.sort(confidences), np.arange(grid + 1) / grid, "left")


def _why_none(result: RiskControl) -> str:
    if result.needed <= 0:
        return f"Too many unanswerable questions have a confidence of 1: no threshold keeps {result.target:.1%}."
    labelled = f"{several(result.count, 'unanswerable question')} {'is' if result.count == 1 else 'are'} labelled"
    reason = f"Too few labels: {labelled}, {result.needed} more needed for {result.target:.1%}"
    weaker = max(labels_needed(target=result.target, confidence=result.confidence) - result.count, 0)
    if weaker >= result.needed:
        return f"{reason}."
    return f"{reason}; a promise in the long run takes {f'{weaker} more' if weaker else 'no more'}."


def allowed_false_answers(count: int, *, target: float, confidence: float, horizon: int | None = None) -> int:
    """Return how many of `count` unanswerable questions a threshold may answer; -1 where none is few enough.

    In the long run: the largest k with P(Binomial(n, target) <= k) <= 1 - confidence, the exact p-value of Learn-then-
    Test; the same as Clopper and Pearson's upper bound being at most the target.

    Among m questions to come: the largest k with P(BetaBinomial(m, k + 1, n - k) > target m) <= 1 - confidence. A
    threshold above the (k + 1)-th highest of n exchangeable confidences lets through a share of Beta(k + 1, n - k), so
    that the count among m more is at most beta-binomial, whatever the distribution (Wilks 1942; Vovk 2012,
    "Conditional validity of inductive conformal predictors").
    """
    kept = _probability_of_excess(np.arange(count), count, target, horizon) <= 1 - confidence + 1e-12
    return int(kept.sum()) - 1


def _probability_of_excess(false: NDArray[np.int64], count: int, target: float, horizon: int | None) -> Floats:
    """Return, for each number of false answers, how probable it is that a rate above the target looks like this.

    P(BetaBinomial(m, a, b) <= k) is the sum of C(m, j) B(j + a, m - j + b) / B(a, b) over j up to k, in logarithms, so
    that a million trials do not overflow; C(m, j) is 1 / ((m + 1) B(m - j + 1, j + 1)).
    """
    from scipy.special import betaincc, betaln  # not scipy.stats: importing that takes a second, and a page waits

    if horizon is None:  # Binomial(n, target) is at most k exactly where a Beta(k + 1, n - k) is above the target
        return np.asarray(betaincc(false + 1.0, count - false, target), dtype=np.float64)
    j = np.arange(math.floor(target * horizon + 1e-9) + 1)
    chosen = -math.log(horizon + 1) - betaln(horizon - j + 1, j + 1)
    found = [
        1 - np.exp(chosen + betaln(j + k + 1, horizon - j + count - k) - betaln(k + 1, count - k)).sum()
        for k in false.tolist()
    ]
    return np.array(found, dtype=np.float64)


def labels_needed(*, target: float, confidence: float, horizon: Horizon = None) -> int:
    """Return the least number of labelled unanswerable questions, none of them answered, that allows a guarantee.

    In the long run n >= log(1 - confidence) / log(1 - target): 59 for 5% at 95%; for as many as are labelled 80.
    """
    if horizon is None:
        return math.ceil(math.log(1 - confidence) / math.log(1 - target) - 1e-9)

    def is_enough(count: int) -> bool:
        coming = count if horizon == "as labelled" else horizon
        return bool(_probability_of_excess(np.array([0]), count, target, coming)[0] <= 1 - confidence + 1e-12)

    high = 1
    while high <= _MOST_LABELS and not is_enough(high):
        high *= 2
    return bisect_left(range(min(high, _MOST_LABELS)), True, lo=high // 2 + 1, key=is_enough)
