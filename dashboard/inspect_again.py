"""What was found for a recorded question and not used, why something was not found, and what other settings find."""

from collections.abc import Mapping
from datetime import UTC, datetime
from uuid import uuid4

import pandas as pd
import streamlit as st

from dashboard import components
from dashboard.columns import CHANGES, DROPPED, HITS, MISSING
from dashboard.tables import frame
from dashboard.whynot import changes, find_again, why_not_found
from dashboard.words import ESTIMATOR_HELP, estimator, md, passage, score, several
from rag.candor import Candor
from rag.events import Found
from rag.models import Answer, Chunk, Dropped, Mode, Query, RetrievedChunk
from rag.whatif.said import said, would_say

_ENDS = {"answered": "would go on to an answer", "unsure": "would be unsure: the closest sentences are shown",
         "refused": "would be refused"}  # fmt: skip


@st.fragment
def draw_why_not(candor: Candor, answer: Answer) -> None:
    """Draw where something that was expected stands, and what outranked it."""
    if answer.query.mode is Mode.SELECTED_TEXT_ONLY:
        st.info("The question was asked of a pasted text; the index was not searched.", icon=":material/info:")
        return
    names = [record.document for record in candor.documents()]
    with st.form("why-not", border=False):
        document = st.selectbox("Which document should have been found?", names, index=None, key="why_document",
                                placeholder="Any document with the passage")  # fmt: skip
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
            st.markdown("**Ranks of its passages**")
            components.table(missing.passages, columns=MISSING, key="why-rows", alt="Its passages")
        if not missing.before.empty:
            st.markdown("**Passages ranked before the best of them**")
            components.table(missing.before, columns=HITS, key="why-before", alt="Passages ranked before")


@st.fragment
def draw_other_settings(candor: Candor, answer: Answer) -> None:
    """Draw what the same question finds under other settings, beside what it found."""
    tried = _tried(candor, answer)
    if tried is None:
        st.caption("What would other settings have found? Retrieval and gate run again; no model is asked.")
        return
    gate, decision = answer.gate, tried.decision
    is_answered = decision.outcome == "answered"
    known = ("What would be quoted is shown, not checked again. What a model would write is **not known**: none is "
             "asked here." if is_answered else "No text is written for this outcome.")  # fmt: skip
    st.markdown(f":material/info: {known}")
    left, right = st.columns(2, border=True)
    with left:
        st.markdown("**As recorded**")
        held = (gate.confidence, gate.threshold, gate.unsure_threshold) if gate else (0.0, None, None)
        st.markdown(_line(answer.outcome, *held))
        st.caption(f"{estimator(gate.estimator if gate else None)}, {several(answer.query.top_k, 'passage')}")
        if answer.answer is not None:
            st.markdown(passage(said(answer)))
    with right:
        st.markdown("**Under these settings**")
        held = (decision.confidence, decision.threshold, decision.unsure_threshold)
        st.markdown(_line(_ENDS[decision.outcome], *held))
        st.caption(f"{estimator(decision.estimator)}, {several(tried.query.top_k, 'passage')}. {md(decision.reason)}")
        if is_answered:
            st.markdown(passage(would_say(tried)))
    table = changes(answer.retrieved[: answer.query.top_k], tried.retrieval.hits)
    counts = table["change"].value_counts()
    st.markdown(", ".join(f"**{count}** {name}" for name, count in counts.items()) or "Neither search found a passage.")
    components.table(table, columns=CHANGES, key="changes", alt="Passages added, removed and moved")


def _line(outcome: str, confidence: float, threshold: float | None, unsure: float | None) -> str:
    line = f"{outcome}: confidence **{score(confidence)}**, answers from **{score(threshold)}**"
    return line if unsure is None else f"{line}, unsure from **{score(unsure)}**"


def _tried(candor: Candor, answer: Answer) -> Found | None:
    query, gate = answer.query, answer.gate
    names = [*candor.wiring.estimators]
    chosen = gate.estimator if gate and gate.estimator in names else names[0]
    own = candor.wiring.estimators[chosen]
    held = (gate.threshold, gate.unsure_threshold) if gate else (own.threshold, own.unsure_threshold)
    with st.form("again", border=False):
        with st.container(horizontal=True):
            threshold = st.slider("Confidence threshold", 0.0, 1.0, held[0], 0.01, key="again_confidence", width=200,
                                  help="Candor answers at this confidence or above.")  # fmt: skip
            unsure = st.slider("Unsure from", 0.0, 1.0, held[1] or 0.0, 0.01, key="again_unsure", width=200,
                               help="Below it Candor refuses. The similarity estimators have no unsure.")  # fmt: skip
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
        fresh = {"query_id": uuid4(), "request_id": "", "timestamp": datetime.now(UTC)}  # log lines are not mixed up
        return find_again(candor, Query.model_validate({**dict(query), **changed, **fresh}), dense_weight=weight)
    return None


def draw_dropped(candor: Candor, answer: Answer) -> None:
    """Draw what filters, thresholds, ranks and duplicates kept out, as far as the record holds it."""
    st.markdown("**What was dropped**")
    if told := in_short(answer):
        st.caption(told)
    ids = [one.chunk_id for one in answer.cuts.listed] if answer.cuts else []
    is_of_index = ids and answer.query.mode is not Mode.SELECTED_TEXT_ONLY
    found = candor.wiring.store.fetch(ids) if is_of_index else []
    table = dropped_table(answer, {item.chunk.chunk_id: item.chunk for item in found})
    if not table.empty:
        components.table(table, columns=DROPPED, key="dropped", alt="Passages that were found and not used, and why")


def in_short(answer: Answer) -> str:
    """Return how many passages were kept out, and by what; Markdown of our own."""
    if answer.gate is None:
        return "Nothing was searched."
    cuts, parts = answer.cuts, []
    if answer.gate.removed_by_filters:
        parts.append(f"The filters kept out {several(answer.gate.removed_by_filters, 'passage')} of the index.")
    if cuts is None:
        return " ".join([*parts, "This record is from an earlier version and does not list what retrieval dropped."])
    above = f"{len(answer.retrieved)} {'is' if len(answer.retrieved) == 1 else 'are'} listed above"
    parts.append(f"The two searches found {several(cuts.candidates, 'passage')}; {above}.")
    counts = {"below the similarity threshold": cuts.threshold,
              "that say the same as a better one": cuts.duplicate, "ranked too low": cuts.rank,
              "not looked at, because both searches ranked them low": cuts.unread}  # fmt: skip
    dropped = [f"{count} {words}" for words, count in counts.items() if count]
    parts.append(f"Dropped: {', '.join(dropped)}." if dropped else "None was dropped.")
    if (total := sum(counts.values())) > len(cuts.listed):
        parts.append(f"The record holds the best {len(cuts.listed)} of these {total}.")
    return " ".join(parts)


def dropped_table(answer: Answer, chunks: Mapping[str, Chunk]) -> pd.DataFrame:
    """Return what was found and not used, nearest to being used first; `chunks` is what the index holds now, by id."""
    count, rest = answer.query.top_k, answer.retrieved[answer.query.top_k :]
    first = "the first is" if count == 1 else f"the first {count} are"
    unused = dict.fromkeys(answer.prompt.left_out if answer.prompt else (), "no room in the model's window")
    unused |= {hit.chunk_id: f"rank {hit.rank}: only {first} used" for hit in rest}
    rows = [_row(unused[hit.chunk_id], hit, hit, hit.similarity_score)
            for hit in answer.retrieved if hit.chunk_id in unused]  # fmt: skip
    for one in answer.cuts.listed if answer.cuts else ():
        similarity = None if one.cosine is None else min(max(one.cosine, 0.0), 1.0)
        why = {"threshold": f"similarity below {answer.query.similarity_threshold:.2f}",
               "duplicate": f"says the same as rank {one.same_as}",
               "rank": f"ranked below {len(answer.retrieved)}"}  # fmt: skip
        rows.append(_row(why.get(one.why, "not looked at: ranked low"), one, chunks.get(one.chunk_id), similarity))
    return frame(DROPPED, rows)


def _row(
    why: str, found: RetrievedChunk | Dropped, chunk: Chunk | None, similarity: float | None
) -> tuple[object, ...]:
    """Return one row; without the chunk there is neither its place nor its text."""
    place = (chunk.document, chunk.page, chunk.section) if chunk else ("no longer indexed", None, None)
    text = " ".join(chunk.content.split()) if chunk else ""
    return why, *place, similarity, found.dense_rank, found.bm25_score, found.bm25_rank, text
