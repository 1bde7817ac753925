"""Retrieved passages made by hand, for tests of the stages that read them."""

from collections.abc import Sequence
from itertools import accumulate, pairwise

from rag.ingest.loaders.blocks import Block, Placed, spans_of
from rag.ingest.loaders.lists import settled
from rag.models import BlockKind, RetrievedChunk
from rag.reader.windows import windows_of
from rag.text.rows import cells
from rag.text.stated import MARK
from rag.text.words import sentence_spans


def hit(
    text: str, *, rank: int = 1, similarity: float = 0.5, section: str | None = None, page: int | None = None,
    document: str = "manual.pdf", cut: Sequence[int] = (), cosines: Sequence[float] = (),
    readings: Sequence[float | None] = (), marks: Sequence[float] = (), fused: float = 0.0,
) -> RetrievedChunk:  # fmt: skip
    """Return a passage as retrieval or reading would; its lines are rows, items or paragraphs, as they look.

    `cut` says how many sentences each window has, else they are cut as at ingestion; `cosines` and `readings` are of
    windows, `marks` of sentences, and `fused` is what retrieval ranks by.
    """
    sentences = tuple(sentence_spans(text))
    bounds = [0, *accumulate(cut)]
    windows = [(sentences[first][0], sentences[last - 1][1]) for first, last in pairwise(bounds)]
    windows = windows or list(windows_of(text, sentences))
    blocks, columns = spans_of(placed(text))
    cosines = tuple(cosines) or (similarity,) * len(windows)
    return RetrievedChunk(
        chunk_id=f"chunk-{rank}", document=document, document_hash="0" * 64, content=text, chunk_index=rank - 1,
        context=f"Safety manual\n{section}" if section else "Safety manual", start=0, end=len(text), page=page,
        section=section, section_path=(section,) if section else (), sentences=sentences, windows=tuple(windows),
        blocks=blocks, columns=columns, rank=rank, retrieval_rank=rank, similarity_score=max(max(cosines), 0.0),
        cosine=max(cosines), fused_score=fused, window_cosines=cosines, window_readings=tuple(readings),
        marks=tuple(marks),
    )  # fmt: skip


def placed(text: str) -> list[Placed]:
    """Return the lines of a text as blocks; lines of a paragraph are one."""
    found: list[Placed] = []
    offset = 0
    for line in text.split("\n"):
        kind: BlockKind = "row" if cells(line) else "item" if MARK.match(line) else "paragraph"
        last = found[-1] if found else None
        if last and kind == last.block.kind == "paragraph" and offset == last.start + len(last.block.text) + 1 and line:
            found[-1] = Placed(Block("paragraph", f"{last.block.text}\n{line}"), last.start)
        elif line.strip():
            found.append(Placed(Block(kind, line, begins=not last or last.block.kind != kind), offset))
        offset += len(line) + 1
    blocks = settled([one.block for one in found])
    return [Placed(block, one.start) for block, one in zip(blocks, found, strict=True)]
