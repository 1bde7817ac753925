"""What was found for a question and not used, and why: for the page Inspect."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dashboard import components
from dashboard.columns import DROPPED
from dashboard.words import several
from rag.models import Answer, Chunk, Cuts, Dropped, Mode, RetrievedChunk

if TYPE_CHECKING:
    from rag.candor import Candor


def draw_dropped(candor: "Candor", answer: Answer) -> None:
    """Draw what filters, thresholds, ranks and duplicates kept out, as far as the record holds it."""
    st.markdown("**What was dropped**")
    if said := in_short(answer):
        st.caption(said)
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
    parts = []
    if answer.gate.removed_by_filters:
        parts.append(f"The filters kept out {several(answer.gate.removed_by_filters, 'passage')} of the index.")
    if answer.cuts is None:
        return " ".join([*parts, "This record is of an earlier version: it does not hold what retrieval dropped."])
    above = f"{len(answer.retrieved)} {'stands' if len(answer.retrieved) == 1 else 'stand'} above"
    parts.append(f"The two searches brought {several(answer.cuts.candidates, 'passage')}; {above}.")
    dropped = [f"{count} {words}" for words, count in _counts(answer.cuts).items() if count]
    parts.append(f"Dropped: {', '.join(dropped)}." if dropped else "None was dropped.")
    total = sum(_counts(answer.cuts).values())
    if total > len(answer.cuts.listed):
        parts.append(f"The record holds the best {len(answer.cuts.listed)} of these {total}.")
    return " ".join(parts)


def _counts(cuts: Cuts) -> dict[str, int]:
    return {
        "below the similarity threshold": cuts.threshold,
        "that say the same as a better one": cuts.duplicate,
        "ranked too low": cuts.rank,
        "not looked at, because both searches ranked them low": cuts.unread,
    }


def dropped_table(answer: Answer, chunks: Mapping[str, Chunk]) -> pd.DataFrame:
    """Return what was found and not used, nearest to being used first.

    Args:
        answer: The recorded answer.
        chunks: What the index holds now of the candidates, by id; of a document that was replaced it holds nothing.

    Returns:
        Columns why, document, page, section, similarity, dense_rank, bm25, bm25_rank and text.
    """
    unused = _unused(answer)
    rows = [
        _row(unused[hit.chunk_id], hit, hit, hit.similarity_score) for hit in answer.retrieved if hit.chunk_id in unused
    ]
    for one in answer.cuts.listed if answer.cuts else ():
        similarity = None if one.cosine is None else min(max(one.cosine, 0.0), 1.0)
        rows.append(_row(_why(one, answer), one, chunks.get(one.chunk_id), similarity))
    names = ["why", "document", "page", "section", "similarity", "dense_rank", "bm25", "bm25_rank", "text"]
    whole = dict.fromkeys(("page", "dense_rank", "bm25_rank"), "Int64")
    return pd.DataFrame(rows, columns=names).astype({**whole, "similarity": float})


def _row(
    why: str, found: RetrievedChunk | Dropped, chunk: Chunk | None, similarity: float | None
) -> tuple[object, ...]:
    """Return one row; without the chunk there is neither its place nor its text."""
    place = (chunk.document, chunk.page, chunk.section) if chunk else ("no longer indexed", None, None)
    text = " ".join(chunk.content.split()) if chunk else ""
    return why, *place, similarity, found.dense_rank, found.bm25_score, found.bm25_rank, text


def _unused(answer: Answer) -> dict[str, str]:
    """Return why each retrieved passage that could not be used was not, by id."""
    count = answer.query.top_k
    rest = answer.retrieved[count:]
    first = "the first is" if count == 1 else f"the first {count} are"
    left_out = answer.prompt.left_out if answer.prompt else ()
    return {
        **dict.fromkeys(left_out, "no room in the model's window"),
        **{hit.chunk_id: f"rank {hit.rank}: only {first} used" for hit in rest},
    }


def _why(one: Dropped, answer: Answer) -> str:
    if one.why == "threshold":
        return f"similarity below {answer.query.similarity_threshold:.2f}"
    if one.why == "duplicate":
        return f"says the same as rank {one.same_as}"
    return f"ranked below {len(answer.retrieved)}" if one.why == "rank" else "not looked at: ranked low"
