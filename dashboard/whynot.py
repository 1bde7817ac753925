"""Why was this not found, and what would other settings have found? The index is asked again, and no model."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from dashboard.columns import CHANGES, HITS, MISSING, some
from dashboard.queries import chunks, scope
from dashboard.tables import frame, scores
from rag.candor import Candor
from rag.embed import embed_question
from rag.events import Found
from rag.models import Answer, Chunk, Filters, Mode, Query, RetrievedChunk
from rag.protocols import Scored
from rag.record import Unrecorded
from rag.text.bm25 import encode_query
from rag.text.counted import several
from rag.text.words import sentence_spans, words

SHOWN = 10  # how many passages of what was expected are explained
_DEPTH = 20
_TELLING = 30  # letters from which a sentence stands for the passage that it was taken from
_MOST = 20_000
_LAST = _MOST + 1


class Missing(NamedTuple):
    """Where what was expected stands in each ranking, and what stands before it."""

    verdict: str  # one plain sentence
    passages: pd.DataFrame  # the best of the expected passages; the columns are those of `MISSING`
    before: pd.DataFrame  # what was ranked before the best of them; the columns are among those of `HITS`


def why_not_found(candor: Candor, answer: Answer, *, document: str | None = None, passage: str = "") -> Missing:
    """Return where a document, or a passage of it, stands in the rankings of a question, and what became of it.

    Without a document it is whichever has the passage; without a passage it is any chunk of the document.
    """
    names = [record.document for record in candor.documents()] if document is None else [document]
    expected = [chunk for name in names for chunk in chunks(candor, name) if _holds(chunk, passage)]
    if not expected:
        where = "any document" if document is None else "this document"
        return Missing(f"No indexed chunk of {where} contains the passage.", _rows([]), _hits([]))
    ranked, standing = _rankings(candor, answer.query)
    rows = sorted(
        (standing(chunk) for chunk in expected),
        key=lambda one: (one.shown.rank if one.shown else _LAST, one.dense[0] if one.dense else _LAST),
    )
    verdict = _verdict(candor, answer, rows[0])
    best = rows[0].shown.rank if rows[0].shown else _DEPTH + 1
    return Missing(verdict, _rows(rows[:SHOWN]), _hits([hit for hit in ranked if hit.rank < best]))


class _Standing(NamedTuple):
    """Where a chunk stands: rank and score by similarity and by words, and as it would be shown; None where not."""

    chunk: Chunk
    dense: tuple[int, float] | None
    worded: tuple[int, float] | None
    shown: RetrievedChunk | None


def _rankings(candor: Candor, query: Query) -> tuple[list[RetrievedChunk], Callable[[Chunk], _Standing]]:
    """Return what a question finds when no threshold drops anything, and what tells where any chunk stands."""
    store = candor.wiring.store
    found = find_again(candor, query.model_copy(update={"top_k": _DEPTH, "similarity_threshold": 0.0})).retrieval
    ranked = [*found.hits, *found.rest]
    limit = min(candor.wiring.catalogue.chunk_count(), _MOST)

    def by_id(hits: Sequence[Scored]) -> dict[str, tuple[int, float]]:
        return {hit.chunk_id: (rank, hit.score) for rank, hit in enumerate(hits, start=1)}

    vector = embed_question(query, embedder=candor.wiring.embedder)
    sparse = encode_query(query.question, language=candor.pipeline.rules.language)
    both = store.search_hybrid(vector, sparse, limit=limit, scope=scope(candor, Filters()))
    (dense, worded), shown = map(by_id, both), {hit.chunk_id: hit for hit in ranked}
    return ranked, lambda chunk: _Standing(
        chunk, dense.get(chunk.chunk_id), worded.get(chunk.chunk_id), shown.get(chunk.chunk_id)
    )


def _holds(chunk: Chunk, passage: str) -> bool:
    """Whether a chunk holds a text or a sentence of it, or stands inside it."""
    text, wanted = _signs(chunk.content), _signs(passage)
    if not wanted or wanted in text or text in wanted:
        return True
    sentences = (_signs(passage[start:end]) for start, end in sentence_spans(passage))
    return any(len(sentence) >= _TELLING and sentence in text for sentence in sentences)


def _signs(text: str) -> str:
    """Return a text's words with single spaces: as a table is drawn and as it is stored, it then reads alike."""
    return " ".join(words(text))


def _verdict(candor: Candor, answer: Answer, best: _Standing) -> str:
    query, dense, worded, shown = answer.query, best.dense, best.worded, best.shown
    used = [hit.chunk_id for hit in answer.retrieved[: query.top_k]]
    if best.chunk.chunk_id in used:
        return _used(answer, best.chunk, used.index(best.chunk.chunk_id))
    if excluded := _excluded_by(candor, query, best.chunk):
        return f"The filter on the {excluded} excludes it."
    similarity = max(dense[1], 0.0) if dense else None  # as retrieval counts it
    if similarity is not None and similarity < query.similarity_threshold:
        return f"Its similarity {similarity:.2f} is below the similarity threshold {query.similarity_threshold:.2f}."
    if shown is not None and shown.rank <= query.top_k:
        rank = f"rank {shown.rank} of {several(query.top_k, 'passage')} used"
        return f"It is found now: {rank}. When the question was asked it was not: the index has changed since."
    if shown is not None:
        first = "the first passage is" if query.top_k == 1 else f"the first {query.top_k} passages are"
        moved = f" (rank {shown.retrieval_rank} before reading)" if shown.retrieval_rank != shown.rank else ""
        return f"It is found at rank {shown.rank}{moved}; only {first} used. More passages would help."
    by_words = f"rank {worded[0]} by words" if worded else "none of the question's words occurs in it"
    by_meaning = f"rank {dense[0]} by similarity" if dense else "no rank by similarity"
    candidates = candor.pipeline.rules.candidates
    reached = (dense and dense[0] <= candidates) or (worded and worded[0] <= candidates)
    before = "others rank before it, or a nearly identical passage replaces it"
    why = before if reached else f"neither reaches the first {candidates} candidates"
    return f"It is not among the first {_DEPTH}: {by_meaning}, {by_words}; {why}."


def _used(answer: Answer, chunk: Chunk, place: int) -> str:
    hit, count = answer.retrieved[place], several(answer.query.top_k, "passage")
    read = "" if hit.reading is None else f", reading {hit.reading:.2f}"
    found = f"It was found: rank {place + 1} of {count} used{read}."
    if answer.answer is not None:
        cited = any(one.chunk_id == chunk.chunk_id for one in answer.citations)
        return f"{found} The answer {'cites it' if cited else 'cites other passages'}."
    if answer.gate is None or (answer.refusal is not None and answer.refusal.stage == "grounding"):
        return f"{found} The check withheld the text that was written from the passages."
    return f"{found} The gate did not accept it: {answer.gate.reason}"


def _excluded_by(candor: Candor, query: Query, chunk: Chunk) -> str | None:
    """Return which filter keeps a chunk out, as the index itself applies it; None: it matches them all."""
    filters = query.filters
    if not filters.holds(chunk.document):
        return "collection" if filters.collection else "document"
    walls = {name: getattr(filters, name) for name in ("chapter", "section", "module", "page")}
    if query.mode is Mode.CHAPTER_AWARE:
        del walls["chapter"]  # a preference
    for name, value in walls.items():
        if value is None:
            continue
        within = scope(candor, Filters.model_validate({"source": chunk.document, name: value}))
        if all(one.chunk_id != chunk.chunk_id for one in candor.wiring.store.scroll(within)):
            return name
    return None


def _rows(rows: Sequence[_Standing]) -> pd.DataFrame:
    values = []
    for one in rows:
        shown = (one.shown.rank, one.shown.retrieval_rank, one.shown.reading) if one.shown else (None, None, None)
        (by_similarity, cosine), (by_words, bm25) = one.dense or (None, np.nan), one.worded or (None, 0.0)
        text = " ".join(one.chunk.content.split())
        values.append((*shown, by_similarity, by_words, one.chunk.section, cosine, bm25, one.chunk.page, text))
    return frame(MISSING, values)


def _hits(hits: Sequence[RetrievedChunk]) -> pd.DataFrame:
    names = ("rank", "retrieval_rank", "document", "page", "section", "similarity", "bm25", "reading", "text")
    rows = map(scores, hits)
    return frame(some(HITS, *names), [[row[name] for name in names] for row in rows])


def find_again(candor: Candor, query: Query, *, dense_weight: float | None = None) -> Found:
    """Return what a question finds under other settings, and what the gate says of it; neither is recorded.

    `query` has an id of its own; `dense_weight` of similarity against BM25 is 0..1; None: as configured.
    """
    pipeline = replace(candor.pipeline, recorder=Unrecorded(candor.settings.data_dir))
    if dense_weight is not None:
        pipeline = replace(pipeline, rules=replace(pipeline.rules, dense_weight=dense_weight))
    return pipeline.retrieve(query)


def changes(before: Sequence[RetrievedChunk], after: Sequence[RetrievedChunk]) -> pd.DataFrame:
    """Return what came, what went and what moved between two rankings, by rank after, then by rank before."""
    old, new = ({hit.chunk_id: hit.rank for hit in hits} for hits in (before, after))
    rows = []
    for hit in [*after, *(hit for hit in before if hit.chunk_id not in new)]:
        was, now = old.get(hit.chunk_id), new.get(hit.chunk_id)
        if was is None or now is None:
            named = "came" if was is None else "went"
        else:
            named = "same" if was == now else "moved up" if now < was else "moved down"
        text = " ".join(hit.content.split())
        rows.append((named, was, now, hit.document, hit.page, hit.section, hit.similarity_score, text))
    return frame(CHANGES, rows)
