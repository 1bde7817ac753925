"""Tests and intervals of two runs on the same questions, and the correction for looking at many figures.

A figure of a run is a pooled ratio over its questions, sum of k / sum of n. Of a share of citations k and n are the
successes and trials of a question; of a mean over questions k is its value and n is 1.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
RESAMPLES = 10_000
"""Bootstrap resamples for an interval, and exchanges drawn for a p-value."""
EXACT = 14
"""Up to so many changed questions, all exchanges of the two runs are counted instead of drawn."""
_BATCH = 250
_TIE = 1e-9
"""Differences that are apart by no more than this share of the largest are equal: the sums are rounded."""


def mcnemar(gained: int, lost: int) -> float:
    """Return the exact two-sided p-value that gains and losses are equally probable.

    min(1, 2 P(Binomial(b + c, 1/2) <= min(b, c))). McNemar 1947, "Note on the sampling error of the difference between
    correlated proportions or percentages", Psychometrika 12; exact form.

    >>> mcnemar(0, 5)
    0.0625
    """
    total = gained + lost
    tail = sum(math.comb(total, k) for k in range(min(gained, lost) + 1))
    return min(1.0, float(2 * tail / 2**total))


def sign_flips(before: Array, after: Array, *, seed: int = 0) -> float:
    """Return the two-sided p-value of a difference of pooled ratios: the exact sign-flip (randomization) test.

    Were the runs alike, what a question got from each could as well be the other's: p is the share of all 2^m exchanges
    of the m questions that differ under which the difference is as large. The question and not the citation is
    exchanged, as the citations of one answer resemble each other. With more than `EXACT` of them `RESAMPLES` exchanges
    are drawn and the observed one counted in, so that p is never 0. m questions cannot give less than 2 / 2^m: .0625
    for 5, .03125 for 6. Fisher 1935, "The design of experiments", section 21; for retrieval Smucker, Allan, Carterette
    2007, "A comparison of statistical significance tests for information retrieval evaluation", CIKM; counting the
    observed in: Phipson & Smyth 2010, "Permutation p-values should never be zero", Statistical Applications in
    Genetics and Molecular Biology 9.

    Args:
        before: k and n of each question in the first run: shape `(questions, 2)`, not empty, n above 0.
        after: The same of the second run.
        seed: Same seed, same result.
    """
    first, second = before.sum(axis=0), after.sum(axis=0)
    moved = (after - before)[(after != before).any(axis=1)]
    if not len(moved):
        return 1.0
    exchanged = [turned @ moved for turned in _exchanges(len(moved), seed)]
    found = np.abs(np.concatenate([_change(first + part, second - part) for part in exchanged]))
    observed = abs(float(_change(first, second)))
    as_large = int((found >= observed - _TIE * max(observed, float(found.max()))).sum())
    return as_large / len(found) if len(moved) <= EXACT else (as_large + 1) / (len(found) + 1)


def _change(before: Array, after: Array) -> Array:
    """Return by how much the ratio of the last axis, k / n, differs."""
    return np.asarray(after[..., 0] / after[..., 1] - before[..., 0] / before[..., 1])


def _exchanges(count: int, seed: int) -> Iterator[Array]:
    """Yield rows of 0 and 1, 1 where the runs are exchanged: all 2^count or, where these are too many, `RESAMPLES`."""
    if count <= EXACT:
        yield (np.arange(2**count)[:, None] >> np.arange(count) & 1).astype(np.float64)
        return
    generator = np.random.default_rng(seed)
    for _ in range(RESAMPLES // _BATCH):
        yield generator.integers(0, 2, size=(_BATCH, count), dtype=np.int8).astype(np.float64)


def paired_interval(before: Array, after: Array, *, seed: int = 0) -> tuple[float, float]:
    """Return the 95% percentile interval of a difference of pooled ratios; questions are drawn with replacement.

    Efron & Tibshirani 1993, "An introduction to the bootstrap"; for retrieval Sakai 2006, "Evaluating evaluation
    metrics based on the bootstrap", SIGIR. Each question is drawn with the citations that both runs gave it, as these
    resemble each other (Davison & Hinkley 1997, "Bootstrap methods and their application", 3.8). Of a few questions it
    is too narrow, and of one it has no width.

    Args:
        before: k and n of each question in the first run: shape `(questions, 2)`, not empty, n above 0.
        after: The same of the second run.
        seed: Same seed, same result.
    """
    if (before == after).all():
        return 0.0, 0.0
    generator, count, found = np.random.default_rng(seed), len(before), []
    for _ in range(RESAMPLES // _BATCH):
        drawn = generator.integers(0, count, size=(_BATCH, count))
        times = np.stack([np.bincount(row, minlength=count) for row in drawn])
        found.append(_change(times @ before, times @ after))
    low, high = np.quantile(np.concatenate(found), [0.025, 0.975])
    return float(low), float(high)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number: max over j <= i of (m - j + 1) p(j), at most 1.

    Holm 1979, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6.

    >>> holm([0.01, 0.04, 0.02])
    [0.03, 0.04, 0.04]
    """
    order = np.argsort(p_values, kind="stable")
    left = np.arange(len(order), 0, -1)
    adjusted = np.empty(len(order))
    adjusted[order] = np.minimum(np.maximum.accumulate(left * np.asarray(p_values)[order]), 1.0)
    return [float(one) for one in adjusted]
