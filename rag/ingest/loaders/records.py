"""Sheets: each row a block whose cells tell the heads of their columns, so that it can be read by itself.

The twentieth cell of a row says nothing without its head, and a chunk has room for one such row. So the heads are told
in the row (`| Order: 17 | City: Kiel |`) instead of once above the table.
"""

import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from rag.ingest.loaders.blocks import Block, row, table_blocks
from rag.ingest.tables import together

MAX_CELLS = 5_000_000
"""The most cells that are read of a file."""
LONGEST_ROW = 600
"""Characters of one block: a longer row becomes several, each beginning with its first cell."""
_LONGEST_HEAD = 80
_LOOKED_AT = 50
"""Rows below a first row that are compared with it."""
_LETTER = re.compile(r"[^\W\d_]")
_YEAR = re.compile(r"(?:19|20)\d\d")


def sheet_blocks(rows: Iterable[Sequence[str]]) -> Iterator[Block]:
    """Yield the tables of a sheet, which blank rows part; lines of one cell above a table are its title.

    A part below a blank row that has no heads, and is as wide as the table before it, goes on with that table's heads.
    """
    heads: list[str] = []
    for is_filled, group in groupby(rows, key=lambda cells: any(cell.strip() for cell in cells)):
        if is_filled:
            heads = yield from _table(_narrowed(list(group)), heads)


def record_blocks(records: Iterable[Mapping[str, str]]) -> Iterator[Block]:
    """Yield each record, a mapping of heads to cells, as rows of up to `LONGEST_ROW` characters."""
    for place, record in enumerate(records):
        cells = [f"{head}: {cell}" if head else cell for head, cell in record.items() if cell.strip()]
        for nth, part in enumerate(_parts(cells)):
            text = row(part)
            yield Block("row", text if len(part) > 1 else text.strip("| "), begins=place == nth == 0)


def _parts(cells: Sequence[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for cell in cells:
        if len(part) > 1 and sum(map(len, part)) + len(cell) > LONGEST_ROW:
            yield part
            part = [cells[0]]
        part.append(cell)
    if part:
        yield part


def _narrowed(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the rows of one table, all as long as the longest, without the columns that are empty on its left."""
    filled = [[place for place, cell in enumerate(cells) if cell.strip()] for cells in rows]
    first, last = min(one[0] for one in filled), max(one[-1] for one in filled) + 1
    return [[*cells[first:last], *[""] * (last - max(len(cells), first))] for cells in rows]


def _table(rows: list[list[str]], above: list[str]) -> Generator[Block, None, list[str]]:
    """Yield the blocks of one table; return its heads."""
    while rows and len(rows[0]) > 1 and len({cell for cell in rows[0] if cell}) == 1:
        yield Block("paragraph", next(filter(None, rows.pop(0))))
    count = _count_of_heads(rows)
    if count:
        heads = _filled_on(rows[0]) if count == 2 else rows[0]
        heads = together(heads, rows[1]) if count == 2 else heads
    else:
        heads = above if rows and len(above) == len(rows[0]) else []
    if heads:
        names = [name or f"Column {place}" for place, name in enumerate(_distinct(heads), 1)]
        yield from record_blocks(
            dict(zip(names, cells, strict=True)) for cells in rows[count:] if not count or cells != rows[0]
        )
    elif rows and len(rows[0]) == 2:
        yield from (Block("field", ": ".join(filter(None, map(str.strip, cells)))) for cells in rows)
    elif rows and len(rows[0]) == 1:
        yield from (Block("paragraph", cells[0]) for cells in rows)
    else:
        yield from table_blocks(rows)
    return heads


def _count_of_heads(rows: Sequence[Sequence[str]]) -> int:
    """Return how many rows at the top of a table are heads: none, one, or two where the upper one spans columns."""
    if len(rows) < 2 or len(rows[0]) < 2:
        return 0
    upper, lower = rows[0], rows[1]
    named = [cell for cell in upper if cell]
    spans = len(set(named)) < len(upper)
    pairs = set(zip(_filled_on(upper), lower, strict=True))
    if spans and len(rows) > 2 and _are_names(upper) and _are_names(lower) and len(pairs) == len(upper):
        return 2
    if len(named) * 3 < len(upper) * 2 or len(set(named)) < len(named) or not _are_names(upper):
        return 0
    below = [cells for cells in rows[1 : _LOOKED_AT + 1] if cells != upper]
    recurs = any(cells[place] == head for cells in below for place, head in enumerate(upper) if head)
    return 0 if recurs or (len(upper) == 2 and not _names_figures(below)) else 1


def _are_names(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell]
    return bool(filled) and all(
        len(cell) <= _LONGEST_HEAD and (_LETTER.match(cell.lstrip("#(\"'_ ")) or _YEAR.fullmatch(cell))
        for cell in filled
    )


def _names_figures(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a column of two has figures throughout; else two columns are labels and values: a form."""
    columns = zip(*rows, strict=True) if len(rows) > 1 else ()
    return any(all(re.match(r"[^\w]*\d", cell) for cell in column) for column in columns)


def _filled_on(cells: Sequence[str]) -> list[str]:
    """Return a row whose empty cells have what stands left of them: a head that spans columns."""
    filled: list[str] = []
    for cell in cells:
        filled.append(cell or (filled[-1] if filled else ""))
    return filled


def _distinct(heads: Sequence[str]) -> list[str]:
    """Return the heads, one that recurs with its number: `Note`, `Note 2`."""
    counts: dict[str, int] = {}
    named: list[str] = []
    for head in heads:
        counts[head] = counts.get(head, 0) + 1
        named.append(f"{head} {counts[head]}" if head and counts[head] > 1 else head)
    return named
