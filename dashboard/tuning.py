"""What the page Tune draws: the questions that other thresholds change, with their answers; figures; the other sliders.

Everything below the choice of questions is one fragment: a slider that moves draws nothing else anew.
"""

from typing import Any

import pandas as pd
import streamlit as st

from dashboard import charts, components, links, promises, promoting, queries, state, tables, thresholds
from dashboard.columns import CHANGED_BY_SETTINGS, HISTOGRAM, RISK
from dashboard.thresholds import RECORDED, DecidedBy, TuneSettings
from dashboard.words import IN_BRACKETS, md, passage, percent, several
from rag.candor import Candor
from rag.whatif.arrays import WhatIf, changes_between, risk_coverage, what_if
from rag.whatif.cases import Cases
from rag.whatif.said import said
from rag.workspace.in_force import follow

SHOWN = 5  # how many changed questions are drawn with their answers
LISTED = 500  # how many a table lists
_ASK_AGAIN = (
    "Another number of passages, similarity threshold or weight of similarity gives the reader other windows to read: "
    "ask again to know, on **Inspect** under **What if?**, or with a run on **Evaluate**."
)
_ADVANCED = "t_advanced"
_GROUPS = {"answerable": "answerable", "unanswerable": "unanswerable", "unlabelled": "not labelled"}
_BADGES = {"regressed": ":red-badge[worse, says its label] ", "improved": ":green-badge[better, says its label] "}


def choose_cases(candor: Candor) -> Cases:
    """Draw the choice between recorded requests and evaluation runs, and return its questions."""
    names = [RECORDED, *queries.runs()]
    links.note_missing(state.RUN, names, shown=RECORDED)
    chosen = st.selectbox(
        "Questions to try settings on", names, key=state.RUN, bind=state.URL, width=420,
        help="Recorded requests have labels if somebody judged them on Inspect. Runs have their own labels.",
    )  # fmt: skip
    links.draw_missing(state.RUN, called="the recorded requests")
    if chosen and chosen != RECORDED:
        return queries.run_cases(chosen)
    return queries.recorded_cases(candor)


@st.fragment
def draw(candor: Candor, cases: Cases) -> None:
    """Draw the slider and what it does; without questions, how to come by some, and production all the same."""
    with components.guarded():
        follow(candor)
        by = thresholds.decided_by(cases)
        settings = thresholds.chosen(candor, by)
        thresholds.draw_careful(candor, by, settings)
        result = try_out(candor, cases, settings, by) if len(cases) else None
        if result is None:
            components.empty_state("No recorded questions yet", "Ask some on the page **Ask**, or start a run on "
                                   "**Evaluate**; then move the slider.", icon=":material/tune:")  # fmt: skip
        else:
            before = try_out(candor, cases, thresholds.start(candor, by), by)
            _draw_changes(candor, changes_between(before, result), by.run)
            promises.draw_effect(cases, result)
        of_others = thresholds.draw_of_another_gate(candor, cases, by)
        thresholds.draw_difference(candor, by)
        proven = promises.draw_sentence(candor, result, settings, by)
        links.draw_invalid(*thresholds.KEYS, promises.TARGET, where="under **Advanced**")
        promoting.draw_promotion(candor, settings, by, result, proven=proven, of_others=of_others)
        _draw_advanced(candor, by, settings, result)


def try_out(candor: Candor, cases: Cases, settings: TuneSettings, by: DecidedBy) -> WhatIf:
    """Return what would have happened with the sliders as they stand."""
    return what_if(cases, confidence_threshold=settings.confidence_threshold,
                   unsure_threshold=settings.unsure_threshold, estimator=settings.estimator,
                   in_force=None if by.run else candor.settings.estimator)  # fmt: skip


def _draw_changes(candor: Candor, changes: pd.DataFrame, run: str) -> None:
    if changes.empty:
        st.markdown("**No question changes.** Move the slider to see which would end differently.")
        return
    counts = changes["change"].value_counts()
    named = {"regressed": "worse", "improved": "better"}
    judged = ", ".join(f"{counts[name]} {word}" for name, word in named.items() if name in counts)
    told = f" By their labels: {judged}." if judged else ""
    asked = several(int(changes["times"].sum()), "request")
    again = f" ({asked}; repeated questions are listed once)" if changes["times"].max() > 1 else ""
    st.markdown(f"**{several(len(changes), 'question')} would end differently**{again}.{told}")
    for row in changes.head(SHOWN).to_dict("records"):
        _draw_change(candor, row, run)
    if len(changes) > SHOWN:
        with st.expander(f"All {len(changes)} as a table", type="compact", key="t_all", on_change="rerun") as more:
            if more.open:
                table = changes.head(LISTED).assign(answerable=changes["answerable"].map({1.0: "yes", 0.0: "no"}))
                components.table(table, columns=CHANGED_BY_SETTINGS, key="changed",
                                 alt="Questions that end differently")  # fmt: skip


def _draw_change(candor: Candor, row: dict[Any, Any], run: str) -> None:
    name = str(row["request_id"])
    text, was_given = _said(candor, run, name)
    ends = (("It would quote", "The answer that was given")[was_given] if row["after"] == "answered"
            else "No longer given" if row["before"] == "answered"
            else "Shown as closest" if row["after"] == "unsure" else "No longer shown")  # fmt: skip
    params = {state.OF_RUN: run, state.QID: name} if run else {state.REQUEST: name}
    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            change = f"{row['before']} → **{row['after']}** {_BADGES.get(row['change'], '')}"
            times = f":small[· asked {row['times']} times]" if row["times"] > 1 else ""
            st.markdown(f"{change}{times}", width="content")
            components.inspect_link("Inspect", **params)
        st.markdown(f"**{md(str(row['question']))}**")
        st.markdown(f":small[{ends}:] {passage(text)}" if text
                    else ":small[The record does not have the text of the answer.]")  # fmt: skip


@st.cache_data(show_spinner=False, max_entries=2_000)
def _said(_candor: Candor, run: str, name: str) -> tuple[str, bool]:
    """Return what a question of a run says, or one that people asked, and whether that answer was given."""
    line = queries.run_line(run, name) if run else None
    answer = queries.run_answer(run, line) if line else None if run else _candor.wiring.recorder.read_answer(name)
    if answer is not None:
        return said(answer), answer.answer is not None
    return (line.answer or "", line.answer is not None) if line else ("", False)


def _draw_advanced(candor: Candor, by: DecidedBy, settings: TuneSettings, result: WhatIf | None) -> None:
    """Draw each slider, the promises in every sense and the charts; only while they are open, as a link opens them."""
    if state.get(_ADVANCED) is None:
        state.put(_ADVANCED, any(map(state.url, thresholds.KEYS)))
    with st.expander("Advanced", icon=":material/tune:", key=_ADVANCED, on_change="rerun") as place:
        if not place.open:
            return
        sliders, curve = components.side_by_side()
        with sliders:
            thresholds.draw_advanced(candor, by, settings)
            st.caption(_ASK_AGAIN)
        if result is None:
            return
        words = promises.in_words(result, settings)
        st.caption(f"{words[0].upper()}{words[1:]}. {IN_BRACKETS} Outcomes count each request, the others each "
                   "question once.")  # fmt: skip
        with curve:
            histogram = tables.confidence_histogram(result.of_tried.frame)
            groups = {name: label for name, label in _GROUPS.items() if histogram[name].sum()}
            figure = charts.confidence_histogram(histogram, groups, settings.confidence_threshold,
                                                 settings.unsure_threshold)  # fmt: skip
            components.chart(figure, histogram, alt="Confidence of answerable and unanswerable questions",
                             key="histogram", columns=HISTOGRAM)  # fmt: skip
        promises.draw_readings(result)
        _draw_curve(result)


def _draw_curve(result: WhatIf) -> None:
    st.markdown("**Risk and coverage**")
    curve, tried = risk_coverage(result), result.of_tried
    if curve.empty or curve["false_answer_rate"].isna().all() or curve["coverage"].isna().all():
        st.info("The curve needs labels of both kinds: answerable and unanswerable. Judge requests on Inspect, "
                "or choose a run above.", icon=":material/show_chart:")  # fmt: skip
        return
    point = (tried.coverage.value, tried.false_answers.value)
    figure = charts.risk_coverage(curve, coverage=point[0], false_answers=point[1])
    alt = f"Risk-coverage curve; now coverage {percent(point[0])}, false answers {percent(point[1])}"
    components.chart(figure, curve, alt=alt, key="risk", columns=RISK)
