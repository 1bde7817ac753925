"""The sliders of both thresholds on the page Tune: where they can stand, and what a link sets them to."""

import math
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import starting, state
from dashboard.changing import in_digits
from dashboard.starting import Start
from dashboard.state import URL

if TYPE_CHECKING:
    from rag.candor import Candor


def draw_thresholds(candor: "Candor", start: Start, *, knows_unsure: bool) -> tuple[float, float | None]:
    """Draw the sliders of both thresholds: their steps are hundredths, and the exact thresholds that may be meant.

    Args:
        candor: What is in force.
        start: Where they begin.
        knows_unsure: Whether what decides knows unsure; else the second slider is locked.

    Returns:
        From which confidence on is answered, and from which on it is unsure, never above the first; None: there is no
        unsure.
    """
    exact = [one.threshold for one in candor.wiring.estimators.values()] + [starting.threshold_in_force(candor)]
    confidence = _slider(
        "Confidence threshold", "t_confidence", start.threshold, exact,
        help="Answer from this confidence on. Steps of 0.01; what is in force, and what estimators bring with them, "
        "stand between them exactly.",
    )  # fmt: skip
    exact = [one.unsure_threshold for one in candor.wiring.estimators.values() if one.unsure_threshold is not None]
    exact += [one for one in (starting.unsure_in_force(candor),) if one is not None]
    unsure = _slider(
        "Unsure threshold", "t_unsure", start.unsure or 0.0, exact, most=confidence, locked=not knows_unsure,
        help="From here up to the confidence threshold the closest sentences are shown and nothing is claimed; below "
        "it Candor refuses. Never above the confidence threshold. The similarities know no unsure.",
    )  # fmt: skip
    return confidence, unsure if knows_unsure else None


def _slider(
    label: str, key: str, begins: float, exact: list[float], *, help: str, most: float = 1.0, locked: bool = False
) -> float:
    """Draw a slider of a threshold and return where it stands; one above `most` is moved there."""
    named = _threshold_of_url(key)
    if key in st.session_state and st.session_state[key] > most:
        st.session_state[key] = most
    elif named is not None and named > most:
        state.put_url(key, in_digits(most))
        st.rerun()
    begins = min(begins, most)
    steps = thresholds([begins, most, state.get(key, begins if named is None else named), *exact])
    chosen: float = st.select_slider(
        label, [*steps], begins, key=key, bind=URL, format_func=in_digits, help=help, disabled=locked
    )
    return chosen


def _threshold_of_url(key: str) -> float | None:
    """Return the threshold that a link names, while the slider is not drawn yet; None where it names none.

    The slider knows its values by the digits it shows, and takes others out of the URL. Those of a link are therefore
    written so first; put into the slider's state instead, they would not stand in the URL.
    """
    given = None if key in st.session_state else _number(state.url(key))
    if given is None:
        return None
    if state.url(key) != in_digits(given):
        state.put_url(key, in_digits(given))
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
    """Return where a slider can stand: every hundredth, and some numbers exactly; what reads alike stands once.

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
