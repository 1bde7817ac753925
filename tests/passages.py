"""Retrieved passages made by hand, for tests of the stages that read them."""

from rag.language.text import sentence_spans
from rag.models import RetrievedChunk


def hit(
    text: str,
    *,
    rank: int = 1,
    similarity: float = 0.5,
    section: str | None = None,
    page: int | None = None,
    document: str = "manual.pdf",
    cosines: tuple[float, ...] = (),
) -> RetrievedChunk:
    """Return a passage as retrieval would: sentences cut, ranks and scores given."""
    return RetrievedChunk(
        chunk_id=f"chunk-{rank}",
        document=document,
        document_hash="0" * 64,
        content=text,
        context=f"Safety manual\n{section}" if section else "Safety manual",
        chunk_index=rank - 1,
        start=0,
        end=len(text),
        page=page,
        section=section,
        section_path=(section,) if section else (),
        sentences=tuple(sentence_spans(text)),
        rank=rank,
        similarity_score=similarity,
        cosine=similarity,
        sentence_scores=cosines,
    )
