"""Plain text: encoding detected, form feeds are pages without their running lines, headings where unmistakable."""

import re
from collections.abc import Iterator

from rag.ingest.loaders.blocks import Block, build, only_title
from rag.ingest.loaders.cleaning import clean, decode_noting
from rag.ingest.loaders.identifiers import identify
from rag.ingest.loaders.plain_headings import chapters_among, heading_of
from rag.ingest.loaders.plain_pages import joined_over_pages, without_running
from rag.ingest.loaders.plain_tables import with_rows
from rag.ingest.loaders.source import Source
from rag.models import Document, DocumentMetadata

_ITEM = re.compile(r"[ ]*(?:[-*•‣◦▪–]|\(?\d{1,3}[.)]|\(?[a-z][.)])[ ]+\S")


def load_plain(source: Source) -> Document:
    """Return a text file as a document; it has pages where it has form feeds.

    Raises:
        InvalidDocument: There is no text.
    """
    raw = decode_noting(source.data)
    pages = [clean(with_rows(page)) for page in raw.text.split("\f")]
    if not pages[-1].strip():
        pages = pages[:-1] or pages
    paged = len(pages) > 1
    texts = without_running(pages) if paged else pages
    placed = [(lines, number if paged else None) for number, text in enumerate(texts, 1) for lines in _paragraphs(text)]
    chapters = chapters_among([lines for lines, _ in placed])
    blocks = joined_over_pages(
        block
        for index, (lines, page) in enumerate(placed)
        for block in _blocks(lines, page, is_chapter=index in chapters)
    )
    title = only_title(blocks)
    metadata = DocumentMetadata(title=title, identifiers=identify(source.name, title, pages[0][:3000]))
    return build(source, blocks, metadata=metadata, page_count=len(pages) if paged else 0, notes=raw.notes)


def _paragraphs(text: str) -> list[list[str]]:
    """Return the lines of each paragraph; blank lines part them."""
    parts = re.split(r"\n(?:[ ]*\n)+", text.strip("\n"))
    found = ([line.rstrip() for line in part.split("\n") if line.strip()] for part in parts)
    return [lines for lines in found if lines]


def _blocks(lines: list[str], page: int | None, *, is_chapter: bool) -> Iterator[Block]:
    level, used = heading_of(lines, is_chapter=is_chapter)
    if level:
        yield Block("heading", " ".join(lines[0].split()), level=level, page=page)
    yield from _body(lines[used:], page)


def _body(lines: list[str], page: int | None) -> Iterator[Block]:
    """Yield a paragraph, or its list items with the lines that continue them."""
    pieces: list[list[str]] = []
    for line in lines:
        if not pieces or _ITEM.match(line):
            pieces.append([line])
        else:
            pieces[-1].append(line)
    for piece in pieces:
        yield Block("item" if _ITEM.match(piece[0]) else "paragraph", "\n".join(piece).strip(), page=page)
