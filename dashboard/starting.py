"""Where Tune's sliders begin, and how they follow what others put into force while the page is open."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import changing, decided, resources, state
from dashboard.decided import DecidedBy
from dashboard.words import estimator, md

if TYPE_CHECKING:
    from rag.candor import Candor

AS_RECORDED = "as recorded"
"""The estimator of each question, as it was."""
_START = "tune_start"
_BACK = "tune_back"
_SLIDERS = {"t_confidence": "threshold", "t_unsure": "unsure"}


@dataclass(frozen=True, slots=True)
class Start:
    """What is in force, and where the sliders begin by it."""

    promotion: int | None
    """Its number; None: no promotion is in force."""
    gate: str
    """Fingerprint of the gate that the thresholds are about while the estimator is as recorded."""
    threshold: float
    unsure: float | None
    """None: what decides knows no unsure."""


def begin(candor: "Candor", by: DecidedBy) -> Start:
    """Return where the sliders begin, and let those that nobody moved stand there; before they are drawn.

    They are moved also where somebody had moved them, if other questions were decided by another gate: they were about
    that of the questions before.
    """
    before: Start | None = state.get(_START)
    resources.follow_promotions(candor)
    promotion = _promotion()
    start = _start(candor, by, promotion)
    back = state.get(_BACK)
    state.put(_BACK, False)
    name = AS_RECORDED if back else state.get("t_estimator", AS_RECORDED)
    _put("t_estimator", name)
    for key, field in _SLIDERS.items():
        is_new = before is not None and before.gate != start.gate and name == AS_RECORDED
        if back or is_new or (before is not None and state.get(key) == getattr(before, field) and _follows(name)):
            _put(key, getattr(start, field))
    state.put(_START, start)
    return start


def _follows(name: str) -> bool:
    """Return whether the sliders are about what is in force: they are not, where another estimator is tried."""
    return name in (AS_RECORDED, resources.settings_in_force().estimator)


def _put(key: str, value: object) -> None:
    """Move a slider that is on the page; one that is not, or has no value, begins where it should by itself."""
    if value is not None and key in st.session_state and st.session_state[key] != value:
        state.put(key, value)


def _start(candor: "Candor", by: DecidedBy, promotion: int | None) -> Start:
    chosen, threshold, unsure = resources.settings_in_force(), threshold_in_force(candor), unsure_in_force(candor)
    gate = by.gate or by.run or candor.wiring.estimators[chosen.estimator].fingerprint
    if not decided.is_in_force(candor, by):  # what they were held against, else what their estimator brings with it
        own = candor.wiring.estimators[by.estimator or chosen.estimator]
        threshold = by.threshold if by.threshold is not None else own.threshold if by.estimator else threshold
        unsure = by.unsure if by.unsure is not None else own.unsure_threshold
    return Start(promotion, gate, threshold, None if unsure is None else min(unsure, threshold))


def _promotion() -> int | None:
    current = resources.get_sessions().promotions.current()
    return current.number if current else None


def threshold_in_force(candor: "Candor") -> float:
    """Return from which confidence on questions are answered, exactly."""
    chosen = resources.settings_in_force()
    own = candor.wiring.estimators[chosen.estimator].threshold
    return own if chosen.confidence_threshold is None else chosen.confidence_threshold


def unsure_in_force(candor: "Candor") -> float | None:
    """Return from which confidence on questions are unsure, exactly; None where what decides knows no unsure."""
    chosen = resources.settings_in_force()
    own = candor.wiring.estimators[chosen.estimator].unsure_threshold
    if own is None:
        return None
    return min(own if chosen.unsure_threshold is None else chosen.unsure_threshold, threshold_in_force(candor))


def take_thresholds(candor: "Candor") -> None:
    """Move the sliders to the thresholds of the estimator that was chosen: those of another mean nothing for it."""
    name = state.get("t_estimator")
    start: Start | None = state.get(_START)
    if name == AS_RECORDED and start is not None:
        threshold, unsure = start.threshold, start.unsure
    elif name in (AS_RECORDED, resources.settings_in_force().estimator):
        threshold, unsure = threshold_in_force(candor), unsure_in_force(candor)
    else:
        threshold, unsure = candor.wiring.estimators[name].threshold, candor.wiring.estimators[name].unsure_threshold
    state.put("t_confidence", threshold)
    _put("t_unsure", unsure)


def put_back() -> None:
    """Let the sliders stand at what is in force as soon as they are drawn again."""
    state.put(_BACK, True)


def draw_difference(candor: "Candor", by: DecidedBy) -> None:
    """Say where the questions were decided by another gate than the one in force; after the sliders."""
    start: Start | None = state.get(_START)
    if start is None or decided.is_in_force(candor, by):
        return
    name = resources.settings_in_force().estimator
    fit, now = candor.wiring.estimators[name].fingerprint, changing.in_digits(threshold_in_force(candor))
    held = "thresholds of their own" if by.threshold is None else f"threshold {changing.in_digits(by.threshold)}"
    st.info(
        f"These questions were decided by **{estimator(by.estimator)}** ({md(by.gate or 'fit not known')}), {held}; in "
        f"force is **{estimator(name)}** ({md(fit)}), threshold {now}. The slider begins at "
        f"{changing.in_digits(start.threshold)} and is about what decided them, unless another estimator is chosen.",
        icon=":material/difference:",
    )
