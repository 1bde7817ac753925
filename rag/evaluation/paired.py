"""Tests and intervals of two runs on the same questions, and the correction for looking at many figures."""

import math
from collections.abc import Callable, Iterator, Sequence

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
    return min(1.0, float(2 * tail / 2**total)) if total else 1.0


# --- p-values ----------------------------------------------------------------------------------------------------


def sign_flips(changes: Array, *, seed: int = 0) -> float:
    """Return the two-sided p-value of a mean of paired differences: the exact sign-flip (randomization) test.

    Were the runs alike, each difference could as well have the other sign: p is the share of all 2^m signs of the m
    differences that are not 0 whose mean is as far from 0. With more than `EXACT` of them `RESAMPLES` signs are drawn
    and the observed ones counted in, so that p is never 0. m differences cannot give less than 2 / 2^m: .0625 for 5,
    .03125 for 6. Fisher 1935, "The design of experiments", section 21; for retrieval Smucker, Allan, Carterette 2007,
    "A comparison of statistical significance tests for information retrieval evaluation", CIKM; counting the observed
    in: Phipson & Smyth 2010, "Permutation p-values should never be zero", Statistical Applications in Genetics and
    Molecular Biology 9.

    Args:
        changes: One difference a question: shape `(n,)`, n > 0.
        seed: Same seed, same result.
    """
    moved = changes[changes != 0]
    return _exchange(len(moved), lambda turned: (moved.sum() - 2 * (turned @ moved)) / len(changes), seed)


def ratio_sign_flips(before: Array, after: Array, *, seed: int = 0) -> float:
    """Return the two-sided p-value of a difference of pooled ratios, sum of k / sum of n, by exchanging the runs.

    Were the runs alike, what a question got from each could as well be the other's: the question and not the citation
    is exchanged, as the citations of one answer resemble each other. Counted and drawn as in `sign_flips`, of which it
    is the general form: where every question has one trial both are the same.

    Args:
        before: Successes and trials of each question in the first run: shape `(n, 2)`, n > 0, trials above 0.
        after: The same of the second run.
        seed: Same seed, same result.
    """
    first, second = before.sum(axis=0), after.sum(axis=0)
    moved = (after - before)[(after != before).any(axis=1)]

    def difference(turned: Array) -> Array:
        a, b = first + turned @ moved, second - turned @ moved
        return np.asarray(b[:, 0] / b[:, 1] - a[:, 0] / a[:, 1])

    return _exchange(len(moved), difference, seed)


def _exchange(count: int, difference: Callable[[Array], Array], seed: int) -> float:
    """Return the share of exchanges under which the difference is as large as without one.

    Args:
        count: How many questions can be exchanged.
        difference: From rows of 0 and 1, shape `(rows, count)`, 1 where the runs are exchanged, to the differences.
        seed: For drawing.
    """
    if not count:
        return 1.0
    observed = abs(float(difference(np.zeros((1, count)))[0]))
    found = np.abs(np.concatenate([difference(turned) for turned in _exchanges(count, seed)]))
    as_large = int((found >= observed - _TIE * max(observed, float(found.max()))).sum())
    return as_large / len(found) if count <= EXACT else (as_large + 1) / (len(found) + 1)


def _exchanges(count: int, seed: int) -> Iterator[Array]:
    """Yield all exchanges of `count` questions or, where they are too many, `RESAMPLES` of them."""
    if count <= EXACT:
        yield (np.arange(2**count)[:, None] >> np.arange(count) & 1).astype(np.float64)
        return
    generator = np.random.default_rng(seed)
    for _ in range(RESAMPLES // _BATCH):
        yield generator.integers(0, 2, size=(_BATCH, count), dtype=np.int8).astype(np.float64)


# --- intervals ---------------------------------------------------------------------------------------------------


def paired_interval(changes: Array, *, seed: int = 0) -> tuple[float, float]:
    """Return the 95% percentile interval of a mean of paired differences; questions are drawn with replacement.

    Efron & Tibshirani 1993, "An introduction to the bootstrap"; for retrieval Sakai 2006, "Evaluating evaluation
    metrics based on the bootstrap", SIGIR. Of a few questions it is too narrow, and of one it has no width.

    Args:
        changes: One difference a question: shape `(n,)`, n > 0.
        seed: Same seed, same result.
    """
    if not changes.any():
        return 0.0, 0.0
    return _percentiles([changes[drawn].mean(axis=1) for drawn in _draws(len(changes), seed)])


def paired_ratio_interval(before: Array, after: Array, *, seed: int = 0) -> tuple[float, float]:
    """Return the 95% percentile interval of a difference of pooled ratios, sum of k / sum of n.

    Questions are drawn with replacement, each with the citations that both runs gave it: the citations of one answer
    resemble each other, so that the question and not the citation is the unit (Davison & Hinkley 1997, "Bootstrap
    methods and their application", 3.8).

    Args:
        before: Successes and trials of each question in the first run: shape `(n, 2)`, n > 0, trials above 0.
        after: The same of the second run.
        seed: Same seed, same result.
    """
    if (before == after).all():
        return 0.0, 0.0
    sums = ((before[drawn].sum(axis=1), after[drawn].sum(axis=1)) for drawn in _draws(len(before), seed))
    return _percentiles([b[:, 0] / b[:, 1] - a[:, 0] / a[:, 1] for a, b in sums])


def _draws(count: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """Yield the questions of the resamples, `_BATCH` resamples at a time: shape `(_BATCH, count)`."""
    generator = np.random.default_rng(seed)
    for _ in range(RESAMPLES // _BATCH):
        yield generator.integers(0, count, size=(_BATCH, count))


def _percentiles(batches: Sequence[Array]) -> tuple[float, float]:
    low, high = np.quantile(np.concatenate(batches), [0.025, 0.975])
    return float(low), float(high)


# --- many figures ------------------------------------------------------------------------------------------------


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number: max over j <= i of (m - j + 1) p(j), at most 1.

    Holm 1979, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6.

    >>> holm([0.01, 0.04, 0.02])
    [0.03, 0.04, 0.04]
    """
    adjusted, largest = [0.0] * len(p_values), 0.0
    for position, index in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
        largest = max(largest, min(1.0, (len(p_values) - position) * p_values[index]))
        adjusted[index] = largest
    return adjusted
