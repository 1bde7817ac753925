"""Which part of a long sentence is shown as its evidence: verbatim, short, on one page, of one section. Ground floor.

A sentence may run over more characters than an excerpt holds, or over the end of a page. Then the excerpt is the part
that says what the checked sentence says; where that is the very sentence, quoted, the part that answers the question.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from rag.grounding.claims import numbers_in
from rag.language.asked import understand
from rag.language.lexical import question_stems, sentence_stems
from rag.language.quantities import quantities
from rag.language.rows import statements, without_marks
from rag.language.text import sentence_spans, words
from rag.language.units import units_named
from rag.models import Chunk, SectionStart
from rag.protocols import Span

EXCERPT_LIMIT = 200
"""The longest excerpt, in characters."""


def best_excerpt(text: str, evidence: str, *, question: str = "", edges: Sequence[int] = ()) -> str:
    """Return the verbatim part of the evidence, at most 200 characters, that supports a sentence best.

    It is the sentence of the evidence that shares most words and numbers with `text`, a table's row read with the heads
    of its columns, and the heads themselves as nothing; of one that is too long or crosses an edge, the part that does,
    and among equals the one that has what the question asks for.

    Args:
        text: The sentence to be supported.
        evidence: The text that carries it; heads of tables may be marked in it (`rag.language.rows`).
        question: The question, as asked; empty where there is none.
        edges: Offsets within the evidence that no excerpt may cross: where pages and sections begin.
    """
    said = _said(text)
    spans = sentence_spans(evidence)
    if not spans:
        return ""
    shares = [len(said & _said(one)) for one in statements([evidence[start:end] for start, end in spans])]
    evidence = without_marks(evidence)
    sentence = max(zip(shares, spans, strict=True), key=lambda pair: (pair[0], pair[1][0] - pair[1][1]))[1]
    parts = sorted(parts_between(evidence, sentence, edges), key=lambda part: part[0] - part[1])
    windows = [[evidence[start:end] for start, end in _windows(evidence, part)] for part in parts]
    if len(windows) == len(windows[0]) == 1:
        return windows[0][0]
    is_quoted = _said(evidence[sentence[0] : sentence[1]]) <= said
    answers = _fit(question)
    scores = [[(0 if is_quoted else len(said & _said(one)), *answers(one)) for one in part] for part in windows]
    best = max(map(max, scores))
    part, found = next(pair for pair in zip(windows, scores, strict=True) if best in pair[1])
    return part[_chosen([score == best for score in found])]


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
    """Return which of a part's best windows to take: its first, else its last, else the one amid the best.

    There the words that count have text on both sides, in which more of what belongs to them stands.
    """
    best = [index for index, value in enumerate(is_best) if value]
    return next((end for end in (0, len(is_best) - 1) if is_best[end]), best[len(best) // 2])


def _said(text: str) -> set[str]:
    return set(sentence_stems(text)) | set(numbers_in(text))


def _fit(question: str) -> Callable[[str], tuple[bool, float, int, list[bool]]]:
    """Return how well a text answers a question, for comparing: the largest fits best.

    First counts whether it has the unit asked for, then the kind of thing, then how many of the question's words it
    has; among equals the one that has the first of them, for circumstances are mostly named last.
    """
    asked, stems = understand(question), tuple(dict.fromkeys(question_stems(question, language="english")))
    units = units_named(tuple(words(question)))

    def fit(text: str) -> tuple[bool, float, int, list[bool]]:
        has_unit = bool(units) and any(units & set(found.unit.split("/")) for found in quantities(text))
        has_words = [stem in sentence_stems(text) for stem in stems]
        return has_unit, asked.fit(text), sum(has_words), has_words

    return fit
