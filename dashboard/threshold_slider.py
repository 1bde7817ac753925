"""The slider of the confidence threshold on the page Tune: where it can stand, and what a link sets it to."""

import math
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import starting, state
from dashboard.changing import in_digits
from dashboard.state import URL

if TYPE_CHECKING:
    from rag.candor import Candor


def draw_threshold(candor: "Candor", begins: float) -> float:
    """Draw the slider of the threshold: its steps are hundredths, and the exact thresholds that may be meant."""
    named = _threshold_of_url()
    exact = [begins, starting.threshold_in_force(candor), state.get("t_confidence", begins if named is None else named)]
    exact += [one.threshold for one in candor.wiring.estimators.values()]
    steps = thresholds(exact)
    chosen: float = st.select_slider(
        "Confidence threshold", [*steps], begins, key="t_confidence", bind=URL, format_func=in_digits,
        help="Refuse where confidence is below this. Steps of 0.01; what is in force, and what estimators bring with "
        "them, stand between them exactly.",
    )  # fmt: skip
    return chosen


def _threshold_of_url() -> float | None:
    """Return the threshold that a link names, while the slider is not drawn yet; None where it names none.

    The slider knows its values by the digits it shows, and takes others out of the URL. Those of a link are therefore
    written so first; put into the slider's state instead, they would not stand in the URL.
    """
    given = None if "t_confidence" in st.session_state else _number(state.url("t_confidence"))
    if given is None:
        return None
    if state.url("t_confidence") != in_digits(given):
        state.put_url("t_confidence", in_digits(given))
        st.rerun()
    return given


def _number(text: str | None) -> float | None:
    """Return a share that a URL names; None where it names none.

    >>> _number("0.4"), _number("1"), _number("7"), _number("much"), _number(None)
    (0.4, 1.0, None, None, None)
    """
    try:
        found = float(text or "")
    except ValueError:
        return None
    return found if 0 <= found <= 1 else None


def thresholds(exact: list[float]) -> list[float]:
    """Return where the slider can stand: every hundredth, and some numbers exactly; what reads alike stands once.

    >>> steps = thresholds([0.7019, 0.5])
    >>> len(steps), steps[70:73]
    (102, [0.7, 0.7019, 0.71])
    """
    known = {in_digits(value): value for value in [*(number / 100 for number in range(101)), *reversed(exact)]}
    return sorted(known.values())


def step_above(threshold: float) -> float:
    """Return the next hundredth at or above a threshold: stricter keeps what was promised of it.

    >>> step_above(0.7426), step_above(0.74), step_above(0.999)
    (0.75, 0.74, 1.0)
    """
    return min(math.ceil(threshold * 100 - 1e-9) / 100, 1.0)
