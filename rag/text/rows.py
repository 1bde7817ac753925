"""Rows of tables: written as lines `| cell | cell |`, and read with the heads of their columns. Ground floor."""

import re
from collections.abc import Sequence

from rag.models import BlockSpan, Chunk

YEAR = re.compile(r"(?:FY ?)?(?:19|20)\d\d(?:[/–-]\d\d(?:\d\d)?)?")
"""A year, of a business or a season too: `FY 2025`, `2024/25`."""
_FEWEST_STROKES = 3


def cells(text: str) -> list[str]:
    """Return the cells of a table's row; none where a text is no row.

    >>> cells("| toluene | 50 ppm |"), cells("Wear gloves.")
    (['toluene', '50 ppm'], [])
    """
    row = text.strip()
    if not row.startswith("|") or row.count("|") < _FEWEST_STROKES or "\n" in row:
        return []
    return [cell.strip() for cell in row.removeprefix("|").removesuffix("|").split("|")]


def tells_heads(row: Sequence[str]) -> bool:
    """Return whether each cell of a row tells the head of its column itself, as the rows of sheets do.

    >>> tells_heads(["Item: lamp", "", "Price: 12"]), tells_heads(["Item", "Price"])
    (True, False)
    """
    return any(row) and all(": " in cell for cell in row if cell)


def with_heads(row: Sequence[str], heads: Sequence[str]) -> str:
    """Return what a row says, read with the heads of its columns; one of two cells without heads is name and value.

    Of columns that are years the latest comes first.

    >>> with_heads(["toluene", "50 ppm"], ["Substance", "Limit"]), with_heads(["Phone", "4410"], [])
    ('Substance: toluene; Limit: 50 ppm', 'Phone: 4410')
    >>> with_heads(["Rent", "40", "45"], ["Item", "2024", "2025"])
    'Item: Rent; 2025: 45; 2024: 40'
    """
    if tells_heads(row):
        return "; ".join(filter(None, _latest_first(row, [cell.partition(": ")[0] for cell in row])))
    if len(row) != len(heads):
        said = [cell for cell in row if cell]
        return ": ".join(cell.rstrip(": ") for cell in said) if len(row) == 2 else " | ".join(said)
    said = [f"{head.rstrip(': ')}: {cell}" if head and cell else cell for head, cell in zip(heads, row, strict=True)]
    return "; ".join(filter(None, _latest_first(said, heads)))


def _latest_first(said: Sequence[str], heads: Sequence[str]) -> list[str]:
    """Return what columns say, those that are years in the places of such, the latest first."""
    years = [place for place, head in enumerate(heads) if YEAR.fullmatch(head)]
    ordered = sorted(years, key=lambda place: heads[place].removeprefix("FY").strip(), reverse=True)
    moved = dict(zip(years, ordered, strict=True))
    return [said[moved.get(place, place)] for place in range(len(said))]


def blocks_of(chunk: Chunk) -> list[BlockSpan]:
    """Return for each sentence of a chunk the block in which it begins; a paragraph where nothing is known of it."""
    found, place, blocks = [], 0, chunk.blocks
    for start, end in chunk.sentences:
        while place < len(blocks) and blocks[place].end <= start:
            place += 1
        inside = place < len(blocks) and blocks[place].start < end
        found.append(blocks[place] if inside else BlockSpan(kind="paragraph", start=start, end=end))
    return found


def is_silent(block: BlockSpan) -> bool:
    """Return whether a block says nothing by itself: the heads of a table's columns."""
    return block.kind == "heads"


def silent_rows(chunk: Chunk) -> frozenset[int]:
    """Return which sentences of a chunk, counted from 0, say nothing by themselves."""
    return frozenset(number for number, block in enumerate(blocks_of(chunk)) if is_silent(block))


def statements_of(chunk: Chunk) -> tuple[str, ...]:
    """Return what each sentence of a chunk says: a table's row with the heads of its columns, the heads nothing."""
    found = []
    for text, block in zip(chunk.sentence_texts, blocks_of(chunk), strict=True):
        if block.kind == "row":
            heads = chunk.columns[block.table] if block.table is not None else ()
            found.append(with_heads(cells(text), heads) or text.strip("| "))
        else:
            found.append("" if is_silent(block) else text)
    return tuple(found)
