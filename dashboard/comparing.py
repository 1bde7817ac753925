"""Two runs, question by question: what changed, and both answers side by side."""

from collections.abc import Sequence

import streamlit as st

from dashboard import browser, components, queries, resources, run_lines, run_tables, sources, state
from dashboard.columns import CHANGED, DIFFERENCES
from dashboard.links import choose_run, draw_missing
from dashboard.sources import Cited
from dashboard.words import md, score, several
from rag.candor import Candor
from rag.evaluation.changed import CHANGES, Changed, headline
from rag.evaluation.lines import EvaluationLine
from rag.models import Answer

LISTED = 500  # how many changed questions a table draws

_JUDGED = (
    "Verdict and p are corrected for comparing several figures at once. The intervals are not corrected: an interval "
    "may exclude 0 although the verdict finds no evidence. Times are shown but not compared."
)


def draw_compare(candor: Candor) -> None:
    """Draw two runs: the figures with their paired intervals, and the questions that ended differently."""
    runs = queries.runs(resources.runs_folder())
    if len(runs) < 2:
        components.empty_state("Two runs are needed", "Run a data set, change something, and run it again.",
                               icon=":material/compare_arrows:")  # fmt: skip
        return
    names, folder = [*runs], resources.runs_folder()
    with st.container(horizontal=True):
        before = choose_run("Before", names, key="before", default=names[1], width=320)
        after = choose_run("After", names, key="after", default=names[0], width=320)
    for key in ("before", "after"):
        draw_missing(key)
    comparison = queries.comparison(folder, before, after)
    changed = queries.changed_questions(folder, before, after)
    told = headline(changed, comparison.paired, proven=run_tables.proven(comparison))
    st.subheader(md(told), anchor=False) if comparison.paired else st.warning(md(comparison.verdict))
    parts = run_tables.changed_parts(runs[before], runs[after], answers=(_one_answer(before), _one_answer(after)))
    differing = [f"These changed between the runs: {', '.join(parts)}."] if parts else comparison.notes[:1]
    st.caption(md(" ".join([*differing, *comparison.notes[1:]])))
    _draw_changed(candor, before, after, changed, paired=comparison.paired)
    st.markdown("**Figures, paired question by question**")
    components.table(run_tables.differences_table(comparison), columns=DIFFERENCES, key="differences",
                     alt="Figures of both runs", height="content")  # fmt: skip
    st.caption(_JUDGED)


def _one_answer(run: str) -> Answer | None:
    folder = resources.runs_folder()
    lines = sorted(queries.run_lines(folder, run)[:LISTED], key=lambda line: line.decision != "answered")
    return next((found for line in lines[:5] if (found := queries.run_answer(folder, run, line))), None)


def _draw_changed(candor: Candor, before: str, after: str, found: Sequence[Changed], *, paired: int) -> None:
    if not found:
        st.caption(f"All of {several(paired, 'question')} that both runs asked ended the same, with the same words.")
        return
    st.markdown(f"**Questions that ended differently: {len(found)} of {paired}**")
    counts = {name: count for name in CHANGES if (count := sum(_is_shown(one, name) for one in found))}
    chosen = st.segmented_control("Show", [*counts], format_func=lambda name: f"{name.capitalize()} ({counts[name]})",
                                  key="changed-kind",
                                  help="By the labels; flipped: one run answered, the other did not. No choice: all "
                                       "of them.")  # fmt: skip
    listed = [one for one in found if _is_shown(one, chosen)][:LISTED]
    components.table(run_tables.changed_table(listed), columns=CHANGED, key="changed",
                     alt="Questions that ended differently in the two runs")  # fmt: skip
    questions = {one.qid: one.question for one in listed}
    qid = st.selectbox("Side by side", [*questions], key="changed-qid",
                       format_func=lambda one: f"{one}: {questions[one]}")  # fmt: skip
    if qid is None:
        return
    if (line := queries.run_line(after, qid)) is not None:
        run_lines.draw_expected(candor, after, line, with_ranks=False)
    cited = []
    for place, title, run in zip(components.side_by_side(), ("Before", "After"), (before, after), strict=True):
        with place, st.container(border=True):
            st.markdown(f"**{md(f'{title}: {run}')}**")
            cited.append(_draw_side(title, run, queries.run_line(run, qid)))
    sources.draw_chosen(candor, browser.chosen_source(), cited)


def _is_shown(one: Changed, chosen: str | None) -> bool:
    return chosen is None or one.change == chosen or (chosen == "flipped" and one.flipped)


def _draw_side(title: str, run: str, line: EvaluationLine | None) -> Cited:
    """Draw how a question ended in a run, and return what it cites there, under a name of its own."""
    if line is None:
        st.markdown("The run does not contain this question.")
        return Cited("nothing")
    refused = f" at {line.refusal_stage}" if line.refusal_stage else ""
    st.markdown(f"{line.decision.capitalize()}{refused}, confidence **{score(line.confidence)}**")
    cited = Cited(title.lower(), line.citations, line.retrieved)
    for sentence in line.sentences:
        st.markdown(sources.with_chips(sentence, cited))
    components.inspect_link(**{state.OF_RUN: run, state.QID: line.qid})
    return cited
