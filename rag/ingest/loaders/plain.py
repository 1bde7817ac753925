"""Plain text: encoding detected, form feeds are pages without their running lines, headings where unmistakable."""

import re
from collections.abc import Iterator

from rag.ingest.loaders.blocks import Block, build, only_title
from rag.ingest.loaders.cleaning import clean, decode_noting
from rag.ingest.loaders.identifiers import identify
from rag.ingest.loaders.mail import load_mail
from rag.ingest.loaders.plain_headings import chapters_among, heading_of
from rag.ingest.loaders.plain_lines import body_blocks, is_chat
from rag.ingest.loaders.plain_pages import joined_over_pages, without_running
from rag.ingest.loaders.plain_tables import with_rows
from rag.ingest.loaders.source import Source
from rag.models import Document, DocumentMetadata

_MAIL = re.compile(
    r"(?:From .*\n)?(?=[A-Z][\w-]*: )(?:[\w-]+: .*\r?\n|[ \t].*\r?\n)*?(?:Message-ID|MIME-Version): ", re.I
)
"""The head of a mail as mail programs write it."""


def load_plain(source: Source) -> Document:
    """Return a text file as a document; it has pages where it has form feeds.

    Raises:
        InvalidDocument: There is no text.
    """
    raw = decode_noting(source.data)
    if _MAIL.match(raw.text[:20_000]):
        return load_mail(source)
    pages = _pages(raw.text)
    blocks = text_blocks(raw.text)
    title = only_title(blocks)
    metadata = DocumentMetadata(title=title, identifiers=identify(source.name, title, pages[0][:3000]))
    return build(source, blocks, metadata=metadata, page_count=len(pages) if len(pages) > 1 else 0, notes=raw.notes)


def text_blocks(text: str) -> list[Block]:
    """Return the blocks of a plain text."""
    pages = _pages(text)
    paged = len(pages) > 1
    texts = without_running(pages) if paged else pages
    placed = [(lines, number if paged else None) for number, page in enumerate(texts, 1) for lines in _paragraphs(page)]
    chat = is_chat([line for lines, _ in placed for line in lines])
    chapters = frozenset[int]() if chat else chapters_among([lines for lines, _ in placed])
    return joined_over_pages(
        block
        for index, (lines, page) in enumerate(placed)
        for block in _blocks(lines, page, is_chapter=index in chapters, chat=chat)
    )


def _pages(text: str) -> list[str]:
    pages = [clean(with_rows(page)) for page in text.split("\f")]
    return pages if pages[-1].strip() else pages[:-1] or pages


def _paragraphs(text: str) -> list[list[str]]:
    """Return the lines of each paragraph; blank lines part them."""
    parts = re.split(r"\n(?:[ ]*\n)+", text.strip("\n"))
    found = ([line.rstrip() for line in part.split("\n") if line.strip()] for part in parts)
    return [lines for lines in found if lines]


def _blocks(lines: list[str], page: int | None, *, is_chapter: bool, chat: bool) -> Iterator[Block]:
    level, used = (0, 0) if chat else heading_of(lines, is_chapter=is_chapter)
    if level:
        yield Block("heading", " ".join(lines[0].split()), level=level, page=page)
    yield from body_blocks(lines[used:], page, chat=chat)
