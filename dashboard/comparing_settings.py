"""Settings of Tune side by side: their effect, the questions that end otherwise, and both outcomes of one of them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from dashboard import components, queries, resources, sources, state, tables
from dashboard.changing import in_digits
from dashboard.comparing import LISTED, Side, choose_change, choose_question, draw_sides
from dashboard.decided import RECORDED
from dashboard.evaluation_columns import CHANGED_BY_SETTINGS
from dashboard.sources import Cited
from dashboard.starting import AS_RECORDED
from dashboard.tuning import TuneSettings, try_out
from dashboard.words import estimator
from rag.evaluation.lines import LineSentence
from rag.models import AnswerSentence
from rag.whatif.arrays import WhatIf, recorded_threshold, what_if
from rag.whatif.cases import Cases
from rag.whatif.changes import changes_between

if TYPE_CHECKING:
    from rag.candor import Candor


def draw_comparison(candor: "Candor", cases: Cases, result: WhatIf, settings: TuneSettings) -> None:
    """Draw the effect beside what was recorded and beside settings that were kept."""
    st.subheader("Side by side", anchor=False)
    if st.button("Keep these settings to compare", icon=":material/bookmark:"):
        state.put("tune_kept", settings)
    kept: TuneSettings | None = state.get("tune_kept")
    columns = {"as recorded": _as_recorded(cases)}
    before = try_out(cases, kept) if kept is not None else None
    if kept is not None and before is not None:
        columns[f"kept ({in_short(kept, settings)})"] = before
    columns[f"now ({in_short(settings, kept or settings)})"] = result
    st.table(tables.comparison_table(columns), border="horizontal", alt="Settings side by side")
    if before is not None:
        _draw_changes(candor, changes_between(before, result))


def in_short(one: TuneSettings, other: TuneSettings) -> str:
    """Return a threshold and, of the other settings, those that differ from another's.

    >>> in_short(TuneSettings(0.5, 0.2, None), TuneSettings(0.5, 0.3, None))
    '0.50, unsure from 0.20'
    """
    unsure = "no unsure" if one.unsure_threshold is None else f"unsure from {in_digits(one.unsure_threshold)}"
    told = {
        "unsure_threshold": unsure,
        "estimator": estimator(one.estimator).lower() if one.estimator else AS_RECORDED,
    }
    differ = [text for name, text in told.items() if getattr(one, name) != getattr(other, name)]
    return ", ".join([in_digits(one.confidence_threshold), *differ])


def _sides(candor: "Candor", row: dict[str, Any]) -> tuple[Side, Side]:
    """Return both outcomes of a question, with the recorded answer where one would be given."""
    name, run = str(row["request_id"]), st.session_state.get(state.RUN, RECORDED)
    if run == RECORDED:
        answer = queries.answer(candor, name)
        shown: Sequence[AnswerSentence | LineSentence] = answer.sentences if answer else ()
        cited, link = sources.cited_by(answer) if answer else Cited(name), {state.REQUEST: name}
    else:
        line = next((one for one in queries.run_lines(resources.runs_folder(), run) if one.qid == name), None)
        shown, link = (line.sentences if line else ()), {state.OF_RUN: run, state.QID: name}
        cited = Cited(name, line.citations, line.retrieved) if line else Cited(name)
    return _side("Kept", row, "before", shown, cited), _side("Now", row, "after", shown, cited, link)


def _side(
    title: str,
    row: dict[str, Any],
    of: str,
    shown: Sequence[AnswerSentence | LineSentence],
    cited: Cited,
    link: dict[str, str] | None = None,
) -> Side:
    confidence, threshold = row[f"confidence_{of}"], row[f"threshold_{of}"]
    relation = f"confidence **{confidence:.3f}**, threshold **{threshold:.3f}**"
    if row[of] != "answered":
        return Side(title, f"{str(row[of]).capitalize()}: {relation}", link=link)
    note = (
        "The answer as it was recorded."
        if shown
        else "It was not answered when it was recorded: what would have been written is not held. Ask it again to see."
    )
    return Side(title, f"Answered: {relation}", shown, replace(cited, name=title.lower()), note, link)


def _as_recorded(cases: Cases) -> WhatIf:
    """Return how the questions ended; lines of a run do not hold the threshold that decided, so it is inferred."""
    threshold = None if any(cases.estimators) else recorded_threshold(cases)
    return what_if(cases, confidence_threshold=threshold)


def _draw_changes(candor: "Candor", changes: pd.DataFrame) -> None:
    """Draw the questions that end otherwise under the second of two settings, and both outcomes of one of them.

    Args:
        candor: Where the answers and their sources are.
        changes: As `rag.whatif.changes.changes_between` gives them.
    """
    st.markdown(f"**Questions that end otherwise now than with the settings kept: {len(changes)}**")
    if changes.empty:
        st.caption("Both settings end every question alike.")
        return
    found = changes["change"].value_counts()
    kinds = {name: int(found[name]) for name in ("regressed", "improved", "flipped") if name in found}
    chosen = choose_change(kinds, key="settings-kind")
    listed = changes[changes["change"] == chosen] if chosen else changes
    shown = listed.head(LISTED)
    table = shown.assign(answerable=shown["answerable"].map({1.0: "yes", 0.0: "no"}))
    components.table(table, columns=CHANGED_BY_SETTINGS, key="settings-changed", alt="Questions that end otherwise")
    rows: dict[str, Any] = {str(row["request_id"]): row for row in shown.to_dict("records")}
    picked = choose_question({name: str(row["question"]) for name, row in rows.items()}, key="settings-qid")
    if picked is not None:
        draw_sides(candor, *_sides(candor, rows[picked]))
