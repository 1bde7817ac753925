"""Where to cut a text: at the ends of paragraphs, sentences, clauses, words, in this order, into equally long parts."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag.protocols import PieceCounter, Span
from rag.text.words import sentence_spans

MIN_CHARACTERS, MAX_CHARACTERS = 50, 2000  # the characters of a chunk, its context not counted
# What a cut costs, where 1 is the cost of a chunk of twice the target's length.
AT_PARAGRAPH, AT_SENTENCE, IN_LIST, AFTER_COLON = 0.0, 0.15, 0.4, 0.6
IN_ROW, AT_CLAUSE, AT_WORD, IN_WORD = 1.0, 1.0, 1.5, 2.5
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
    cost: float  # what a cut before it costs
    is_part: bool = False


def units_of(
    text: str, span: Span, *, breaks: Sequence[int], pieces: PieceCounter, items: Collection[int]
) -> list[Unit]:
    """Return the sentences within `span` as units, with offsets into `text`; they hold all that is not blank.

    `breaks` are the offsets where a paragraph, list item or table row begins, ascending; they end a sentence too. A
    list goes on at `items`.
    """
    start, end = span
    inner = breaks[bisect_right(breaks, start) : bisect_left(breaks, end)]
    bounds = [*sorted({start, *inner, *(start + sentence[0] for sentence in sentence_spans(text[start:end]))}), end]
    piece_starts, block = list[int](), start
    for bound in bounds[1:]:
        if bound - block >= _BLOCK or bound == end:  # blocks of sentences take half the time of one long text
            piece_starts += (block + piece[0] for piece in pieces.spans(text[block:bound]))
            block = bound
    units: list[Unit] = []
    for a, b in pairwise(bounds):
        if sentence := text[a:b].strip():
            a = text.index(sentence, a)
            b = a + len(sentence)
            cost = AT_PARAGRAPH
            if units:
                cost = IN_LIST if a in items else _cost(text, units[-1].end, a, inner)
            units.append(Unit(a, b, bisect_left(piece_starts, b) - bisect_left(piece_starts, a), cost))
    return units


def cut(
    units: Sequence[Unit], max_pieces: int, target_pieces: int, *, text: str, pieces: PieceCounter
) -> list[list[Unit]]:
    """Return the units in groups within the limits, where cuts cost least and lengths differ least from the target.

    A unit over the limits is taken apart first, and so is one that leaves its neighbours too short.
    """
    groups: list[list[Unit]] = []
    for share in (1, 2):
        small: list[Unit] = []
        for unit in units:
            fits = unit.pieces <= max_pieces // share and unit.end - unit.start <= MAX_CHARACTERS // share
            small.extend([unit] if fits else words_of(unit, text=text, pieces=pieces))
        groups = _cheapest(small, max_pieces, target_pieces)
        if len(groups) < 2 or all(group[-1].end - group[0].start >= MIN_CHARACTERS for group in groups):
            break
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


def _cheapest(units: Sequence[Unit], max_pieces: int, target_pieces: int) -> list[list[Unit]]:
    """Return the grouping of least cost: (pieces / target - 1) squared for each, and what its cut costs; O(units)."""
    costs, firsts = [0.0], [0]
    for last, unit in enumerate(units):
        best, best_first, taken = float("inf"), last, 0
        for first in range(last, -1, -1):
            begin = units[first]
            taken += begin.pieces
            length = unit.end - begin.start
            if (taken > max_pieces or length > MAX_CHARACTERS) and first < last:
                break
            cost = costs[first] + begin.cost + (taken / target_pieces - 1) ** 2
            if length < MIN_CHARACTERS:
                cost += TOO_SHORT
            if cost < best:
                best, best_first = cost, first
        costs.append(best)
        firsts.append(best_first)
    groups: list[list[Unit]] = []
    end = len(units)
    while end:
        groups.append(list(units[firsts[end] : end]))
        end = firsts[end]
    return groups[::-1]


def _cost(text: str, before: int, start: int, breaks: Sequence[int]) -> float:
    """Return what a cut between two sentences costs, the first of which ends at `before`."""
    if text.endswith(":", 0, before):
        return AFTER_COLON
    if bisect_right(breaks, start) > bisect_left(breaks, before) or _BLANK_LINE.search(text, before, start):
        return AT_PARAGRAPH
    line = text[text.rfind("\n", 0, start) + 1 : before]
    return IN_ROW if "|" in line else AT_SENTENCE
