"""Asking the index again for a recorded question: why something was not found, and what other settings would find."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import uuid4

import streamlit as st

from dashboard import components
from dashboard.columns import CHANGES, HITS, MISSING
from dashboard.whynot import changes, find_again, why_not_found
from dashboard.words import ESTIMATOR_HELP, estimator, md, score, several
from rag.events import Found
from rag.models import Answer, Mode, Query

if TYPE_CHECKING:
    from rag.candor import Candor


_ENDS = {
    "answered": "would go on to an answer",
    "unsure": "would be unsure: the closest sentences are shown",
    "refused": "would be refused",
}
"""What the gate's decision leads to."""


def draw_why_not(candor: "Candor", answer: Answer) -> None:
    """Draw where something that was expected stands, and what outranked it."""
    if answer.query.mode is Mode.SELECTED_TEXT_ONLY:
        st.info("The question was asked of a pasted text; the index was not searched.", icon=":material/info:")
        return
    names = [record.document for record in candor.documents()]
    with st.form("why-not", border=False):
        document = st.selectbox("Which document should have been found?", names, index=None, key="why_document",
                                placeholder="Whichever has the passage")  # fmt: skip
        passage = st.text_area("Which passage?", key="why_passage", height=80,
                               placeholder="Paste a sentence; empty: any passage of the document.")  # fmt: skip
        asked = st.form_submit_button("Explain", icon=":material/troubleshoot:", type="primary")
    if not asked:
        return
    if document is None and not (passage or "").strip():
        st.warning("Choose a document, or paste a passage that should have been found.", icon=":material/info:")
        return
    with components.guarded():
        missing = why_not_found(candor, answer, document=document, passage=passage or "")
        st.info(md(missing.verdict), icon=":material/troubleshoot:")
        if not missing.passages.empty:
            st.markdown("**Where its passages stand**")
            components.table(
                missing.passages,
                columns=MISSING,
                key="why-rows",
                alt="Its passages",
            )
        if not missing.before.empty:
            st.markdown("**What ranks before the best of them**")
            components.table(
                missing.before,
                columns=HITS,
                key="why-before",
                alt="What ranks before",
            )


def draw_other_settings(candor: "Candor", answer: Answer) -> None:
    """Draw what the same question finds under other settings, beside what it found."""
    tried = _tried(candor, answer)
    if tried is None:
        st.caption("What would other settings have found? Retrieval and gate run again; no model is asked.")
        return
    gate, decision = answer.gate, tried.decision
    st.markdown(f":material/info: {what_is_known(answer, decision.outcome)}")
    left, right = st.columns(2, border=True)
    with left:
        st.markdown("**As recorded**")
        held = (gate.confidence, gate.threshold, gate.unsure_threshold) if gate else (0.0, None, None)
        st.markdown(_line(answer.outcome, *held))
        st.caption(f"{estimator(gate.estimator if gate else None)}, {several(answer.query.top_k, 'passage')}")
    with right:
        st.markdown("**Under these settings**")
        passed = _ENDS[decision.outcome]
        st.markdown(_line(passed, decision.confidence, decision.threshold, decision.unsure_threshold))
        st.caption(f"{estimator(decision.estimator)}, {several(tried.query.top_k, 'passage')}. {md(decision.reason)}")
    used = answer.retrieved[: answer.query.top_k]
    table = changes(used, tried.retrieval.hits)
    counts = table["change"].value_counts()
    st.markdown(", ".join(f"**{count}** {name}" for name, count in counts.items()) or "Nothing was found in either.")
    components.table(table, columns=CHANGES, key="changes", alt="What came, went and moved")


def what_is_known(answer: Answer, outcome: str) -> str:
    """Return what the record says of the answer that other settings lead to; Markdown.

    Args:
        answer: What was recorded.
        outcome: What the gate says under the other settings.
    """
    if outcome != "answered":
        return "No text is written for this outcome, whoever speaks."
    if answer.draft is None:
        return (
            "What would be written is **not known**: when it was recorded no text was written, and none is written "
            "here. Ask again with these settings to read it."
        )
    who = "model" if answer.generator.is_model else "quotation"
    return f"The text of the recorded {who} is in this record; from other passages another one would be written."


def _line(outcome: str, confidence: float, threshold: float | None, unsure: float | None) -> str:
    line = f"{outcome}: confidence **{score(confidence)}**, answers from **{score(threshold)}**"
    return line if unsure is None else f"{line}, unsure from **{score(unsure)}**"


def _tried(candor: "Candor", answer: Answer) -> Found | None:
    """Draw the settings, and return what they find when they are to be tried."""
    query, gate = answer.query, answer.gate
    names = [*candor.wiring.estimators]
    chosen = gate.estimator if gate and gate.estimator in names else names[0]
    own = candor.wiring.estimators[chosen]
    held = (gate.threshold, gate.unsure_threshold) if gate else (own.threshold, own.unsure_threshold)
    with st.form("again", border=False):
        with st.container(horizontal=True):
            threshold = st.slider("Confidence threshold", 0.0, 1.0, held[0], 0.01, key="again_confidence", width=200,
                                  help="Candor answers from here on.")  # fmt: skip
            unsure = st.slider("Unsure from", 0.0, 1.0, held[1] or 0.0, 0.01, key="again_unsure", width=200,
                               help="Below it Candor refuses. The similarities know no unsure.")  # fmt: skip
            top_k = st.slider("Passages", 1, 20, query.top_k, key="again_top_k", width=200)
            floor = st.slider("Similarity threshold", 0.0, 1.0, query.similarity_threshold, 0.05, key="again_floor",
                              width=200)  # fmt: skip
            weight = st.slider("Weight of similarity", 0.0, 1.0, candor.settings.dense_weight, 0.05, width=200,
                               key="again_weight", help="1: by meaning alone; 0: by words alone.")  # fmt: skip
            name = st.selectbox("Estimator", names, index=names.index(chosen), format_func=estimator, width=200,
                                key="again_estimator", help=ESTIMATOR_HELP)  # fmt: skip
        tried = st.form_submit_button("Compare", icon=":material/compare_arrows:", type="primary")
    if not tried:
        return None
    changed = {"top_k": top_k, "similarity_threshold": floor, "estimator": name}
    if name == chosen or (threshold, unsure) != (held[0], held[1] or 0.0):  # else those of the other estimator
        changed |= {"confidence_threshold": threshold, "unsure_threshold": min(unsure, threshold)}
    with components.guarded():
        return find_again(candor, _under_new_id(query, changed), dense_weight=weight)
    return None


def _under_new_id(query: Query, changed: Mapping[str, object]) -> Query:
    """Return a question with other settings and an id of its own, so that its log lines are not mixed up."""
    fresh = {"query_id": uuid4(), "request_id": "", "timestamp": datetime.now(UTC)}
    return Query.model_validate({**dict(query), **changed, **fresh})
