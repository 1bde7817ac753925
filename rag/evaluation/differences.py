"""One figure of two runs on the same questions: how it differs, and how that was tested."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from pydantic import Field

from rag.evaluation.intervals import Z
from rag.evaluation.paired import mcnemar, paired_interval, sign_flips
from rag.evaluation.relevance import HITS, MEASURES
from rag.evaluation.scores import QuestionScore
from rag.evaluation.selective import Placements, placements
from rag.models import Value
from rag.text.counted import several

Verdict = Literal["improved", "regressed", "no evidence of a difference", "not judged"]
FEWEST = 6
"""In fewer changed questions no difference is found, and over fewer questions no interval given: 5 that all changed the
same way have p = 2 / 2^5 = .0625 in every exact test."""
LEAST_P = 0.0001
"""Below this a p-value is shown as smaller, not as 0."""


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

    def corrected(self, adjusted_p: float, *, level: float) -> "Difference":
        """Return it with the p-value after the correction, and a verdict only where that keeps the level."""
        verdict = self.verdict if adjusted_p <= level else "no evidence of a difference"
        return self.model_copy(update={"adjusted_p": adjusted_p, "verdict": verdict})

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        least = self.adjusted_p is not None and self.adjusted_p < LEAST_P
        p_value = "" if self.adjusted_p is None else f" (p <{LEAST_P})" if least else f" (p {self.adjusted_p:.3g})"
        change = f"{self.before:.4g} to {self.after:.4g} over {several(self.count, 'question')}{p_value}"
        return f"{self.figure}: {self.verdict}, {change}."


Test = Literal["McNemar, exact", "paired sign flips", "paired sign flips of the pooled share", "none"]
MCNEMAR: Test = "McNemar, exact"
FLIPS: Test = "paired sign flips"
POOLED: Test = "paired sign flips of the pooled share"
Counts = tuple[float, float]
"""What a question adds to a figure, sum of k / sum of n: successes and trials, or a value and 1."""
Pairs = Sequence[tuple[QuestionScore, QuestionScore]]


@dataclass(frozen=True, slots=True)
class Figure:
    """What is compared, which way is better, and how it is tested."""

    name: str
    counts: Callable[[QuestionScore], Counts | None]
    """What a question adds; None: it says nothing about this figure."""
    test: Test
    higher_is_better: bool = True


def _retrieval(name: str, score: QuestionScore) -> Counts | None:
    return _one(None if score.retrieval is None else score.retrieval[name])


def _got(name: str, score: QuestionScore) -> Counts | None:
    return _one(None if score.got is None else score.got == name)


def _answered(answerable: bool, score: QuestionScore) -> Counts | None:
    return _one(score.answered if score.answerable is answerable else None)


def _one(value: float | bool | None) -> Counts | None:
    return None if value is None else (float(value), 1.0)


FIGURES = (
    *(Figure(name, partial(_retrieval, name), MCNEMAR if name in HITS else FLIPS) for name in MEASURES),
    Figure("coverage", partial(_answered, True), MCNEMAR),
    Figure("false-answer rate", partial(_answered, False), MCNEMAR, higher_is_better=False),
    Figure("right", partial(_got, "right"), MCNEMAR),
    Figure("wrong", partial(_got, "wrong"), MCNEMAR, higher_is_better=False),
    Figure("answer contains gold", lambda score: _one(score.contains_gold), MCNEMAR),
    Figure("answer recall", lambda score: _one(score.answer_recall), FLIPS),
    Figure(
        "answers with an unsupported sentence",
        lambda score: _one(bool(score.unsupported) if score.answered else None),
        MCNEMAR,
        higher_is_better=False,
    ),
    Figure("milliseconds in total", lambda score: _one(score.timings_ms.total), "none"),
    Figure("citation precision", lambda score: score.citation_hits, POOLED),
    Figure("page accuracy", lambda score: score.page_hits_cited, POOLED),
)
"""An answer with three citations counts three times in the shares of citations, as in `candor evaluate`. Time depends
on the machine and on what else it does: it is shown and not tested."""


def difference_of(figure: Figure, shared: Pairs, seed: int) -> Difference | None:
    """Return one figure of both runs, pooled over the questions that have it in both; None without such."""
    pairs = [(figure.counts(a), figure.counts(b)) for a, b in shared]
    known = np.array([(a, b) for a, b in pairs if a and b and a[1] and b[1]], dtype=np.float64)
    if not len(known):
        return None
    before, after = known[:, 0], known[:, 1]
    first, second = (float(run[:, 0].sum() / run[:, 1].sum()) for run in (before, after))
    changes = after[:, 0] - before[:, 0]
    p_value: float | None = None
    if figure.test == MCNEMAR:
        p_value = mcnemar(int((changes > 0).sum()), int((changes < 0).sum()))
    elif figure.test != "none":
        p_value = sign_flips(before, after, seed=seed)
    return _tested(
        figure.name,
        len(known),
        int((before != after).any(axis=1).sum()),
        (first, second),
        paired_interval(before, after, seed=seed),
        p_value,
        test=figure.test,
        higher_is_better=figure.higher_is_better,
    )


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
    return _tested(
        "AUROC of confidence",
        len(labelled),
        int((moves.positive != 0).sum() + (moves.negative != 0).sum()),
        (before.area, after.area),
        (change - Z * deviation, change + Z * deviation),
        math.erfc(abs(change) / deviation / math.sqrt(2)) if deviation > 0 else 1.0,
        test="DeLong, paired",
    )


def _tested(
    figure: str,
    count: int,
    changed: int,
    values: tuple[float, float],
    interval: tuple[float, float],
    p_value: float | None,
    *,
    test: str,
    higher_is_better: bool = True,
) -> Difference:
    """Return a difference before the correction for other figures: the verdict is no more than its direction."""
    before, after = values
    low, high = interval if count >= FEWEST else (None, None)
    verdict: Verdict = "not judged" if p_value is None else "no evidence of a difference"
    if p_value is not None and after != before and changed >= FEWEST:
        verdict = "improved" if (after > before) == higher_is_better else "regressed"
    return Difference(
        figure=figure,
        count=count,
        changed=changed,
        before=before,
        after=after,
        difference=after - before,
        low=low,
        high=high,
        p_value=p_value,
        adjusted_p=p_value,
        test=test,
        verdict=verdict,
    )
