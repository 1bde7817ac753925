"""Krippendorff's alpha: how far any number of people agree, also where not everybody has judged everything."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from rag.models import Value

DRAWS = 2000
"""How often requests are drawn anew for the interval."""
_FEWEST = 5
"""Requests below which there is no interval."""
Unit = Sequence[str]
"""All verdicts on one thing, in any order."""


class Alpha(Value):
    """How far several people agree on what at least two of them have judged."""

    alpha: float | None = Field(description="At most 1; null where it is not defined.")
    low: float | None = Field(description="Lower end of its 95% interval; null below five requests.")
    high: float | None = Field(description="Upper end of it.")
    items: int = Field(ge=0, description="How many things at least two people judged.")
    verdicts: int = Field(ge=0, description="How many verdicts they gave on these.")
    requests: int = Field(ge=0, description="Of how many requests the things are.")


def alpha(requests: Iterable[Sequence[Unit]]) -> Alpha:
    """Return Krippendorff's alpha for nominal verdicts, 1 - D_o / D_e.

    D_o = sum over pairs c != k of o_ck, D_e = sum over c != k of n_c n_k / (n - 1). In o_ck each pair of different
    people's verdicts c and k on a thing that m people judged counts 1 / (m - 1); n_c is the sum over k of o_ck, n that
    of all. Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section C. It is not defined where all
    verdicts are the same. The things of one request resemble each other: for the interval, the 2.5% and 97.5%
    percentiles of alpha over requests drawn with replacement, whole requests are drawn.

    Args:
        requests: For each request the verdicts on each thing that was judged; things with one verdict count nothing.

    >>> alpha([[["yes", "yes"]], [["yes", "no"]], [["no", "no"]]]).alpha  # D_o 2, D_e 18 / 5
    0.4444444444444444
    """
    judged: list[list[Unit]] = [kept for units in requests if (kept := [unit for unit in units if len(unit) > 1])]
    if not judged:
        return Alpha(alpha=None, low=None, high=None, items=0, verdicts=0, requests=0)
    names = sorted({verdict for units in judged for unit in units for verdict in unit})
    tables = np.array([_coincidences(units, names) for units in judged])
    low, high = _interval(tables)
    return Alpha(
        alpha=_alpha(tables.sum(0)),
        low=low,
        high=high,
        items=sum(len(units) for units in judged),
        verdicts=sum(len(unit) for units in judged for unit in units),
        requests=len(judged),
    )


def _coincidences(units: Sequence[Unit], names: Sequence[str]) -> NDArray[np.float64]:
    """Return o_ck over the things of one request: shape `(len(names), len(names))`."""
    table = np.zeros((len(names), len(names)))
    for unit in units:
        counts = np.array([list(unit).count(name) for name in names], dtype=float)
        table += (np.outer(counts, counts) - np.diag(counts)) / (len(unit) - 1)
    return table


def _alpha(table: NDArray[np.float64]) -> float | None:
    """Return alpha for one table of coincidences; None where all verdicts are the same."""
    sums = table.sum(1)
    total = sums.sum()
    by_chance = (total**2 - (sums**2).sum()) / (total - 1) if total > 1 else 0.0
    return float(1 - (total - np.trace(table)) / by_chance) if by_chance > 0 else None


def _interval(tables: NDArray[np.float64]) -> tuple[float | None, float | None]:
    """Return the ends of the 95% interval, by drawing whole requests; the same for the same labels."""
    count = len(tables)
    if count < _FEWEST:
        return None, None
    draws = np.random.default_rng(0).multinomial(count, np.full(count, 1 / count), size=DRAWS)
    drawn = np.tensordot(draws.astype(float), tables, axes=1)
    found = [one for table in drawn if (one := _alpha(table)) is not None]
    if len(found) < DRAWS / 2:  # nearly always the same verdict: hardly a draw has two
        return None, None
    low, high = np.percentile(found, [2.5, 97.5])
    return float(low), float(high)
