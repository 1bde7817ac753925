"""Measured figures with their spread: a figure without one says nothing about another machine, or another day."""

import math
import statistics
from collections.abc import Sequence

from pydantic import Field

from rag.models import Value

NORMAL_95 = 1.96  # standard normal quantile of a two-sided 95% interval


class Figure(Value):
    """One measured figure."""

    name: str = Field(description="What was measured.")
    value: float = Field(description="The figure; of several runs the median.")
    unit: str = Field(description="Its unit; `x` for a ratio within this run.")
    low: float | None = Field(None, description="Lower end of the spread, as `detail` names it.")
    high: float | None = Field(None, description="Upper end of the spread.")
    runs: tuple[float, ...] = Field((), description="Every single run, in order, where there are few.")
    detail: str = Field("", description="What the spread is, and what a ratio was made of.")


def of_runs(name: str, runs: Sequence[float], unit: str, detail: str = "") -> Figure:
    """Return the median of a few runs, with all of them.

    >>> of_runs("start", [3.0, 1.0, 2.0], "s").detail
    'median of 3 runs: 1.00 to 3.00'
    """
    spread = f"median of {len(runs)} runs: {min(runs):.2f} to {max(runs):.2f}" if len(runs) > 1 else "one run"
    told = f"{spread}; {detail}" if detail else spread
    value, low, high = statistics.median(runs), min(runs), max(runs)
    return Figure(name=name, value=value, unit=unit, low=low, high=high, runs=tuple(runs), detail=told)


def of_durations(name: str, milliseconds: Sequence[float], detail: str = "") -> list[Figure]:
    """Return p50 and p95 (nearest rank) of many durations, p50 with its 95% interval.

    The interval is that from the order of the values alone: ranks `n/2 - 0.98 sqrt(n)` and `1 + n/2 + 0.98 sqrt(n)`,
    the normal approximation of the binomial (Conover 1999, "Practical Nonparametric Statistics", section 3.2); few
    values give their whole range.

    >>> [figure.value for figure in of_durations("ask", [float(number) for number in range(1, 102)])]
    [51.0, 96.0]
    """
    ordered, count = sorted(milliseconds), len(milliseconds)
    half = NORMAL_95 * math.sqrt(count) / 2
    low = ordered[max(math.floor(count / 2 - half), 1) - 1]
    high = ordered[min(math.ceil(1 + count / 2 + half), count) - 1]
    spread = f"95% interval {low:.2f} to {high:.2f}, n = {count}"
    told = f"{spread}; {detail}" if detail else spread
    p50, p95 = statistics.median(ordered), ordered[math.ceil(0.95 * count) - 1]
    return [
        Figure(name=f"{name}, p50", value=p50, unit="ms", low=low, high=high, detail=told),
        Figure(name=f"{name}, p95", value=p95, unit="ms", detail=f"n = {count}"),
    ]
