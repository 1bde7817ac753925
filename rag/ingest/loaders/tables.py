"""Tables: cells that span columns or rows repeated in each, and which rows hold the heads of the columns.

The heads are those that the file marks, else those that look like it. They are decided once, when a document is read:
every row then knows the heads of its columns, wherever it is cut.
"""

import re
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import accumulate, count, groupby, takewhile
from typing import NamedTuple

from rag.text.rows import YEAR, cells, tells_heads

_RULE = re.compile(r"^\|(?:\s*:?-{2,}:?\s*\|)+\s*$")
FIGURE = re.compile(r"[^\w]*\d")  # what begins with a figure, whatever sign stands before it
_LONGEST_HEAD = 80  # characters of a cell that may be the head of a column, where the file does not say
_LOOKED_AT = 50  # rows below a first row that are compared with it
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
    titled, table, found = 0, texts, marked
    if not marked:
        titled = int(len(rows) > 2 and sum(map(bool, texts[0])) <= 1)
        table = [row for row in texts[titled:] if len(row) == len(texts[titled])]
        found = count_of_heads(table)
    heads: list[str] = reduce(together, table[:found]) if found else []
    return titled + found if found else 0, tuple(head.rstrip(": ") for head in heads)


def count_of_heads(rows: Sequence[Sequence[str]]) -> int:
    """Return how many rows at the top of a table are heads: none, one, or two where the upper one spans columns.

    Heads are short words or years, no two alike, and none recurs in its column. In a table of two columns a column of
    figures must stand below them: else it is one of labels and values.
    """
    if len(rows) < 2 or len(rows[0]) < 2 or tells_heads(rows[0]):
        return 0
    upper, lower = rows[0], rows[1]
    named = [cell for cell in upper if cell]
    pairs = set(zip(filled_on(upper), lower, strict=True))
    spans = ("" in upper[1:] or len(set(named)) < len(named)) and (not upper[0] or lower[0] in ("", upper[0]))
    if spans and len(rows) > 2 and _are_names(upper) and _are_names(lower) and len(pairs) == len(upper):
        return 2
    if len(named) * 2 < len(upper) - 1 or len(set(named)) < len(named) or not _are_names(upper):
        return 0
    below = [row for row in rows[1 : _LOOKED_AT + 1] if row[1:] != upper[1:]]
    again = sum(any(head and head == cell for head, cell in zip(upper, row, strict=True)) for row in below)
    is_one_of_them = any(row[0].split()[:1] == upper[0].split()[:1] != [] for row in below)  # `Stage 1`, `Stage 2`
    has_figures = len(below) > 1 and any(all(map(FIGURE.match, column)) for column in zip(*below, strict=True))
    return 0 if 10 * again > len(below) or is_one_of_them or (len(upper) == 2 and not has_figures) else 1


def _are_names(row: Sequence[str]) -> bool:
    filled = [cell for cell in row if cell]
    named = (not FIGURE.match(cell) or YEAR.fullmatch(cell) for cell in filled)
    return bool(filled) and max(map(len, filled)) <= _LONGEST_HEAD and all(named)


def filled_on(row: Sequence[str]) -> list[str]:
    """Return a row whose empty cells have what stands left of them: a head that spans columns."""
    filled: Iterator[str] = accumulate(row, lambda left, cell: cell or left)
    return list(filled)


def together(above: Sequence[str], row: Sequence[str]) -> list[str]:
    """Return the heads of columns that stand in two rows, each once; the lower row's where their widths differ."""
    if not row or len(above) != len(row):
        return list(row or above)
    return [" ".join(dict.fromkeys(filter(None, pair))) for pair in zip(above, row, strict=True)]


def fields_of(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the fields of a form: each row is labels that end with a colon, with a value or none; else nothing.

    A text that recurs right beside itself is that of one cell over several columns.

    >>> fields_of([["Tenant:", "Ida", "", "Rent:", "640"], ["Keys:", "2", "", "", ""]])
    ['Tenant: Ida', 'Rent: 640', 'Keys: 2']
    >>> fields_of([["Name:", "Town:"], ["Ida", "Kiel"]]), fields_of([["Rent:", "40", "45"]])
    ([], [])
    """
    found: list[str] = []
    for row in rows:
        texts = [text for text, _ in groupby(filter(None, row))]
        signs = "".join("L" if text.endswith(":") else "v" for text in texts)
        if not re.fullmatch("(?:Lv?)*", signs):
            return []
        for sign, text in zip(signs, texts, strict=True):
            if sign == "L":
                found.append(text)
            else:
                found[-1] += f" {text}"
    return found if any(not field.endswith(":") for field in found) else []


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
