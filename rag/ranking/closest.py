"""What comes closest to a question that is refused: the best sentences of the passages found. Ground floor."""

from collections.abc import Container, Iterator

from rag.grounding.excerpts import EXCERPT_LIMIT, best_excerpt, cut_to_words, edges_of, page_at, parts_between, place_at
from rag.language.headrows import silent_rows
from rag.language.rows import cells
from rag.language.stated import rows_stated
from rag.models import NearMiss, Retrieval, RetrievedChunk
from rag.protocols import Span
from rag.ranking.sentences import ranked_sentences

SHOWN = 3
PASSAGES = 5
"""How many passages are looked through, in the order of retrieval."""


def nearest_misses(
    retrieval: Retrieval, question: str, *, limit: int = SHOWN, language: str = "english"
) -> tuple[NearMiss, ...]:
    """Return what came closest to an answer, best first, each verbatim and where it stands.

    The sentences of all passages are ranked together by meaning and words, so that a passage may be shown twice and
    another not at all; with a sentence stand its neighbours of the same paragraph and page, as many as an excerpt
    holds. Nothing is shown twice, nor what two passages have in the same words.

    Args:
        retrieval: What was found.
        question: The question, as asked.
        limit: How many at most.
        language: Snowball stemmer.
    """
    hits = [*retrieval.hits, *retrieval.rest][:PASSAGES]
    found: list[NearMiss] = []
    covered: list[set[int]] = [set() for _ in hits]
    for place, index in _in_order(hits, question, language):
        if len(found) < limit and index not in covered[place]:
            hit = hits[place]
            first, last = _grown(hit, index, covered[place])
            covered[place].update(range(first, last + 1))
            miss = _near_miss(hit, _span(hit, first, last, question), _stated(hit, index))
            if all((miss.excerpt, miss.stated) != (one.excerpt, one.stated) for one in found):
                found.append(miss)
    return tuple(found)


def _in_order(hits: list[RetrievedChunk], question: str, language: str) -> Iterator[tuple[int, int]]:
    """Yield passages and sentences by place, best first; then passages of which no sentence is known, or says much."""
    silent = [silent_rows(hit) for hit in hits]
    told = set()
    for one in ranked_sentences(question, hits, language):
        if one.index not in silent[one.hit]:
            told.add(one.hit)
            yield one.hit, one.index
    yield from ((place, 0) for place in range(len(hits)) if place not in told)


def _grown(hit: RetrievedChunk, index: int, covered: Container[int]) -> tuple[int, int]:
    """Return the first and the last of the sentences that are shown with one: those next to it, while they fit."""
    first = last = index
    while True:
        if last + 1 not in covered and _fits(hit, first, last + 1):
            last += 1
        elif first - 1 not in covered and _fits(hit, first - 1, last):
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


def _span(hit: RetrievedChunk, first: int, last: int, question: str) -> Span:
    """Return the part of a passage that is shown: on one page and of one section, as long as an excerpt may be.

    Of a sentence that is longer, or goes on on the next page, it is the part that fits the question best; of a row its
    beginning, for what it says is told whole.
    """
    start, end = (hit.sentences[first][0], hit.sentences[last][1]) if hit.sentences else (0, len(hit.content))
    edges = [edge for edge in edges_of(hit) if start < edge < end]
    if not hit.content.startswith("|", start) and (edges or end - start > EXCERPT_LIMIT):
        within = [edge - start for edge in edges]
        shown = best_excerpt(question, hit.content[start:end], question=question, edges=within)
        at = hit.content.find(shown, start, end) if shown else -1
        if at >= 0:
            return at, at + len(shown)
    parts = parts_between(hit.content, (start, end), edges) or [(start, end)]
    return cut_to_words(hit.content, parts[0], EXCERPT_LIMIT)


def _stated(hit: RetrievedChunk, index: int) -> str:
    """Return what a table's row says with the heads of its columns; empty for other text, or without heads."""
    said = rows_stated(hit).get(index, "")
    return "" if said and said == " | ".join(cells(hit.sentence_texts[index])) else said


def _near_miss(hit: RetrievedChunk, span: Span, stated: str) -> NearMiss:
    place = place_at(hit, span[0])
    return NearMiss(
        chunk_id=hit.chunk_id,
        document=hit.document,
        page=page_at(hit, span[0]),
        chapter=place.chapter,
        chapter_title=hit.chapter_title if place.chapter == hit.chapter else None,
        section=place.section,
        similarity_score=hit.similarity_score,
        excerpt=hit.content[span[0] : span[1]],
        stated=stated,
    )
