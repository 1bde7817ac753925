"""Plain text: encoding detected, form feeds are pages, headings only where they are unmistakable."""

import re
from collections.abc import Iterator

from rag.ingest.loaders.blocks import Block, build, only_title
from rag.ingest.loaders.cleaning import clean, decode_noting
from rag.ingest.loaders.identifiers import identify
from rag.ingest.loaders.numbering import parse_title
from rag.ingest.loaders.source import Source
from rag.models import Document, DocumentMetadata

_ITEM = re.compile(r"[ ]*(?:[-*•‣◦▪–]|\(?\d{1,3}[.)]|\(?[a-z][.)])[ ]+\S")
_UNDERLINE = re.compile(r"[ ]*(={3,}|-{3,}|~{3,})[ ]*")

_TITLED = re.compile(
    r"(?:chapter|lecture|lesson|kapitel|chapitre)\s+\w+[.:]?\s*[.:—–-]\s*(?:[^\s.!?;:]+\s*){1,8}\.", re.I
)
"""A chapter's number, a sign after it, and a title of at most eight words with a full stop."""


def load_plain(source: Source) -> Document:
    """Return a text file as a document; it has pages where it has form feeds.

    Raises:
        InvalidDocument: There is no text.
    """
    raw = decode_noting(source.data)
    pages = [clean(page) for page in raw.text.split("\f")]
    if not pages[-1].strip():
        pages = pages[:-1] or pages
    paged = len(pages) > 1
    blocks = [block for number, page in enumerate(pages, 1) for block in _blocks(page, number if paged else None)]
    title = only_title(blocks)
    metadata = DocumentMetadata(title=title, identifiers=identify(source.name, title, pages[0][:3000]))
    return build(source, blocks, metadata=metadata, page_count=len(pages) if paged else 0, notes=raw.notes)


def _blocks(text: str, page: int | None) -> Iterator[Block]:
    for paragraph in re.split(r"\n(?:[ ]*\n)+", text.strip("\n")):
        lines = [line.rstrip() for line in paragraph.split("\n") if line.strip()]
        if not lines:
            continue
        level, used = _heading(lines)
        if level:
            yield Block("heading", lines[0].strip(), level=level, page=page)
        yield from _body(lines[used:], page)


def _heading(lines: list[str]) -> tuple[int, int]:
    """Return the level of the heading that a paragraph begins with, and how many lines it takes; 0, 0 for none."""
    first = lines[0].strip()
    if len(lines) > 1 and len(first) <= 100 and (match := _UNDERLINE.fullmatch(lines[1])):
        length = len(lines[1].strip())
        if 0.5 * len(first) <= length <= 2 * len(first) + 3:
            return _numbered_level(first) or (1 if match[1].startswith("=") else 2), 2
    level = _numbered_level(first) if len(lines) == 1 else 0
    return (level, 1) if level else (0, 0)


def _numbered_level(line: str) -> int:
    """Return the level of a line that is a numbered heading beyond doubt: short, no full stop, `3.2 X`.

    Old books end a chapter's title with one: `CHAPTER 1. Loomings.`
    """
    if line.endswith(".") and _TITLED.fullmatch(line):
        line = line.removesuffix(".")
    title = parse_title(line)
    if len(line) > 80 or line.endswith((".", ",", ";", ":")) or not title.name[:1].isupper():
        return 0
    if title.kind == "chapter":
        return 1
    return title.depth if title.kind == "dotted" else 0


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
