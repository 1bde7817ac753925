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
_SLIDERS = {"t_confidence": "threshold", "t_similarity": "similarity", "t_top_k": "top_k", "t_weight": "weight"}


@dataclass(frozen=True, slots=True)
class Start:
    """What is in force, and where the sliders begin by it."""

    promotion: int | None
    """Its number; None: no promotion is in force."""
    gate: str
    """Fingerprint of the gate that a threshold is about while the estimator is as recorded."""
    threshold: float
    similarity: float
    top_k: int
    weight: float


def begin(candor: "Candor", by: DecidedBy) -> Start:
    """Return where the sliders begin, and let those that nobody moved stand there; before they are drawn.

    The threshold is moved also where somebody had moved it, if other questions were decided by another gate: it was
    about that of the questions before.
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
        if back or (before is not None and state.get(key) == getattr(before, field) and _follows(key, name)):
            _put(key, getattr(start, field))
    if before is not None and before.gate != start.gate and name == AS_RECORDED:
        _put("t_confidence", start.threshold)
    state.put(_START, start)
    return start


def _follows(key: str, name: str) -> bool:
    """Return whether a slider is about what is in force: the threshold is not, where another estimator is tried."""
    return key != "t_confidence" or name in (AS_RECORDED, resources.settings_in_force().estimator)


def _put(key: str, value: object) -> None:
    """Move a slider that is on the page; one that is not begins where it should by itself."""
    if key in st.session_state and st.session_state[key] != value:
        state.put(key, value)


def _start(candor: "Candor", by: DecidedBy, promotion: int | None) -> Start:
    chosen, threshold = resources.settings_in_force(), threshold_in_force(candor)
    if not decided.is_in_force(candor, by):
        threshold = _of_the_run(candor, by, threshold)
    gate = by.gate or by.run or candor.wiring.estimators[chosen.estimator].fingerprint
    return Start(promotion, gate, threshold, chosen.similarity_threshold, chosen.top_k, chosen.dense_weight)


def _of_the_run(candor: "Candor", by: DecidedBy, otherwise: float) -> float:
    """Return what the questions of a run were held against; where that was not one number, its estimator's own."""
    if by.threshold is not None:
        return by.threshold
    return candor.wiring.estimators[by.estimator].threshold if by.estimator else otherwise


def _promotion() -> int | None:
    current = resources.get_sessions().promotions.current()
    return current.number if current else None


def threshold_in_force(candor: "Candor") -> float:
    """Return the confidence threshold that questions are asked with, exactly."""
    chosen = resources.settings_in_force()
    own = candor.wiring.estimators[chosen.estimator].threshold
    return own if chosen.confidence_threshold is None else chosen.confidence_threshold


def take_threshold(candor: "Candor") -> None:
    """Move the slider to the threshold of the estimator that was chosen: that of another means nothing for it."""
    name = state.get("t_estimator")
    start: Start | None = state.get(_START)
    if name == AS_RECORDED and start is not None:
        state.put("t_confidence", start.threshold)
    elif name in (AS_RECORDED, resources.settings_in_force().estimator):
        state.put("t_confidence", threshold_in_force(candor))
    else:
        state.put("t_confidence", candor.wiring.estimators[name].threshold)


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
