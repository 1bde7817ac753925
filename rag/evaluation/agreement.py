"""How far labellers agree, aspect by aspect: on answers, on passages, on whether a question can be answered.

Two at a time by Cohen's kappa; all of them together, who need not have judged the same, by Krippendorff's alpha. Where
they do not, somebody settles it: a label in the name of `SETTLED`, which counts before everybody's own.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from rag.evaluation.intervals import Rate, clustered_rate
from rag.models import Value
from rag.workspace.values import Agreement, Aspect, Label, cohen_kappa

DRAWS = 2000  # how often requests are drawn anew for the interval
_FEWEST = 5  # requests below which there is no interval
SETTLED = "(settled)"  # in whose name a disagreement is settled; no person is called so
ASPECTS: tuple[Aspect, ...] = ("answer", "answerable", "chunk")
Judged = tuple[str, Aspect, str]  # what was judged: target, aspect and, of a chunk, its id


class Alpha(Value):
    """How far several people agree on what at least two of them have judged."""

    alpha: float | None = Field(description="At most 1; null where it is not defined.")
    low: float | None = Field(description="Lower end of its 95% interval; null below five requests.")
    high: float | None = Field(description="Upper end of it.")
    items: int = Field(ge=0, description="How many things at least two people judged.")
    verdicts: int = Field(ge=0, description="How many verdicts they gave on these.")
    requests: int = Field(ge=0, description="Of how many requests the things are.")


def alpha(requests: Iterable[Sequence[Sequence[str]]]) -> Alpha:
    """Return Krippendorff's alpha for nominal verdicts, 1 - D_o / D_e.

    D_o = sum over pairs c != k of o_ck, D_e = sum over c != k of n_c n_k / (n - 1). In o_ck each pair of different
    people's verdicts c and k on a thing that m people judged counts 1 / (m - 1); n_c is the sum over k of o_ck, n that
    of all. Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section C. It is not defined where all
    verdicts are the same. The interval is between the 2.5% and 97.5% percentiles over whole requests drawn with
    replacement. `requests` holds for each request the verdicts on each thing; things with one verdict count nothing.

    >>> alpha([[["yes", "yes"]], [["yes", "no"]], [["no", "no"]]]).alpha  # D_o 2, D_e 18 / 5
    0.4444444444444444
    """
    judged = [kept for units in requests if (kept := [unit for unit in units if len(unit) > 1])]
    every = [unit for units in judged for unit in units]
    names, verdicts = sorted({verdict for unit in every for verdict in unit}), sum(map(len, every))
    tables = np.array([_coincidences(units, names) for units in judged])
    found, (low, high) = _alpha(tables.sum(0)) if judged else None, _interval(tables)
    return Alpha(alpha=found, low=low, high=high, items=len(every), verdicts=verdicts, requests=len(judged))


def _coincidences(units: Sequence[Sequence[str]], names: Sequence[str]) -> NDArray[np.float64]:
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
    """Return the ends of the 95% interval, by drawing whole requests."""
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


class AspectAgreement(Value):
    """How far two labellers agree on one aspect of what both have judged."""

    aspect: Aspect = Field(description="What was judged.")
    agreement: Agreement = Field(description="Cohen's kappa, and what it is computed from.")
    requests: int = Field(description="Of how many requests; each may have several chunks.")
    observed: Rate = Field(description="Equal verdicts / all that both judged, with its interval.")
    low: float | None = Field(description="Lower end of kappa's 95% interval; null where kappa is not defined.")
    high: float | None = Field(description="Upper end of it.")


class Disagreement(Value):
    """One thing on which two labellers differ."""

    target: str = Field(description="Request id, or `data set/qid`.")
    aspect: Aspect = Field(description="What was judged.")
    item: str = Field(description="Id of the chunk, where a chunk was judged.")
    first: str = Field(description="What the first said.")
    second: str = Field(description="What the second said.")
    settled: str | None = Field(description="What was settled; null: it is open.")


def labellers(labels: Iterable[Label]) -> list[str]:
    """Return who has judged anything, by name; settling is nobody's judgement."""
    return sorted({label.labeller for label in labels} - {SETTLED})


def agreement(labels: Sequence[Label], first: str, second: str) -> list[AspectAgreement]:
    """Return how far two people agree on each aspect, over what both of them have judged.

    Cohen's kappa, (p_o - p_e) / (1 - p_e); its interval is that of p_o with p_e held fixed, as in Cohen 1960. The
    chunks of one request resemble each other, so that the interval of p_o is the one for clusters (`clustered_rate`).
    """
    pairs = _pairs(labels, first, second)
    return [_of_aspect(aspect, {one: pair for one, pair in pairs.items() if one[1] == aspect}) for aspect in ASPECTS]


def agreement_of_all(labels: Iterable[Label]) -> list[tuple[Aspect, Alpha]]:
    """Return how far everybody agrees on each aspect, over what at least two people have judged."""
    judged: dict[Aspect, dict[str, dict[str, list[str]]]] = {aspect: {} for aspect in ASPECTS}
    for label in labels:
        if label.labeller != SETTLED:
            judged[label.aspect].setdefault(label.target, {}).setdefault(label.item, []).append(label.verdict)
    return [(aspect, alpha([*items.values()] for items in judged[aspect].values())) for aspect in ASPECTS]


def disagreements(labels: Sequence[Label], first: str, second: str) -> list[Disagreement]:
    """Return on what two people differ: what is open first, what was judged first before the rest."""
    settled = {_judged(label): label.verdict for label in labels if label.labeller == SETTLED}
    found = [
        Disagreement(target=one[0], aspect=one[1], item=one[2], first=said, second=other, settled=settled.get(one))
        for one, (said, other) in _pairs(labels, first, second).items()
        if said != other
    ]
    return sorted(found, key=lambda one: one.settled is not None)


def that_count(labels: Iterable[Label]) -> list[Label]:
    """Return the labels that count: of what was settled that verdict alone, of the rest everybody's."""
    kept = list(labels)
    settled = {_judged(label) for label in kept if label.labeller == SETTLED}
    return [label for label in kept if label.labeller == SETTLED or _judged(label) not in settled]


_FOR = {"yes": 1, "no": -1, "correct": 1, "wrong": -1}


def verdict_of_most(labels: Iterable[Label], aspect: Aspect) -> dict[str, bool]:
    """Return what people say, by target: what was settled, else what most say; without ties.

    Of the aspect `answerable`: whether the documents answer it. Of `answer`: whether it is right; partly is neither.
    """
    votes: dict[str, int] = {}
    for label in that_count(labels):
        if label.aspect == aspect:
            votes[label.target] = votes.get(label.target, 0) + _FOR.get(label.verdict, 0)
    return {target: vote > 0 for target, vote in votes.items() if vote}


def _judged(label: Label) -> Judged:
    return label.target, label.aspect, label.item


def _pairs(labels: Iterable[Label], first: str, second: str) -> dict[Judged, tuple[str, str]]:
    """Return both verdicts on all that both have judged, in the order of the labels."""
    said: dict[str, dict[Judged, str]] = {first: {}, second: {}}
    for label in labels:
        if label.labeller in said:
            said[label.labeller][_judged(label)] = label.verdict
    return {one: (verdict, said[second][one]) for one, verdict in said[first].items() if one in said[second]}


def _of_aspect(aspect: Aspect, pairs: Mapping[Judged, tuple[str, str]]) -> AspectAgreement:
    """Return the agreement on an aspect; ends of the interval beyond -1 and 1, as much chance gives, are cut there."""
    found = cohen_kappa([*pairs.values()])
    requests: dict[str, list[bool]] = {}
    for (target, _, _), (first, second) in pairs.items():
        requests.setdefault(target, []).append(first == second)
    observed = clustered_rate([(sum(equal), len(equal)) for equal in requests.values()])
    low = high = None
    if found.kappa is not None and found.expected is not None:
        shares = np.array([observed.low, observed.high], dtype=np.float64)
        low, high = np.clip((shares - found.expected) / (1 - found.expected), -1, 1).tolist()
    return AspectAgreement(
        aspect=aspect, agreement=found, requests=len(requests), observed=observed, low=low, high=high
    )
