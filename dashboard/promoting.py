"""What is in force in production, the way to change it with a note, the history, and the way back."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import components, resources, state, tables, tuning
from dashboard.tuning import TuneSettings
from dashboard.words import estimator, md, several
from rag.errors import CandorError
from rag.stored import Promotion

if TYPE_CHECKING:
    from rag.candor import Candor


def draw_promotion(candor: "Candor", settings: TuneSettings) -> None:
    """Draw what is in force, the way to put the sliders' settings in its place, and the history with its undo."""
    current = resources.get_sessions().promotions.current()
    st.subheader("Production", anchor=False)
    chosen = resources.settings_in_force()
    threshold = "the estimator's own" if chosen.confidence_threshold is None else f"{chosen.confidence_threshold:.2f}"
    st.markdown(
        f"In force: **{estimator(chosen.estimator)}**, confidence threshold **{threshold}**, similarity threshold "
        f"**{chosen.similarity_threshold:.2f}**, **{several(chosen.top_k, 'passage')}**, weight of similarity "
        f"**{chosen.dense_weight:.2f}** "
        + (f"(promotion {current.number})." if current else "(as the environment says).")
    )
    draw_form(
        candor, lambda: _promoted(candor, settings), key="promote", label="Put the sliders' settings into production"
    )  # fmt: skip
    draw_history(candor, key="promotions")


def draw_form(
    candor: "Candor", settings: Callable[[], Mapping[str, object]], *, key: str, label: str, confirm: str = ""
) -> None:
    """Draw the form that puts settings into production, with a note; what else was promoted stays in force.

    Args:
        candor: Whose settings they are to become.
        settings: Names and values; called when somebody sends the form.
        key: Unique on the page.
        label: What the button says.
        confirm: What must be ticked besides; empty: nothing.
    """
    if st.session_state.pop(f"{key}_sent", False):  # what was sent is cleared; what was refused is kept, to be mended
        for part in ("note", "by", "confirm"):
            st.session_state.pop(f"{key}_{part}", None)
    with st.form(key):
        note = st.text_input("Why?", key=f"{key}_note", max_chars=500, placeholder="What speaks for it")
        by = st.text_input("Your name", state.get(state.PERSON, ""), key=f"{key}_by", max_chars=100)
        confirmed = st.checkbox(confirm, key=f"{key}_confirm") if confirm else True
        if not st.form_submit_button(label, icon=":material/publish:"):
            return
        if not (note or "").strip():
            st.error("Say why, in a few words: others will read it in the history.", icon=":material/edit_note:")
            return
        if not (by or "").strip():
            st.error("Give your name: who changes what is in force signs for it.", icon=":material/badge:")
            return
        if not confirmed:
            st.error(f"Nothing was changed. Tick “{confirm}” if that is what you want.", icon=":material/error:")
            return
    promotions = resources.get_sessions().promotions
    current = promotions.current()
    kept = dict(current.settings) if current else {}
    promotions.promote({**kept, **settings()}, note=note or "", by=by or "")
    st.session_state[f"{key}_sent"] = True
    _changed(candor, "In force from now on.")


def draw_history(candor: "Candor", *, key: str) -> None:
    """Draw what was promoted by whom and why, and the way back."""
    promotions = resources.get_sessions().promotions
    history, current = promotions.history(), promotions.current()
    if not history:
        return
    st.markdown("**History**")
    components.table(tables.promotions_table(history), key=f"{key}-history", alt="History of promotions")
    if current is None:
        return
    if st.button(f"Undo promotion {current.number}", icon=":material/undo:", key=f"{key}-undo"):
        confirm_undo(candor, current, key=key)


@st.dialog("Undo this promotion?", icon=":material/undo:")
def confirm_undo(candor: "Candor", promotion: Promotion, *, key: str) -> None:
    """Ask who takes a promotion back, before it is taken back."""
    st.markdown(
        f"Promotion **{promotion.number}** ({md(promotion.note)}) is taken back: what was in force before comes back, "
        "and the history keeps both."
    )
    by = st.text_input("Your name", state.get(state.PERSON, ""), key=f"{key}-undo-by", max_chars=100)
    with st.container(horizontal=True):
        undone = st.button("Undo it", type="primary", icon=":material/undo:", key=f"{key}-undo-confirmed",
                           on_click=_undo, args=(candor, promotion.number, f"{key}-undo-by"))  # fmt: skip
        kept = st.button("Leave it in force", key=f"{key}-undo-refused")
    if undone and not (by or "").strip():
        st.error("Nothing was changed. Give your name: the history shows it.", icon=":material/edit_note:")
    elif undone or kept:
        st.rerun()


def _undo(candor: "Candor", number: int, by_key: str) -> None:
    """Take a promotion back where somebody gave a name; what came of it is told when the page is drawn again."""
    by = str(state.get(by_key) or "").strip()
    if not by:
        return
    promotions = resources.get_sessions().promotions
    try:
        current = promotions.current()
        if current is None or current.number != number:
            state.put(state.TOLD, f"Promotion {number} is not in force any more; nothing was changed.")
            return
        promotions.undo(by=by)
        resources.put_in_force(candor)
        tuning.put_sliders_back(candor)
        state.put(state.TOLD, "Taken back.")
    except CandorError as error:
        state.put(state.TOLD, error)


def _promoted(candor: "Candor", settings: TuneSettings) -> dict[str, object]:
    """Return the settings to promote by name; an estimator as recorded, and a threshold that was not moved, stay."""
    moved = settings.confidence_threshold != tuning.threshold_in_force(candor)
    values: dict[str, object] = {
        **({"confidence_threshold": settings.confidence_threshold} if moved or settings.estimator else {}),
        "similarity_threshold": settings.similarity_threshold,
        "top_k": settings.top_k,
        "dense_weight": settings.dense_weight,
    }
    return {**values, "estimator": settings.estimator} if settings.estimator else values


def _changed(candor: "Candor", told: str) -> None:
    resources.put_in_force(candor)
    state.put(state.TOLD, told)  # a toast before the rerun may be lost with the page it was drawn on
    st.rerun()
