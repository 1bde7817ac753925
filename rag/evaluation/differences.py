"""One figure of two runs on the same questions: how it differs, and how that was tested."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import Field

from rag.evaluation.paired import Array, mcnemar, paired_bootstrap, paired_ratio_bootstrap
from rag.evaluation.scores import QuestionScore
from rag.evaluation.selective import placements
from rag.language.counted import several
from rag.models import Value

Verdict = Literal["improved", "regressed", "no evidence of a difference"]


class Difference(Value):
    """One figure of both runs, over the questions for which both say something."""

    figure: str = Field(description="Name of the figure.")
    count: int = Field(description="Over how many questions of both runs.")
    before: float = Field(description="Mean or share in the first run.")
    after: float = Field(description="Mean or share in the second run.")
    difference: float = Field(description="Second minus first.")
    low: float = Field(description="Lower end of the 95% interval of the difference.")
    high: float = Field(description="Upper end.")
    p_value: float = Field(ge=0, le=1, description="Two-sided, of no difference.")
    adjusted_p: float = Field(ge=0, le=1, description="After Holm's correction over all figures compared.")
    test: str = Field(description="How it was tested.")
    verdict: Verdict = Field(description="At 5% over all figures together.")

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        change = (
            f"{self.before:.4g} to {self.after:.4g} over {several(self.count, 'question')} (p {self.adjusted_p:.3g})"
        )
        return f"{self.figure}: {self.verdict}, {change}."


@dataclass(frozen=True, slots=True)
class Figure:
    """What is compared: a value per question, and which way is better."""

    name: str
    value: Callable[[QuestionScore], float | bool | None]
    higher_is_better: bool = True
    share: bool = False
    """Whether the value is 0 or 1."""


def _retrieval(name: str) -> Callable[[QuestionScore], float | None]:
    return lambda score: None if score.retrieval is None else score.retrieval[name]


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
    Figure("answer contains gold", lambda score: score.contains_gold, share=True),
    Figure("answer recall", lambda score: score.answer_recall),
    Figure(
        "answers with an unsupported sentence",
        lambda score: bool(score.unsupported) if score.answered else None,
        higher_is_better=False,
        share=True,
    ),
    Figure("milliseconds in total", lambda score: score.timings_ms.total, higher_is_better=False),
)
POOLED: Mapping[str, Callable[[QuestionScore], tuple[int, int] | None]] = {
    "citation precision": lambda score: score.citation_hits,
    "page accuracy": lambda score: score.page_hits_cited,
}
"""Shares of citations: successes and trials of each question. An answer with three citations counts three times, as in
`candor evaluate`."""
POOLED_TEST = "paired bootstrap of the pooled share"


def difference_of(
    figure: Figure, shared: Sequence[tuple[QuestionScore, QuestionScore]], seed: int
) -> Difference | None:
    """Return one figure of both runs; None where no question has it in both."""
    pairs = [(figure.value(a), figure.value(b)) for a, b in shared]
    known = np.array([(a, b) for a, b in pairs if a is not None and b is not None], dtype=np.float64)
    if not len(known):
        return None
    changes = known[:, 1] - known[:, 0]
    low, high, bootstrap_p = paired_bootstrap(changes, seed=seed)
    gained, lost = int((changes > 0).sum()), int((changes < 0).sum())
    p_value = mcnemar(gained, lost) if figure.share else bootstrap_p
    return _tested(
        figure.name,
        len(known),
        (float(known[:, 0].mean()), float(known[:, 1].mean())),
        (low, high),
        p_value,
        test="McNemar, exact" if figure.share else "paired bootstrap",
        higher_is_better=figure.higher_is_better,
    )


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
    low, high, p_value = paired_ratio_bootstrap(before, after, seed=seed)
    first, second = (float(run[:, 0].sum() / run[:, 1].sum()) for run in (before, after))
    return _tested(name, len(known), (first, second), (low, high), p_value, test=POOLED_TEST)


def auroc_difference(shared: Sequence[tuple[QuestionScore, QuestionScore]]) -> Difference | None:
    """Return the AUROC of confidence of both runs with the paired test of DeLong et al. 1988, Biometrics 44.

    z = (A2 - A1) / sqrt(var(V10 of both, difference)/m + var(V01, difference)/n).
    """
    from scipy.special import ndtr, ndtri

    labelled = [(a, b) for a, b in shared if a.answerable is not None]
    labels = np.array([bool(a.answerable) for a, _ in labelled], dtype=bool)
    if labels.sum() < 2 or (~labels).sum() < 2:
        return None
    scores = np.array([(a.confidence, b.confidence) for a, b in labelled], dtype=np.float64)
    before, after = (placements(scores[labels, run], scores[~labels, run]) for run in (0, 1))
    change = after.area - before.area
    variance = _mean_variance(after.positive - before.positive) + _mean_variance(after.negative - before.negative)
    half = float(ndtri(0.975)) * math.sqrt(variance)
    p_value = float(2 * ndtr(-abs(change) / math.sqrt(variance))) if variance > 0 else 1.0
    areas, interval = (before.area, after.area), (change - half, change + half)
    return _tested("AUROC of confidence", len(labelled), areas, interval, p_value, test="DeLong, paired")


def _tested(
    figure: str,
    count: int,
    values: tuple[float, float],
    interval: tuple[float, float],
    p_value: float,
    *,
    test: str,
    higher_is_better: bool = True,
) -> Difference:
    """Return a tested difference: not corrected for other figures yet, the verdict no more than its direction."""
    before, after = values
    better: Verdict = "improved" if (after > before) == higher_is_better else "regressed"
    return Difference(
        figure=figure,
        count=count,
        before=before,
        after=after,
        difference=after - before,
        low=interval[0],
        high=interval[1],
        p_value=p_value,
        adjusted_p=p_value,
        test=test,
        verdict="no evidence of a difference" if after == before else better,
    )


def _mean_variance(values: Array) -> float:
    return float(values.var(ddof=1)) / len(values)
