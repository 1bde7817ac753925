"""Retrieved passages made by hand, for tests of the stages that read them."""

from collections.abc import Sequence
from itertools import accumulate, pairwise

from rag.language.text import sentence_spans
from rag.models import RetrievedChunk
from rag.reader.windows import windows_of


def hit(
    text: str,
    *,
    rank: int = 1,
    similarity: float = 0.5,
    section: str | None = None,
    page: int | None = None,
    document: str = "manual.pdf",
    cut: Sequence[int] = (),
    cosines: Sequence[float] = (),
    readings: Sequence[float | None] = (),
    marks: Sequence[float] = (),
    fused: float = 0.0,
) -> RetrievedChunk:
    """Return a passage as retrieval or reading would: sentences and windows cut, ranks and scores given.

    Args:
        text: Its content.
        rank: Its rank, and that which retrieval gave it.
        similarity: Cosine of its best window, where `cosines` are not given.
        section: Number and title of its section.
        page: Its page.
        document: Its document.
        cut: How many sentences each of its windows has; none: as they are cut at ingestion.
        cosines: Cosine of each window.
        readings: What the reader says of each window.
        marks: What it says of each sentence.
        fused: What retrieval ranks it by.
    """
    sentences = tuple(sentence_spans(text))
    bounds = [0, *accumulate(cut)]
    windows = [(sentences[first][0], sentences[last - 1][1]) for first, last in pairwise(bounds)]
    windows = windows or list(windows_of(text, sentences))
    cosines = tuple(cosines) or (similarity,) * len(windows)
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
        sentences=sentences,
        windows=tuple(windows),
        rank=rank,
        retrieval_rank=rank,
        similarity_score=max(max(cosines), 0.0),
        cosine=max(cosines),
        fused_score=fused,
        window_cosines=cosines,
        window_readings=tuple(readings),
        marks=tuple(marks),
    )
