"""Cells that span columns or rows: their text is repeated in each, so that every row can be read by itself."""

from collections.abc import Sequence
from typing import NamedTuple

MOST = 100
"""Columns or rows that one cell may span; a page may claim thousands."""


class Spanning(NamedTuple):
    """A cell's text, and how many columns and rows it takes; `rows` is 0 where it goes on to the last row."""

    text: str
    columns: int = 1
    rows: int = 1


def spread(rows: Sequence[Sequence[Spanning]]) -> list[list[str]]:
    """Return the texts of a table's rows, each cell in every column and row that it spans.

    A cell that takes a whole row is its title and stands there once.

    >>> spread([[Spanning("Oslo", rows=2), Spanning("North")], [Spanning("South")]])
    [['Oslo', 'North'], ['Oslo', 'South']]
    >>> spread([[Spanning("Fees", columns=2)], [Spanning("Room"), Spanning("9 euros")]])
    [['Fees'], ['Room', '9 euros']]
    """
    hanging: dict[int, tuple[str, int]] = {}
    spread_rows = []
    for index, cells in enumerate(rows):
        texts, hanging = _placed(cells, hanging, len(rows) - index)
        is_title = len(cells) == 1 and len(texts) == min(cells[0].columns, MOST)
        spread_rows.append([cells[0].text] if is_title else texts)
    return spread_rows


def without_empty_columns(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the rows without the columns that are empty in all of them, which only lay a table out.

    >>> without_empty_columns([["", "", "2021"], ["Rent", "", "7"]])
    [['', '2021'], ['Rent', '7']]
    """
    width = max(map(len, rows), default=0)
    kept = [column for column in range(width) if any(column < len(row) and row[column] for row in rows)]
    return [[row[column] for column in kept if column < len(row)] for row in rows]


def _placed(
    cells: Sequence[Spanning], hanging: dict[int, tuple[str, int]], left: int
) -> tuple[list[str], dict[int, tuple[str, int]]]:
    """Return a row's texts, and what hangs into the rows below: for each column a text and a number of rows.

    Args:
        cells: The row's own cells.
        hanging: What hangs into it from above.
        left: Rows from this one to the last.
    """
    texts: list[str] = []
    below = {column: (text, rows - 1) for column, (text, rows) in hanging.items() if rows > 1}

    def fill() -> None:
        while len(texts) in hanging:
            texts.append(hanging[len(texts)][0])

    for cell in cells:
        fill()
        rows = min(cell.rows or left, left, MOST)
        for _ in range(max(1, min(cell.columns, MOST))):
            if rows > 1:
                below[len(texts)] = (cell.text, rows - 1)
            texts.append(cell.text)
    fill()
    return texts, below
