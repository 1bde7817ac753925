"""Tests of two runs on the same questions, and the correction for looking at many figures."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
RESAMPLES = 10_000
"""Bootstrap resamples for a difference."""
_BATCH = 250


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


def paired_bootstrap(changes: Array, *, seed: int = 0) -> tuple[float, float, float]:
    """Return the percentile interval of a mean of paired differences, and the two-sided p-value of no difference.

    Questions are drawn with replacement; p = 2 min(share of means <= 0, share >= 0), counted with one resample more
    so that it is never 0. Efron & Tibshirani 1993, "An introduction to the bootstrap"; for retrieval Sakai 2006,
    "Evaluating evaluation metrics based on the bootstrap", SIGIR.

    Args:
        changes: One difference a question: shape `(n,)`, n > 0.
        seed: Same seed, same result.
    """
    if not changes.any():
        return 0.0, 0.0, 1.0
    return _interval([changes[drawn].mean(axis=1) for drawn in _draws(len(changes), seed)])


def paired_ratio_bootstrap(before: Array, after: Array, *, seed: int = 0) -> tuple[float, float, float]:
    """Return the percentile interval of a difference of pooled ratios, sum of k / sum of n, and its p-value.

    Questions are drawn with replacement, each with the citations that both runs gave it: the citations of one answer
    resemble each other, so that the question and not the citation is the unit (Davison & Hinkley 1997, "Bootstrap
    methods and their application", 3.8). The p-value is that of `paired_bootstrap`.

    Args:
        before: Successes and trials of each question in the first run: shape `(n, 2)`, n > 0, trials above 0.
        after: The same of the second run.
        seed: Same seed, same result.
    """
    if (before == after).all():
        return 0.0, 0.0, 1.0
    sums = ((before[drawn].sum(axis=1), after[drawn].sum(axis=1)) for drawn in _draws(len(before), seed))
    return _interval([b[:, 0] / b[:, 1] - a[:, 0] / a[:, 1] for a, b in sums])


def _draws(count: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """Yield the questions of the resamples, `_BATCH` resamples at a time: shape `(_BATCH, count)`."""
    generator = np.random.default_rng(seed)
    for _ in range(RESAMPLES // _BATCH):
        yield generator.integers(0, count, size=(_BATCH, count))


def _interval(batches: Sequence[Array]) -> tuple[float, float, float]:
    every = np.concatenate(batches)
    low, high = np.quantile(every, [0.025, 0.975])
    tail = min(int((every <= 0).sum()), int((every >= 0).sum()))
    return float(low), float(high), min(1.0, 2 * (tail + 1) / (RESAMPLES + 1))


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
