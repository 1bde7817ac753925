"""What stands at a place of the index: its first sentences, to be quoted, or all its passages, to be summed up."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from rag.language.text import fold
from rag.models import Chunk, Filters
from rag.protocols import SearchScope, VectorStore
from rag.protocols.catalogue import DocumentVersion

SENTENCES: Final = 5
"""How many sentences are quoted at most."""
SHORTEST: Final = 3
"""Words of a sentence that is quoted; a shorter one is a heading, or the number of a page."""


class Passage(NamedTuple):
    """A chunk, and the numbers, from 0, of those of its sentences that are quoted."""

    chunk: Chunk
    sentences: tuple[int, ...]


def beginning_of(place: Filters, store: VectorStore, hidden: tuple[DocumentVersion, ...]) -> tuple[Passage, ...]:
    """Return the first sentences of a section, chapter or document, in its order; none where nothing stands there.

    Where several documents have the place, all are quoted in turn, by name, as far as the sentences reach.

    Args:
        place: What the question named.
        store: Where the chunks are.
        hidden: The document versions that readers must not see.

    Raises:
        StoreUnavailable: The store did not answer.
    """
    return _by_chunk(islice(_sentences(_chunks(place, store, hidden), place), SENTENCES))


def whole_of(
    place: Filters, store: VectorStore, hidden: tuple[DocumentVersion, ...], *, most: int
) -> tuple[tuple[Passage, ...], int]:
    """Return the first passages of a place with their sentences that say something, and how many there are in all.

    Args:
        place: What the question named.
        store: Where the chunks are.
        hidden: The document versions that readers must not see.
        most: How many to return.

    Raises:
        StoreUnavailable: The store did not answer.
    """
    found = _by_chunk(_sentences(_chunks(place, store, hidden), place))
    return found[:most], len(found)


def _chunks(place: Filters, store: VectorStore, hidden: tuple[DocumentVersion, ...]) -> list[Chunk]:
    found = store.scroll(SearchScope(place, hidden))
    return sorted(found, key=lambda chunk: (chunk.document, chunk.chunk_index))


def _by_chunk(sentences: Iterable[tuple[Chunk, int]]) -> tuple[Passage, ...]:
    """Return each chunk once, with the numbers of its sentences."""
    chosen = list(sentences)
    by_chunk: dict[str, list[int]] = {}
    for chunk, number in chosen:
        by_chunk.setdefault(chunk.chunk_id, []).append(number)
    held = {chunk.chunk_id: chunk for chunk, _ in chosen}
    return tuple(Passage(held[chunk_id], tuple(numbers)) for chunk_id, numbers in by_chunk.items())


def _sentences(chunks: Sequence[Chunk], place: Filters) -> Iterator[tuple[Chunk, int]]:
    """Yield the sentences of a place that say something: no headings, and nothing of other sections of their chunk."""
    for chunk in chunks:
        start, end = _stretch(chunk, place)
        headings = {
            fold(name).strip(" .:") for name in (*chunk.section_path, chunk.section or "", chunk.chapter_title or "")
        }
        for number, (first, last) in enumerate(chunk.sentences):
            text = chunk.content[first:last]
            if start <= first < end and len(text.split()) >= SHORTEST and _bare(text) not in headings:
                yield chunk, number


def _stretch(chunk: Chunk, place: Filters) -> tuple[int, int]:
    """Return where the place stands within a chunk's content: a chunk may hold several short sections."""
    if place.section is None or not chunk.section_starts:
        return 0, len(chunk.content)
    wanted = fold(place.section).strip(" .")
    ends = [one.offset for one in chunk.section_starts[1:]] + [len(chunk.content)]
    for one, end in zip(chunk.section_starts, ends, strict=True):
        if wanted in (fold(one.section_number or "").strip(" ."), fold(one.section or "").strip(" .")):
            return one.offset, end
    return 0, len(chunk.content)


def _bare(text: str) -> str:
    return fold(text).strip(" .:#*_")
