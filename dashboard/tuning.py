"""What the page Tune does: other thresholds on recorded questions, at once and without a model."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard import charts, components, links, queries, resources, run_choice, starting, state, tables
from dashboard.changing import in_digits
from dashboard.columns import HISTOGRAM
from dashboard.consequences import consequences
from dashboard.decided import RECORDED, DecidedBy
from dashboard.evaluation_columns import FLIPS, RISK
from dashboard.starting import AS_RECORDED
from dashboard.state import URL
from dashboard.threshold_slider import draw_thresholds
from dashboard.words import ESTIMATOR_HELP, IN_BRACKETS, bounded, count_of, counted, estimator, percent, several
from rag.models import EstimatorName
from rag.whatif.arrays import OUTCOMES, WhatIf, risk_coverage, what_if
from rag.whatif.cases import Cases

if TYPE_CHECKING:
    from rag.candor import Candor

_LOCKED = (
    "This run was made by an older version: its lines hold one confidence for each question and nothing else, so only "
    "**thresholds** can be tried on it. Run the data set again to try another estimator; `candor evaluate` needs "
    "`--fresh` for that."
)
_ASK_AGAIN = (
    "Another number of passages, similarity threshold or weight of similarity gives the reader other windows to read: "
    "ask again to know, on **Inspect** under **What if?**, or with a run on **Evaluate**."
)
_GROUPS = {"answerable": "answerable", "unanswerable": "unanswerable", "unlabelled": "not labelled"}


@dataclass(frozen=True, slots=True)
class TuneSettings:
    """Where the sliders stand."""

    confidence_threshold: float
    unsure_threshold: float | None
    """None: the estimator knows no unsure."""
    estimator: EstimatorName | None
    """None: each question's own."""


def choose_cases(candor: "Candor") -> Cases:
    """Draw the choice between recorded requests and evaluation runs, and return its questions.

    A run that a link names and that is not here is said.
    """
    names = [RECORDED, *queries.runs(resources.runs_folder())]
    run_choice.note_missing(state.RUN, names, shown=RECORDED)
    chosen = st.selectbox(
        "Questions to try settings on", names, key=state.RUN, bind=URL,
        help="Recorded requests have labels where somebody judged them on Evaluate; runs bring their own.",
    )  # fmt: skip
    run_choice.draw_missing(state.RUN, called="the recorded requests")
    if chosen and chosen != RECORDED:
        return queries.run_cases(resources.runs_folder(), chosen)
    return queries.recorded_cases(candor)


def draw_sliders(candor: "Candor", cases: Cases, by: DecidedBy) -> TuneSettings:
    """Draw the sliders; where they stand is in the URL. What nothing can be tried with is locked, and says so."""
    locked = is_threshold_only(cases)
    if locked:
        st.info(_LOCKED, icon=":material/lock:")
    names = [AS_RECORDED, *candor.wiring.estimators]
    _note_settings_of_link(names)
    start = starting.begin(candor, by)
    above = st.container()
    name = st.selectbox(
        "Estimator of confidence", names, key="t_estimator", bind=URL, help=ESTIMATOR_HELP, disabled=locked,
        format_func=_estimator, on_change=starting.take_thresholds, args=(candor,),
    )  # fmt: skip
    wanted: Any = None if locked or name == AS_RECORDED else name  # whatever a link names: nothing was tried with it
    decides = wanted or by.estimator or resources.settings_in_force().estimator
    with above:
        confidence, unsure = draw_thresholds(
            candor, start, knows_unsure=candor.wiring.estimators[decides].unsure_threshold is not None
        )
    st.caption(_ASK_AGAIN)
    return TuneSettings(confidence, unsure, wanted)


def _estimator(name: str) -> str:
    return "As recorded" if name == AS_RECORDED else estimator(name)


def _note_settings_of_link(names: list[str]) -> None:
    """Remember which settings of a link are not valid; before the sliders are drawn."""
    links.note_number("t_confidence", "Confidence threshold", 0, 1)
    links.note_number("t_unsure", "Unsure threshold", 0, 1)
    links.note_choice("t_estimator", "Estimator of confidence", [*map(_estimator, names)], shown=_estimator)


def draw_wrong_link() -> None:
    """Say which settings of a link are not valid; after the sliders."""
    links.draw_invalid(
        "t_confidence", "t_unsure", "t_estimator", where="in the sidebar (on a narrow screen » opens it)"
    )


def is_threshold_only(cases: Cases) -> bool:
    """Return whether the questions hold nothing that another estimator could be tried on."""
    return 0 < len(cases) == cases.without_scores


def try_out(cases: Cases, settings: TuneSettings) -> WhatIf:
    """Return what would have happened with the sliders as they stand."""
    return what_if(
        cases,
        confidence_threshold=settings.confidence_threshold,
        unsure_threshold=settings.unsure_threshold,
        estimator=settings.estimator,
        in_force=resources.settings_in_force().estimator if is_recorded() else None,
    )


def is_recorded() -> bool:
    """Return whether the questions are those that people asked, each in its own way, and not those of one run."""
    return st.session_state.get(state.RUN) in (None, RECORDED)


# --- the effect --------------------------------------------------------------------------------------------------


def draw_effect(cases: Cases, result: WhatIf, settings: TuneSettings) -> None:
    """Draw the rates, how labelled questions end, what that means in words, and what it leaves out."""
    _draw_rates(cases, result)
    if told := consequences(result):
        st.markdown(told)
        st.table(tables.ends_table(result), border="horizontal", alt="How labelled questions would end")
    words = in_words(result, settings)
    st.caption(f"{words[0].upper()}{words[1:]}. {IN_BRACKETS}")
    _draw_left_out(cases, result)


def _draw_rates(cases: Cases, result: WhatIf) -> None:
    """Draw the rates with what they were counted from."""
    false, shares = result.false_answers, {name.capitalize(): result.share(name) for name in OUTCOMES}
    components.metrics(
        {
            **{name: percent(one.value) for name, one in shares.items()},
            "Would flip": f"{int(result.frame['flipped'].sum())}",
            "Coverage": percent(result.coverage.value),
            "False answers": percent(false.value),
            "False answers at most": percent(false.upper_bound),
            "Right": percent(result.right.value),
        },
        counts={
            **{name: count_of(one) for name, one in shares.items()},
            "Coverage": count_of(result.coverage, none="no label yet"),
            "False answers": count_of(false, none="no label yet"),
            "Would flip": f"of {len(cases)}",
            "Right": count_of(result.right, none="none judged"),
        },
        helps={
            "Answered": "Of all questions here.",
            "Unsure": "Of all questions here: the closest sentences are shown, and nothing is claimed.",
            "Refused": "Of all questions here.",
            "Coverage": "Answered, of the questions that the documents do answer; whether the answer is right is not "
            "asked here.",
            "False answers": "Answered, of the questions that the documents do not answer.",
            "False answers at most": "One-sided 95% upper bound of the false-answer rate (Clopper and Pearson).",
            "Would flip": "Questions that would end otherwise than they did.",
            "Right": "Of the answers that were given and would be again, as far as somebody judged them or a run's "
            "label tells.",
        },
    )


def _draw_left_out(cases: Cases, result: WhatIf) -> None:
    """Say how many questions have no label, are not decided by these settings, or are not recorded whole."""
    unlabelled = int(result.frame["answerable"].isna().sum())
    if unlabelled:
        without = f"{unlabelled} of {several(len(cases), 'request')}"
        pasted = " What was asked of a pasted text has none here, as in calibration." if is_recorded() else ""
        st.caption(f":material/info: Without a label: {without}. Judge on **Evaluate**.{pasted}")
    untried = int((~result.frame["tried"]).sum())
    if untried:
        st.caption(
            f":material/info: {several(untried, 'question')} named a threshold or were asked with another estimator "
            "than the one in force: these thresholds do not decide them, and they count as they ended."
        )
    inexact = int((~result.frame["exact"]).sum())
    if inexact:
        st.caption(
            f":material/info: For {several(inexact, 'question')} the record does not hold all that these settings rest "
            "on (a draft that was never written, or another estimator)."
        )


def in_words(result: WhatIf, settings: TuneSettings) -> str:
    """Return the effect in words; what no label tells is left out."""
    told = [f"{name} {counted(result.share(name))}" for name in OUTCOMES]
    if result.coverage.denominator:
        told.append(f"coverage {counted(result.coverage)}")
    if result.false_answers.denominator:
        told.append(f"false answers {bounded(result.false_answers)}")
    unsure = f", unsure from {in_digits(settings.unsure_threshold)}" if settings.unsure_threshold is not None else ""
    return f"threshold {in_digits(settings.confidence_threshold)}{unsure}: {'; '.join(told)}"


def draw_charts(result: WhatIf, settings: TuneSettings) -> None:
    """Draw the risk-coverage curve with the point of now, and the histogram of confidence.

    Both are of the questions that the thresholds decide, the point too: it lies on the curve.
    """
    tried = result.of_tried
    left, right = components.side_by_side()
    with left:
        st.markdown("**Risk and coverage**")
        curve = risk_coverage(result)
        if curve.empty or curve["false_answer_rate"].isna().all() or curve["coverage"].isna().all():
            st.info("The curve needs labels of both kinds: answerable and unanswerable. Judge requests on Evaluate, "
                    "or choose a run above.", icon=":material/show_chart:")  # fmt: skip
        else:
            point = (tried.coverage.value, tried.false_answers.value)
            figure = charts.risk_coverage(curve, coverage=point[0], false_answers=point[1])
            alt = f"Risk-coverage curve; now coverage {percent(point[0])}, false answers {percent(point[1])}"
            components.chart(figure, curve, alt=alt, key="risk", columns=RISK)
            if told := decided_of(result):
                st.caption(f"{told}.")
    with right:
        st.markdown("**Confidence**")
        histogram = tables.confidence_histogram(tried.frame)
        groups = {name: label for name, label in _GROUPS.items() if histogram[name].sum()}
        figure = charts.confidence_histogram(
            histogram, groups, settings.confidence_threshold, settings.unsure_threshold
        )
        components.chart(figure, histogram, alt="Confidence of answerable and unanswerable questions",
                         key="histogram", columns=HISTOGRAM)  # fmt: skip


def decided_of(result: WhatIf) -> str:
    """Return on how many labelled requests a curve or a promise rests; empty where that is all of them."""
    requests, mine = result.labelled[0], result.of_tried.labelled[0]
    if mine == requests:
        return ""
    return f"Of {several(requests, 'labelled request')} the **{mine}** that this threshold decides"


def left_out(result: WhatIf) -> str:
    """Return what sets a promise apart from the figures above it; empty where both count the same.

    What the threshold does not decide counts in the figures as it ended, and cannot be part of a promise.
    """
    told, tried = decided_of(result), result.of_tried
    if not told:
        return ""
    apart = [
        f"{name} {here.numerator:g} of {here.denominator} here, {above.numerator:g} of {above.denominator} above"
        for name, here, above in (
            ("coverage", tried.coverage, result.coverage),
            ("false answers", tried.false_answers, result.false_answers),
        )
        if above.denominator
    ]
    return f"{told}; the figures above count the others, too, as they ended. As the slider stands: {'; '.join(apart)}."


def draw_flips(result: WhatIf) -> None:
    """Draw the questions that would end otherwise, the closest to the threshold first."""
    flips = result.flips
    st.markdown(f"**Questions that would end otherwise than they did: {len(flips)}**")
    if flips.empty:
        st.caption("With the sliders as they stand, every question ends as it did.")
        return
    first = flips[[*FLIPS]].head(500)
    answerable = first["answerable"].map({1.0: "yes", 0.0: "no"})
    components.table(first.assign(answerable=answerable), columns=FLIPS, key="flips", alt="Questions that flip")
    labels = {str(row["request_id"]): f"{row['request_id']}: {row['question']}" for row in first.to_dict("records")}
    chosen = st.selectbox("Open", [*labels], format_func=lambda one: labels[one], key="open-flip")
    if not is_recorded():
        params = {state.OF_RUN: st.session_state[state.RUN], state.QID: chosen}
        components.page_link("pages/inspector.py", "Open in Inspect", icon=":material/search_insights:", params=params)
    else:
        components.inspect_link(chosen, "Open in Inspect")
