"""Whether one run is better than another: the same questions, paired, with a correction for looking at many figures."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import Field

from rag.evaluation.paired import Array, holm, mcnemar, paired_bootstrap
from rag.evaluation.runs import Run
from rag.evaluation.scores import QuestionScore
from rag.evaluation.selective import placements
from rag.evaluation.table import aligned
from rag.models import Value

LEVEL = 0.05
"""Significance level over all figures together."""
Verdict = Literal["improved", "regressed", "no evidence of a difference"]


class Difference(Value):
    """One figure of both runs, over the questions for which both say something."""

    figure: str = Field(description="Name of the figure.")
    count: int = Field(description="Over how many questions of both runs.")
    before: float = Field(description="Mean in the first run.")
    after: float = Field(description="Mean in the second run.")
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
        change = f"{self.before:.4g} to {self.after:.4g} over {self.count} questions (p {self.adjusted_p:.3g})"
        return f"{self.figure}: {self.verdict}, {change}."


class Comparison(Value):
    """Two runs, figure by figure."""

    before: str = Field(description="Data set and fingerprint of the first run.")
    after: str = Field(description="The same of the second run.")
    paired: int = Field(description="Questions that stand in both.")
    only_before: tuple[str, ...] = Field((), description="Ids that only the first run has.")
    only_after: tuple[str, ...] = Field((), description="Ids that only the second run has.")
    same_questions: bool = Field(description="Whether both ran on the same version of the data set.")
    differences: tuple[Difference, ...] = Field((), description="One for each figure that both runs have.")
    verdict: str = Field(description="One plain sentence over all.")


@dataclass(frozen=True, slots=True)
class _Figure:
    """What is compared: a value per question, and which way is better."""

    name: str
    value: Callable[[QuestionScore], float | bool | None]
    higher_is_better: bool = True
    share: bool = False
    """Whether the value is 0 or 1."""


def _retrieval(name: str) -> Callable[[QuestionScore], float | None]:
    return lambda score: None if score.retrieval is None else score.retrieval[name]


def _ratio(pair: tuple[int, int] | None) -> float | None:
    return pair[0] / pair[1] if pair and pair[1] else None


_FIGURES = (
    _Figure("hit@1", _retrieval("hit@1"), share=True),
    _Figure("hit@5", _retrieval("hit@5"), share=True),
    _Figure("hit@10", _retrieval("hit@10"), share=True),
    _Figure("MRR@10", _retrieval("MRR@10")),
    _Figure("nDCG@10", _retrieval("nDCG@10")),
    _Figure("coverage", lambda score: score.answered if score.answerable is True else None, share=True),
    _Figure(
        "false-answer rate",
        lambda score: score.answered if score.answerable is False else None,
        higher_is_better=False,
        share=True,
    ),
    _Figure("answer contains gold", lambda score: score.contains_gold, share=True),
    _Figure("answer recall", lambda score: score.answer_recall),
    _Figure("citation precision", lambda score: _ratio(score.citation_hits)),
    _Figure("page accuracy", lambda score: _ratio(score.page_hits_cited)),
    _Figure(
        "answers with an unsupported sentence",
        lambda score: bool(score.unsupported) if score.answered else None,
        higher_is_better=False,
        share=True,
    ),
    _Figure("milliseconds in total", lambda score: score.timings_ms.total, higher_is_better=False),
)


def compare(run_a: Run, run_b: Run, *, seed: int = 0) -> Comparison:
    """Compare two runs question by question.

    Shares are compared by the exact McNemar test, means by the paired bootstrap, AUROC by DeLong's paired test; Holm's
    correction keeps the chance of any false verdict at 5%. A figure of answers is compared over the questions that both
    runs answered.

    Args:
        run_a: The run before.
        run_b: The run after.
        seed: For the bootstrap.
    """
    before, after = ({score.qid: score for score in run.scores} for run in (run_a, run_b))
    shared = [(score, after[qid]) for qid, score in before.items() if qid in after]
    found = [one for one in (_difference(figure, shared, seed) for figure in _FIGURES) if one is not None]
    ranking = _auroc(shared)
    differences = _corrected([*found, *([ranking] if ranking else [])])
    return Comparison(
        before=f"{run_a.dataset} {run_a.fingerprint[:12]}",
        after=f"{run_b.dataset} {run_b.fingerprint[:12]}",
        paired=len(shared),
        only_before=tuple(qid for qid in before if qid not in after),
        only_after=tuple(qid for qid in after if qid not in before),
        same_questions=run_a.dataset_fingerprint == run_b.dataset_fingerprint,
        differences=tuple(differences),
        verdict=_verdict(differences, len(shared)),
    )


def _difference(figure: _Figure, shared: Sequence[tuple[QuestionScore, QuestionScore]], seed: int) -> Difference | None:
    """Return one figure of both runs; None where no question has it in both."""
    pairs = [(figure.value(a), figure.value(b)) for a, b in shared]
    known = np.array([(a, b) for a, b in pairs if a is not None and b is not None], dtype=np.float64)
    if not len(known):
        return None
    changes = known[:, 1] - known[:, 0]
    low, high, bootstrap_p = paired_bootstrap(changes, seed=seed)
    gained, lost = int((changes > 0).sum()), int((changes < 0).sum())
    p_value = mcnemar(gained, lost) if figure.share else bootstrap_p
    return Difference(
        figure=figure.name,
        count=len(known),
        before=float(known[:, 0].mean()),
        after=float(known[:, 1].mean()),
        difference=float(changes.mean()),
        low=low,
        high=high,
        p_value=p_value,
        adjusted_p=p_value,
        test="McNemar, exact" if figure.share else "paired bootstrap",
        verdict=_direction(float(changes.mean()), higher_is_better=figure.higher_is_better),
    )


def _direction(change: float, *, higher_is_better: bool) -> Verdict:
    """Return which way a change goes, before anyone asked whether it is one."""
    if change == 0:
        return "no evidence of a difference"
    return "improved" if (change > 0) == higher_is_better else "regressed"


def _auroc(shared: Sequence[tuple[QuestionScore, QuestionScore]]) -> Difference | None:
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
    return Difference(
        figure="AUROC of confidence",
        count=len(labelled),
        before=before.area,
        after=after.area,
        difference=change,
        low=change - half,
        high=change + half,
        p_value=p_value,
        adjusted_p=p_value,
        test="DeLong, paired",
        verdict=_direction(change, higher_is_better=True),
    )


def _mean_variance(values: Array) -> float:
    return float(values.var(ddof=1)) / len(values)


def _corrected(found: Sequence[Difference]) -> list[Difference]:
    """Return the differences with adjusted p-values, and a verdict only where it holds after the correction."""
    adjusted = holm([one.p_value for one in found])
    return [
        one.model_copy(
            update={
                "adjusted_p": value,
                "verdict": one.verdict if value <= LEVEL else "no evidence of a difference",
            }
        )
        for one, value in zip(found, adjusted, strict=True)
    ]


def _verdict(differences: Sequence[Difference], paired: int) -> str:
    """Return the sentence over all figures."""
    if not paired:
        return "The runs have no question in common: nothing can be compared."
    parts = [
        f"{verdict}: {', '.join(names)}"
        for verdict in ("improved", "regressed")
        if (names := [one.figure for one in differences if one.verdict == verdict])
    ]
    over = f"over {paired} questions, 5% level after correction for {len(differences)} figures"
    return f"{'; '.join(parts).capitalize() if parts else 'No evidence of a difference in any figure'} ({over})."


def comparison_table(comparison: Comparison) -> str:
    """Return the comparison as plain text."""
    rows = [("figure", "before", "after", "difference", "95% interval", "p, corrected", "questions", "verdict")]
    rows.extend(
        (
            one.figure,
            f"{one.before:.4f}",
            f"{one.after:.4f}",
            f"{one.difference:+.4f}",
            f"{one.low:+.4f} .. {one.high:+.4f}",
            f"{one.adjusted_p:.4f}",
            str(one.count),
            one.verdict,
        )
        for one in comparison.differences
    )
    notes = [
        f"{len(ids)} questions only in {which}: {', '.join(ids[:5])}{' ...' if len(ids) > 5 else ''}"
        for ids, which in ((comparison.only_before, comparison.before), (comparison.only_after, comparison.after))
        if ids
    ]
    if not comparison.same_questions:
        notes.append("The runs are of different versions of the data set.")
    return "\n\n".join(part for part in (aligned(rows), "\n".join(notes), comparison.verdict) if part)
