"""A threshold with a guarantee, as Tune shows it: what was seen, the long run, and the next questions."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard import components, links, state
from dashboard.evaluation_columns import PROMISES
from dashboard.state import URL
from dashboard.threshold_slider import step_above
from dashboard.tuning import left_out
from dashboard.words import counted, md, several
from rag.evaluation.promises import Reading, readings
from rag.whatif.arrays import WhatIf

NAMES = {"observed": "On these questions", "long run": "In the long run", "next questions": "On the next questions"}
NONE: tuple[Reading, ...] = ()
"""What is promised where there are no questions."""
_HELP = (
    "Three ways to read the same sentence. What was seen on these questions is a fact and no promise. In the long run: "
    "the rate over very many questions like these. On the next questions: the share that will be counted among the "
    "next ones, which scatters more, so that the threshold is higher."
)


def is_proven(found: Sequence[Reading], threshold: float) -> bool:
    """Return whether a threshold keeps a rate that is promised; what was merely seen is no promise."""
    promised = [one.threshold for one in found if one.name != "observed" and one.threshold is not None]
    return any(threshold >= lowest for lowest in promised)


def draw_guarantee(result: WhatIf) -> tuple[Reading, ...]:
    """Draw the threshold that keeps a rate of false answers in each sense, or how many labels are missing for it.

    Returns:
        What was drawn.
    """
    st.subheader("A threshold with a guarantee", anchor=False, help=_HELP)
    most, sure, coming = _asked()
    tried = result.of_tried
    found = readings(tried.frame, target=most / 100, confidence=sure / 100, horizon=coming)
    components.table(_table(found), columns=PROMISES, key="promises", alt="Thresholds and what they promise")
    for told in (_counted_once(*tried.labelled), left_out(result)):
        if told:
            st.caption(told)
    for reading in found:
        _draw_words(reading)
    st.caption("All of it holds for questions like these; questions about another subject are another population.")
    with st.container(horizontal=True):
        for reading in found:
            if reading.threshold is not None:
                st.button(f"Set the slider: {NAMES[reading.name].lower()}", icon=":material/tune:",
                          key=f"set-{reading.name}", on_click=_set_confidence, args=(reading.threshold,))  # fmt: skip
    return found


def _asked() -> tuple[float, float, int]:
    """Draw what a promise is asked for, and return it: the rate and the confidence in percent, and of how many."""
    links.note_number("t_target", "Answer wrongly at most, %", 0.5, 50)
    links.note_number("t_sure", "With confidence, %", 50, 99.9)
    links.note_number("t_horizon", "Next questions to count", 1, 1_000_000, whole=True)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        most = st.number_input("Answer wrongly at most, %", 0.5, 50.0, 5.0, 0.5, key="t_target", bind=URL, width=200,
                               format="%g", help="Of the questions that the documents do not answer.")  # fmt: skip
        sure = st.number_input(
            "With confidence, %",
            50.0,
            99.9,
            95.0,
            1.0,
            key="t_sure",
            bind=URL,
            width=200,
            format="%g",
            help="How often such a promise is kept, made again from other labels.",
        )
        coming = st.number_input("Next questions to count", 1, 1_000_000, 100, 10, key="t_horizon", bind=URL, width=200,
                                 help="How many unanswerable questions the last reading is about.")  # fmt: skip
    links.draw_invalid("t_target", "t_sure", "t_horizon", where="here")
    return most, sure, coming


def _counted_once(requests: int, questions: int) -> str:
    """Return how many requests have a label and how many questions those are; empty without labels.

    >>> _counted_once(67, 2)[:43], _counted_once(1, 1), _counted_once(0, 0)
    ('With a label: 67 requests, 2 questions. Wha', 'With a label: 1 request, 1 question.', '')
    """
    if not requests:
        return ""
    told = f"With a label: {several(requests, 'request')}, {several(questions, 'question')}."
    if requests == questions:
        return told
    return (
        f"{told} What was asked again with the same words and label proves nothing new: rates, bounds, curve and "
        "thresholds count it once, as it was last asked."
    )


def _draw_words(reading: Reading) -> None:
    icon = "visibility" if reading.name == "observed" else "verified_user"
    if reading.threshold is None:
        icon = "data_alert"
    missing = " Judge more on **Evaluate**; evaluation runs bring their own labels." if reading.needed else ""
    coverage = f" Coverage {counted(reading.coverage)}." if reading.coverage is not None else ""
    st.markdown(f":material/{icon}: **{NAMES[reading.name]}**: {md(reading.words)}{coverage}{missing}")


def _table(found: Sequence[Reading]) -> pd.DataFrame:
    rows = [
        (NAMES[one.name], one.threshold, one.false_answers, one.unanswerable, *_coverage(one), one.needed or None)
        for one in found
    ]
    names = ["reading", "threshold", "false_answers", "unanswerable", "coverage", "answered", "answerable", "needed"]
    whole = dict.fromkeys(("false_answers", "unanswerable", "answered", "answerable", "needed"), "Int64")
    return pd.DataFrame(rows, columns=names).astype({**whole, "threshold": "float64", "coverage": "float64"})


def _coverage(one: Reading) -> tuple[float | None, float | None, int | None]:
    """Return the share of the answerable questions that are answered, how many those are, and of how many."""
    if one.coverage is None:
        return None, None, None
    return one.coverage.value, one.coverage.numerator, one.coverage.denominator


def _set_confidence(threshold: float) -> None:
    """Move the slider to the next step at or above a threshold: stricter keeps the guarantee."""
    state.put("t_confidence", step_above(threshold))
