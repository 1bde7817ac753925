"""What a question names of the index: a section by its number or title, a chapter by its number, a document.

Names are found by form: numbers as digits and dots, titles and file names by the words that they share with the
question. Only what the index has is ever named. Of a place the first sentences are quoted, or all passages summed up.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby, islice
from pathlib import PurePath
from typing import Final, NamedTuple, TypeAlias

from rag.models import Chunk, DocumentRecord, Filters
from rag.protocols import SearchScope, VectorStore
from rag.protocols.catalogue import DocumentVersion
from rag.ranking.versions import number_of
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


def named_in(
    question: str,
    store: VectorStore,
    documents: Sequence[DocumentRecord],
    hidden: tuple[DocumentVersion, ...],
    *,
    within: Filters = Filters(),
) -> Filters | None:
    """Return the place of the index that a question names: a section or chapter, in a document where one is named, or a
    document; None where it names none, or two fit equally well.

    Where one document is all that is indexed, it is the one that is meant.

    Args:
        question: As it was asked.
        store: Knows sections and chapters.
        documents: Everything that is indexed and may be named.
        hidden: The document versions that readers must not see.
        within: Its document is meant where the question names none; of its other filters the documents count.

    Raises:
        StoreUnavailable: The store did not answer.
    """
    source = _document(question, documents)
    inside = source or within.source or (documents[0].document if len(documents) == 1 else None)
    scope = SearchScope(Filters(source=inside, sources=within.sources), hidden)
    sections = store.facets("section", scope)
    place = _numbered(question, sections, store.facets("chapter", scope))
    place = place or _titled(question, sections, named=_words_of(source, documents))
    if place is None and inside is None:
        return None
    return (place or Filters()).model_copy(update={"source": inside, "sources": within.sources})


def _document(question: str, documents: Sequence[DocumentRecord]) -> str | None:
    names = {
        record.document: [_words(name) for name in (record.title, PurePath(record.document).stem) if name]
        for record in documents
    }
    return _best(_words(question), names)


def _numbered(question: str, sections: Collection[str], chapters: Collection[str]) -> Filters | None:
    """Return the section or the chapter whose number a question has; one that has no dot is first a chapter's."""
    numbers = {name.split()[0].rstrip(".") for name in sections if name.strip()}
    versions = {number: name for name in sections if (number := number_of(name))}
    for number in _NUMBER.findall(question):
        if number in chapters and "." not in number:
            return Filters(chapter=int(number))
        if number in numbers or number in versions:
            return Filters(section=versions.get(number, number))
    return None


def _titled(question: str, sections: Collection[str], *, named: Words) -> Filters | None:
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
    shared = sum(any(_alike(word, other) for other in asked) for word in name)
    return (shared / len(name), shared) if name else (0.0, 0)


def _alike(one: tuple[str, str], other: tuple[str, str]) -> bool:
    from rapidfuzz.distance import OSA

    if one[1] == other[1]:
        return True
    is_long = min(len(one[0]), len(other[0])) >= SHORTEST_MISSPELT
    return is_long and OSA.distance(one[0], other[0], score_cutoff=1) <= 1


def _words(name: str) -> Words:
    plain = [word for word in words(_JOINED.sub(" ", name)) if not is_stopword(word)]
    return frozenset((word, stem) for word in plain for stem in stems(word))


def _words_of(source: str | None, documents: Sequence[DocumentRecord]) -> Words:
    record = next((one for one in documents if one.document == source), None)
    return _words(f"{record.title or ''} {PurePath(record.document).stem}") if record else frozenset()


SHORTEST: Final = 3
"""Words of a sentence that is quoted; a shorter one is a heading, or the number of a page."""


class Passage(NamedTuple):
    """A chunk, and the numbers, from 0, of those of its sentences that are quoted."""

    chunk: Chunk
    sentences: tuple[int, ...]


def passages_of(
    place: Filters, store: VectorStore, hidden: tuple[DocumentVersion, ...], *, sentences: int | None = None
) -> tuple[Passage, ...]:
    """Return the passages of a section, chapter or document with their sentences that say something, in its order.

    Where several documents have the place, all are quoted in turn, by name.

    Args:
        place: What the question named.
        store: Where the chunks are.
        hidden: The document versions that readers must not see.
        sentences: How many sentences at most; None: all.

    Raises:
        StoreUnavailable: The store did not answer.
    """
    chunks = sorted(store.scroll(SearchScope(place, hidden)), key=lambda chunk: (chunk.document, chunk.chunk_index))
    chosen = groupby(islice(_sentences(chunks, place), sentences), key=lambda pair: pair[0].chunk_id)
    groups = (list(group) for _, group in chosen)
    return tuple(Passage(group[0][0], tuple(number for _, number in group)) for group in groups)


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
