"""What the page Evaluate does: runs and their figures."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import components, links, promoting, queries, removing, resources, state, tables
from dashboard.columns import FIGURES, LATENCY, PARTS, RUNS, WORST
from dashboard.components import Figure
from dashboard.links import choose_run, draw_missing
from dashboard.words import IN_BRACKETS, bounded, count_of, counted, md, milliseconds, percent, several
from rag.candor import Candor
from rag.evaluation.intervals import Rate
from rag.evaluation.lines import dump_line
from rag.evaluation.runlist import forget_run, lost_runs
from rag.evaluation.runs import Run, run_name, run_path
from rag.evaluation.summary import Summary

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

VIEWS = ["Runs", "New run", "Compare", "Test sets", "Calibrate"]  # the tabs of the page


def views() -> Sequence["TabContainer"]:
    """Draw the tabs of the page and return them; a link that names two runs, and no tab, means their comparison."""
    if state.url("view") == "Label":  # as links of before name the queue
        st.switch_page("pages/inspector.py", query_params={state.PART: "Label"})
    links.note_choice("view", "View", VIEWS)
    if state.get("view") is None and state.url("view") is None and state.url("before") and state.url("after"):
        state.put("view", "Compare")
    above = st.container()
    tabs = st.tabs(VIEWS, key="view", on_change="rerun", bind=state.URL)
    with above:
        links.draw_invalid("view", where="below")
    return tabs


def draw_runs(candor: Candor) -> None:
    """Draw the list of runs and, of the one that is chosen, every figure."""
    runs = queries.runs()
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
    summary = run.summary
    if summary is None:
        return
    _draw_main_figures(summary)
    worst, figures, kinds, documents, speed, export = st.tabs(
        ["Worst cases", "Figures", "By kind", "By document", "Speed", "Export"]
    )
    with worst:
        cases = tables.worst_cases(run.scores, queries.run_lines(name))
        if cases.empty:
            st.success("The labels show no mistakes.", icon=":material/check_circle:")
        else:
            st.caption(f"{several(len(cases), 'question')} went wrong; the worst first.")
            components.table(cases, columns=WORST, key="worst", alt="What went wrong, worst first")
            labels = {str(row["qid"]): f"{row['qid']}: {row['question']}" for row in cases.to_dict("records")}
            components.draw_open(labels, "open-worst", lambda qid: {state.OF_RUN: name, state.QID: qid})
    with figures:
        components.table(tables.figures_table(summary), columns=FIGURES, key="figures",
                         alt="All figures with their intervals", height="content")  # fmt: skip
        with st.expander("What the figures mean", icon=":material/menu_book:"):
            st.markdown(_MEANINGS)
    for tab, parts, key in ((kinds, summary.by_kind, "kind"), (documents, summary.by_document, "document")):
        with tab:
            components.table(tables.parts_table(parts), columns=PARTS, key=f"by-{key}", alt=f"Figures by {key}")
    with speed:
        components.table(tables.speed_table(summary), columns=LATENCY, key="speed", alt="Milliseconds per stage")
    with export, st.container(horizontal=True):
        lines = queries.run_lines(name)
        components.exports(name, lambda: tables.lines_table(lines).to_csv(index=False),
                           lambda: "".join(dump_line(line) + "\n" for line in lines),
                           labels=("CSV, a row for each question", "JSONL, everything"))  # fmt: skip
        promoting.draw_report(candor, name)


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
    drawn = {name: Figure(percent(one.value), told, count_of(one)) for name, (one, told) in shares.items() if one}
    components.metrics(
        {"Questions": Figure(f"{summary.questions}"), **drawn,
         "Latency p50": Figure(milliseconds(total.p50), "Half of the questions took less."),
         "Latency p95": Figure(milliseconds(total.p95), "95 of 100 questions took less.")}
    )  # fmt: skip
    told = f"Coverage {counted(coverage)}" if coverage.denominator else "No question is labelled answerable"
    if false.denominator:
        told += f"; false answers {bounded(false)}."
    else:
        told += "; none is labelled unanswerable, so false answers are unknown."
    told += "".join(f" {name} {counted(one)}." for name, one in {"hit@5": hit, "Gold in answer": gold}.items()
                    if one.denominator)  # fmt: skip
    st.caption(f"{told} {IN_BRACKETS}")
