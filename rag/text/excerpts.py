"""Which part of a long sentence is shown as its evidence: verbatim, short, on one page, of one section. Ground floor.

A sentence may run over more characters than an excerpt holds, or over the end of a page. Then the excerpt is the part
that says what the checked sentence says.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from rag.models import Chunk, SectionStart
from rag.protocols import Span
from rag.text.words import sentence_spans, stems

_NUMBER = re.compile(r"\d[\d.,:]*(?<=\d)")
EXCERPT_LIMIT = 200  # the longest excerpt, in characters


def best_excerpt(text: str, evidence: str, *, edges: Sequence[int] = (), silent: Sequence[Span] = ()) -> str:
    """Return the verbatim part of the evidence, at most 200 characters, that supports a sentence best.

    It is the sentence of the evidence that shares most words and numbers with `text`; of one that is too long or
    crosses an edge, the part that does.

    Args:
        text: The sentence to be supported.
        evidence: The text that carries it.
        edges: Offsets within the evidence that no excerpt may cross: where pages and sections begin.
        silent: Spans of the evidence that say nothing by themselves: the heads of tables.
    """
    said = _said(text)
    spans = sentence_spans(evidence)
    if not spans:
        return ""
    says = [not any(a <= start < b for a, b in silent) for start, _ in spans]
    shares = [tells * len(said & _said(evidence[start:end])) for tells, (start, end) in zip(says, spans, strict=True)]
    sentence = max(zip(shares, spans, strict=True), key=lambda pair: (pair[0], pair[1][0] - pair[1][1]))[1]
    parts = sorted(parts_between(evidence, sentence, edges), key=lambda part: part[0] - part[1])
    windows = [[evidence[start:end] for start, end in _windows(evidence, part)] for part in parts]
    if len(windows) == len(windows[0]) == 1:
        return windows[0][0]
    scores = [[len(said & _said(one)) for one in part] for part in windows]
    best = max(map(max, scores))
    part, found = next(pair for pair in zip(windows, scores, strict=True) if best in pair[1])
    return part[_chosen([score == best for score in found])]


def shared(text: str, other: str) -> int:
    """Return how many different words and numbers two texts share.

    >>> shared("The limit is 15 ppm.", "A limit of 15 minutes.")
    2
    """
    return len(_said(text) & _said(other))


def edges_of(chunk: Chunk) -> list[int]:
    """Return the offsets within a chunk where a page or another section begins, ascending."""
    return sorted({*(offset for _, offset in chunk.page_starts), *(one.offset for one in chunk.section_starts)})


def page_at(chunk: Chunk, offset: int) -> int | None:
    """Return the page on which a character of the chunk stands."""
    page = chunk.page
    for number, start in chunk.page_starts:
        if start <= offset:
            page = number
    return page


def printed_at(chunk: Chunk, offset: int) -> str | None:
    """Return the number printed on the page on which a character of the chunk stands, where it is another."""
    return dict(chunk.printed_pages).get(page_at(chunk, offset) or 0)


def place_at(chunk: Chunk, offset: int) -> Chunk | SectionStart:
    """Return what knows chapter and section of a character: the chunk, or the one of its sections that holds it."""
    starts = [one for one in chunk.section_starts if one.offset <= offset]
    return starts[-1] if starts else chunk


def parts_between(text: str, span: Span, edges: Sequence[int]) -> list[Span]:
    """Return the parts of a span between the edges, without white space at their ends; blank ones are left out.

    >>> parts_between("one two", (0, 7), [4])
    [(0, 3), (4, 7)]
    """
    bounds = [span[0], *(edge for edge in edges if span[0] < edge < span[1]), span[1]]
    found = []
    for start, end in pairwise(bounds):
        part = text[start:end]
        if part.strip():
            found.append((start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())))
    return found


def cut_to_words(text: str, span: Span, limit: int) -> Span:
    """Return the longest beginning of a span that has at most `limit` characters and ends at a word's end.

    >>> cut_to_words("one two three", (0, 13), 9)
    (0, 7)
    """
    start, end = span
    if end - start <= limit:
        return span
    space = max(text.rfind(" ", start + 1, start + limit + 1), text.rfind("\n", start + 1, start + limit + 1))
    end = space if space > start else start + limit
    return start, start + len(text[start:end].rstrip())


def _windows(text: str, part: Span) -> Iterator[Span]:
    """Yield the parts of a span that begin at a word and are as long as an excerpt may be, up to the one at its end."""
    start, end = part
    for begin in [start, *(space.end() for space in re.compile(r"\s+").finditer(text, start, end))]:
        window = cut_to_words(text, (begin, end), EXCERPT_LIMIT)
        yield window
        if window[1] >= end:
            break


def _chosen(is_best: Sequence[bool]) -> int:
    """Return which of a part's best windows to take: its first, else its last, else the one amid the best."""
    best = [index for index, value in enumerate(is_best) if value]
    return next((end for end in (0, len(is_best) - 1) if is_best[end]), best[len(best) // 2])


def _said(text: str) -> set[str]:
    return set(stems(text)) | set(_NUMBER.findall(text))
