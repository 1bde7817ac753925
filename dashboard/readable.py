"""A passage as people read it: its headings, lists and real tables as Markdown, a part of it marked."""

import re
from collections.abc import Iterator
from typing import Protocol

from dashboard.words import md, passage
from rag.language.rows import cells
from rag.models import BlockSpan

_PREFIX = {"item": "- ", "caption": ":small[", "footnote": ":small["}
_SIGN = re.compile(r"[•▪◦·*–-]\s+")
_SUFFIX = {"caption": "]", "footnote": "]"}


class Passage(Protocol):
    """A passage as an answer or the line of a run holds it; a line of a run knows no blocks."""

    @property
    def chunk_id(self) -> str: ...  # noqa: D102
    @property
    def content(self) -> str: ...  # noqa: D102


def readable(found: Passage, part: str = "") -> str:
    """Return a passage as Markdown, block by block; a verbatim part of it is marked where it stands.

    Args:
        found: The passage.
        part: What to mark; nothing where it is empty, or not in the passage.
    """
    blocks: tuple[BlockSpan, ...] = getattr(found, "blocks", ())
    at = found.content.find(part) if part else -1
    span = (at, at + len(part)) if at >= 0 else (0, 0)
    if not blocks:
        blocks = (BlockSpan(kind="paragraph", start=0, end=len(found.content)),)
    lines, table = [], False
    for block in blocks:
        row = cells(found.content[block.start : block.end]) if block.kind in ("heads", "row") else []
        if row and not table:
            lines += ["", *_head_of(found, block, len(row))]
        if not (row and block.kind == "heads" and not table):
            lines.append(_row(row, block, span) if row else f"\n{_prose(found.content, block, span)}")
        table = bool(row)
    return "\n".join(lines).strip()


def _head_of(found: Passage, block: BlockSpan, width: int) -> Iterator[str]:
    """Yield the head of a table, which Markdown wants, and its rule; empty cells where none is known."""
    columns = getattr(found, "columns", ())
    known = columns[block.table] if block.table is not None and block.table < len(columns) else ()
    if block.kind == "heads":
        known = cells(found.content[block.start : block.end])
    heads = [*map(md, known)] if len(known) == width else [" "] * width
    yield f"| {' | '.join(heads)} |"
    yield "| --- " * width + "|"


def _row(row: list[str], block: BlockSpan, span: tuple[int, int]) -> str:
    is_marked = block.start < span[1] and span[0] < block.end
    shown = [f":orange-background[{md(cell)}]" if is_marked and cell else md(cell) for cell in row]
    return f"| {' | '.join(shown)} |"


def _prose(content: str, block: BlockSpan, span: tuple[int, int]) -> str:
    """Return a block that is no row of a table, the part within it marked; an item's own sign is left to Markdown."""
    sign = _SIGN.match(content, block.start, block.end) if block.kind == "item" else None
    begin = sign.end() if sign else block.start
    start, end = (min(max(one, begin), block.end) for one in span)
    before, marked, after = content[begin:start], content[start:end], content[end : block.end]
    if not marked.strip():
        before, after = content[begin : block.end], ""
    parts = [passage(before), f":orange-background[{passage(marked)}]" if marked.strip() else "", passage(after)]
    text = " ".join(part for part in parts if part)
    if block.kind == "heading":
        return f"**{text}**"
    return f"{_PREFIX.get(block.kind, '')}{text}{_SUFFIX.get(block.kind, '')}"
