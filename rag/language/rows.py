"""What the rows of a table say: each cell with the head of its column. Ground floor.

Tables stand in a document's text as lines `| cell | cell |`, the heads first, with or without a rule below them. Where
the file says which rows are heads, the text that is read has marks in those rows (`with_marks`); else they are guessed.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from rag.models import Chunk

HEADS_MARK, BODY_MARK = "\u2007", "\u2008"
"""Two kinds of space that cleaned text cannot hold. One stands in the place of the space after the first stroke of a
row, and says of the row that it holds heads, or that it is the first of a passage and holds none."""
_UNMARKED = str.maketrans({HEADS_MARK: " ", BODY_MARK: " "})

_RULE = re.compile(r"^\|(?:\s*:?-{2,}:?\s*\|)+\s*$")
_DIGIT = re.compile(r"\d")
_FIGURE = re.compile(r"[^\w]*\d")
_LETTER = re.compile(r"[^\W\d_]")
_AMOUNT_CELL = re.compile(r"[($€£-]*\s*(?!(?:19|20)\d\d$)\d[\d,.]*\s*%?\)?$")
"""A cell that is a figure and no year: a row of totals without a label has such cells, a row of heads has not."""
_YEAR = re.compile(r"(?:FY ?)?(?:19|20)\d\d(?:[/–-]\d\d(?:\d\d)?)?")
_FEWEST_YEARS = 2
_FEWEST_COLUMNS = 3
_LONGEST_HEAD = 4
"""Words: where a passage begins with a row, longer cells are no heads."""
_LONGEST_GUESSED = 6
"""The same of heads that have figures in their words, above a column of figures."""
_FEWEST_ROWS = 2
"""Rows that must agree before such a first row is taken for the heads."""


def cells(text: str) -> list[str]:
    """Return the cells of a table's row; none where a text is no row.

    >>> cells("| toluene | 50 ppm |"), cells("Wear gloves.")
    (['toluene', '50 ppm'], [])
    """
    row = text.strip()
    if not row.startswith("|") or row.count("|") < 3 or "\n" in row:
        return []
    return [cell.strip() for cell in row.strip("|").split("|")]


def with_marks(chunk: Chunk, text: str) -> str:
    """Return the text of a chunk with the rows marked of which it is known whether they hold heads; offsets stay.

    Args:
        chunk: The chunk. One that begins within a table has the heads of its columns at the end of its context; one
            that begins with a row and has none there begins with the first of its table, which may hold the heads.
        text: Its content, or that with parts of it blanked.
    """
    begins_within = text.startswith("| ") and chunk.context.rpartition("\n")[2].startswith("| ")
    marks = [(offset, HEADS_MARK) for offset in chunk.heads] + ([(0, BODY_MARK)] if begins_within else [])
    if not marks and text.startswith("| ") and chunk.context and _begins_with_heads(text):
        marks = [(0, HEADS_MARK)]
    for offset, mark in marks:
        if text[offset : offset + 2] == "| ":
            text = f"{text[: offset + 1]}{mark}{text[offset + 2 :]}"
    return text


@lru_cache(maxsize=1_024)
def _begins_with_heads(text: str) -> bool:
    """Return whether the first row of a table, three columns or more, has only short words, and the rows below not.

    Nothing above the row is known, so that it must look unlike the rows: they have figures where it has none.
    """
    rows = [cells(line) for line in text.split("\n\n", 1)[0].split("\n")]
    first, below = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
    if len(first) < _FEWEST_COLUMNS or len(below) < _FEWEST_ROWS or not all(map(_LETTER.match, first)):
        return False
    is_like = any(_begins_as(first[0], row[0]) for row in below)
    if is_like or any(len(cell.split()) > _LONGEST_GUESSED for cell in first):
        return False
    columns = list(zip(*below, strict=True))
    return any(all(_DIGIT.search(cell) for cell in column) for column in columns[1:])


def row_of_heads(chunk: Chunk) -> str:
    """Return the row with the heads of the columns for a chunk that begins within a table; else nothing.

    Its own text has not got it: it stands in an earlier chunk, and at the end of its context.
    """
    heads = chunk.context.rpartition("\n")[2]
    is_below = chunk.content.startswith("| ") and heads.startswith("| ") and bool(cells(heads))
    return f"|{HEADS_MARK}{heads[2:]}" if is_below else ""


def without_marks(text: str) -> str:
    """Return a text with spaces in the place of marks."""
    return text.translate(_UNMARKED)


def heads_of(table: Sequence[str]) -> list[str]:
    """Return the heads of a table's columns, given its lines from the first on; none where it has no heads.

    >>> heads_of(["| Substance | Limit | Note |", "| toluene | 50 ppm | toxic |"])
    ['Substance', 'Limit', 'Note']
    >>> heads_of(["| Fume hood | checked monthly |", "| Eye wash | checked weekly |"])
    []
    """
    lines = ["", *table]
    rows = [cells(line) for line in lines]
    return rows[1] if table and rows[1] and _are_heads(1, lines, rows) else []


def tells_heads(row: Sequence[str]) -> bool:
    """Return whether each cell of a row tells the head of its column itself, as the rows of sheets do.

    >>> tells_heads(["Item: lamp", "", "Price: 12"]), tells_heads(["Item", "Price"])
    (True, False)
    """
    return any(row) and all(": " in cell for cell in row if cell)


def statements(sentences: Sequence[str]) -> list[str]:
    """Return what each sentence of a passage says, read on its own; heads and rules of tables say nothing.

    A row reads as `head: cell; head: cell` where its heads are known, and else as it stands; one of two cells as
    `name: value`. A first row is the heads where a rule or figures below it show that it is, or where a wider table
    begins in this passage: a passage may also begin in the middle of a table. A row without a first cell that names
    every other column is the heads of rows with labels. Of marked rows (`with_marks`) nothing is guessed; of several
    rows of heads, each column has the words of all.

    >>> statements(["Limits:", "| Substance | Limit | Note |", "| toluene | 50 ppm | toxic |"])
    ['Limits:', '', 'Substance: toluene; Limit: 50 ppm; Note: toxic']
    """
    rows = [cells(sentence) for sentence in sentences]
    marks = [_mark(sentence) for sentence in sentences]
    said: list[str] = []
    heads: list[str] = []
    for place, (sentence, row) in enumerate(zip(sentences, rows, strict=True)):
        begins = bool(row) and (place == 0 or not rows[place - 1] or _begins_anew(place, sentences, rows))
        if marks[place] == HEADS_MARK:
            heads = together(heads if place and marks[place - 1] == HEADS_MARK else [], row)
        elif begins and not (place and marks[place - 1] == HEADS_MARK):
            is_first = marks[place] != BODY_MARK and _are_heads(place, sentences, rows)
            heads = row if is_first else []
        if marks[place] == HEADS_MARK or (begins and heads is row) or _RULE.match(sentence.strip()):
            said.append("")
        else:
            said.append(_said(row, heads) if row else without_marks(sentence))
    return said


def _mark(sentence: str) -> str:
    start = sentence.lstrip()[:2]
    return start[1:] if start[:1] == "|" else ""


def together(above: Sequence[str], row: Sequence[str]) -> list[str]:
    """Return the heads of columns that stand in two rows, each once; the lower row's where their widths differ."""
    if not row or len(above) != len(row):
        return list(row or above)
    return [" ".join(dict.fromkeys(filter(None, pair))) for pair in zip(above, row, strict=True)]


def _begins_anew(place: int, sentences: Sequence[str], rows: Sequence[list[str]]) -> bool:
    """Return whether a table begins right below another: heads of another width, above rows of their own."""
    above, width = rows[place - 1], len(rows[place])
    goes_on = place + 1 < len(rows) and len(rows[place + 1]) == width
    return len(above) != width and goes_on and _are_heads(place, sentences, rows)


def _are_heads(place: int, sentences: Sequence[str], rows: Sequence[list[str]]) -> bool:
    """Return whether the first row of a table holds the heads of its columns."""
    row = rows[place]
    if tells_heads(row):
        return False
    below: list[list[str]] = []
    for sentence, other in zip(sentences[place + 1 :], rows[place + 1 :], strict=True):
        if _RULE.match(sentence.strip()):
            return not below
        if not other:
            break
        below.append(other)
    alike = [other for other in below if len(other) == len(row)]
    follows_text = place > 0 and not rows[place - 1] and len(row) > 2
    if not alike or follows_text or _has_empty_corner(row, alike) or _has_years(row, alike):
        return bool(alike)
    return _differ_from(row, alike) or (len(row) > 2 and stands_over_figures(row, alike))


def _has_empty_corner(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether a row names every column but that of the labels, and each row below it has a label."""
    is_named = not row[0] and all(row[1:]) and not any(_AMOUNT_CELL.match(cell) for cell in row[1:])
    return is_named and all(other[0] for other in below)


def _has_years(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether a row names its columns by years, two or more, above what are none: `Source | 2025 | 2026`."""
    years = [place for place, cell in enumerate(row) if _YEAR.fullmatch(cell)]
    if len(years) < _FEWEST_YEARS or not _LETTER.match(row[0]):
        return False
    return all(not _YEAR.fullmatch(other[place]) for other in below for place in years)


def _differ_from(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether a row is short words throughout, above a column that is numbers throughout."""
    if len(below) < _FEWEST_ROWS or any(_DIGIT.search(cell) or len(cell.split()) > _LONGEST_HEAD for cell in row):
        return False
    return any(all(_DIGIT.search(cell) for cell in column) for column in zip(*below, strict=True))


def stands_over_figures(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether a row is short words, some with figures in them, above a column of figures that it has a word for.

    Not where a row below begins as it does (`Stage 1` above `Stage 2`): then it is one of them.

    >>> stands_over_figures(["Place", "Up to 22"], [["Hall", "20"], ["Loft", "12"]])
    True
    """
    if len(below) < _FEWEST_ROWS or any(_FIGURE.match(cell) or len(cell.split()) > _LONGEST_GUESSED for cell in row):
        return False
    columns = list(zip(row, *below, strict=True))
    alike = any(_begins_as(head, cell) for head, *column in columns for cell in column)
    return not alike and any(
        _LETTER.match(head) and all(_FIGURE.match(cell) for cell in column) for head, *column in columns
    )


def _begins_as(head: str, cell: str) -> bool:
    """Return whether a cell begins with the first word of another one."""
    first = head.split()[:1]
    return bool(first) and cell.split()[:1] == first


def _said(row: Sequence[str], heads: Sequence[str]) -> str:
    if tells_heads(row):
        return "; ".join(filter(None, row))
    if len(row) != len(heads):
        return (": " if len(row) == 2 else " | ").join(cell for cell in row if cell)
    return "; ".join(f"{head}: {cell}" if head else cell for head, cell in zip(heads, row, strict=True) if cell)
