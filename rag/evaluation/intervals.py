"""Rates that carry their own uncertainty: numerator, denominator, value and an interval; over nothing, null."""

import math
from collections.abc import Iterable, Sequence
from statistics import NormalDist, stdev

from pydantic import Field

from rag.models import Value

LEVEL = 0.95  # confidence level of every two-sided interval
Z = NormalDist().inv_cdf(0.5 + LEVEL / 2)  # standard normal quantile of a two-sided interval


class Rate(Value):
    """A share or a mean with its interval. `value` is null, never 0, where the denominator is 0."""

    numerator: float = Field(description="Sum of what was counted; a whole number for a share.")
    denominator: int = Field(ge=0, description="Over how many.")
    value: float | None = Field(None, description="Numerator / denominator; null over nothing.")
    low: float | None = Field(None, description="Lower end of the two-sided 95% interval.")
    high: float | None = Field(None, description="Upper end of the two-sided 95% interval.")
    method: str = Field(description="How the interval was computed.")


class BoundedRate(Rate):
    """A rate of failures, with the bound that it is held to."""

    upper_bound: float | None = Field(description="One-sided 95% upper bound (Clopper-Pearson).")


class Estimate(Value):
    """A figure that is not a share, as an area under a curve."""

    value: float | None = Field(None, description="The figure; null where it is not defined.")
    low: float | None = Field(None, description="Lower end of the two-sided 95% interval.")
    high: float | None = Field(None, description="Upper end of the two-sided 95% interval.")
    count: int = Field(ge=0, description="Over how many questions.")
    method: str = Field(description="How the interval was computed.")


def wilson(successes: float, trials: float) -> tuple[float, float]:
    """Return the two-sided 95% Wilson score interval of a proportion.

    (p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n). Wilson 1927, "Probable inference, the law of succession,
    and statistical inference", JASA 22.

    `successes`, 0..trials, need not be whole, so that an effective sample size can be given.
    """
    share, scale = successes / trials, 1 + Z * Z / trials
    centre = share + Z * Z / (2 * trials)
    half = Z * math.sqrt(share * (1 - share) / trials + Z * Z / (4 * trials * trials))
    low = 0.0 if successes <= 0 else max(0.0, (centre - half) / scale)
    high = 1.0 if successes >= trials else min(1.0, (centre + half) / scale)
    return low, high


def clopper_pearson_upper(failures: float, trials: float, *, confidence: float = 0.95) -> float:
    """Return the exact one-sided upper bound of a proportion: the `confidence` quantile of Beta(k + 1, n - k).

    Clopper & Pearson 1934, "The use of confidence or fiducial limits illustrated in the case of the binomial",
    Biometrika 26. With no failures it is 1 - (1 - confidence)^(1/n). `failures`, k, 0..n, need not be whole.
    """
    from scipy.special import betaincinv

    return 1.0 if failures >= trials else float(betaincinv(failures + 1, trials - failures, confidence))


def rate(numerator: int, denominator: int) -> Rate:
    """Return a share with its Wilson interval; null over nothing."""
    return _share(numerator, denominator, denominator, method="wilson")


def bounded_rate(failures: int, denominator: int) -> BoundedRate:
    """Return a rate of failures with its Wilson interval and one-sided 95% Clopper-Pearson upper bound."""
    return _bounded(rate(failures, denominator), denominator)


def _share(numerator: int, denominator: int, size: float, *, method: str) -> Rate:
    """Return a share with Wilson's interval at a sample size; null over nothing."""
    if denominator == 0:
        return Rate(numerator=0, denominator=0, method=method)
    value = numerator / denominator
    low, high = wilson(value * size, size)
    return Rate(numerator=numerator, denominator=denominator, value=value, low=low, high=high, method=method)


def _bounded(one: Rate, size: float) -> BoundedRate:
    bound = None if one.value is None else clopper_pearson_upper(one.value * size, size)
    return BoundedRate(**one.model_dump(), upper_bound=bound)


def mean(values: Iterable[float]) -> Rate:
    """Return a mean of values in 0..1 with Student's t interval, clamped to 0..1; no interval for a single value.

    mean -+ t(n - 1) s / sqrt(n), s the sample standard deviation. Student 1908, Biometrika 6. Where all values are
    equal s is 0, which says nothing of those to come: then Wilson's interval of a share of the same size, as no value
    in 0..1 with mean p varies more than a share does (Bhatia & Davis 2000, "A better bound on the variance").
    """
    from scipy.special import stdtrit

    numbers = list(values)
    count, total = len(numbers), math.fsum(numbers)
    if count < 2:
        return Rate(numerator=total, denominator=count, value=total if count else None, method="t")
    centre, method = total / count, "t"
    if min(numbers) == max(numbers):
        low, high = wilson(total, count)
        method = "wilson, all equal"
    else:
        half = float(stdtrit(count - 1, 0.5 + LEVEL / 2)) * stdev(numbers) / math.sqrt(count)
        low, high = max(0.0, centre - half), min(1.0, centre + half)
    return Rate(numerator=total, denominator=count, value=centre, low=low, high=high, method=method)


def clustered_rate(clusters: Sequence[tuple[int, int]]) -> Rate:
    """Return a share whose trials come in clusters, as the citations of one answer do, with an honest interval.

    Trials of a cluster resemble each other, so that the plain interval is too narrow. The variance of the ratio
    estimator, v = m/(m-1) sum (k_i - p n_i)^2 / (sum n_i)^2, gives the effective sample size n* = p(1-p)/v, at most the
    number of trials, and Wilson's interval is taken at n*. Korn & Graubard 1998, "Confidence intervals for proportions
    with small expected number of positive counts estimated from survey data", Survey Methodology 24. Where v says
    nothing (all or none, or one cluster) n* is the number of clusters. `clusters` are successes and trials of each.
    """
    return _share(*_effective_size(clusters), method="wilson, clustered")


def clustered_bounded_rate(clusters: Sequence[tuple[int, int]]) -> BoundedRate:
    """Return a rate of failures whose trials come in clusters, as `clustered_rate` does, with its bound at n*.

    With no failures among m answers it is 1 - .05^(1/m), however many sentences these have (Korn & Graubard 1998).
    """
    return _bounded(clustered_rate(clusters), _effective_size(clusters)[2])


def _effective_size(clusters: Sequence[tuple[int, int]]) -> tuple[int, int, float]:
    """Return successes, trials and n*: how many independent trials tell as much as these clusters."""
    used = [pair for pair in clusters if pair[1]]
    hits, trials, count = sum(k for k, _ in used), sum(n for _, n in used), len(used)
    if not 0 < hits < trials or count < 2:
        return hits, trials, float(count)
    share = hits / trials
    variance = count / (count - 1) * math.fsum((k - share * n) ** 2 for k, n in used) / trials**2
    return hits, trials, min(float(trials), share * (1 - share) / variance) if variance > 0 else float(trials)
