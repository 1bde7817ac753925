"""A document cut into chunks that the embedding model reads whole, each within one section and at sentence ends."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise, takewhile
from operator import itemgetter
from uuid import UUID, uuid5

from rag.errors import ConfigurationError
from rag.ingest.cutting import Limits, Unit, cut, units_of, words_of
from rag.ingest.stretches import CONTEXT_PIECES, MIN_CHARACTERS, Stretch, context_of, stretches
from rag.models import BlockSpan, Chunk, Document, Section
from rag.protocols import PieceCounter, Span
from rag.reader.windows import windows_of

MAX_CHARACTERS = 2000
HEAD_PIECES = 48
"""The most word pieces that the heads of a table's columns take, where a chunk begins within the table."""
SPECIAL_PIECES = 2
"""The pieces that the model puts before and after every text."""
_NAMESPACE = UUID("6f0f3c55-6a53-5c0e-9d1c-2f6f3f0b7a11")


def chunk(document: Document, *, pieces: PieceCounter, max_pieces: int = 256, target_pieces: int = 176) -> list[Chunk]:
    """Return the chunks of a document, in order.

    Each has 50 to 2000 characters (a shorter document, or numbered chapter, is one chunk) and, with its context, at
    most `max_pieces` word pieces. None crosses the heading of a numbered chapter, and that of a section only where one
    is too short to stand alone (`rag.ingest.stretches`); the chunk then knows where each begins. Chunks do not
    overlap; with the headings they hold all text. Cuts fall between paragraphs rather than sentences, between
    sentences rather than clauses, and so that the chunks of a section are about equally long. A chunk that begins
    within a table has the heads of its columns in its context: a row of bare values does not say what they are.

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


def chunk_id(document: str, version: str, index: int) -> str:
    """Return the id of a chunk: UUID v5 of document name, document hash and chunk index."""
    return str(uuid5(_NAMESPACE, f"{document}\n{version}\n{index}"))


class _Cutter:
    """One document's chunks: what is known of it, and of the model's limits."""

    def __init__(self, document: Document, pieces: PieceCounter, max_pieces: int, target_pieces: int) -> None:
        self.document, self.pieces = document, pieces
        self.max_pieces, self.target_pieces = max_pieces, target_pieces
        self.page_starts = [page.start for page in document.pages]
        self.blocks = document.blocks
        self.block_starts = [block.start for block in document.blocks]
        listed = pairwise(document.blocks)
        self.items = frozenset(block.start for above, block in listed if above.list == block.list is not None)
        self.sentences: list[Span] = []
        self.contexts: dict[Section, str] = {}

    def context(self, section: Section) -> str:
        """Return the context of a section's chunks."""
        if section not in self.contexts:
            budget = min(CONTEXT_PIECES, self.max_pieces // 4)
            self.contexts[section] = context_of(self.document, section, pieces=self.pieces, budget=budget)
        return self.contexts[section]

    def spans(self, stretch: Stretch) -> Iterator[tuple[Span, int]]:
        """Yield start and end of each chunk of a stretch, and its pieces; none is over the limits."""
        document = self.document
        span = (stretch.start, stretch.end)
        units = units_of(document.text, span, breaks=self.block_starts, pieces=self.pieces, items=self.items)
        self.sentences.extend((unit.start, unit.end) for unit in units)
        taken = max(self.count(self.context(section)) for section in stretch.sections)
        room = self.max_pieces - taken
        limits = Limits(MIN_CHARACTERS, MAX_CHARACTERS, room, max(self.target_pieces - taken, room // 2))
        yield from self.fitting(units, limits, stretch)

    def fitting(self, units: Sequence[Unit], limits: Limits, stretch: Stretch) -> Iterator[tuple[Span, int]]:
        """Yield spans of units; those near the limit or cut inside a word are counted again as the model reads them."""
        for group in cut(units, limits, text=self.document.text, pieces=self.pieces):
            span = group[0].start, group[-1].end
            count = self.pieces_of(stretch, span, group)
            if count <= self.max_pieces or limits.max_pieces < 2:
                yield span, count
            else:
                words = [word for unit in group for word in words_of(unit, text=self.document.text, pieces=self.pieces)]
                yield from self.fitting(words, replace(limits, max_pieces=limits.max_pieces * 3 // 4), stretch)

    def chunk(self, index: int, stretch: Stretch, span: Span, pieces: int) -> Chunk:
        """Return the chunk that stands at `span`."""
        document, section, place = self.document, stretch.section_of(*span), stretch.chapter_of(*span)
        heads, pieces = self.heads(span, pieces)
        content, sentences = document.text[span[0] : span[1]], self.sentences_of(span)
        blocks, columns = self.blocks_of(span)
        return Chunk(
            chunk_id=chunk_id(document.name, document.hash, index),
            document=document.name,
            document_hash=document.hash,
            content=content,
            context="\n".join(line for line in (self.context(section), heads) if line),
            chunk_index=index,
            start=span[0],
            end=span[1],
            page=self.page_of(span[0]),
            last_page=self.page_of(span[1] - 1),
            page_starts=self.pages_beginning_in(span),
            printed_pages=self.printed_pages_of(span),
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
            metadata=document.metadata,
        )

    def heads(self, span: Span, pieces: int) -> tuple[str, int]:
        """Return the heads of the table within which a chunk begins, as a row, and the chunk's pieces with them.

        As many heads as the model has room for; the text itself is not changed, nor where it is cut.
        """
        room = min(HEAD_PIECES, self.max_pieces - pieces)
        heads = self.heads_above(span[0])
        for count in range(len(heads), 0, -1):
            row = f"| {' | '.join(heads[:count])} |"
            taken = len(self.pieces.spans(row))
            if taken <= room:
                return row, pieces + taken
        return "", pieces

    def heads_above(self, offset: int) -> tuple[str, ...]:
        """Return the heads of the columns of the row that stands at an offset; none where they stand there too."""
        index = bisect_right(self.block_starts, offset) - 1
        table = self.blocks[index].table if index >= 0 and offset < self.blocks[index].end else None
        return () if table is None else self.document.columns[table]

    def blocks_of(self, span: Span) -> tuple[tuple[BlockSpan, ...], tuple[tuple[str, ...], ...]]:
        """Return the blocks in a span, relative to its start and cut by it, and the columns that their rows name."""
        start, end = span
        first = max(bisect_right(self.block_starts, start) - 1, 0)
        inside = takewhile(lambda block: block.start < end, islice(self.blocks, first, None))
        found = [block for block in inside if block.end > start]
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

    def sentences_of(self, span: Span) -> tuple[Span, ...]:
        """Return the sentences within a span, relative to its start; those it cuts are cut."""
        start, end = span
        first = max(bisect_right(self.sentences, start, key=itemgetter(0)) - 1, 0)
        found = takewhile(lambda sentence: sentence[0] < end, islice(self.sentences, first, None))
        return tuple((max(a, start) - start, min(b, end) - start) for a, b in found)

    def page_of(self, offset: int) -> int | None:
        """Return the number of the page on which a character stands."""
        index = bisect_right(self.page_starts, offset) - 1
        return self.document.pages[max(index, 0)].number if self.page_starts else None

    def pages_beginning_in(self, span: Span) -> tuple[tuple[int, int], ...]:
        """Return number and offset within the span of each page that begins in it, but not at its start."""
        start, end = span
        first, last = bisect_right(self.page_starts, start), bisect_left(self.page_starts, end)
        return tuple((page.number, page.start - start) for page in self.document.pages[first:last])

    def printed_pages_of(self, span: Span) -> tuple[tuple[int, str], ...]:
        """Return number and printed number of each page of a span where the latter is another."""
        first, last = max(bisect_right(self.page_starts, span[0]) - 1, 0), bisect_left(self.page_starts, span[1])
        return tuple((page.number, page.label) for page in self.document.pages[first:last] if page.label)

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
