"""A document cut into chunks that the embedding model reads whole, each within one section.

A text is cut at the ends of paragraphs, sentences, clauses, words, in this order, into equally long parts.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from operator import attrgetter, itemgetter
from typing import TypeVar
from uuid import UUID, uuid5

from rag.errors import ConfigurationError
from rag.ingest.stretches import CONTEXT_PIECES, MIN_CHARACTERS, Stretch, context_of, stretches
from rag.models import BlockSpan, Chunk, Document
from rag.protocols import PieceCounter, Span
from rag.reader.windows import windows_of
from rag.text.stated import announces
from rag.text.words import sentence_spans

MAX_CHARACTERS = 2000  # of a chunk, its context not counted
HEAD_PIECES = 48  # the most word pieces that the heads of a table's columns take, where a chunk begins within the table
SPECIAL_PIECES = 2  # the pieces that the model puts before and after every text
MAX_LEAD = 200  # the most characters of a sentence that announces a list
_NAMESPACE = UUID("6f0f3c55-6a53-5c0e-9d1c-2f6f3f0b7a11")
_Placed = TypeVar("_Placed")
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


def chunk(document: Document, *, pieces: PieceCounter, max_pieces: int = 256, target_pieces: int = 176) -> list[Chunk]:
    """Return the chunks of a document, in order; they do not overlap, and with the headings they hold all text.

    Each has 50 to 2000 characters (a shorter document, or numbered chapter, is one chunk) and, with its context, at
    most `max_pieces` word pieces. None crosses the heading of a numbered chapter, and that of a section only where one
    is too short to stand alone (`rag.ingest.stretches`); the chunk then knows where each begins. Cuts fall between
    paragraphs rather than sentences, between sentences rather than clauses, and so that the chunks of a section are
    about equally long. A chunk that begins within a table has the heads of its columns in its context.

    Args:
        document: What a loader returned.
        pieces: The embedding model's tokenizer.
        max_pieces: The most that the model reads, its 2 special pieces included; 128 or more.
        target_pieces: What chunks should come near to, context included; 64 to `max_pieces`.

    Raises:
        ConfigurationError: A limit is out of range.
    """
    if not 64 <= target_pieces <= max_pieces >= 128:
        raise ConfigurationError(
            f"Chunks of {target_pieces!r} of at most {max_pieces!r} word pieces cannot be cut: "
            f"choose 64 <= target_pieces <= max_pieces, and max_pieces >= 128."
        )
    cutter = _Cutter(document, pieces, max_pieces, target_pieces)
    spans = [(stretch, span, count) for stretch in stretches(document) for span, count in cutter.spans(stretch)]
    return [cutter.chunk(index, *found) for index, found in enumerate(spans)]


class _Cutter:
    def __init__(self, document: Document, pieces: PieceCounter, max_pieces: int, target_pieces: int) -> None:
        self.document, self.pieces = document, pieces
        self.max_pieces, self.target_pieces = max_pieces, target_pieces
        self.block_starts = [block.start for block in document.blocks]
        listed = pairwise(document.blocks)
        self.items = frozenset(block.start for above, block in listed if above.list == block.list is not None)
        begun = ((above, block) for above, block in pairwise(document.blocks) if above.list != block.list is not None)
        self.leads = {block.list: lead for above, block in begun if (lead := _lead(document.text, above))}
        self.sentences: list[Span] = []
        budget = min(CONTEXT_PIECES, max_pieces // 4)
        self.context = cache(partial(context_of, document, pieces=pieces, budget=budget))

    def spans(self, stretch: Stretch) -> Iterator[tuple[Span, int]]:
        """Yield start and end of each chunk of a stretch, and its pieces; none is over the limits."""
        span = (stretch.start, stretch.end)
        units = units_of(self.document.text, span, breaks=self.block_starts, pieces=self.pieces, items=self.items)
        self.sentences.extend((unit.start, unit.end) for unit in units)
        taken = max(self.count(self.context(section)) for section in stretch.sections)
        room = self.max_pieces - taken
        yield from self.fitting(units, room, max(self.target_pieces - taken, room // 2), stretch)

    def fitting(self, units: Sequence[Unit], room: int, target: int, stretch: Stretch) -> Iterator[tuple[Span, int]]:
        """Yield spans of units; those near the limit or cut inside a word are counted again as the model reads them."""
        text, pieces = self.document.text, self.pieces
        for group in cut(units, room, target, text=text, pieces=pieces):
            span = group[0].start, group[-1].end
            count = self.pieces_of(stretch, span, group)
            if count <= self.max_pieces or room < 2:
                yield span, count
            else:
                words = [word for unit in group for word in words_of(unit, text=text, pieces=pieces)]
                yield from self.fitting(words, room * 3 // 4, target, stretch)

    def chunk(self, index: int, stretch: Stretch, span: Span, pieces: int) -> Chunk:
        """Return the chunk that stands at `span`."""
        document, (start, end) = self.document, span
        section, place = stretch.section_of(*span), stretch.chapter_of(*span)
        pages = _touching(document.pages, span, attrgetter("start"))
        inside = _touching(self.sentences, span, itemgetter(0))
        sentences = tuple((max(a, start) - start, min(b, end) - start) for a, b in inside)  # those it cuts are cut
        content, (blocks, columns) = document.text[start:end], self.blocks_of(span)
        lead = self.leads.get(blocks[0].list, "") if blocks and start in self.items else ""
        context = self.context(section)
        untold = "" if lead in context else lead
        before, pieces = self.before(blocks[0], columns, untold, pieces) if blocks else ("", pieces)
        return Chunk(
            chunk_id=str(uuid5(_NAMESPACE, f"{document.name}\n{document.hash}\n{index}")),
            document=document.name,
            document_hash=document.hash,
            content=content,
            context="\n".join(line for line in (context, before) if line),
            chunk_index=index,
            start=start,
            end=end,
            page=pages[0].number if pages else None,
            last_page=pages[-1].number if pages else None,
            page_starts=tuple((page.number, page.start - start) for page in pages if page.start > start),
            printed_pages=tuple((page.number, page.label) for page in pages if page.label),
            chapter=place.chapter,
            chapter_title=place.chapter_title,
            section=section.section,
            section_number=section.section_number,
            section_path=section.path,
            section_starts=stretch.starts_within(*span),
            pieces=pieces,
            sentences=sentences,
            windows=windows_of(content, sentences),
            blocks=blocks,
            columns=columns,
            list_lead=lead,
            metadata=document.metadata,
        )

    def before(self, first: BlockSpan, columns: Sequence[tuple[str, ...]], lead: str, pieces: int) -> tuple[str, int]:
        """Return what names the table or list within which a chunk begins, and the chunk's pieces with it.

        That is the heads of the table as a row, as many as the model has room for, or the line that announces the list.
        The text itself is not changed, nor where it is cut.
        """
        room = min(HEAD_PIECES, self.max_pieces - pieces)
        heads = () if first.table is None or first.start else columns[first.table]
        rows = (f"| {' | '.join(heads[:count])} |" for count in range(len(heads), 0, -1))
        for line in (*rows, *filter(None, (lead,))):
            taken = len(self.pieces.spans(line))
            if taken <= room:
                return line, pieces + taken
        return "", pieces

    def blocks_of(self, span: Span) -> tuple[tuple[BlockSpan, ...], tuple[tuple[str, ...], ...]]:
        """Return the blocks in a span, relative to its start and cut by it, and the columns that their rows name."""
        start, end = span
        found = [block for block in _touching(self.document.blocks, span, attrgetter("start")) if block.end > start]
        tables = list(dict.fromkeys(block.table for block in found if block.table is not None))
        return tuple(
            block.model_copy(
                update={
                    "start": max(block.start, start) - start,
                    "end": min(block.end, end) - start,
                    "table": None if block.table is None else tables.index(block.table),
                }
            )
            for block in found
        ), tuple(self.document.columns[table] for table in tables)

    def pieces_of(self, stretch: Stretch, span: Span, group: Sequence[Unit]) -> int:
        """Return how many pieces the model reads for units at `span`, context and special pieces included."""
        context = self.context(stretch.section_of(*span))
        count = self.count(context) + sum(unit.pieces for unit in group)
        if count <= self.max_pieces * 0.9 and not any(unit.is_part for unit in group):
            return count
        return self.count(f"{context}\n{self.document.text[span[0] : span[1]]}")

    def count(self, text: str) -> int:
        """Return how many pieces the model reads for a text, the special ones included."""
        return len(self.pieces.spans(text)) + SPECIAL_PIECES


def _lead(text: str, above: BlockSpan) -> str:
    """Return the line of a block that announces the list right below it: a heading, or a last sentence with a colon."""
    said = text[above.start : above.end]
    if above.kind == "heading":
        return " ".join(said.split())
    last = " ".join(said[slice(*sentence_spans(said)[-1])].split()) if announces(said) else ""
    return last if len(last) <= MAX_LEAD else ""


def _touching(placed: Sequence[_Placed], span: Span, start: Callable[[_Placed], int]) -> Sequence[_Placed]:
    """Return those of things in order that reach into a span, given where each starts: to where the next one does."""
    first = bisect_right(placed, span[0], key=start) - 1
    return placed[max(first, 0) : bisect_left(placed, span[1], key=start)]


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
