"""What is in force in production, the way to change it with a note, the history, and the way back."""

from collections.abc import Mapping, Sequence
from typing import Literal

import pandas as pd
import streamlit as st

from dashboard import components, promises, queries, state, thresholds
from dashboard.columns import HISTORY
from dashboard.thresholds import DecidedBy, TuneSettings
from dashboard.words import bounded, estimator, md, several
from rag.candor import Candor
from rag.evaluation.signing import report_page, to_show
from rag.whatif import history as changing
from rag.whatif.arrays import WhatIf
from rag.workspace.in_force import CHOSEN_FOR, THRESHOLDS
from rag.workspace.values import Promotion

_OWN = "promotion_own"  # session: the number of the promotion that this browser session brought into force last


def draw_promotion(
    candor: Candor, settings: TuneSettings, by: DecidedBy, result: WhatIf | None, *, proven: bool, of_others: int
) -> None:
    """Draw what is in force, and the button to put the sliders' settings in its place.

    `by` decided the questions that they were tried on with this `result`, but for `of_others` of them.
    """
    if candor.set_aside:
        st.warning(md(candor.set_aside), title="Promoted thresholds are set aside", icon=":material/history:")
    moved, reason = _promoted(candor, settings, by), thresholds.hindrance(candor, by, settings.estimator)
    changed = _in_words(candor, moved)
    with st.container(horizontal=True, vertical_alignment="center"):
        kind: Literal["primary", "secondary"] = "primary" if changed else "secondary"
        button = st.popover("Put into production", icon=":material/publish:", type=kind)
        now, unsure, _ = thresholds.in_force(candor)
        whose = " (the estimator's own)" if candor.settings.confidence_threshold is None else ""
        below = "no unsure" if unsure is None else f"unsure from **{changing.in_digits(unsure)}**"
        current = candor.wiring.sessions.promotions.current()
        told = f"Promotion {current.number} is in force" if current else "In force, set by the environment"
        st.markdown(f":small[{told}: **{estimator(candor.settings.estimator)}**, answers from "
                    f"**{changing.in_digits(now)}**{whose}, {below}.]", width="stretch")  # fmt: skip
    with button:
        if reason:
            st.warning(reason, title="These settings cannot be promoted", icon=":material/block:")
            return
        chosen_on = ""
        if result is not None:
            count = len(result.frame)
            name = f"run {by.run} ({several(count, 'question')})" if by.run else several(count, "recorded request")
            name += f" ({of_others} of them decided by another gate)" if of_others else ""
            chosen_on = f"{name}: {promises.in_words(result, settings)}"
        st.markdown(f"Promoting changes: **{md('; '.join(changed))}**. The rest stays as it is." if changed
                    else "The slider is at the settings in force: there is nothing to promote.")  # fmt: skip
        draw_form(candor, moved, key="promote", label="Put it into production", changed=changed,
                  confirm=_confirmation(candor, moved, settings, result, proven=proven),
                  chosen_on=chosen_on)  # fmt: skip


def _confirmation(
    candor: Candor, moved: Mapping[str, object], settings: TuneSettings, result: WhatIf | None, *, proven: bool
) -> str:
    """Warn of settings that may answer more and have no guarantee; return what must be ticked for them, else nothing.

    The calibrated estimator's own threshold keeps what its fit says of it.
    """
    threshold, name = settings.confidence_threshold, moved.get("estimator", candor.settings.estimator)
    is_own = name == "calibrated" and moved.get("confidence_threshold", threshold) is None
    is_lower = "confidence_threshold" in moved and threshold < thresholds.in_force(candor).confidence_threshold
    if proven or is_own or not ("estimator" in moved or is_lower):
        return ""
    digits = changing.in_digits(threshold)
    seen = ": no unanswerable question here has a label. Judge some on **Inspect**, or choose a run above."
    if result is not None and result.false_answers.denominator:
        seen = f"; on these questions false answers are {bounded(result.false_answers)}."
    st.warning(f"No rate of false answers is proven for the threshold {digits}{seen}", icon=":material/data_alert:")
    return f"Put the threshold {digits} in force without a guarantee"


def _promoted(candor: Candor, settings: TuneSettings, by: DecidedBy) -> dict[str, object]:
    """Return the settings to promote by name: those that differ from what is in force, the others stay.

    With the questions of a run that another estimator decided, that estimator goes with its thresholds. A threshold
    that is the estimator's own is promoted as None; any other goes with the gate that it was chosen for.
    """
    name = settings.estimator or by.estimator or candor.settings.estimator
    decides = candor.wiring.estimators[name]
    tried = {"confidence_threshold": settings.confidence_threshold, "unsure_threshold": settings.unsure_threshold}
    own = {"confidence_threshold": decides.threshold, "unsure_threshold": decides.unsure_threshold}
    wanted = {key: None if value == own[key] else value for key, value in tried.items()}
    if name != candor.settings.estimator:  # its thresholds are about it alone
        moved: dict[str, object] = {**wanted, "estimator": name}
    else:
        now = thresholds.in_force(candor)
        moved = {key: wanted[key] for key in tried if tried[key] != getattr(now, key)}
    if any(moved.get(key) is not None for key in THRESHOLDS):
        moved[CHOSEN_FOR] = decides.fingerprint
    return moved


def _in_words(candor: Candor, moved: Mapping[str, object]) -> list[str]:
    before = changing.settings_of(candor.settings)
    after = {**before, **moved}
    for side in (before, after):
        decides = candor.wiring.estimators[side["estimator"]]  # type: ignore[index]
        for name, own in zip(THRESHOLDS, (decides.threshold, decides.unsure_threshold), strict=True):
            if side[name] is None and own is not None:
                side[name] = changing.own(own)
    return changing.changes(before, after)


def draw_form(
    candor: Candor, settings: Mapping[str, object], *, key: str, label: str, confirm: str = "",
    changed: Sequence[str] = (), chosen_on: str = "",
) -> None:  # fmt: skip
    """Draw the form that puts settings into production, with a note; what else was promoted stays in force.

    Nothing is promoted over a promotion that came into force, or was taken back, after the form was drawn: what changed
    is told, and the form can be sent again. `confirm` must be ticked; `changed` and `chosen_on` are for the history.
    """
    promotions = candor.wiring.sessions.promotions
    current = promotions.current()
    before: Promotion | None = state.get(f"{key}_drawn", current)
    state.put(f"{key}_drawn", current)
    meanwhile = _meanwhile(before, current) if _number(before) != _number(current) else ""
    if meanwhile and _number(current) != state.get(_OWN):
        st.warning(meanwhile, icon=":material/sync_problem:")
    if st.session_state.pop(f"{key}_sent", False):  # emptied once it was sent; what was refused is kept, to be mended
        for part, empty in (("note", ""), ("by", state.get(state.PERSON, "")), ("confirm", False)):
            if f"{key}_{part}" in st.session_state:
                st.session_state[f"{key}_{part}"] = empty
    with st.form(key):
        note = st.text_input("Why?", key=f"{key}_note", max_chars=500, placeholder="The reason for the change") or ""
        by = st.text_input("Your name", state.get(state.PERSON, ""), key=f"{key}_by", max_chars=100) or ""
        confirmed = st.checkbox(confirm, key=f"{key}_confirm") if confirm else True
        if not st.form_submit_button(label, icon=":material/publish:"):
            return
        if hindrance := _hindrance(meanwhile, settings, note, by, unticked="" if confirmed else confirm):
            st.error(hindrance[0], icon=hindrance[1])
            return
    kept = candor.promoted(current) if current else {}
    signed = changing.signed(note, changed, chosen_on)
    state.put(_OWN, promotions.promote({**kept, **settings}, note=signed, by=by).number)
    st.session_state[f"{key}_sent"] = True
    candor.put_in_force()
    state.put(state.TOLD, "In force from now on.")  # a toast before the rerun may be lost with the page
    st.rerun()


def _hindrance(
    meanwhile: str, settings: Mapping[str, object], note: str, by: str, *, unticked: str
) -> tuple[str, str] | None:
    checks = (
        (meanwhile, "Nothing was changed. Check what would change now, and send it again if you want it.",
         "sync_problem"),
        (not settings, "Nothing was changed: the slider is at the settings in force. Move it.", "tune"),
        (not note.strip(), "Say why, in a few words: others will read it in the history.", "edit_note"),
        (not by.strip(), "Give your name: the history shows who changed the settings.", "badge"),
        (unticked, f"Nothing was changed. Tick “{unticked}” if that is what you want.", "error"),
    )  # fmt: skip
    return next(((told, f":material/{icon}:") for is_so, told, icon in checks if is_so), None)


def _number(promotion: Promotion | None) -> int:
    return promotion.number if promotion else 0


def _meanwhile(before: Promotion | None, current: Promotion | None) -> str:
    old, new = (one.settings if one else {} for one in (before, current))
    what = "; ".join(changing.changes(old, new)) or "nothing else"
    if current is None or current.number < _number(before):
        return f"Promotion {_number(before)} was undone after this page was loaded: {md(what)}."
    who = f"{current.by}: {changing.why(current)}" if current.by else changing.why(current)
    return f"Promotion {current.number} ({md(who)}) came into force after this page was loaded: {md(what)}."


def draw_report(candor: Candor, run: str = "") -> None:
    """Draw the button for the page to print, with the figures of a run, or of the latest asked as questions are now."""
    runs = queries.runs()
    name = run or to_show(runs, candor)
    history = candor.wiring.sessions.promotions.history()
    components.download("Report to print", lambda: report_page(candor, history, runs.get(name), called=name),
                        "candor-report.html", mime="text/html", icon=":material/print:", key="report",
                        help="One page: the settings in force, how good they are, who changed them and "
                             "why.")  # fmt: skip


def draw_history(candor: Candor, *, key: str) -> None:
    """Draw what was promoted by whom and why, and the way back."""
    promotions = candor.wiring.sessions.promotions
    history, current = promotions.history(), promotions.current()
    if not history:
        return
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.subheader("History", anchor=False)
        if current is not None and st.button(f"Undo promotion {current.number}", icon=":material/undo:",
                                             key=f"{key}-undo"):  # fmt: skip
            confirm_undo(candor, current, key=key)
    table = pd.DataFrame(changing.history_rows(history))
    components.table(table, columns=HISTORY, key=f"{key}-history", alt="History of promotions")


@st.dialog("Undo this promotion?", icon=":material/undo:")
def confirm_undo(candor: Candor, promotion: Promotion, *, key: str) -> None:
    """Ask who takes a promotion back, before it is taken back."""
    st.markdown(
        f"Promotion **{promotion.number}** ({md(changing.why(promotion))}) is undone: the settings before it come "
        "back into force, and the history keeps both."
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


def _undo(candor: Candor, number: int, by_key: str) -> None:
    by, promotions = str(state.get(by_key) or "").strip(), candor.wiring.sessions.promotions
    with components.telling():
        if by and _number(promotions.current()) != number:
            state.put(state.TOLD, f"Promotion {number} is not in force any more; nothing was changed.")
        elif by:
            state.put(_OWN, _number(promotions.undo(by=by)))
            candor.put_in_force()
            thresholds.put_back()
            state.put(state.TOLD, "Undone.")
