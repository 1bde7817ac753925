"""A document's text as Markdown: headings, paragraphs, lists and real tables, which no document can break out of."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from dashboard.words import md
from rag.language.rows import cells
from rag.models import BlockSpan, Chunk


def markdown_of(chunks: Sequence[Chunk], *, find: str = "") -> str:
    """Return chunks that follow each other as Markdown, with a line where a page begins, and the headings above them.

    Args:
        chunks: In the order of the document.
        find: What is marked wherever it stands, in any case.
    """
    parts: list[str] = []
    page: int | None = None
    path: Sequence[str] = ()
    for chunk in chunks:
        parts += _headings(chunk.section_path, path, find)
        path = chunk.section_path
        for kind, blocks in groupby(chunk.blocks, lambda block: "row" if block.kind == "heads" else block.kind):
            found = [*blocks]
            now = _page_at(chunk, found[0].start)
            parts += [f":gray-badge[page {now}]"] if now not in (None, page) else []
            page = now
            parts += _rendered(kind, found, chunk, find)
    return "\n\n".join(parts)


def _headings(path: Sequence[str], before: Sequence[str], find: str) -> Iterator[str]:
    """Yield the headings above a chunk that do not stand above the one before it."""
    shared = next((depth for depth, two in enumerate(zip(path, before, strict=False)) if two[0] != two[1]), None)
    for depth in range(min(len(path), len(before)) if shared is None else shared, len(path)):
        yield f"####{'#' * (depth > 0)} {_shown(path[depth], find)}"


def _page_at(chunk: Chunk, offset: int) -> int | None:
    begun = [number for number, start in chunk.page_starts if start <= offset]
    return begun[-1] if begun else chunk.page


def _rendered(kind: str, blocks: Sequence[BlockSpan], chunk: Chunk, find: str) -> Iterator[str]:
    """Yield neighbouring blocks of one kind as Markdown."""
    texts = [chunk.content[block.start : block.end] for block in blocks]
    if kind == "row":
        yield _table(blocks, texts, chunk, find)
    elif kind == "item":
        yield "\n".join(f"- {_shown(text.lstrip('•*- '), find)}" for text in texts)
    elif kind == "code":
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", "".join(texts))), default=0))
        yield f"{fence}\n" + "\n".join(texts) + f"\n{fence}"
    else:
        form = {"heading": "#### {}", "caption": "*{}*", "footnote": ":small[{}]"}.get(kind, "{}")
        yield from (form.format(_shown(text, find)) for text in texts if text.strip())


def _table(blocks: Sequence[BlockSpan], texts: Sequence[str], chunk: Chunk, find: str) -> str:
    """Return rows as a table under the heads of its columns, which may stand in an earlier chunk."""
    known = next((chunk.columns[one.table] for one in blocks if one.table is not None), ())
    rows = [cells(text) or [text] for block, text in zip(blocks, texts, strict=True) if block.kind == "row"]
    heads = list(known) or next(
        (cells(text) for block, text in zip(blocks, texts, strict=True) if block.kind == "heads"), []
    )
    width = max((len(row) for row in [heads, *rows]), default=0)
    lines = [[*row, *[""] * (width - len(row))] for row in [heads, *rows]]
    drawn = ["| " + " | ".join(_shown(cell, find) or " " for cell in line) + " |" for line in lines]
    return "\n".join([drawn[0], "|" + " --- |" * width, *drawn[1:]])


def _shown(text: str, find: str) -> str:
    """Return text as it is, with what is looked for marked."""
    plain, wanted = md(text), md(find)
    return re.sub(re.escape(wanted), r":orange-background[\g<0>]", plain, flags=re.IGNORECASE) if wanted else plain


def parts_of(chunks: Sequence[Chunk], *, most: int = 6_000) -> list[list[Chunk]]:
    """Return chunks in parts of about so many characters, each cut where a page ends, as far as there are pages."""
    parts: list[list[Chunk]] = []
    size = 0
    for chunk in chunks:
        is_new_page = not parts or chunk.page is None or chunk.page != parts[-1][-1].page
        if not parts or (size + len(chunk.content) > most and is_new_page):
            parts.append([])
            size = 0
        parts[-1].append(chunk)
        size += len(chunk.content)
    return parts


def place_of(chunks: Sequence[Chunk]) -> str:
    """Return on which pages, or in which section, chunks stand; plain text, empty where neither is known."""
    pages = [page for chunk in chunks for page in (chunk.page, chunk.last_page) if page is not None]
    if pages:
        return f"page {min(pages)}" if min(pages) == max(pages) else f"pages {min(pages)} to {max(pages)}"
    return chunks[0].section or ""
