"""What ingestion makes: a file as a loader returns it, a passage as the index holds it, and what is known of both."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

from pydantic import AwareDatetime, Field, model_validator

from rag.models.value import Value, WebAddress


class DocumentMetadata(Value):
    """What a document says of itself; every field may be unknown."""

    title: str | None = Field(None, description="Title of the document.")
    authors: tuple[str, ...] = Field((), description="Authors, in order, as written.")
    year: int | None = Field(None, description="Year of publication.")
    url: WebAddress = Field(None, description="Where the document can be read, when it names a web address.")
    publisher: str | None = Field(None, description="Publisher or institution.")
    module: str | None = Field(None, description="Module or volume that the document belongs to.")
    identifiers: tuple[str, ...] = Field(
        (), description="What tells this document from its siblings: numbers, periods, names from its first page."
    )


class PageSpan(Value):
    """Where one page stands in a document's text."""

    number: int = Field(ge=1, description="Page number, counted from 1 in the file.")
    start: int = Field(ge=0, description="Offset of the page's first character.")
    end: int = Field(ge=0, description="Offset after the page's last character.")
    label: str | None = Field(None, description="Number that the file gives the page, where it is another: `iv`.")


BlockKind = Literal["heading", "paragraph", "item", "heads", "row", "field", "code", "caption", "footnote"]
"""What a block is: `item` of a list, `heads` of a table's columns, `row` of a table, `field` as `Label: value`."""


class BlockSpan(Value):
    """Where one block stands in a text, and what the file says that it is. Found once, by the loader."""

    kind: BlockKind = Field(description="What the block is.")
    start: int = Field(ge=0, description="Offset of its first character.")
    end: int = Field(ge=0, description="Offset after its last character.")
    number: int = Field(0, ge=0, description="Of an item or row: its place among its siblings, from 1; else 0.")
    count: int = Field(0, ge=0, description="Of an item or row: how many siblings there are, itself included; else 0.")
    list: int | None = Field(
        None, ge=0, description="The document's list that it is in, as item or within one; or null."
    )
    depth: int = Field(0, ge=0, description="1 in a list, 2 in a list within an item of it, and so on; else 0.")
    table: int | None = Field(None, ge=0, description="Of a row: which of `columns` name its cells; null: none do.")


class Section(Value):
    """A stretch of text under one heading; the stretches cover the document in order, without overlap."""

    start: int = Field(ge=0, description="Offset of the first character, the heading's own line included.")
    end: int = Field(ge=0, description="Offset after the last character.")
    chapter: int | None = Field(None, description="Chapter number.")
    chapter_title: str | None = Field(None, description="Chapter title, without its number.")
    section: str | None = Field(None, description="Number and title of the section, as in `2.2 Working with hoods`.")
    section_number: str | None = Field(None, description="Number of the section alone, as in `2.2`.")
    path: tuple[str, ...] = Field((), description="All headings above and at this place, outermost first.")


class SectionStart(Value):
    """Where the text of a section begins inside a chunk that holds several short ones."""

    offset: int = Field(ge=0, description="Where it begins within `content`, its heading included.")
    chapter: int | None = Field(None, description="Chapter number.")
    section: str | None = Field(None, description="Number and title of the section.")
    section_number: str | None = Field(None, description="Number of the section alone.")


class Document(Value):
    """One file, read: its whole text and where pages and sections stand in it.

    `text` is canonical: every offset in every other value counts characters of it.
    """

    name: str = Field(description="File name; the document's identity everywhere.")
    text: str = Field(description="The whole text, headings included.")
    hash: str = Field(description="SHA-256 of the file's bytes, hexadecimal.")
    size_bytes: int = Field(ge=0, description="Size of the file.")
    media_type: str = Field(description="MIME type by content.")
    metadata: DocumentMetadata = Field(default_factory=DocumentMetadata, description="What it says of itself.")
    pages: tuple[PageSpan, ...] = Field((), description="Pages in order; empty where the format has none.")
    sections: tuple[Section, ...] = Field((), description="Sections in order; one for all where there are none.")
    blocks: tuple[BlockSpan, ...] = Field((), description="Its blocks, in order; they hold all that is not blank.")
    columns: tuple[tuple[str, ...], ...] = Field((), description="The heads of the columns of its tables.")
    notes: tuple[str, ...] = Field((), description="What of the file could not be read, a sentence each.")


class Chunk(Value):
    """A passage of a document, as indexed and cited. `content` is exactly `document.text[start:end]`."""

    chunk_id: str = Field(description="UUID v5 of document name, document hash and chunk index.")
    document: str = Field(description="File name of the document.")
    document_hash: str = Field(description="SHA-256 of the file that the chunk was cut from.")
    content: str = Field(description="The bare text, shown and cited.")
    context: str = Field("", description="Where the chunk stands; embedded and indexed before the text, never shown.")
    chunk_index: int = Field(ge=0, description="Position within the document, from 0.")
    start: int = Field(ge=0, description="Offset of the first character in the document's text.")
    end: int = Field(ge=0, description="Offset after the last character in the document's text.")
    page: int | None = Field(None, description="Page on which the chunk begins, from 1.")
    last_page: int | None = Field(None, description="Page on which the chunk ends.")
    page_starts: tuple[tuple[int, int], ...] = Field(
        (), description="For each page that begins inside the chunk: its number and the offset within `content`."
    )
    printed_pages: tuple[tuple[int, str], ...] = Field(
        (), description="For each of its pages that is printed with another number: its number, and that."
    )
    chapter: int | None = Field(None, description="Chapter number.")
    chapter_title: str | None = Field(None, description="Chapter title, without its number.")
    section: str | None = Field(None, description="Number and title of the section.")
    section_number: str | None = Field(None, description="Number of the section alone.")
    section_path: tuple[str, ...] = Field((), description="All headings above the chunk, outermost first.")
    section_starts: tuple[SectionStart, ...] = Field(
        (), description="Where short sections share a chunk: each of them, in order. Empty where all is of one section."
    )
    pieces: int = Field(0, ge=0, description="Word pieces that the embedding model reads, context included.")
    sentences: tuple[tuple[int, int], ...] = Field((), description="Start and end of each sentence within `content`.")
    windows: tuple[tuple[int, int], ...] = Field(
        (), description="Start and end of each window within `content`: what is embedded, searched and read."
    )
    blocks: tuple[BlockSpan, ...] = Field(
        (), description="The blocks of the document that stand in `content`, cut where it ends."
    )
    columns: tuple[tuple[str, ...], ...] = Field(
        (), description="The heads of the columns of its tables, also where they stand in an earlier chunk."
    )
    list_lead: str = Field(
        "", description="The line that announces the list within which the chunk begins: it stands in an earlier one."
    )
    metadata: DocumentMetadata = Field(default_factory=DocumentMetadata, description="The document's own metadata.")

    @model_validator(mode="before")
    @classmethod
    def _older(cls, value: Any) -> Any:
        """Leave out what only chunks and recorded answers of older versions have."""
        gone = ("heads", "sentence_scores")
        return {name: one for name, one in value.items() if name not in gone} if isinstance(value, dict) else value

    @property
    def sentence_texts(self) -> tuple[str, ...]:
        """The sentences of `content`, verbatim."""
        return _parts(self.content, self.sentences)


class DocumentRecord(Value):
    """One indexed document, as `candor documents` lists it."""

    document: str = Field(description="File name.")
    title: str | None = Field(None, description="Title of the document.")
    pages: int | None = Field(None, description="Number of pages; null where the format has none.")
    chunks: int = Field(ge=0, description="Number of chunks in the index.")
    chunk_ids: tuple[str, ...] = Field((), description="Ids of the chunks, in document order.")
    hash: str = Field(description="SHA-256 of the file.")
    size_bytes: int = Field(ge=0, description="Size of the file.")
    media_type: str = Field(description="MIME type.")
    characters: int = Field(ge=0, description="Length of the document's text.")
    url: WebAddress = Field(None, description="Address of the document, where it names one.")
    path: str | None = Field(None, description="Where the file was read from.")
    link: str | None = Field(None, description="The symbolic link by which it was found; null where there was none.")
    ingested_at: AwareDatetime = Field(description="When this version was indexed (UTC).")
    ingestion: str = Field("", description="Version of the ingestion that read it; empty: older than these versions.")
    notes: tuple[str, ...] = Field((), description="What of the file could not be read, a sentence each.")


@lru_cache(maxsize=1_024)
def _parts(text: str, spans: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """Return parts of a text; every stage asks for those of the passages found, some of them many times."""
    return tuple(text[start:end] for start, end in spans)


def page_of(page: int | None, printed: str | None = None) -> str:
    """Return which page is meant: by its number in the file, and by that printed on it where it is another.

    >>> page_of(9, "vii"), page_of(9), page_of(None)
    ('page 9 (printed: vii)', 'page 9', '')
    """
    if page is None:
        return ""
    return f"page {page} (printed: {printed})" if printed else f"page {page}"


def part_of(section: str | None, chapter: int | None, title: str | None) -> str:
    """Return which part of a document is meant: its section, else its chapter.

    >>> part_of("2.2 Hoods", 2, "Work"), part_of(None, 6, "What the crew does"), part_of(None, None, "Annex")
    ('2.2 Hoods', 'chapter 6 What the crew does', 'chapter Annex')
    """
    named = " ".join(str(one) for one in (chapter, title) if one is not None and one != "")
    return section or (f"chapter {named}" if named else "")
