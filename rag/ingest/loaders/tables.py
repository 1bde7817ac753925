"""Tables: cells that span columns or rows repeated in each, and which rows hold the heads of the columns.

The heads are those that the file marks, else those that look like it. They are decided once, when a document is read:
every row then knows the heads of its columns, wherever it is cut.
"""

import re
from collections.abc import Sequence
from functools import reduce
from itertools import count, takewhile
from typing import NamedTuple

from rag.text.rows import YEAR, cells, tells_heads

_RULE = re.compile(r"^\|(?:\s*:?-{2,}:?\s*\|)+\s*$")
_DIGIT, LETTER = re.compile(r"\d"), re.compile(r"[^\W\d_]")
FIGURE = re.compile(r"[^\w]*\d")  # what begins with a figure, whatever sign stands before it
_FEWEST_YEARS = 2
_FEWEST_ROWS = 2  # rows that must agree before the first row of a table of two columns is taken for heads
_LONGEST_HEAD = 6  # words of a cell that may be the head of a column, where the file does not say
_WIDE = 3  # from this many columns on a table is taken to begin with heads
MOST = 100  # columns or rows that one cell may span; a page may claim thousands


def is_rule(text: str) -> bool:
    """Return whether a line is the rule below the heads of a table.

    >>> is_rule("|---|:--:|"), is_rule("| a | b |")
    (True, False)
    """
    return bool(_RULE.match(text.strip()))


def heads_of(rows: Sequence[str], marked: int = 0) -> tuple[int, tuple[str, ...]]:
    """Return how many rows, from the first on, hold heads or titles, and the head of each column; 0 and () without.

    The file marks the first `marked` rows as heads.

    >>> heads_of(["| Substance | Limit | Note |", "| toluene | 50 ppm | toxic |"])
    (1, ('Substance', 'Limit', 'Note'))
    >>> heads_of(["| Fume hood | checked monthly |", "| Eye wash | checked weekly |"])
    (0, ())
    """
    texts = [cells(row) for row in rows]
    if marked:
        heads: list[str] = reduce(together, texts[:marked])
        return marked, tuple(heads)
    titled = int(len(rows) > 2 and sum(map(bool, texts[0])) <= 1)
    first, below = texts[titled], [row for row in texts[titled + 1 :] if len(row) == len(texts[titled])]
    return (titled + 1, tuple(first)) if first and below and _are_heads(first, below) else (0, ())


def together(above: Sequence[str], row: Sequence[str]) -> list[str]:
    """Return the heads of columns that stand in two rows, each once; the lower row's where their widths differ."""
    if not row or len(above) != len(row):
        return list(row or above)
    return [" ".join(dict.fromkeys(filter(None, pair))) for pair in zip(above, row, strict=True)]


def _are_heads(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether a table's first row holds the heads of its columns, as far as its form tells."""
    has_amount = any(FIGURE.match(cell) and not YEAR.match(cell) for cell in row)
    is_one_of_them = any(other[0].split()[:1] == row[0].split()[:1] != [] for other in below)  # `Stage 1`, `Stage 2`
    if sum(map(bool, row)) < min(len(row), 2) or has_amount or is_one_of_them or tells_heads(row):
        return False
    has_empty_corner = not row[0] and all(row[1:]) and all(other[0] for other in below)
    if len(row) >= _WIDE or has_empty_corner or _has_years(row, below):
        return True
    return len(below) >= _FEWEST_ROWS and _stands_over_figures(row, below)


def _has_years(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether a row names its columns by years, two or more, above what are none: `Source | 2025 | 2026`."""
    years = [place for place, cell in enumerate(row) if YEAR.fullmatch(cell)]
    if len(years) < _FEWEST_YEARS or not LETTER.match(row[0]):
        return False
    return all(not YEAR.fullmatch(other[place]) for other in below for place in years)


def _stands_over_figures(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether a row is short words above a column of figures."""
    if any(len(cell.split()) > _LONGEST_HEAD for cell in row):
        return False
    columns = list(zip(row, *below, strict=True))
    is_plain = not any(map(_DIGIT.search, row))
    known = _DIGIT.search if is_plain else FIGURE.match  # a row with figures in its words may be one of those below
    return any(LETTER.match(head) and all(map(known, column)) for head, *column in columns)


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
    grid: list[dict[int, str]] = [{} for _ in rows]
    for index, line in enumerate(rows):
        column = 0
        for cell in line:
            while column in grid[index]:
                column += 1
            width = max(1, min(cell.columns, MOST))
            for below in grid[index : index + max(1, min(cell.rows or len(rows), MOST))]:
                below.update(dict.fromkeys(range(column, column + width), cell.text))
            column += width
    found: list[list[str]] = []
    for line, placed in zip(rows, grid, strict=True):
        texts = [placed[column] for column in takewhile(placed.__contains__, count())]
        found.append(texts[:1] if len(line) == 1 and len(texts) == min(line[0].columns, MOST) else texts)
    return found


def without_empty_columns(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the rows without the columns that are empty in all of them, which only lay a table out.

    >>> without_empty_columns([["", "", "2021"], ["Rent", "", "7"]])
    [['', '2021'], ['Rent', '7']]
    """
    width = max(map(len, rows), default=0)
    kept = [column for column in range(width) if any(column < len(row) and row[column] for row in rows)]
    return [[row[column] for column in kept if column < len(row)] for row in rows]
