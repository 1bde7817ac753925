"""How well confidence tells answerable from unanswerable questions, at every threshold at once."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag.evaluation.intervals import LEVEL, Estimate, Rate, Z, wilson

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
"""Answerable and unanswerable questions of each confidence, highest first: shape `(2, confidences)`."""
RESAMPLES = 1000  # bootstrap resamples for an interval


@dataclass(frozen=True, slots=True, eq=False)
class Placements:
    """DeLong's structural components of an AUROC: the share of the other kind below or above, ties counting half."""

    positive: Array
    negative: Array

    @property
    def area(self) -> float:
        """The AUROC."""
        return float(self.positive.mean())

    @property
    def variance(self) -> float | None:
        """DeLong's: var(V10)/m + var(V01)/n; None where a side has a single score, and so no variance."""
        sides = (self.positive, self.negative)
        return None if min(map(len, sides)) < 2 else sum(float(side.var(ddof=1)) / len(side) for side in sides)


def placements(positive: Array, negative: Array) -> Placements:
    """Return V10 and V01 of DeLong, DeLong, Clarke-Pearson 1988, for scores of both kinds, at least one of each."""

    def below(scores: Array, others: Array) -> Array:
        ranks = [np.searchsorted(np.sort(others), scores, side) for side in ("left", "right")]
        return np.asarray((ranks[0] + ranks[1]) / 2 / len(others), dtype=np.float64)

    return Placements(below(positive, negative), 1 - below(negative, positive))


def auroc(confidences: Sequence[float], answerable: Sequence[bool]) -> Estimate:
    """Return the probability that an answerable question has a higher confidence than an unanswerable one.

    (sum over pairs of [s+ > s-] + [s+ = s-]/2) / (m n), with the interval of DeLong et al. 1988, "Comparing the areas
    under two or more correlated ROC curves", Biometrics 44, on the logit scale. At 0 or 1, where that has no width, and
    where one kind has a single question, whose scatter nothing tells, the score interval with the variance of Hanley &
    McNeil 1982 (Newcombe 2006, "Confidence intervals for an effect size measure based on the Mann-Whitney statistic,
    part 2", Statistics in Medicine 25, method 5).
    """
    from scipy.special import expit

    scores, labels = np.asarray(confidences, dtype=np.float64), np.asarray(answerable, dtype=bool)
    positive, negative = scores[labels], scores[~labels]
    if not len(positive) or not len(negative):
        return Estimate(count=len(scores), method="delong")
    parts = placements(positive, negative)
    area, variance, method = parts.area, parts.variance, "delong, logit"
    if variance is None or variance <= 0 or not 0 < area < 1:
        low, high = _newcombe(area, len(positive), len(negative))
        method = "newcombe 5"
    else:
        half = Z * math.sqrt(variance) / (area * (1 - area))
        low, high = (float(expit(math.log(area / (1 - area)) + by)) for by in (-half, half))
    return Estimate(value=area, low=low, high=high, count=len(scores), method=method)


def _newcombe(area: float, positives: int, negatives: int) -> tuple[float, float]:
    """Return the ends of { t : |t - area| <= z sqrt(V(t)) }, V of Hanley & McNeil with balanced sizes."""
    from scipy.optimize import brentq

    star = (positives + negatives) / 2 - 1

    def excess(theta: float) -> float:
        spread = 1 + star * (1 - theta) / (2 - theta) + star * theta / (1 + theta)
        return abs(theta - area) - Z * math.sqrt(theta * (1 - theta) * spread / (positives * negatives))

    inside = min(max(area, 1e-9), 1 - 1e-9)
    low = 0.0 if area <= 0 or excess(1e-12) <= 0 else float(brentq(excess, 1e-12, inside))
    high = 1.0 if area >= 1 or excess(1 - 1e-12) <= 0 else float(brentq(excess, inside, 1 - 1e-12))
    return low, high


def aurc(confidences: Sequence[float], answerable: Sequence[bool]) -> Estimate:
    """Return the area under the risk-coverage curve; lower is better. Null without both kinds of question.

    (1/n) sum over k = 1..n of (unanswerable among the k most confident) / k. Geifman & El-Yaniv 2017, "Selective
    classification for deep neural networks", NeurIPS. Equal confidences are averaged over all their orders. Interval:
    percentile bootstrap over questions, both kinds resampled apart; null where no resample differs.
    """
    counts = _counts(confidences, answerable)
    if not counts.any(axis=1).all():
        return Estimate(count=len(confidences), method="bootstrap")
    value, (low, high) = float(_areas(counts[None])[0]), _ends(_areas(_resampled(counts))) or (None, None)
    return Estimate(value=value, low=low, high=high, count=len(confidences), method="bootstrap")


def _counts(confidences: Sequence[float], answerable: Sequence[bool]) -> Counts:
    """Group labelled confidences by value; equal ones stay together, so that no order among them is invented."""
    scores, labels = np.asarray(confidences, dtype=np.float64), np.asarray(answerable, dtype=bool)
    values, where = np.unique(scores, return_inverse=True)
    kinds = [np.bincount(where[kind], minlength=len(values))[::-1] for kind in (labels, ~labels)]
    return np.array(kinds, dtype=np.int64)


def _areas(counts: Counts) -> Array:
    """Return the AURC of each row of counts, shape `(rows, 2, confidences)`.

    Inside a group of m equal confidences with e errors, after N questions with E errors, the expected sum of risks is
    sum over j of (E + j e/m) / (N + j) = e + (E - N e/m) (H(N + m) - H(N)), H the harmonic numbers.
    """
    size, unanswerable = counts.sum(axis=1), counts[:, 1]
    count, errors = np.cumsum(size, axis=1), np.cumsum(unanswerable, axis=1)
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, int(count[:, -1].max()) + 1))])
    before, errors_before = count - size, errors - unanswerable
    share = unanswerable / np.maximum(size, 1)
    sums = unanswerable + (errors_before - before * share) * (harmonic[count] - harmonic[before])
    return np.asarray(sums.sum(axis=1) / count[:, -1], dtype=np.float64)


def coverage_at(confidences: Sequence[float], answerable: Sequence[bool], limits: Sequence[float]) -> list[Rate]:
    """Return, for each limit of the false-answer rate, the largest share of answerable questions that keeps it.

    max over t of #(answerable, c >= t) / #answerable subject to #(unanswerable, c >= t) / #unanswerable <= limit.
    Interval: percentile bootstrap that chooses the threshold anew in each resample; where no resample differs, Wilson's
    of the share, which takes the threshold as given. Null without both kinds of question.
    """
    counts = _counts(confidences, answerable)
    if not counts.any(axis=1).all():
        return [Rate(numerator=0, denominator=0, method="bootstrap") for _ in limits]
    resampled, positives, found = _resampled(counts), int(counts[0].sum()), []
    for limit in limits:
        value = float(_coverages(counts[None], limit)[0])
        covered, ends = round(value * positives), _ends(_coverages(resampled, limit))
        low, high = ends or wilson(covered, positives)
        method = "bootstrap" if ends else "wilson, resamples alike"
        found.append(Rate(numerator=covered, denominator=positives, value=value, low=low, high=high, method=method))
    return found


def _coverages(counts: Counts, limit: float) -> Array:
    """Return for each row of counts the coverage at the lowest threshold that keeps the false-answer rate."""
    covered, false = np.cumsum(counts[:, 0], axis=1), np.cumsum(counts[:, 1], axis=1)
    allowed = math.floor(limit * int(false[0, -1]) + 1e-9)
    groups = (false <= allowed).sum(axis=1)
    best = np.take_along_axis(covered, np.maximum(groups - 1, 0)[:, None], axis=1)[:, 0]
    return np.asarray(np.where(groups > 0, best, 0) / covered[:, -1], dtype=np.float64)


def _resampled(counts: Counts) -> Counts:
    """Return bootstrap counts, answerable and unanswerable drawn apart: shape `(resamples, 2, confidences)`."""
    generator = np.random.default_rng(0)
    drawn = [generator.multinomial(int(kind.sum()), kind / kind.sum(), size=RESAMPLES) for kind in counts]
    return np.stack(drawn, axis=1)


def _ends(drawn: Array) -> tuple[float, float] | None:
    """Return the ends of the percentile interval; None where every resample has the same value, up to rounding."""
    if float(drawn.max() - drawn.min()) < 1e-12:
        return None
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
