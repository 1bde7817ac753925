"""What to know of passages found outside the chapter that a question prefers. Ground floor."""

from collections.abc import Sequence

from rag.models import Mode, Query, RetrievedChunk


def outside_chapter(query: Query, hits: Sequence[RetrievedChunk]) -> tuple[str, ...]:
    """Return a note where the best passage is not of the chapter asked for; nothing in other modes."""
    if query.mode is not Mode.CHAPTER_AWARE or not hits or hits[0].preferred:
        return ()
    best = hits[0]
    where = best.document if best.chapter is None else f"chapter {best.chapter} of {best.document}"
    return (f"The best passage is outside chapter {query.filters.chapter}, in {where}.",)
