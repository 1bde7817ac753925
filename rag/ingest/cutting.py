"""Where to cut a text: at the ends of paragraphs, sentences, clauses, words, in this order, into equally long parts."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag.language.text import sentence_spans
from rag.protocols import PieceCounter, Span

AT_PARAGRAPH, AT_SENTENCE, IN_LIST, AFTER_COLON = 0.0, 0.15, 0.4, 0.6
IN_ROW, AT_CLAUSE, AT_WORD, IN_WORD = 1.0, 1.0, 1.5, 2.5
"""What a cut costs, where 1 is the cost of a chunk of twice the target's length."""
TOO_SHORT = 1000.0
_LONGEST_WORD = 50
_SLICE = 25
_BLOCK = 8_000
_WORD = re.compile(r"[^\s。！？；，、]+[。！？；，、]*|[。！？；，、]+")
_CLAUSE_END = re.compile(r"[,;:)\]–—。！？；，、]$")
_BLANK_LINE = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True)
class Unit:
    """A span of text that is not cut: a sentence, a word, or part of a word, whose `pieces` are an upper bound."""

    start: int
    end: int
    pieces: int
    cost: float
    """What a cut before it costs."""
    is_part: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """What a chunk may have, its context not counted, and the length in pieces that it should come near to."""

    min_characters: int
    max_characters: int
    max_pieces: int
    target_pieces: int


def units_of(
    text: str, span: Span, *, breaks: Sequence[int], pieces: PieceCounter, items: Collection[int] = ()
) -> list[Unit]:
    """Return the sentences within `span` as units, with offsets into `text`; they hold all that is not blank.

    Args:
        text: A document's text.
        span: Where to begin and to stop.
        breaks: Offsets where a paragraph, list item or table row begins, ascending; they end a sentence too.
        pieces: The embedding model's tokenizer.
        items: Those of the breaks at which a list goes on.
    """
    start, end = span
    part = text[start:end]
    inner = breaks[bisect_right(breaks, start) : bisect_left(breaks, end)]
    starts = sorted({start, *inner, *(start + sentence[0] for sentence in sentence_spans(part))})
    piece_starts = list(_piece_starts(text, [*starts, end], pieces))
    units: list[Unit] = []
    for a, b in _trimmed(text, pairwise([*starts, end])):
        cost = AT_PARAGRAPH
        if units:
            cost = IN_LIST if a in items else _cost(text, units[-1].end, a, inner)
        units.append(Unit(a, b, bisect_left(piece_starts, b) - bisect_left(piece_starts, a), cost))
    return units


def cut(units: Sequence[Unit], limits: Limits, *, text: str, pieces: PieceCounter) -> list[list[Unit]]:
    """Return the units in groups within the limits, where cuts cost least and lengths differ least from the target.

    A unit over the limits is taken apart first, and so is one that leaves its neighbours too short.
    """
    if not units:
        return []
    small = _taken_apart(units, limits.max_pieces, limits.max_characters, text=text, pieces=pieces)
    groups = _cheapest(small, limits)
    if len(groups) > 1 and any(group[-1].end - group[0].start < limits.min_characters for group in groups):
        small = _taken_apart(units, limits.max_pieces // 2, limits.max_characters // 2, text=text, pieces=pieces)
        groups = _cheapest(small, limits)
    return groups


def words_of(unit: Unit, *, text: str, pieces: PieceCounter) -> Iterator[Unit]:
    """Yield the words of a unit; one longer than any real word in slices, each piece of which may be a character."""
    cost = unit.cost
    for word in _WORD.finditer(text, unit.start, unit.end):
        start, end = word.span()
        if end - start <= _LONGEST_WORD:
            yield Unit(start, end, len(pieces.spans(word[0])), cost)
        else:
            for a in range(start, end, _SLICE):
                b = min(a + _SLICE, end)
                yield Unit(a, b, b - a, cost if a == start else IN_WORD, is_part=True)
        cost = AT_CLAUSE if _CLAUSE_END.search(word[0]) else AT_WORD


def _taken_apart(
    units: Iterable[Unit], max_pieces: int, max_characters: int, *, text: str, pieces: PieceCounter
) -> list[Unit]:
    """Return the units, those over a limit as words."""
    small: list[Unit] = []
    for unit in units:
        fits = unit.pieces <= max_pieces and unit.end - unit.start <= max_characters
        small.extend([unit] if fits else words_of(unit, text=text, pieces=pieces))
    return small


def _cheapest(units: Sequence[Unit], limits: Limits) -> list[list[Unit]]:
    """Return the grouping of least cost: (pieces / target - 1) squared for each group, and what its cut costs.

    Dynamic programming from the left; since groups are short, the time is linear in the number of units.
    """
    starts, pieces, prices = zip(*((unit.start, unit.pieces, unit.cost) for unit in units), strict=True)
    costs, firsts = [0.0], [0]
    for last, unit in enumerate(units):
        best, best_first, taken = float("inf"), last, 0
        for first in range(last, -1, -1):
            taken += pieces[first]
            length = unit.end - starts[first]
            if (taken > limits.max_pieces or length > limits.max_characters) and first < last:
                break
            cost = costs[first] + prices[first] + (taken / limits.target_pieces - 1) ** 2
            if length < limits.min_characters:
                cost += TOO_SHORT
            if cost < best:
                best, best_first = cost, first
        costs.append(best)
        firsts.append(best_first)
    return _groups(units, firsts)


def _piece_starts(text: str, bounds: Sequence[int], pieces: PieceCounter) -> Iterator[int]:
    """Yield where each piece begins; blocks of sentences take half the time of one long text."""
    start = bounds[0]
    for bound in bounds[1:]:
        if bound - start >= _BLOCK or bound == bounds[-1]:
            yield from (start + piece[0] for piece in pieces.spans(text[start:bound]))
            start = bound


def _groups(units: Sequence[Unit], firsts: Sequence[int]) -> list[list[Unit]]:
    """Return the groups, given for each number of units where the last group of the best grouping begins."""
    groups: list[list[Unit]] = []
    end = len(units)
    while end:
        groups.append(list(units[firsts[end] : end]))
        end = firsts[end]
    return groups[::-1]


def _cost(text: str, before: int, start: int, breaks: Sequence[int]) -> float:
    """Return what a cut between two sentences costs, the first of which ends at `before`."""
    is_paragraph = bisect_right(breaks, start) > bisect_left(breaks, before) or _BLANK_LINE.search(text, before, start)
    if text.endswith(":", 0, before):
        return AFTER_COLON
    if is_paragraph:
        return AT_PARAGRAPH
    line = text[text.rfind("\n", 0, start) + 1 : before]
    return IN_ROW if "|" in line else AT_SENTENCE


def _trimmed(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Yield the spans without white space at their ends; blank ones are left out."""
    for start, end in spans:
        part = text[start:end]
        if part and not part.isspace():
            yield start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())
