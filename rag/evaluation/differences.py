"""One figure of two runs on the same questions: how it differs, and how that was tested."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import Field

from rag.evaluation.paired import (
    Array,
    mcnemar,
    paired_interval,
    paired_ratio_interval,
    ratio_sign_flips,
    sign_flips,
)
from rag.evaluation.scores import QuestionScore
from rag.evaluation.selective import placements
from rag.language.counted import several
from rag.models import Value

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

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        least = self.adjusted_p is not None and self.adjusted_p < LEAST_P
        p_value = "" if self.adjusted_p is None else f" (p <{LEAST_P})" if least else f" (p {self.adjusted_p:.3g})"
        change = f"{self.before:.4g} to {self.after:.4g} over {several(self.count, 'question')}{p_value}"
        return f"{self.figure}: {self.verdict}, {change}."


@dataclass(frozen=True, slots=True)
class Figure:
    """What is compared: a value per question, and which way is better."""

    name: str
    value: Callable[[QuestionScore], float | bool | None]
    higher_is_better: bool = True
    share: bool = False
    """Whether the value is 0 or 1."""
    judged: bool = True
    """Whether it is tested; what depends on the machine and on what else it does is shown alone."""


def _retrieval(name: str) -> Callable[[QuestionScore], float | None]:
    return lambda score: None if score.retrieval is None else score.retrieval[name]


def _got(name: str) -> Callable[[QuestionScore], bool | None]:
    return lambda score: None if score.got is None else score.got == name


FIGURES = (
    Figure("hit@1", _retrieval("hit@1"), share=True),
    Figure("hit@5", _retrieval("hit@5"), share=True),
    Figure("hit@10", _retrieval("hit@10"), share=True),
    Figure("MRR@10", _retrieval("MRR@10")),
    Figure("nDCG@10", _retrieval("nDCG@10")),
    Figure("coverage", lambda score: score.answered if score.answerable is True else None, share=True),
    Figure(
        "false-answer rate",
        lambda score: score.answered if score.answerable is False else None,
        higher_is_better=False,
        share=True,
    ),
    Figure("right", _got("right"), share=True),
    Figure("wrong", _got("wrong"), higher_is_better=False, share=True),
    Figure("answer contains gold", lambda score: score.contains_gold, share=True),
    Figure("answer recall", lambda score: score.answer_recall),
    Figure(
        "answers with an unsupported sentence",
        lambda score: bool(score.unsupported) if score.answered else None,
        higher_is_better=False,
        share=True,
    ),
    Figure("milliseconds in total", lambda score: score.timings_ms.total, judged=False),
)
POOLED: Mapping[str, Callable[[QuestionScore], tuple[int, int] | None]] = {
    "citation precision": lambda score: score.citation_hits,
    "page accuracy": lambda score: score.page_hits_cited,
}
"""Shares of citations: successes and trials of each question. An answer with three citations counts three times, as in
`candor evaluate`."""
POOLED_TEST = "paired sign flips of the pooled share"


def difference_of(
    figure: Figure, shared: Sequence[tuple[QuestionScore, QuestionScore]], seed: int
) -> Difference | None:
    """Return one figure of both runs; None where no question has it in both."""
    pairs = [(figure.value(a), figure.value(b)) for a, b in shared]
    known = np.array([(a, b) for a, b in pairs if a is not None and b is not None], dtype=np.float64)
    if not len(known):
        return None
    changes = known[:, 1] - known[:, 0]
    p_value, test = _test(figure, changes, seed)
    return _tested(
        figure.name,
        len(known),
        int((changes != 0).sum()),
        (float(known[:, 0].mean()), float(known[:, 1].mean())),
        paired_interval(changes, seed=seed),
        p_value,
        test=test,
        higher_is_better=figure.higher_is_better,
    )


def _test(figure: Figure, changes: Array, seed: int) -> tuple[float | None, str]:
    """Return the p-value of a figure's differences and the name of the test; no p-value where it is not judged."""
    if not figure.judged:
        return None, "none"
    if figure.share:
        return mcnemar(int((changes > 0).sum()), int((changes < 0).sum())), "McNemar, exact"
    return sign_flips(changes, seed=seed), "paired sign flips"


def pooled_difference(
    name: str,
    hits: Callable[[QuestionScore], tuple[int, int] | None],
    shared: Sequence[tuple[QuestionScore, QuestionScore]],
    seed: int,
) -> Difference | None:
    """Return a share of citations of both runs, pooled over the questions that have any in both; None without such.

    sum of k / sum of n over the questions, as METRICS defines it: a question with many citations weighs more.
    """
    pairs = [(hits(a), hits(b)) for a, b in shared]
    known = np.array([(a, b) for a, b in pairs if a and b and a[1] and b[1]], dtype=np.float64)
    if not len(known):
        return None
    before, after = known[:, 0], known[:, 1]
    first, second = (float(run[:, 0].sum() / run[:, 1].sum()) for run in (before, after))
    return _tested(
        name,
        len(known),
        int((before != after).any(axis=1).sum()),
        (first, second),
        paired_ratio_interval(before, after, seed=seed),
        ratio_sign_flips(before, after, seed=seed),
        test=POOLED_TEST,
    )


def auroc_difference(shared: Sequence[tuple[QuestionScore, QuestionScore]]) -> Difference | None:
    """Return the AUROC of confidence of both runs with the paired test of DeLong et al. 1988, Biometrics 44.

    z = (A2 - A1) / sqrt(var(V10 of both, difference)/m + var(V01, difference)/n). Normal for many questions: of fewer
    than `FEWEST` that moved it is no verdict.
    """
    from scipy.special import ndtr, ndtri

    labelled = [(a, b) for a, b in shared if a.answerable is not None]
    labels = np.array([bool(a.answerable) for a, _ in labelled], dtype=bool)
    if labels.sum() < 2 or (~labels).sum() < 2:
        return None
    scores = np.array([(a.confidence, b.confidence) for a, b in labelled], dtype=np.float64)
    before, after = (placements(scores[labels, run], scores[~labels, run]) for run in (0, 1))
    change = after.area - before.area
    moves = (after.positive - before.positive, after.negative - before.negative)
    variance = sum(map(_mean_variance, moves))
    half = float(ndtri(0.975)) * math.sqrt(variance)
    return _tested(
        "AUROC of confidence",
        len(labelled),
        sum(int((move != 0).sum()) for move in moves),
        (before.area, after.area),
        (change - half, change + half),
        float(2 * ndtr(-abs(change) / math.sqrt(variance))) if variance > 0 else 1.0,
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
        verdict=_direction(before, after, changed, higher_is_better) if p_value is not None else "not judged",
    )


def _direction(before: float, after: float, changed: int, higher_is_better: bool) -> Verdict:
    if after == before or changed < FEWEST:
        return "no evidence of a difference"
    return "improved" if (after > before) == higher_is_better else "regressed"


def _mean_variance(values: Array) -> float:
    return float(values.var(ddof=1)) / len(values)
