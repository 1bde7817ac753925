"""Whether one run is better than another: the same questions, paired, with a correction for looking at many figures."""

from collections.abc import Sequence

from pydantic import Field

from rag.evaluation.differences import (
    FIGURES,
    POOLED,
    POOLED_TEST,
    Difference,
    auroc_difference,
    difference_of,
    pooled_difference,
)
from rag.evaluation.paired import holm
from rag.evaluation.runs import Run
from rag.evaluation.table import aligned
from rag.language.counted import several
from rag.models import Value

LEVEL = 0.05
"""Significance level over all figures together."""


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


def compare(run_a: Run, run_b: Run, *, seed: int = 0) -> Comparison:
    """Compare two runs question by question.

    Shares of questions are compared by the exact McNemar test, means by the paired bootstrap, shares of citations by
    the paired bootstrap of the pooled share, AUROC by DeLong's paired test; Holm's correction keeps the chance of any
    false verdict at 5%. A figure of answers is compared over the questions that both runs answered.

    Args:
        run_a: The run before.
        run_b: The run after.
        seed: For the bootstrap.
    """
    before, after = ({score.qid: score for score in run.scores} for run in (run_a, run_b))
    shared = [(score, after[qid]) for qid, score in before.items() if qid in after]
    found = [
        *(difference_of(figure, shared, seed) for figure in FIGURES),
        *(pooled_difference(name, hits, shared, seed) for name, hits in POOLED.items()),
        auroc_difference(shared),
    ]
    differences = _corrected([one for one in found if one is not None])
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
    over = f"over {several(paired, 'question')}, 5% level after correction for {several(len(differences), 'figure')}"
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
        f"{several(len(ids), 'question')} only in {which}: {', '.join(ids[:5])}{' ...' if len(ids) > 5 else ''}"
        for ids, which in ((comparison.only_before, comparison.before), (comparison.only_after, comparison.after))
        if ids
    ]
    pooled = [one.figure for one in comparison.differences if one.test == POOLED_TEST]
    if pooled:
        notes.append(
            f"{' and '.join(pooled).capitalize()}: of all citations of the questions that both runs answered, as "
            "`candor evaluate` counts them over all that a run answered; whole questions are drawn again."
        )
    if not comparison.same_questions:
        notes.append("The runs are of different versions of the data set.")
    return "\n\n".join(part for part in (aligned(rows), "\n".join(notes), comparison.verdict) if part)
