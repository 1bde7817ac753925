"""Lines of text on a picture in reading order, and their blocks: column after column, a table row by row."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import Generic, Protocol, TypeVar

from rag.ingest.loaders.blocks import Block, table_blocks
from rag.ingest.loaders.lists import ITEM

Box = tuple[float, float, float, float]
"""Left, top, right, bottom in pixels."""
_TALL, _FAR = 1.3, 1.35
"""A heading is taller than other lines by this much; a paragraph's next line is no farther than this many steps."""
_GOES_ON = 0.3  # in a column of running text this share of the lines begins in mid sentence; cells of a table seldom do


class Boxed(Protocol):
    """Text with its place on an upright page."""

    @property
    def text(self) -> str:
        """What stands there."""

    @property
    def box(self) -> Box:
        """Where it stands."""


_Line = TypeVar("_Line", bound=Boxed)


@dataclass(frozen=True, slots=True)
class Region(Generic[_Line]):
    """A part of a page: rows from top to bottom, each from left to right."""

    rows: list[list[_Line]]
    is_table: bool = False


def in_order(lines: Sequence[_Line]) -> list[_Line]:
    """Return lines in reading order."""
    return [line for region in regions(lines) for row in region.rows for line in row]


def regions(lines: Sequence[_Line]) -> Iterator[Region[_Line]]:
    """Yield the parts of a page in reading order: it is cut where a gutter of white begins and ends, then along it."""
    text: list[list[_Line]] = []
    for band in _bands(_rows(lines)):
        columns = _columns(band)
        if len(columns) == 1 or len(band) == 1:
            text += band
            continue
        if text:
            yield Region(text)
            text = []
        if _is_prose(columns):
            for column in columns:
                yield from regions(column)
        else:
            yield Region(band, is_table=True)
    if text:
        yield Region(text)


def blocks_of(lines: Sequence[_Line], page: int) -> Iterator[Block]:
    """Yield the blocks of a page: headings by their height, paragraphs and items by distance, rows, fields."""
    usual = median(_height(line) for line in lines) if lines else 0.0
    for region in regions(lines):
        yield from _table(region.rows, page) if region.is_table else _prose(region.rows, usual, page)


def _rows(lines: Sequence[_Line]) -> list[list[_Line]]:
    """Return lines that stand beside each other, from the top; each from left to right."""
    rows: list[list[_Line]] = []
    for line in sorted(lines, key=_middle):
        if rows and _middle(line) < rows[-1][0].box[3] and _middle(line) - _middle(rows[-1][0]) < _height(line) / 2:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.box[0]) for row in rows]


def _bands(rows: Sequence[list[_Line]]) -> list[list[list[_Line]]]:
    """Return runs of rows that share a gutter; a row without one is alone."""
    bands: list[list[list[_Line]]] = []
    for row in rows:
        if bands and len(_columns([*bands[-1], row])) > 1:
            bands[-1].append(row)
        else:
            bands.append([row])
    return bands


def _columns(rows: Sequence[Sequence[_Line]]) -> list[list[_Line]]:
    """Return the lines of rows by the column in which they stand: a gutter is as wide as lines are high."""
    columns: list[list[_Line]] = []
    right = 0.0
    for line in sorted((line for row in rows for line in row), key=lambda line: line.box[0]):
        if columns and line.box[0] - right < _height(line):
            columns[-1].append(line)
        else:
            columns.append([line])
        right = max(right, line.box[2])
    return columns


def _is_prose(columns: Sequence[Sequence[_Line]]) -> bool:
    """Whether most of the lines stand in columns of running text, whose lines go on in the next."""
    flowing = [column for column in columns if len(column) > 2 and _share_going_on(column) >= _GOES_ON]
    return sum(map(len, flowing)) > sum(map(len, columns)) / 2


def _share_going_on(column: Sequence[_Line]) -> float:
    """Return the share of lines that begin with a letter that is no capital."""
    return sum(line.text[0].isalpha() and not line.text[0].isupper() for line in column) / len(column)


def _prose(rows: Sequence[Sequence[_Line]], usual: float, page: int) -> Iterator[Block]:
    steps = [_middle(below[0]) - _middle(above[0]) for above, below in pairwise(rows)]
    step = median(steps) if steps else 0.0
    groups: list[list[_Line]] = []
    for row, distance in zip(rows, [0.0, *steps], strict=True):
        is_other = bool(groups) and _is_tall(row[0], usual) != _is_tall(groups[-1][0], usual)
        if not groups or is_other or distance > _FAR * step or ITEM.match(row[0].text):
            groups.append([])
        groups[-1] += row
    for group in groups:
        text = _joined([line.text for line in group])
        if _is_tall(group[0], usual):
            yield Block("heading", text, level=1, page=page)
        else:
            yield Block("item" if ITEM.match(text) else "paragraph", text, page=page)


def _table(rows: Sequence[Sequence[_Line]], page: int) -> Iterator[Block]:
    """Yield the rows of a table; where all are a label with a colon and a value, they are fields."""
    if all(len(row) == 2 and row[0].text.endswith(":") for row in rows):
        yield from (Block("field", f"{label.text} {value.text}", page=page) for label, value in rows)
        return
    columns = _columns(rows)
    cells = [[_joined([line.text for line in row if line in column]) for column in columns] for row in rows]
    yield from (replace(block, page=page) for block in table_blocks(cells))


def _joined(lines: Sequence[str]) -> str:
    """Return lines as running text; a word that a hyphen divides at a line's end is put together.

    >>> _joined(["infor-", "mation of", "2-", "3 signs"])
    'information of 2- 3 signs'
    """
    return re.sub(r"(?<=[^\W\d_])-\n(?=[a-z])", "", "\n".join(lines)).replace("\n", " ")


def _is_tall(line: Boxed, usual: float) -> bool:
    return _height(line) > _TALL * usual


def _height(line: Boxed) -> float:
    return line.box[3] - line.box[1]


def _middle(line: Boxed) -> float:
    return (line.box[1] + line.box[3]) / 2
