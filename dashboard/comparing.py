"""Two runs, question by question: what changed, and both answers side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import browser, components, expected, queries, resources, run_tables, sources, state
from dashboard.evaluation_columns import CHANGED, DIFFERENCES
from dashboard.run_choice import choose_run, draw_missing
from dashboard.sources import NOTHING, Cited
from dashboard.words import md, score
from rag.evaluation.changed import CHANGES, Changed
from rag.evaluation.lines import EvaluationLine, LineSentence
from rag.models import Answer, AnswerSentence

if TYPE_CHECKING:
    from rag.candor import Candor

LISTED = 500
"""How many changed questions a table draws."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of two outcomes of a question, as it is drawn."""

    title: str
    outcome: str
    sentences: Sequence[AnswerSentence | LineSentence] = ()
    cited: Cited = NOTHING
    """What the sentences cite."""
    note: str = ""
    link: Mapping[str, str] | None = None
    """Parameters that open it in Inspect; None: there is nothing to open."""


def draw_sides(candor: "Candor", left: Side, right: Side) -> None:
    """Draw two outcomes of the same question beside each other, and the source that was chosen in one; once on a page.

    Args:
        candor: Where the sources are.
        left: One of them.
        right: The other; what it cites goes by another name.
    """
    for place, side in zip(components.side_by_side(), (left, right), strict=True):
        with place, st.container(border=True):
            st.markdown(f"**{md(side.title)}**")
            st.markdown(side.outcome)
            for sentence in side.sentences:
                st.markdown(sources.with_chips(sentence, side.cited))
            if side.note:
                st.caption(side.note)
            if side.link is not None:
                components.page_link("pages/inspector.py", "Open in Inspect", icon=":material/search_insights:",
                                     params=side.link)  # fmt: skip
    sources.draw_chosen(candor, browser.chosen_source(), [left.cited, right.cited])


def choose_change(counts: Mapping[str, int], *, key: str) -> str | None:
    """Draw the kinds of change with how many questions each has, and return the one that is chosen; None: all."""
    labels = {name: f"{name.capitalize()} ({count})" for name, count in counts.items()}
    return st.segmented_control("Show", [*counts], format_func=lambda name: labels[name], key=key,
                                help="Without a choice: all of them.")  # fmt: skip


def choose_question(questions: Mapping[str, str], *, key: str) -> str | None:
    """Draw the choice of one of the listed questions, by id, and return its id."""
    return st.selectbox("Side by side", [*questions], key=key,
                        format_func=lambda one: f"{one}: {questions[one]}")  # fmt: skip


# --- two runs ----------------------------------------------------------------------------------------------------


def draw_compare(candor: "Candor") -> None:
    """Draw two runs: the figures with their paired intervals, and the questions that ended differently."""
    runs = queries.runs(resources.runs_folder())
    if len(runs) < 2:
        components.empty_state("Two runs are needed", "Run a data set, change something, and run it again.",
                               icon=":material/compare_arrows:")  # fmt: skip
        return
    names = [*runs]
    with st.container(horizontal=True):
        before = choose_run("Before", names, key="before", default=names[1], width=320)
        after = choose_run("After", names, key="after", default=names[0], width=320)
    for key in ("before", "after"):
        draw_missing(key)
    comparison = queries.comparison(resources.runs_folder(), before, after)
    changed = queries.changed_questions(resources.runs_folder(), before, after)
    st.info(md(run_tables.banner(comparison, changed)), icon=":material/balance:")
    parts = run_tables.changed_parts(runs[before], runs[after], answers=(_one_answer(before), _one_answer(after)))
    if parts:
        st.caption(md(f"Between the runs these changed: {', '.join(parts)}."))
    for note in comparison.notes:
        st.caption(f":material/info: {md(note)}")
    if hints := run_tables.hints(comparison):
        st.markdown(f":material/help: {md(hints)}")
    components.table(run_tables.differences_table(comparison), columns=DIFFERENCES, key="differences",
                     alt="Figures of both runs", height="content")  # fmt: skip
    st.caption(run_tables.how_judged(comparison))
    _draw_changed(candor, before, after, changed, paired=comparison.paired)


def _one_answer(run: str) -> Answer | None:
    """Return a whole answer of a run, one that answers where there is one; None where it holds none."""
    folder = resources.runs_folder()
    lines = sorted(queries.run_lines(folder, run)[:LISTED], key=lambda line: line.decision != "answered")
    return next((found for line in lines[:5] if (found := queries.run_answer(folder, run, line))), None)


def _draw_changed(candor: "Candor", before: str, after: str, found: Sequence[Changed], *, paired: int) -> None:
    """Draw the questions that ended differently, and both answers to one of them."""
    st.subheader(f"Questions that ended differently: {len(found)} of {paired}", anchor=False)
    if not found:
        st.caption("Every question that stands in both runs ended the same, with the same words.")
        return
    chosen = choose_change(_counts(found), key="changed-kind")
    listed = [one for one in found if _is_shown(one, chosen)]
    table = run_tables.changed_table(listed[:LISTED])
    components.table(table, columns=CHANGED, key="changed", alt="Questions that ended differently in the two runs")
    st.caption(
        "Improved and regressed are told by the labels: a question is worse off the further up it stands in this list: "
        "answered though unanswerable, a sentence or excerpt that does not hold, an answer without the gold answer, "
        "refused though answerable, right. Flipped: one run answered, the other refused."
    )
    qid = choose_question({one.qid: one.question for one in listed[:LISTED]}, key="changed-qid")
    if qid is not None:
        if (line := _line(after, qid)) is not None:
            expected.draw_expected(candor, after, line, with_ranks=False)
        draw_sides(candor, _run_side("Before", before, qid), _run_side("After", after, qid))


def _counts(found: Sequence[Changed]) -> dict[str, int]:
    """Return how many questions each kind has; flipped ones are counted as such, whether or not a label judges them."""
    counts = {name: sum(_is_shown(one, name) for one in found) for name in CHANGES}
    return {name: count for name, count in counts.items() if count}


def _is_shown(one: Changed, chosen: str | None) -> bool:
    return chosen is None or one.change == chosen or (chosen == "flipped" and one.flipped)


def _line(run: str, qid: str) -> EvaluationLine | None:
    return next((one for one in queries.run_lines(resources.runs_folder(), run) if one.qid == qid), None)


def _run_side(title: str, run: str, qid: str) -> Side:
    line = _line(run, qid)
    if line is None:
        return Side(f"{title}: {run}", "The line is not there any more.")
    return Side(
        f"{title}: {run}",
        f"{line.decision.capitalize()}{_refused_at(line)}, confidence **{score(line.confidence)}**",
        line.sentences,
        Cited(title.lower(), line.citations, line.retrieved),
        link={state.OF_RUN: run, state.QID: qid},
    )


def _refused_at(line: EvaluationLine) -> str:
    return f" at {line.refusal_stage}" if line.refusal_stage else ""
