"""Lines of text on a picture in reading order, and their blocks: column after column, a table row by row."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import TypeAlias

from rag.ingest.loaders.blocks import Block, grouped, table_blocks
from rag.ingest.loaders.lists import ITEM

Box: TypeAlias = tuple[float, float, float, float]  # Left, top, right, bottom in pixels
_TALL, _FAR = 1.3, 1.35
"""A heading is taller than other lines by this much; a paragraph's next line is no farther than this many steps."""
_GOES_ON = 0.3  # in a column of running text this share of the lines begins in mid sentence; cells of a table seldom do


@dataclass(frozen=True, slots=True)
class OcrLine:
    """A line of text that was read on a picture; lines beside each other on the straightened page share a height."""

    text: str
    box: Box
    confidence: float

    @property
    def height(self) -> float:
        """How high it is, in pixels."""
        return self.box[3] - self.box[1]

    @property
    def middle(self) -> float:
        """Where its middle lies, in pixels from the top."""
        return (self.box[1] + self.box[3]) / 2


Rows: TypeAlias = list[list[OcrLine]]  # Lines from top to bottom, those beside each other from left to right


def in_order(lines: Sequence[OcrLine]) -> list[OcrLine]:
    """Return lines in reading order."""
    return [line for _, rows in _regions(lines) for row in rows for line in row]


def blocks_of(lines: Sequence[OcrLine], page: int) -> Iterator[Block]:
    """Yield the blocks of a page: headings by their height, paragraphs and items by distance, rows, fields."""
    usual = median(line.height for line in lines) if lines else 0.0
    for is_table, rows in _regions(lines):
        yield from _table(rows, page) if is_table else _prose(rows, usual, page)


def _regions(lines: Sequence[OcrLine]) -> Iterator[tuple[bool, Rows]]:
    """Yield tables (True) and text in reading order: a page is cut where a gutter begins and ends, then along it."""
    text: Rows = []
    for band in grouped(_rows(lines), lambda band, row: len(_columns([*band, row])) > 1):  # rows that share a gutter
        columns = _columns(band)
        if len(columns) == 1 or len(band) == 1:
            text += band
            continue
        if text:
            yield False, text
            text = []
        if _is_prose(columns):
            for column in columns:
                yield from _regions(column)
        else:
            yield True, band
    if text:
        yield False, text


def _rows(lines: Sequence[OcrLine]) -> Rows:
    def is_beside(row: list[OcrLine], line: OcrLine) -> bool:
        return line.middle < row[0].box[3] and line.middle - row[0].middle < line.height / 2

    rows = grouped(sorted(lines, key=lambda line: line.middle), is_beside)
    return [sorted(row, key=lambda line: line.box[0]) for row in rows]


def _columns(rows: Rows) -> list[list[OcrLine]]:
    """Return the lines of rows by the column in which they stand: a gutter is as wide as lines are high."""
    columns: list[list[OcrLine]] = []
    right = 0.0
    for line in sorted((line for row in rows for line in row), key=lambda line: line.box[0]):
        if not columns or line.box[0] - right >= line.height:
            columns.append([])
        columns[-1].append(line)
        right = max(right, line.box[2])
    return columns


def _is_prose(columns: Sequence[Sequence[OcrLine]]) -> bool:
    """Whether most of the lines stand in columns of running text, where many begin with no capital."""
    flowing = 0
    for column in columns:
        lower = sum(line.text[0].isalpha() and not line.text[0].isupper() for line in column)
        flowing += len(column) if len(column) > 2 and lower / len(column) >= _GOES_ON else 0
    return flowing > sum(map(len, columns)) / 2


def _prose(rows: Rows, usual: float, page: int) -> Iterator[Block]:
    steps = [below[0].middle - above[0].middle for above, below in pairwise(rows)]
    step = median(steps) if steps else 0.0
    groups: Rows = []
    for row, distance in zip(rows, [0.0, *steps], strict=True):
        is_other = bool(groups) and _is_tall(row[0], usual) != _is_tall(groups[-1][0], usual)
        if not groups or is_other or distance > _FAR * step or ITEM.match(row[0].text):
            groups.append([])
        groups[-1] += row
    for group in groups:
        text = _joined(group)
        if _is_tall(group[0], usual):
            yield Block("heading", text, level=1, page=page)
        else:
            yield Block("item" if ITEM.match(text) else "paragraph", text, page=page)


def _table(rows: Rows, page: int) -> Iterator[Block]:
    """Yield the rows of a table; where all are a label with a colon and a value, they are fields."""
    if all(len(row) == 2 and row[0].text.endswith(":") for row in rows):
        yield from (Block("field", f"{label.text} {value.text}", page=page) for label, value in rows)
        return
    columns = _columns(rows)
    cells = [[_joined([line for line in row if line in column]) for column in columns] for row in rows]
    yield from (replace(block, page=page) for block in table_blocks(cells))


def _joined(lines: Sequence[OcrLine]) -> str:
    """Return lines as running text; a word that a hyphen divides at a line's end is put together."""
    return re.sub(r"(?<=[^\W\d_])-\n(?=[a-z])", "", "\n".join(line.text for line in lines)).replace("\n", " ")


def _is_tall(line: OcrLine, usual: float) -> bool:
    return line.height > _TALL * usual
