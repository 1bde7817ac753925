"""What the page Tune draws: the questions that other thresholds change, with their answers; figures; the other sliders.

Everything below the choice of questions is one fragment: a slider that moves draws nothing else anew.
"""

from typing import Any

import pandas as pd
import streamlit as st

from dashboard import (
    charts,
    components,
    links,
    promises,
    promoting,
    queries,
    resources,
    state,
    tables,
    thresholds,
)
from dashboard.columns import CHANGED_BY_SETTINGS, HISTOGRAM, RISK
from dashboard.thresholds import RECORDED, DecidedBy, TuneSettings
from dashboard.words import IN_BRACKETS, md, passage, percent, several
from rag.candor import Candor
from rag.whatif.arrays import WhatIf, changes_between, risk_coverage, what_if
from rag.whatif.cases import Cases
from rag.whatif.said import said

SHOWN = 5
"""How many changed questions are drawn with their answers."""
LISTED = 500
"""How many a table lists."""
_LOCKED = (
    "This run was made by an older version: it has only one confidence for each question, so you can try only "
    "**thresholds** on it. Run the data set again to try another estimator; `candor evaluate` needs `--fresh` for that."
)
_ASK_AGAIN = (
    "Another number of passages, similarity threshold or weight of similarity gives the reader other windows to read: "
    "ask again to know, on **Inspect** under **What if?**, or with a run on **Evaluate**."
)
_ADVANCED = "t_advanced"
_GROUPS = {"answerable": "answerable", "unanswerable": "unanswerable", "unlabelled": "not labelled"}
_BADGES = {"regressed": ":red-badge[worse, says its label] ", "improved": ":green-badge[better, says its label] "}


def choose_cases(candor: Candor) -> Cases:
    """Draw the choice between recorded requests and evaluation runs, and return its questions.

    A run that a link names and that is not here is said.
    """
    names = [RECORDED, *queries.runs(resources.runs_folder())]
    links.note_missing(state.RUN, names, shown=RECORDED)
    chosen = st.selectbox(
        "Questions to try settings on", names, key=state.RUN, bind=state.URL, width=420,
        help="Recorded requests have labels if somebody judged them on Evaluate. Runs have their own labels.",
    )  # fmt: skip
    links.draw_missing(state.RUN, called="the recorded requests")
    if chosen and chosen != RECORDED:
        return queries.run_cases(resources.runs_folder(), chosen)
    return queries.recorded_cases(candor)


@st.fragment
def draw(candor: Candor, cases: Cases) -> None:
    """Draw the slider and what it does; without questions, how to come by some, and production all the same."""
    with components.guarded():
        resources.follow_promotions(candor)
        by, locked = thresholds.decided_by(cases), 0 < len(cases) == cases.without_scores
        settings = thresholds.chosen(candor, by, locked=locked)
        thresholds.draw_careful(candor, by, settings)
        result = try_out(cases, settings) if len(cases) else None
        if result is None:
            components.empty_state("No recorded questions yet", "Ask some on the page **Ask**, or start a run on "
                                   "**Evaluate**; then move the slider.", icon=":material/tune:")  # fmt: skip
        else:
            before = try_out(cases, thresholds.start(candor, by))
            _draw_changes(candor, changes_between(before, result))
            promises.draw_effect(cases, result)
        of_others = thresholds.draw_of_another_gate(candor, cases, by)
        thresholds.draw_difference(candor, by)
        proven = promises.draw_sentence(candor, result, settings, by)
        thresholds.draw_wrong_link(promises.TARGET)
        promoting.draw_promotion(candor, settings, by, result, proven=proven, of_others=of_others)
        _draw_advanced(candor, by, settings, result, locked=locked)


def try_out(cases: Cases, settings: TuneSettings) -> WhatIf:
    """Return what would have happened with the sliders as they stand."""
    return what_if(cases, confidence_threshold=settings.confidence_threshold,
                   unsure_threshold=settings.unsure_threshold, estimator=settings.estimator,
                   in_force=resources.settings_in_force().estimator if is_recorded() else None)  # fmt: skip


def is_recorded() -> bool:
    """Return whether the questions are those that people asked, each in its own way, and not those of one run."""
    return st.session_state.get(state.RUN) in (None, RECORDED)


def _draw_changes(candor: Candor, changes: pd.DataFrame) -> None:
    """Draw the questions that would end otherwise than at the start of the slider, those that get worse first."""
    if changes.empty:
        st.markdown("**No question changes.** Move the slider to see which would end differently.")
        return
    counts = changes["change"].value_counts()
    judged = [f"{counts[name]} {word}" for name, word in (("regressed", "worse"), ("improved", "better"))
              if name in counts]  # fmt: skip
    told = f" By their labels: {', '.join(judged)}." if judged else ""
    st.markdown(f"**{several(len(changes), 'question')} would end differently.**{told}")
    for row in changes.head(SHOWN).to_dict("records"):
        _draw_change(candor, row)
    if len(changes) > SHOWN:
        with st.expander(f"All {len(changes)} as a table", type="compact", key="t_all", on_change="rerun") as more:
            if more.open:
                table = changes.head(LISTED).assign(answerable=changes["answerable"].map({1.0: "yes", 0.0: "no"}))
                components.table(
                    table, columns=CHANGED_BY_SETTINGS, key="changed", alt="Questions that end differently"
                )


def _draw_change(candor: Candor, row: dict[Any, Any]) -> None:
    """Draw a question, how it would end, and its answer."""
    name = str(row["request_id"])
    text, was_given = _said(candor, None if is_recorded() else str(st.session_state[state.RUN]), name)
    if row["after"] == "answered":
        told = "The answer that was given" if was_given else "It would quote"
    elif row["before"] == "answered":
        told = "No longer given"
    else:
        told = "Shown as closest" if row["after"] == "unsure" else "No longer shown"
    params = {state.REQUEST: name} if is_recorded() else {state.OF_RUN: st.session_state[state.RUN], state.QID: name}
    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            change = f"{row['before']} → **{row['after']}**"
            st.markdown(f"{change} {_BADGES.get(row['change'], '')}", width="content")
            components.inspect_link("Inspect", **params)
        st.markdown(f"**{md(str(row['question']))}**")
        st.markdown(
            f":small[{told}:] {passage(text)}" if text else ":small[The record does not have the text of the answer.]"
        )


@st.cache_data(show_spinner=False, max_entries=2_000)
def _said(_candor: Candor, run: str | None, name: str) -> tuple[str, bool]:
    """Return what a question says, and whether that answer was given; of a run, or of what people asked."""
    if run is None:
        answer = queries.answer(_candor, name)
    else:
        line = queries.run_line(run, name)
        answer = queries.run_answer(resources.runs_folder(), run, line) if line else None
        if answer is None and line is not None:
            return line.answer or "", line.answer is not None
    return (said(answer), answer.answer is not None) if answer else ("", False)


def _draw_advanced(
    candor: Candor, by: DecidedBy, settings: TuneSettings, result: WhatIf | None, *, locked: bool
) -> None:
    """Draw each slider, the promises in every sense and the charts; only while they are open, as a link opens them."""
    if state.get(_ADVANCED) is None:
        state.put(_ADVANCED, thresholds.is_moved() or locked)
    with st.expander("Advanced", icon=":material/tune:", key=_ADVANCED, on_change="rerun") as place:
        if not place.open:
            return
        if locked:
            st.info(_LOCKED, icon=":material/lock:")
        sliders, curve = components.side_by_side()
        with sliders:
            thresholds.draw_advanced(candor, by, settings, locked=locked)
            st.caption(_ASK_AGAIN)
        if result is None:
            return
        words = promises.in_words(result, settings)
        st.caption(f"{words[0].upper()}{words[1:]}. {IN_BRACKETS}")
        with curve:
            _draw_histogram(result.of_tried, settings)
        promises.draw_readings(result)
        _draw_curve(result)


def _draw_curve(result: WhatIf) -> None:
    """Draw the risk-coverage curve of the questions that the thresholds decide, and where they stand on it."""
    st.markdown("**Risk and coverage**")
    curve, tried = risk_coverage(result), result.of_tried
    if curve.empty or curve["false_answer_rate"].isna().all() or curve["coverage"].isna().all():
        st.info("The curve needs labels of both kinds: answerable and unanswerable. Judge requests on Evaluate, "
                "or choose a run above.", icon=":material/show_chart:")  # fmt: skip
        return
    point = (tried.coverage.value, tried.false_answers.value)
    figure = charts.risk_coverage(curve, coverage=point[0], false_answers=point[1])
    alt = f"Risk-coverage curve; now coverage {percent(point[0])}, false answers {percent(point[1])}"
    components.chart(figure, curve, alt=alt, key="risk", columns=RISK)


def _draw_histogram(tried: WhatIf, settings: TuneSettings) -> None:
    histogram = tables.confidence_histogram(tried.frame)
    groups = {name: label for name, label in _GROUPS.items() if histogram[name].sum()}
    figure = charts.confidence_histogram(histogram, groups, settings.confidence_threshold, settings.unsure_threshold)
    components.chart(figure, histogram, alt="Confidence of answerable and unanswerable questions", key="histogram",
                     columns=HISTOGRAM)  # fmt: skip
