"""What the page Evaluate does: runs and their figures."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import components, links, promoting, queries, removing, resources, run_tables, state
from dashboard.columns import FIGURES, LATENCY, PARTS, RUNS, WORST
from dashboard.components import Figure
from dashboard.links import choose_run, draw_missing
from dashboard.words import IN_BRACKETS, bounded, count_of, counted, md, milliseconds, percent, several
from rag.candor import Candor
from rag.evaluation.intervals import Rate
from rag.evaluation.lines import dump_line
from rag.evaluation.runlist import forget_run, lost_runs
from rag.evaluation.runs import Run, run_name, run_path
from rag.evaluation.summary import Figures, Summary

if TYPE_CHECKING:
    from streamlit.elements.lib.mutable_tab_container import TabContainer

_MEANINGS = """
- **hit@k**: a relevant passage is among the first k found; **recall@k**: the share of the relevant passages there.
- **MRR@10**: the mean of 1 / rank of the first relevant passage; **nDCG@10**: the same idea, over all of them.
- **coverage**: the share of answerable questions that is answered.
- **false-answer rate**: the share of unanswerable questions that is answered.
- **AUROC of confidence**: how probable it is that an answerable question has the higher confidence of two.
- **AURC**: the mean share of wrong answers over all thresholds; smaller is better.
- **citation precision**: the share of citations of a relevant passage; **page accuracy**: of the right page.
- **unsupported sentences, excerpts not verbatim**: these must not happen; both should be 0.
"""

VIEWS = ["Runs", "New run", "Compare", "Test sets", "Calibrate"]
"""The tabs of the page."""


def views() -> Sequence["TabContainer"]:
    """Draw the tabs of the page and return them; the one that is open stands in the URL, and it alone is to be drawn.

    A link that names two runs, and no tab, means their comparison.
    """
    if state.url("view") == "Label":  # as links of before name the queue
        st.switch_page("pages/inspector.py", query_params={state.PART: "Label"})
    links.note_choice("view", "View", VIEWS)
    if state.get("view") is None and state.url("view") is None and state.url("before") and state.url("after"):
        state.put("view", "Compare")
    above = st.container()
    tabs = st.tabs(VIEWS, key="view", on_change="rerun", bind="query-params")
    with above:
        links.draw_invalid("view", where="below")
    return tabs


def draw_runs(candor: Candor) -> None:
    """Draw the list of runs and, of the one that is chosen, every figure."""
    runs = queries.runs(resources.runs_folder())
    _draw_lost()
    if not runs:
        components.empty_state("No run yet", "Start one under **New run**, or with `candor evaluate DATASET`.",
                               icon=":material/fact_check:")  # fmt: skip
        return
    listed = resources.get_report().runs().drop(columns="path")
    components.table(listed, columns=RUNS, key="runs", alt="Evaluation runs")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = choose_run("Run", [*runs], key=state.RUN, default=next(iter(runs)))
        removing.draw_run_removal(name)
    draw_missing(state.RUN)
    _draw_run(candor, name, runs[name])


def _draw_lost() -> None:
    """Say which runs were written somewhere else and are not there any more; each can be taken off the list."""
    folder = resources.runs_folder()
    for number, path in enumerate(lost_runs(folder)):
        st.warning(
            f"It was written to {md(str(path))}, but that file or {md(run_path(path).name)} next to it cannot be "
            "read. Restore both files, run it again, or take it off the list.",
            title=f"The run {md(run_name(path))} cannot be read", icon=":material/find_in_page:",
        )  # fmt: skip
        if st.button("Take it off the list", key=f"forget-run-{number}", icon=":material/playlist_remove:"):
            forget_run(folder, path)
            st.rerun()


def _draw_run(candor: Candor, name: str, run: Run) -> None:
    """Draw a finished run: its main figures, and tabs with the rest."""
    summary = run.summary
    if summary is None:
        return
    _draw_main_figures(summary)
    worst, figures, kinds, documents, speed, export = st.tabs(
        ["Worst cases", "Figures", "By kind", "By document", "Speed", "Export"]
    )
    with worst:
        _draw_worst(name, run)
    with figures:
        components.table(run_tables.figures_table(summary), columns=FIGURES, key="figures",
                         alt="All figures with their intervals", height="content")  # fmt: skip
        with st.expander("What the figures mean", icon=":material/menu_book:"):
            st.markdown(_MEANINGS)
    for tab, parts, key in ((kinds, summary.by_kind, "kind"), (documents, summary.by_document, "document")):
        with tab:
            components.table(run_tables.parts_table(parts), columns=PARTS, key=f"by-{key}", alt=f"Figures by {key}")
    with speed:
        components.table(run_tables.speed_table(summary), columns=LATENCY, key="speed", alt="Milliseconds per stage")
    with export:
        _draw_export(candor, name)


def _draw_main_figures(summary: Summary) -> None:
    figures, total = summary.figures, summary.speed["total"]
    hit, coverage, use, gold = figures.retrieval["hit@5"], figures.coverage, figures.use, figures.answer_contains_gold
    false = figures.false_answer_rate
    shares: dict[str, tuple[Rate | None, str]] = {
        "hit@5": (hit, f"A relevant passage among the first five: {counted(hit)}"),
        "Coverage": (coverage, f"Answered, of the answerable questions: {counted(coverage)}"),
        "False answers": (false, f"Answered, of the unanswerable questions: {counted(false)}"),
        "Right": (use.get("right"), "Answered with what the label says, of the answerable questions."),
        "Unsure": (use.get("unsure"), "The closest sentences were shown and nothing was claimed, of the answerable "
                                      "questions."),
        "Gold in answer": (gold, f"Contains the gold answer of the label: {counted(gold)}"),
    }  # fmt: skip
    components.metrics(
        {
            "Questions": Figure(f"{summary.questions}"),
            **{
                name: Figure(percent(one.value), told, count_of(one))
                for name, (one, told) in shares.items()
                if one is not None
            },
            "Latency p50": Figure(milliseconds(total.p50), "Half of the questions took less."),
            "Latency p95": Figure(milliseconds(total.p95), "95 of 100 questions took less."),
        }
    )
    st.caption(f"{_in_words(figures)} {IN_BRACKETS}")


def _in_words(figures: Figures) -> str:
    """Return the shares among the main figures with counts and intervals; what no label tells is said or left out."""
    coverage, false = figures.coverage, figures.false_answer_rate
    answerable = f"Coverage {counted(coverage)}" if coverage.denominator else "No question is labelled answerable"
    others = {"hit@5": figures.retrieval["hit@5"], "Gold in answer": figures.answer_contains_gold}
    told = "".join(f" {name} {counted(one)}." for name, one in others.items() if one.denominator)
    if not false.denominator:
        return f"{answerable}; none is labelled unanswerable, so false answers are unknown.{told}"
    return f"{answerable}; false answers {bounded(false)}.{told}"


def _draw_worst(name: str, run: Run) -> None:
    worst = run_tables.worst_cases(run.scores, queries.run_lines(resources.runs_folder(), name))
    if worst.empty:
        st.success("The labels show no mistakes.", icon=":material/check_circle:")
        return
    st.caption(f"{several(len(worst), 'question')} went wrong; the worst first.")
    components.table(worst, columns=WORST, key="worst", alt="What went wrong, worst first")
    labels = {str(row["qid"]): f"{row['qid']}: {row['question']}" for row in worst.to_dict("records")}
    components.draw_open(labels, "open-worst", lambda qid: {state.OF_RUN: name, state.QID: qid})


def _draw_export(candor: Candor, name: str) -> None:
    lines = queries.run_lines(resources.runs_folder(), name)
    with st.container(horizontal=True):
        components.download("CSV, a row for each question", lambda: run_tables.lines_table(lines).to_csv(index=False),
                            f"{name}.csv", mime="text/csv", icon=":material/table:")  # fmt: skip
        components.download("JSONL, everything", lambda: "".join(dump_line(line) + "\n" for line in lines),
                            f"{name}.jsonl", mime="application/jsonl", icon=":material/data_object:")  # fmt: skip
        promoting.draw_report(candor, name)
