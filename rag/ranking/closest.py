"""What comes closest to a question that is not answered: the best sentence of each good passage. Ground floor."""

from typing import Any

from rag.models import NearMiss, Retrieval, RetrievedChunk
from rag.protocols import Span
from rag.text.excerpts import EXCERPT_LIMIT, cut_to_words, edges_of, page_at, parts_between, place_at, printed_at
from rag.text.rows import blocks_of, cells, silent_rows, statements_of

SHOWN = 3


def nearest_misses(retrieval: Retrieval, *, limit: int = SHOWN) -> tuple[NearMiss, ...]:
    """Return what came closest to an answer, a passage each, in the order of the passages, verbatim.

    Around the sentence that the reader marks most stand its neighbours of the same paragraph and page, as many as an
    excerpt holds; where nothing was read, the passage's most similar window begins the excerpt.
    """
    found: list[NearMiss] = []
    for hit in (*retrieval.hits, *retrieval.rest):
        if len(found) == limit:
            break
        miss = _near_miss(hit, best_sentence(hit))
        if all(miss.excerpt != one.excerpt for one in found):
            found.append(miss)
    return tuple(found)


def best_sentence(hit: RetrievedChunk) -> int:
    """Return the number, from 0, of the sentence that answers most likely: in the best window, the one marked most."""
    start, end = hit.best_window
    silent = silent_rows(hit) | {n for n, block in enumerate(blocks_of(hit)) if block.kind == "heading"}
    within = [n for n, (first, _) in enumerate(hit.sentences) if start <= first < end and n not in silent]
    if not within:
        return 0
    return max(within, key=lambda n: (hit.marks[n] if hit.marks else 0.0, -n))


def standing_at(hit: RetrievedChunk, offset: int) -> dict[str, Any]:
    """Return page, number printed on it, chapter and its title, and section of a character, by these names."""
    place = place_at(hit, offset)
    return {
        "page": page_at(hit, offset),
        "printed": printed_at(hit, offset),
        "chapter": place.chapter,
        "chapter_title": hit.chapter_title if place.chapter == hit.chapter else None,
        "section": place.section,
    }


def _near_miss(hit: RetrievedChunk, index: int) -> NearMiss:
    start, end = _span(hit, index)
    own_start, own_end = hit.sentences[index] if hit.sentences else (start, end)
    return NearMiss(
        chunk_id=hit.chunk_id,
        document=hit.document,
        **standing_at(hit, start),
        similarity_score=hit.similarity_score,
        excerpt=hit.content[start:end],
        start=start,
        sentence=hit.content[max(own_start, start) : min(own_end, end)],
        reading=hit.reading,
        stated=_stated(hit, index),
    )


def _span(hit: RetrievedChunk, index: int) -> Span:
    """Return the part of a passage that is shown: on one page and of one section, as long as an excerpt may be."""
    if not hit.sentences:
        return cut_to_words(hit.content, (0, len(hit.content)), EXCERPT_LIMIT)
    first, last = _grown(hit, index)
    span = hit.sentences[first][0], hit.sentences[last][1]
    parts = parts_between(hit.content, span, edges_of(hit)) or [span]
    return cut_to_words(hit.content, max(parts, key=lambda part: part[1] - part[0]), EXCERPT_LIMIT)


def _grown(hit: RetrievedChunk, index: int) -> tuple[int, int]:
    first = last = index
    while True:
        if _fits(hit, first, last + 1):
            last += 1
        elif _fits(hit, first - 1, last):
            first -= 1
        else:
            return first, last


def _fits(hit: RetrievedChunk, first: int, last: int) -> bool:
    """Return whether there are these sentences, in one paragraph, on one page, no longer than an excerpt may be."""
    if first < 0 or last >= len(hit.sentences):
        return False
    (start, above), (below, end) = hit.sentences[first], hit.sentences[last]
    is_apart = "\n" in hit.content[above:below] or any(start < edge < end for edge in edges_of(hit))
    return end - start <= EXCERPT_LIMIT and not is_apart


def _stated(hit: RetrievedChunk, index: int) -> str:
    blocks = blocks_of(hit)
    said = statements_of(hit)[index] if index < len(blocks) and blocks[index].kind == "row" else ""
    return "" if said and said == " | ".join(cells(hit.sentence_texts[index])) else said
