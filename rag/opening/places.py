"""What a question names of the index: a section by its number or title, a chapter by its number, a document.

Names are found by form: numbers as digits and dots, titles and file names by the words that they share with the
question. Only what the index has is ever named. Of a place the first sentences are quoted, or all passages summed up.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import PurePath
from typing import Final, NamedTuple, TypeAlias

from rag.models import Chunk, DocumentRecord, Filters
from rag.protocols import SearchScope, VectorStore
from rag.protocols.catalogue import DocumentVersion
from rag.text.words import fold, is_stopword, stems, words

SHARE: Final = 0.6
"""The least share of a name's words that a question must have."""
SHARE_OF_SEVERAL: Final = 0.4
"""The same where it has two words or more of the name: a long title is seldom said in full."""
SHORTEST_MISSPELT: Final = 5
"""Letters of a word from which on it may have a typing error."""
_NUMBER: Final = re.compile(r"(?<![\w.])\d{1,4}(?:\.\d{1,4}){0,5}(?!\w|\.\d)")
_JOINED: Final = re.compile(r"[_-]|\.(?!\d)")
"""What joins words in a file name."""

Words: TypeAlias = frozenset[tuple[str, str]]
"""Words in lower case, each with its stem."""
Names: TypeAlias = Callable[[str | None], Sequence[str]]
"""Gives the names of the sections, or the chapters, of one document, or of all for None."""


def named_in(
    question: str,
    store: VectorStore,
    documents: Sequence[DocumentRecord],
    hidden: tuple[DocumentVersion, ...],
    *,
    within: Filters = Filters(),
) -> Filters | None:
    """Return the place of the index that a question names, or None.

    Args:
        question: As it was asked.
        store: Knows sections and chapters.
        documents: Everything that is indexed and may be named.
        hidden: The document versions that readers must not see.
        within: Its document is meant where the question names none; of its other filters the documents count.

    Raises:
        StoreUnavailable: The store did not answer.
    """

    def values(field: str) -> Names:
        among = Filters(sources=within.sources)
        return lambda source: list(
            store.facets(field, SearchScope(among.model_copy(update={"source": source}), hidden))
        )

    named = {"sections": values("section"), "chapters": values("chapter")}
    place = place_named(question, documents, **named, within=within.source)
    return place.model_copy(update={"sources": within.sources}) if place else None


def place_named(
    question: str,
    documents: Sequence[DocumentRecord],
    *,
    sections: Names,
    chapters: Names,
    within: str | None = None,
) -> Filters | None:
    """Return the place that a question names: a section or chapter, in a document where one is named, or a document.

    Where one document is all that is indexed, it is the one that is meant. Where two fit equally well, neither is.
    """
    source = _document(question, documents)
    within = source or within or (documents[0].document if len(documents) == 1 else None)
    place = _numbered(question, sections(within), chapters(within))
    place = place or _titled(question, sections(within), named=_words_of(source, documents))
    if place is not None:
        return place.model_copy(update={"source": within})
    return Filters(source=within) if within else None


def _document(question: str, documents: Sequence[DocumentRecord]) -> str | None:
    names = {
        record.document: [_words(name) for name in (record.title, PurePath(record.document).stem) if name]
        for record in documents
    }
    return _best(_words(question), names)


def _numbered(question: str, sections: Iterable[str], chapters: Iterable[str]) -> Filters | None:
    """Return the section or the chapter whose number a question has; one that has no dot is first a chapter's."""
    numbers = {name.split()[0].rstrip(".") for name in sections if name.strip()}
    known = set(chapters)
    for number in _NUMBER.findall(question):
        if number in known and "." not in number:
            return Filters(chapter=int(number))
        if number in numbers:
            return Filters(section=number)
    return None


def _titled(question: str, sections: Iterable[str], *, named: Words) -> Filters | None:
    """Return the section whose title a question has; the words that name its document do not count."""
    found = _best(_words(question) - named, {name: [_words(_NUMBER.sub("", name))] for name in sections})
    return Filters(section=found) if found else None


def _best(asked: Words, names: dict[str, list[Words]]) -> str | None:
    """Return the name that has most of its words in the question, or None where none has enough, or two are equal."""
    scores = {name: max((_overlap(asked, one) for one in each), default=(0.0, 0)) for name, each in names.items()}
    first, second = [*sorted(scores.items(), key=lambda one: one[1], reverse=True), ("", (0.0, 0)), ("", (0.0, 0))][:2]
    share, shared = first[1]
    is_enough = share >= (SHARE_OF_SEVERAL if shared > 1 else SHARE)
    return first[0] if is_enough and first[1] != second[1] else None


def _overlap(asked: Words, name: Words) -> tuple[float, int]:
    """Return the share of a name's words that a question has, and their number."""
    shared = sum(any(_alike(word, other) for other in asked) for word in name)
    return (shared / len(name), shared) if name else (0.0, 0)


def _alike(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Return whether two words have one stem, or are a single edit apart."""
    from rapidfuzz.distance import OSA

    if one[1] == other[1]:
        return True
    is_long = min(len(one[0]), len(other[0])) >= SHORTEST_MISSPELT
    return is_long and OSA.distance(one[0], other[0], score_cutoff=1) <= 1


def _words(name: str) -> Words:
    """Return the words of a name, each with its stem; those that say little are left out."""
    plain = [word for word in words(_JOINED.sub(" ", name)) if not is_stopword(word)]
    return frozenset((word, stem) for word in plain for stem in stems(word))


def _words_of(source: str | None, documents: Sequence[DocumentRecord]) -> Words:
    """Return the words of a document's title and file name."""
    record = next((one for one in documents if one.document == source), None)
    return _words(f"{record.title or ''} {PurePath(record.document).stem}") if record else frozenset()


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
