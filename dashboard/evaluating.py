"""What the page Evaluate does: runs and their figures, and two of them compared question by question."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import components, links, promoting, queries, resources, run_lines, sources, state, tables
from dashboard.columns import CHANGED, DIFFERENCES, FIGURES, LATENCY, PARTS, RUNS, WORST, some
from dashboard.components import Figure
from dashboard.links import choose_run, draw_missing
from dashboard.sources import Cited
from dashboard.testsets import draw_run_removal
from dashboard.words import IN_BRACKETS, bounded, count_of, counted, md, milliseconds, percent, score, several
from rag.candor import Candor
from rag.evaluation.changed import CHANGES, Changed, headline
from rag.evaluation.intervals import Rate
from rag.evaluation.lines import EvaluationLine, dump_line
from rag.evaluation.runlist import forget_run, lost_runs
from rag.evaluation.runs import Run, run_name, run_path
from rag.evaluation.summary import Figures, Summary
from rag.models import Answer
from rag.whatif.between import changed_parts

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
    runs, folder = queries.runs(), resources.runs_folder()
    for number, path in enumerate(lost_runs(folder)):
        st.warning(
            f"It was written to {md(str(path))}, but that file or {md(run_path(path).name)} next to it cannot be "
            "read. Restore both files, run it again, or take it off the list.",
            title=f"The run {md(run_name(path))} cannot be read", icon=":material/find_in_page:",
        )  # fmt: skip
        st.button("Take it off the list", key=f"forget-run-{number}", icon=":material/playlist_remove:",
                  on_click=components.tell, args=("", forget_run, folder, path))  # fmt: skip
    if not runs:
        components.empty_state("No run yet", "Start one under **New run**, or with `candor evaluate DATASET`.",
                               icon=":material/fact_check:")  # fmt: skip
        return
    listed = resources.get_report().runs().drop(columns="path")
    components.table(listed, columns=RUNS, key="runs", alt="Evaluation runs")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = choose_run("Run", [*runs], key=state.RUN, default=next(iter(runs)))
        draw_run_removal(name)
    draw_missing(state.RUN)
    _draw_run(candor, name, runs[name])


def _draw_run(candor: Candor, name: str, run: Run) -> None:
    if (summary := run.summary) is None:
        return
    _draw_main_figures(summary)

    def draw_figures() -> None:
        components.table(tables.figures_table(summary), columns=FIGURES, key="figures",
                         alt="All figures with their intervals", height="content")  # fmt: skip
        with st.expander("What the figures mean", icon=":material/menu_book:"):
            st.markdown(_MEANINGS)

    def draw_parts(parts: Mapping[str, Figures], of: str) -> None:
        components.table(tables.parts_table(parts), columns=PARTS, key=f"by-{of}", alt=f"Figures by {of}")

    def draw_speed() -> None:
        components.table(tables.speed_table(summary), columns=LATENCY, key="speed", alt="Milliseconds per stage")

    components.tabs({"Worst cases": lambda: _draw_worst(name, run), "Figures": draw_figures,
                     "By kind": lambda: draw_parts(summary.by_kind, "kind"),
                     "By document": lambda: draw_parts(summary.by_document, "document"),
                     "Speed": draw_speed, "Export": lambda: _draw_export(candor, name)}, key="run-part")  # fmt: skip


def _draw_worst(name: str, run: Run) -> None:
    cases = tables.worst_cases(run.scores, queries.run_lines(name))
    if cases.empty:
        st.success("The labels show no mistakes.", icon=":material/check_circle:")
        return
    st.caption(f"{several(len(cases), 'question')} went wrong; the worst first.")
    components.table(cases, columns=WORST, key="worst", alt="What went wrong, worst first")
    labels = {str(row["qid"]): f"{row['qid']}: {row['question']}" for row in cases.to_dict("records")}
    components.draw_open(labels, "open-worst", lambda qid: {state.OF_RUN: name, state.QID: qid})


def _draw_export(candor: Candor, name: str) -> None:
    lines = queries.run_lines(name)
    with st.container(horizontal=True):
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
    components.metrics({"Questions": Figure(f"{summary.questions}"), **drawn,
                        "Latency p50": Figure(milliseconds(total.p50), "Half of the questions took less."),
                        "Latency p95": Figure(milliseconds(total.p95), "95 of 100 questions took less.")})  # fmt: skip
    told = f"Coverage {counted(coverage)}" if coverage.denominator else "No question is labelled answerable"
    unknown = "none is labelled unanswerable, so false answers are unknown"
    told += f"; {f'false answers {bounded(false)}' if false.denominator else unknown}."
    told += "".join(f" {name} {counted(one)}." for name, one in {"hit@5": hit, "Gold in answer": gold}.items()
                    if one.denominator)  # fmt: skip
    st.caption(f"{told} {IN_BRACKETS}")


LISTED = 500  # how many changed questions a table draws
_SHOWN = ("change", "question", "before", "after", "confidence_before", "confidence_after", "rank_before", "rank_after",
          "kind", "qid")  # fmt: skip
_JUDGED = (
    "Verdict and p are corrected for comparing several figures at once. The intervals are not corrected: an interval "
    "may exclude 0 although the verdict finds no evidence. Times are shown but not compared."
)


def draw_compare(candor: Candor) -> None:
    """Draw two runs: the figures with their paired intervals, and the questions that ended differently."""
    runs = queries.runs()
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
    sure = ", ".join(f"{one.figure} {one.verdict}" for one in comparison.differences
                     if one.verdict in ("improved", "regressed"))  # fmt: skip
    proven = f"over {several(comparison.paired, 'question')} it is proven that {sure}." if sure else ""
    told = headline(changed, comparison.paired, proven=proven)
    st.subheader(md(told), anchor=False) if comparison.paired else st.warning(md(comparison.verdict))
    parts = changed_parts(runs[before], runs[after], answers=(_one_answer(before), _one_answer(after)))
    differing = [f"These changed between the runs: {', '.join(parts)}."] if parts else comparison.notes[:1]
    st.caption(md(" ".join([*differing, *comparison.notes[1:]])))
    _draw_changed(candor, before, after, changed, paired=comparison.paired)
    st.markdown("**Figures, paired question by question**")
    components.table(tables.values_of(DIFFERENCES, comparison.differences), columns=DIFFERENCES, key="differences",
                     alt="Figures of both runs", height="content")  # fmt: skip
    st.caption(_JUDGED)


def _one_answer(run: str) -> Answer | None:
    lines = sorted(queries.run_lines(run)[:LISTED], key=lambda line: line.decision != "answered")
    return next((found for line in lines[:5] if (found := queries.run_answer(run, line))), None)


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
    components.table(tables.values_of(some(CHANGED, *_SHOWN), listed), columns=CHANGED, key="changed",
                     alt="Questions that ended differently in the two runs")  # fmt: skip
    called = {one.qid: f"{one.qid}: {one.question}" for one in listed}
    qid = st.selectbox("Side by side", [*called], key="changed-qid", format_func=lambda one: called[one])
    if qid is None:
        return
    if (line := queries.run_line(after, qid)) is not None:
        run_lines.draw_expected(candor, after, line, with_ranks=False)
    runs = {"Before": before, "After": after}
    lines = {title: line for title, run in runs.items() if (line := queries.run_line(run, qid)) is not None}
    sides = {title: Cited(title.lower(), line.citations, line.retrieved) for title, line in lines.items()}
    opened = sources.opened(*sides.values())
    for place, (title, run) in zip(components.side_by_side(), runs.items(), strict=True):
        with place, st.container(border=True):
            st.markdown(f"**{md(f'{title}: {run}')}**")
            if title not in lines:
                st.markdown("The run does not contain this question.")
                continue
            _draw_side(run, lines[title], sides[title])
            if opened is sides[title]:
                sources.draw_opened(candor, opened)


def _is_shown(one: Changed, chosen: str | None) -> bool:
    return chosen is None or one.change == chosen or (chosen == "flipped" and one.flipped)


def _draw_side(run: str, line: EvaluationLine, cited: Cited) -> None:
    refused = f" at {line.refusal_stage}" if line.refusal_stage else ""
    st.markdown(f"{line.decision.capitalize()}{refused}, confidence **{score(line.confidence)}**")
    for sentence in line.sentences:
        st.markdown(sources.with_chips(sentence, cited))
    components.inspect_link(**{state.OF_RUN: run, state.QID: line.qid})
