"""What is in force in production, the way to change it with a note, the history, and the way back."""

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import components, resources, tables
from dashboard.tuning import TuneSettings
from dashboard.words import estimator

if TYPE_CHECKING:
    from rag.candor import Candor


def draw_promotion(candor: "Candor", settings: TuneSettings) -> None:
    """Draw what is in force, the way to change it with a note, and the history with its undo."""
    promotions = resources.get_sessions().promotions
    st.subheader("Production", anchor=False)
    chosen, current = resources.settings_in_force(), promotions.current()
    threshold = "the estimator's own" if chosen.confidence_threshold is None else f"{chosen.confidence_threshold:.2f}"
    st.markdown(
        f"In force: **{estimator(chosen.estimator)}**, confidence threshold **{threshold}**, similarity threshold "
        f"**{chosen.similarity_threshold:.2f}**, **{chosen.top_k}** passages, weight of similarity "
        f"**{chosen.dense_weight:.2f}** "
        + (f"(promotion {current.number})." if current else "(as the environment says).")
    )
    with st.form("promote", clear_on_submit=True):
        note = st.text_input("Why?", key="promote_note", max_chars=500, placeholder="What speaks for these settings")
        by = st.text_input("Your name", key="promote_by", max_chars=100)
        if st.form_submit_button("Put the sliders' settings into production", icon=":material/publish:"):
            if not (note or "").strip():
                st.error("Say why, in a few words: others will read it in the history.", icon=":material/edit_note:")
            else:
                promotions.promote(_promoted(settings), note=note or "", by=by or "")
                _changed(candor, "In force from now on.")
    history = promotions.history()
    if history:
        components.table(
            tables.promotions_table(history),
            key="promotions",
            alt="History of promotions",
        )
        if current is not None and st.button(f"Undo promotion {current.number}", icon=":material/undo:"):
            promotions.undo(by="")
            _changed(candor, "Taken back.")


def _promoted(settings: TuneSettings) -> dict[str, object]:
    """Return the settings to promote by name; an estimator as recorded stays what it is."""
    values: dict[str, object] = {
        "confidence_threshold": settings.confidence_threshold,
        "similarity_threshold": settings.similarity_threshold,
        "top_k": settings.top_k,
        "dense_weight": settings.dense_weight,
    }
    return {**values, "estimator": settings.estimator} if settings.estimator else values


def _changed(candor: "Candor", told: str) -> None:
    resources.put_in_force(candor)
    st.toast(told, icon=":material/check_circle:")
    st.rerun()
