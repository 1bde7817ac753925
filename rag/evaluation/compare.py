"""Whether one run is better than another: the same questions, paired, with a correction for looking at many figures."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from rag.evaluation.changed import Pairs, Texts, is_same_data, pair, texts_of, without_repeats
from rag.evaluation.differences import FEWEST, FIGURES, POOLED, Difference, auroc_difference, difference_of, holm
from rag.evaluation.lines import read_lines, read_questions
from rag.evaluation.runs import Run, load_run
from rag.evaluation.table import aligned
from rag.models import Value
from rag.text.counted import several

LEVEL = 0.05  # significance level over all figures together
NAMED = 5  # how many ids a note names
_HEAD = (
    "figure", "before", "after", "difference", "95% interval", "p, corrected", "questions", "changed", "verdict",
    "test",
)  # fmt: skip
LEAST_P = 0.0001  # below this a p-value is shown as smaller, not as 0


class Comparison(Value):
    """Two runs, figure by figure."""

    files: tuple[str, ...] = Field((), description="The lines of both runs, where they stand on disk.")
    before: str = Field(description="Data set and fingerprint of the first run.")
    after: str = Field(description="The same of the second run.")
    paired: int = Field(description="Questions that stand in both, with the same text and label, each once.")
    only_before: tuple[str, ...] = Field((), description="Ids that only the first run has.")
    only_after: tuple[str, ...] = Field((), description="Ids that only the second run has.")
    not_comparable: tuple[str, ...] = Field((), description="Ids that both have, with another text or label.")
    same_questions: bool = Field(description="Whether both ran on the same version of the data set.")
    differences: tuple[Difference, ...] = Field((), description="One for each figure that both runs have.")
    notes: tuple[str, ...] = Field((), description="What limits the comparison, in plain sentences.")
    verdict: str = Field(description="One plain sentence over all.")


def compare_files(lines_a: Path, lines_b: Path) -> Comparison:
    """Compare two finished runs on disk; where the data sets differ, the lines must be readable.

    `ConfigurationError`: a run is not there or not finished, or its lines are needed and cannot be read.
    """
    run_a, run_b = load_run(lines_a), load_run(lines_b)
    texts: tuple[Texts, Texts] = (read_questions(lines_a), {})
    if not is_same_data(run_a, run_b):
        texts = (texts_of(read_lines(lines_a)), texts_of(read_lines(lines_b)))
    return compare(run_a, run_b, texts=texts).model_copy(update={"files": (str(lines_a), str(lines_b))})


def compare(run_a: Run, run_b: Run, *, texts: tuple[Texts, Texts] = ({}, {})) -> Comparison:
    """Compare two runs question by question.

    Shares of questions are compared by the exact McNemar test, means by the sign-flip test, shares of citations by the
    same test of the pooled share, AUROC by DeLong's paired test; Holm's correction keeps the chance of any false
    verdict at 5%. A figure of answers is compared over the questions that both runs answered. Time is shown and not
    judged. A question that repeats the words and labels of another proves nothing: each counts once.

    Args:
        texts: The questions of each run by id; needed where the data sets differ (`rag.evaluation.changed`). Without
            those of the first, nothing is known of repeats.
    """
    pairs = without_repeats(pair(run_a, run_b, *texts), texts[0])
    every = (*(difference_of(figure, pairs.same) for figure in FIGURES), auroc_difference(pairs.same))
    found = [one for one in every if one is not None]
    adjusted = iter(holm([one.p_value for one in found if one.p_value is not None]))
    differences = [one if one.p_value is None else _corrected(one, next(adjusted)) for one in found]
    return Comparison(
        before=_named(run_a), after=_named(run_b), paired=len(pairs.same), only_before=pairs.only_before,
        only_after=pairs.only_after, not_comparable=pairs.other, same_questions=is_same_data(run_a, run_b),
        differences=tuple(differences), notes=tuple(_notes(run_a, run_b, pairs)),
        verdict=_verdict(differences, len(pairs.same)),
    )  # fmt: skip


def _corrected(one: Difference, adjusted_p: float) -> Difference:
    """Return a difference with the p-value after the correction, and a verdict only where that keeps the level."""
    verdict = one.verdict if adjusted_p <= LEVEL else "no evidence of a difference"
    return one.model_copy(update={"adjusted_p": adjusted_p, "verdict": verdict})


def _named(run: Run) -> str:
    return f"{run.dataset} {run.fingerprint[:12]}"


def _notes(run_a: Run, run_b: Run, pairs: Pairs) -> list[str]:
    left_out = (
        (pairs.only_before, f"only in the run before, {_named(run_a)}"),
        (pairs.only_after, f"only in the run after, {_named(run_b)}"),
        (pairs.other, "in both runs with another text or label, and not compared"),
        (pairs.repeated, "left out, of the words and labels of another that counts"),
    )
    notes = [_differing(run_a, run_b)]
    for ids, where in left_out:
        if ids:
            more = " ..." if len(ids) > NAMED else ""
            notes.append(f"{several(len(ids), 'question')} {where}: {', '.join(ids[:NAMED])}{more}")
    if not is_same_data(run_a, run_b):
        what = f"data sets, {run_a.dataset!r} and {run_b.dataset!r}"
        if run_a.dataset == run_b.dataset:
            what = f"versions of the data set {run_a.dataset!r}"
        notes.append(f"The runs are of different {what}: compared are questions of the same id, text and label.")
    return notes


def _differing(run_a: Run, run_b: Run) -> str:
    """Return what decided otherwise in one run than in the other, as far as it was recorded."""
    if run_a.fingerprint == run_b.fingerprint:
        begun = " at the same moment: it is one run" if run_a.started_at == run_b.started_at else ""
        return f"Both runs were made with the same index, embedding, settings, gate and prompt{begun}."
    one, other = run_a.fingerprints, run_b.fingerprints
    if one is None or other is None:
        return "What differs between the settings of the runs is not known."
    names = [name for name, value in one if getattr(other, name) != value]
    return f"The runs differ in: {', '.join(names) or 'the data set'}."


def _verdict(differences: Sequence[Difference], paired: int) -> str:
    if not paired:
        return "The runs have no question in common: nothing can be compared."
    parts = [
        f"{verdict}: {', '.join(names)}"
        for verdict in ("improved", "regressed")
        if (names := [one.figure for one in differences if one.verdict == verdict])
    ]
    tested = sum(one.p_value is not None for one in differences)
    over = f"over {several(paired, 'question')}, 5% level after correction for {several(tested, 'figure')}"
    return f"{'; '.join(parts).capitalize() if parts else 'No evidence of a difference in any figure'} ({over})."


def comparison_table(comparison: Comparison) -> str:
    """Return the comparison as plain text."""
    before, after = (f"{file}, " for file in comparison.files) if comparison.files else ("", "")
    named = f"before: {before}{comparison.before}\nafter:  {after}{comparison.after}"
    rows = aligned([_HEAD, *map(_row, comparison.differences)]) if comparison.differences else ""
    notes = "\n".join((*comparison.notes, *_table_notes(comparison.differences)))
    return "\n\n".join(part for part in (named, rows, notes, comparison.verdict) if part)


def _row(one: Difference) -> tuple[str, ...]:
    interval, p_value = "-", "-"
    if one.low is not None and one.high is not None and one.changed:
        interval = f"{one.low:+.4f} .. {one.high:+.4f}"
    if one.adjusted_p is not None:
        p_value = f"{one.adjusted_p:.4f}" if one.adjusted_p >= LEAST_P else f"<{LEAST_P}"
    return (
        one.figure, f"{one.before:.4f}", f"{one.after:.4f}", f"{one.difference:+.4f}", interval, p_value,
        str(one.count), str(one.changed), one.verdict if one.changed else "the same in each question", one.test,
    )  # fmt: skip


def _table_notes(differences: Sequence[Difference]) -> list[str]:
    """Return what the rows of the table leave open."""
    pooled, shown = (
        " and ".join(one.figure for one in differences if one.test == test).capitalize() for test in (POOLED, "none")
    )
    notes = []
    if pooled:
        notes.append(
            f"{pooled}: of all citations of the questions that both runs answered, as `candor evaluate` counts them "
            "over all that a run answered; whole questions are drawn and exchanged."
        )
    if any(0 < one.changed < FEWEST and one.p_value is not None for one in differences):
        notes.append(f"Where fewer than {FEWEST} questions changed, nothing tells a difference from chance.")
    if shown:
        notes.append(f"{shown}: for information, neither tested nor part of the verdict.")
    return notes
