"""Values -> the tables that pages draw. Imports no streamlit."""

from collections.abc import Sequence

import pandas as pd

from rag.models import Answer, Chunk, DocumentRecord, RetrievedChunk, Timings

STAGES = ("validate", "embed", "retrieve", "gate", "prompt", "generate", "ground")


def hits_table(answer: Answer) -> pd.DataFrame:
    """Return the retrieved chunks of an answer with every score, best first.

    `used` says whether the answer may rest on the chunk; the others are shown, and used by nothing.
    """
    cited = {citation.chunk_id for citation in answer.citations}
    rows = [
        {**_scores(chunk), "used": _is_used(chunk, position, answer), "cited": chunk.chunk_id in cited}
        for position, chunk in enumerate(answer.retrieved, 1)
    ]
    names = ("rank", "document", "page", "section", "similarity", "bm25", "fused", "dense_rank", "bm25_rank", "text")
    return _whole(pd.DataFrame(rows, columns=["used", "cited", *names]), "page", "dense_rank", "bm25_rank")


def _is_used(chunk: RetrievedChunk, position: int, answer: Answer) -> bool:
    return position <= answer.query.top_k and chunk.similarity_score >= answer.query.similarity_threshold


def _scores(chunk: RetrievedChunk) -> dict[str, object]:  # a row of a table, not data handed on
    return {
        "rank": chunk.rank,
        "document": chunk.document,
        "page": chunk.page,
        "section": chunk.section,
        "similarity": chunk.similarity_score,
        "bm25": chunk.bm25_score,
        "fused": chunk.fused_score,
        "dense_rank": chunk.dense_rank,
        "bm25_rank": chunk.bm25_rank,
        "text": " ".join(chunk.content.split()),
    }


def timings_table(timings: Timings) -> pd.DataFrame:
    """Return the stages that ran, in order: stage, start_ms, ms and share of the total."""
    ran = [(stage, value) for stage in STAGES if (value := _milliseconds(timings, stage)) is not None]
    frame = pd.DataFrame(ran, columns=["stage", "ms"]).astype({"ms": "float64"})
    frame.insert(1, "start_ms", frame["ms"].cumsum() - frame["ms"])
    frame["share"] = frame["ms"] / timings.total if timings.total else 0.0
    return frame


def _milliseconds(timings: Timings, stage: str) -> float | None:
    value: float | None = getattr(timings, "validate_" if stage == "validate" else stage)
    return value


def documents_table(records: Sequence[DocumentRecord]) -> pd.DataFrame:
    """Return what is indexed."""
    names = ("document", "title", "pages", "chunks", "size_kb", "hash", "ingested_at")
    rows = [(r.document, r.title, r.pages, r.chunks, r.size_bytes / 1000, r.hash[:12], r.ingested_at) for r in records]
    return _whole(pd.DataFrame(rows, columns=list(names)), "pages")


def chunks_table(chunks: Sequence[Chunk]) -> pd.DataFrame:
    """Return the chunks of a document."""
    names = ("number", "page", "section", "pieces", "characters", "text")
    rows = [
        (c.chunk_index + 1, c.page, c.section, c.pieces, len(c.content), " ".join(c.content.split())) for c in chunks
    ]
    return _whole(pd.DataFrame(rows, columns=list(names)), "page")


def _whole(frame: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Return a frame whose columns hold whole numbers or nothing."""
    return frame.astype(dict.fromkeys(columns, "Int64"))
