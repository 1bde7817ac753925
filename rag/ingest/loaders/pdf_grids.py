"""What is drawn on a page: straight lines, and where they touch, the columns and rows of a table or box between them.

Coordinates are points from the top left corner of the page, y downwards; a line is given by the box that it fills.
"""

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import pypdfium2 as pdfium  # type: ignore[import-untyped]
import pypdfium2.raw as raw  # type: ignore[import-untyped]

from rag.ingest.loaders.blocks import grouped

Corners: TypeAlias = tuple[float, float, float, float]  # Left, top, right and bottom
THICK = 2.5  # Points: a line is at most so thick, and lines so close touch
_SHORT = 6.0  # points: shorter strokes are ticks and corners
_APART = 3.0  # points: edges closer together are one edge drawn twice
_MOST_SEGMENTS = 2000  # lines of one path that are read; a path with more is a drawing
_RECTANGLE, _WHITE = 6, 250  # lines of a path that may be a filled box, and from which share of 255 light is white
_MOST_FILLS = 2000  # filled boxes of one page that are kept
_MOST_PAIRS = 60_000  # Pairs of lines on one page that are compared; a page with more is a drawing.


class Frame:
    """The visible box of a page and its rotation: turns PDF coordinates into those of the page as shown.

    `size` is width and height of the page as it is shown.
    """

    def __init__(self, page: pdfium.PdfPage) -> None:
        self._left, bottom, right, self._top = page.get_bbox()
        self._flat = right - self._left, self._top - bottom
        self.rotation: int = page.get_rotation()
        self.size = self._flat[::-1] if self.rotation in (90, 270) else self._flat

    def box(self, x0: float, y0: float, x1: float, y1: float) -> Corners:
        """Return a box, given as left, bottom, right and top, on the page as it is shown."""
        flat = (x0 - self._left, self._top - y1, x1 - self._left, self._top - y0)
        return turned(flat, 360 - self.rotation, *self._flat)


def turned(box: Corners, turn: int, width: float, height: float) -> Corners:
    """Return a box after the page was turned back by `turn`, so that text of that direction is upright."""
    x0, y0, x1, y1 = box
    if turn == 90:
        return y0, width - x1, y1, width - x0
    if turn == 180:
        return width - x1, height - y1, width - x0, height - y0
    return (height - y1, x0, height - y0, x1) if turn == 270 else box


class Drawn(NamedTuple):
    """The straight lines on a page, and the boxes that are filled with another colour than white."""

    strokes: tuple[Corners, ...] = ()
    fills: tuple[Corners, ...] = ()

    def is_shaded(self, box: Corners) -> bool:
        """Whether the middle of a box is on a filled ground."""
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        return any(x0 < x < x1 and y0 < y < y1 for x0, y0, x1, y1 in self.fills)

    def turned(self, turn: int, width: float, height: float) -> "Drawn":
        """Return the same after the page was turned back by `turn`."""
        return (
            self if turn == 0 else Drawn(*(tuple(turned(box, turn, width, height) for box in boxes) for boxes in self))
        )


def drawing(page: pdfium.PdfPage, frame: Frame) -> tuple[Drawn, set[int]]:
    """Return what is drawn on a page, and the kinds of what is on it: numbers of PDFium, `FPDF_PAGEOBJ_...`."""
    strokes: list[Corners] = []
    fills: list[Corners] = []
    kinds: set[int] = set()
    fill, stroke, colour = ctypes.c_int(), ctypes.c_int(), tuple(ctypes.c_uint() for _ in range(4))
    modes, into = (ctypes.pointer(fill), ctypes.pointer(stroke)), tuple(map(ctypes.pointer, colour))
    for item in page.get_objects(max_depth=1):
        kinds.add(item.type)
        if item.type == raw.FPDF_PAGEOBJ_PATH:
            box = frame.box(*item.get_bounds())
            count = raw.FPDFPath_CountSegments(item)
            raw.FPDFPath_GetDrawMode(item, *modes)
            is_line = not stroke.value or count == 2  # not several beside each other
            if is_line and min(box[2] - box[0], box[3] - box[1]) <= THICK:
                strokes.append(box)
            elif stroke.value and count <= _MOST_SEGMENTS:
                strokes.extend(_sides(item, count, frame))
            if fill.value and count <= _RECTANGLE and raw.FPDFPageObj_GetFillColor(item, *into):
                red, green, blue, alpha = colour
                if alpha.value and min(red.value, green.value, blue.value) < _WHITE:
                    fills.append(box)
    return Drawn(tuple(strokes), tuple(fills[:_MOST_FILLS])), kinds


def _sides(path: pdfium.PdfObject, count: int, frame: Frame) -> Iterator[Corners]:
    """Yield the straight lines of a path that is drawn with a pen, as a box around a cell or a whole grid is."""
    x, y = ctypes.c_float(), ctypes.c_float()
    matrix = path.get_matrix()
    first = last = (0.0, 0.0)
    for index in range(count):
        segment = raw.FPDFPath_GetPathSegment(path, index)
        kind = raw.FPDFPathSegment_GetType(segment)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        here = matrix.on_point(x.value, y.value)
        first = here if kind == raw.FPDF_SEGMENT_MOVETO else first
        ends = [(last, here)] if kind == raw.FPDF_SEGMENT_LINETO else []
        ends += [(here, first)] if raw.FPDFPathSegment_GetClose(segment) else []
        yield from (frame.box(min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])) for a, b in ends)
        last = here


@dataclass(frozen=True, slots=True)
class Grid:
    """The edges of a drawn table's columns (`xs`) and rows (`ys`), rising, its vertical and its level lines."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    uprights: tuple[Corners, ...]
    levels: tuple[Corners, ...]

    @property
    def is_frame(self) -> bool:
        """Whether it is one box, which may hold anything."""
        return len(self.xs) == len(self.ys) == 2

    def holds(self, box: Corners) -> bool:
        """Whether the middle of a box lies within it."""
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        return self.xs[0] < x < self.xs[-1] and self.ys[0] < y < self.ys[-1]

    def continues(self, other: "Grid") -> bool:
        """Whether two grids have the same columns at the same places."""
        pairs = zip(self.xs, other.xs, strict=False)
        return len(self.xs) == len(other.xs) and all(abs(a - b) <= _APART for a, b in pairs)

    def row(self, y: float) -> int:
        """Return the row in which a height lies, from 0."""
        return sum(edge <= y for edge in self.ys[1:-1])

    def column(self, x: float, row: int) -> int:
        """Return the column in which the cell of this row begins that holds `x`; a cell may span columns."""
        column = sum(edge <= x for edge in self.xs[1:-1])
        while column > 0 and not self._is_cut(self.xs[column], row):
            column -= 1
        return column

    def box(self, x: float, y: float) -> tuple[int, int]:
        """Return row and column in which the box begins that holds a point; it may span several of both."""
        row = self.row(y)
        column = self.column(x, row)
        left, right = self.xs[column : column + 2]
        while row > 0:
            lines = [one for one in self.levels if abs((one[1] + one[3]) / 2 - self.ys[row]) <= _APART]
            if sum(max(0.0, min(one[2], right) - max(one[0], left)) for one in lines) >= 0.5 * (right - left):
                break
            row -= 1
        return row, column

    def _is_cut(self, x: float, row: int) -> bool:
        top, bottom = self.ys[row], self.ys[row + 1]
        lines = [line for line in self.uprights if abs((line[0] + line[2]) / 2 - x) <= _APART]
        return sum(max(0.0, min(line[3], bottom) - max(line[1], top)) for line in lines) >= 0.5 * (bottom - top)


def find_grids(strokes: Sequence[Corners]) -> tuple[Grid, ...]:
    """Return the grids and boxes that lines form, top to bottom.

    >>> strokes = [stroke for at in (0, 50, 100) for stroke in ((0, at, 100, at), (at, 0, at, 100))]
    >>> [(grid.xs, grid.ys) for grid in find_grids(strokes)]
    [((0.0, 50.0, 100.0), (0.0, 50.0, 100.0))]
    """
    levels = [stroke for stroke in strokes if stroke[3] - stroke[1] <= THICK and stroke[2] - stroke[0] >= _SHORT]
    uprights = [stroke for stroke in strokes if stroke[2] - stroke[0] <= THICK and stroke[3] - stroke[1] >= _SHORT]
    grids: list[Grid] = []
    while uprights and len(levels) * len(uprights) <= _MOST_PAIRS:
        found: tuple[list[Corners], list[Corners]] = ([], [])
        waiting = [(True, uprights.pop())]
        while waiting:
            upright, line = waiting.pop()
            found[upright].append(line)
            others = levels if upright else uprights
            waiting.extend((not upright, other) for other in others if _touch(line, other))
            others[:] = [other for other in others if not _touch(line, other)]
        if found[0]:
            columns = [(line[0] + line[2]) / 2 for line in found[1]]
            rows = [(line[1] + line[3]) / 2 for line in found[0]]
            sides = [edge for line in found[0] for edge in (line[0], line[2])]
            ends = [edge for line in found[1] for edge in (line[1], line[3])]
            xs, ys = ([*inner, min(outer), max(outer)] for inner, outer in ((columns, sides), (rows, ends)))
            grids.append(Grid(edges_of(xs), edges_of(ys), tuple(found[1]), tuple(found[0])))
    return tuple(sorted((one for one in grids if len(one.xs) > 1 and len(one.ys) > 1), key=lambda grid: grid.ys[0]))


def _touch(a: Corners, b: Corners) -> bool:
    return max(a[0], b[0]) - min(a[2], b[2]) <= THICK and max(a[1], b[1]) - min(a[3], b[3]) <= THICK


def edges_of(places: Sequence[float]) -> tuple[float, ...]:
    """Return places in order, those that are nearly the same once."""
    return tuple(group[0] for group in grouped(sorted(places), lambda group, place: place - group[0] <= _APART))
