"""One figure of two runs on the same questions: how it differs, the tests and intervals, and their correction.

A figure of a run is a pooled ratio over its questions, sum of k / sum of n. Of a share of citations k and n are the
successes and trials of a question; of a mean over questions k is its value and n is 1.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from rag.evaluation.intervals import Z
from rag.evaluation.relevance import HITS, MEASURES
from rag.evaluation.scores import QuestionScore
from rag.evaluation.selective import Placements, placements
from rag.models import Value

Array = NDArray[np.float64]
RESAMPLES = 10_000  # bootstrap resamples for an interval, and exchanges drawn for a p-value
EXACT = 14  # up to so many changed questions, all exchanges of the two runs are counted instead of drawn
_BATCH = 250
_TIE = 1e-9  # differences that are apart by no more than this share of the largest are equal: the sums are rounded
Verdict = Literal["improved", "regressed", "no evidence of a difference", "not judged"]
FEWEST = 6
"""In fewer changed questions no difference is found, and over fewer no interval given: of 5, p is at least 2 / 2^5."""


class Difference(Value):
    """One figure of both runs, over the questions for which both say something."""

    figure: str = Field(description="Name of the figure.")
    count: int = Field(description="Over how many questions of both runs.")
    before: float = Field(description="Mean or share in the first run.")
    after: float = Field(description="Mean or share in the second run.")
    changed: int = Field(ge=0, description="In how many of them the runs differ.")
    difference: float = Field(description="Second minus first.")
    low: float | None = Field(description="Lower end of the 95% interval of the difference; null: too few questions.")
    high: float | None = Field(description="Upper end; null: too few questions.")
    p_value: float | None = Field(ge=0, le=1, description="Two-sided, of no difference; null: not tested.")
    adjusted_p: float | None = Field(ge=0, le=1, description="After Holm's correction over all figures tested.")
    test: str = Field(description="How it was tested; `none`: it is shown and not judged.")
    verdict: Verdict = Field(description="At 5% over all figures together; `not judged`: for information alone.")


MCNEMAR, FLIPS, POOLED = "McNemar, exact", "paired sign flips", "paired sign flips of the pooled share"
Pairs = Sequence[tuple[QuestionScore, QuestionScore]]


@dataclass(frozen=True, slots=True)
class Figure:
    """What is compared, how it is tested, and which way is better."""

    name: str
    of: Callable[[QuestionScore], float | tuple[int, int] | None]  # a value, or successes and trials; None: nothing
    test: str
    higher_is_better: bool = True


def _retrieval(name: str) -> Figure:
    test = MCNEMAR if name in HITS else FLIPS
    return Figure(name, lambda score: None if score.retrieval is None else score.retrieval[name], test)


def _answered(name: str, answerable: bool) -> Figure:
    return Figure(name, lambda score: score.answered if score.answerable is answerable else None, MCNEMAR, answerable)


def _got(name: str) -> Figure:
    return Figure(name, lambda score: None if score.got is None else score.got == name, MCNEMAR, name == "right")


FIGURES = (
    *map(_retrieval, MEASURES),
    _answered("coverage", True),
    _answered("false-answer rate", False),
    _got("right"),
    _got("wrong"),
    Figure("answer contains gold", lambda score: score.contains_gold, MCNEMAR),
    Figure("answer recall", lambda score: score.answer_recall, FLIPS),
    Figure("answers with an unsupported sentence",
           lambda score: bool(score.unsupported) if score.answered else None, MCNEMAR, higher_is_better=False),
    Figure("milliseconds in total", lambda score: score.timings_ms.total, "none"),
    Figure("citation precision", lambda score: score.citation_hits, POOLED),
    Figure("page accuracy", lambda score: score.page_hits_cited, POOLED),
)  # fmt: skip
"""An answer with three citations counts three times in the shares of citations, as in `candor evaluate`. Time depends
on the machine and on what else it does: it is shown and not tested."""
AUROC = Figure("AUROC of confidence", lambda score: score.confidence, "DeLong, paired")


def difference_of(figure: Figure, shared: Pairs) -> Difference | None:
    """Return one figure of both runs, pooled over the questions that have it in both; None without such."""
    found = [[figure.of(score) for score in both] for both in shared]
    counts = [[one if isinstance(one, tuple) else (one, 1) for one in both] for both in found if None not in both]
    known = np.array([both for both in counts if all(trials for _, trials in both)], dtype=np.float64)
    if not len(known):
        return None
    before, after = known[:, 0], known[:, 1]
    first, second = (float(run[:, 0].sum() / run[:, 1].sum()) for run in (before, after))
    changes = after[:, 0] - before[:, 0]
    p_value: float | None = None
    if figure.test == MCNEMAR:
        p_value = mcnemar(int((changes > 0).sum()), int((changes < 0).sum()))
    elif figure.test != "none":
        p_value = sign_flips(before, after)
    changed = int((before != after).any(axis=1).sum())
    return _tested(figure, len(known), changed, (first, second), paired_interval(before, after), p_value)


def auroc_difference(shared: Pairs) -> Difference | None:
    """Return the AUROC of confidence of both runs with the paired test of DeLong et al. 1988, Biometrics 44.

    z = (A2 - A1) / sqrt(var(V10 of both, difference)/m + var(V01, difference)/n). Normal for many questions: of fewer
    than `FEWEST` that moved it is no verdict.
    """
    labelled = [(a, b) for a, b in shared if a.answerable is not None]
    labels = np.array([a.answerable for a, _ in labelled], dtype=bool)
    if labels.sum() < 2 or (~labels).sum() < 2:
        return None
    scores = np.array([(a.confidence, b.confidence) for a, b in labelled], dtype=np.float64)
    before, after = (placements(scores[labels, run], scores[~labels, run]) for run in (0, 1))
    moves = Placements(after.positive - before.positive, after.negative - before.negative)
    change, deviation = moves.area, math.sqrt(moves.variance or 0.0)
    p_value = math.erfc(abs(change) / deviation / math.sqrt(2)) if deviation > 0 else 1.0
    changed = int((moves.positive != 0).sum() + (moves.negative != 0).sum())
    interval = change - Z * deviation, change + Z * deviation
    return _tested(AUROC, len(labelled), changed, (before.area, after.area), interval, p_value)


def _tested(
    figure: Figure, count: int, changed: int, values: tuple[float, float], interval: tuple[float, float],
    p_value: float | None,
) -> Difference:  # fmt: skip
    """Return a difference before the correction for other figures: the verdict is no more than its direction."""
    before, after = values
    low, high = interval if count >= FEWEST else (None, None)
    verdict: Verdict = "not judged" if p_value is None else "no evidence of a difference"
    if p_value is not None and after != before and changed >= FEWEST:
        verdict = "improved" if (after > before) == figure.higher_is_better else "regressed"
    return Difference(
        figure=figure.name, count=count, changed=changed, before=before, after=after, difference=after - before,
        low=low, high=high, p_value=p_value, adjusted_p=p_value, test=figure.test, verdict=verdict,
    )  # fmt: skip


def mcnemar(gained: int, lost: int) -> float:
    """Return the exact two-sided p-value that gains and losses are equally probable (McNemar 1947, Psychometrika 12).

    It is min(1, 2 P(Binomial(b + c, 1/2) <= min(b, c))).

    >>> mcnemar(0, 5)
    0.0625
    """
    total = gained + lost
    tail = sum(math.comb(total, k) for k in range(min(gained, lost) + 1))
    return min(1.0, float(2 * tail / 2**total))


def sign_flips(before: Array, after: Array) -> float:
    """Return the two-sided p-value of a difference of pooled ratios: the exact sign-flip (randomization) test.

    Were the runs alike, what a question got from each could as well be the other's: p is the share of all 2^m exchanges
    of the m questions that differ under which the difference is as large. The question and not the citation is
    exchanged, as the citations of one answer resemble each other. With more than `EXACT` of them `RESAMPLES` exchanges
    are drawn and the observed one counted in, so that p is never 0. Fisher 1935, "The design of experiments", section
    21; for retrieval Smucker, Allan, Carterette 2007, CIKM; counting the observed in: Phipson & Smyth 2010.

    Args:
        before: k and n of each question in the first run: shape `(questions, 2)`, not empty, n above 0.
        after: The same of the second run.
    """
    first, second = before.sum(axis=0), after.sum(axis=0)
    moved = (after - before)[(after != before).any(axis=1)]
    if not len(moved):
        return 1.0
    exchanged = [turned @ moved for turned in _exchanges(len(moved))]
    found = np.abs(np.concatenate([_change(first + part, second - part) for part in exchanged]))
    observed = abs(float(_change(first, second)))
    as_large = int((found >= observed - _TIE * max(observed, float(found.max()))).sum())
    return as_large / len(found) if len(moved) <= EXACT else (as_large + 1) / (len(found) + 1)


def _change(before: Array, after: Array) -> Array:
    """Return by how much the ratio of the last axis, k / n, differs."""
    return np.asarray(after[..., 0] / after[..., 1] - before[..., 0] / before[..., 1])


def _exchanges(count: int) -> Iterator[Array]:
    """Yield rows of 0 and 1, 1 where the runs are exchanged: all 2^count or, where these are too many, `RESAMPLES`."""
    if count <= EXACT:
        yield (np.arange(2**count)[:, None] >> np.arange(count) & 1).astype(np.float64)
        return
    generator = np.random.default_rng(0)
    for _ in range(RESAMPLES // _BATCH):
        yield generator.integers(0, 2, size=(_BATCH, count), dtype=np.int8).astype(np.float64)


def paired_interval(before: Array, after: Array) -> tuple[float, float]:
    """Return the 95% percentile interval of a difference of pooled ratios; questions are drawn with replacement.

    Efron & Tibshirani 1993, "An introduction to the bootstrap"; for retrieval Sakai 2006, "Evaluating evaluation
    metrics based on the bootstrap", SIGIR. Each question is drawn with the citations that both runs gave it, as these
    resemble each other. The runs are given as for `sign_flips`.
    """
    if (before == after).all():
        return 0.0, 0.0
    generator, count, found = np.random.default_rng(0), len(before), []
    for _ in range(RESAMPLES // _BATCH):
        drawn = generator.integers(0, count, size=(_BATCH, count))
        times = np.stack([np.bincount(row, minlength=count) for row in drawn])
        found.append(_change(times @ before, times @ after))
    low, high = np.quantile(np.concatenate(found), [0.025, 0.975])
    return float(low), float(high)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number: max over j <= i of (m - j + 1) p(j), at most 1 (Holm 1979).

    >>> holm([0.01, 0.04, 0.02])
    [0.03, 0.04, 0.04]
    """
    order = np.argsort(p_values, kind="stable")
    left = np.arange(len(order), 0, -1)
    adjusted = np.empty(len(order))
    adjusted[order] = np.minimum(np.maximum.accumulate(left * np.asarray(p_values)[order]), 1.0)
    return [float(one) for one in adjusted]
