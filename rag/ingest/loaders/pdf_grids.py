"""Tables and boxes whose cells are drawn: lines that touch, as the columns and rows between them.

Coordinates are points from the top left corner of the page, y downwards; a line is given by the box that it fills.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

Corners: TypeAlias = tuple[float, float, float, float]
"""Left, top, right and bottom."""
THICK = 2.5
"""Points: a line is at most so thick, and lines so close touch."""
_SHORT, _APART = 6.0, 3.0
"""Points: shorter strokes are ticks and corners; edges closer together are one edge drawn twice."""
_MOST_PAIRS = 60_000  # Pairs of lines on one page that are compared; a page with more is a drawing.


@dataclass(frozen=True, slots=True)
class Grid:
    """The edges of a drawn table's columns (`xs`) and rows (`ys`), rising, and its vertical lines."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    uprights: tuple[Corners, ...]

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

    def _is_cut(self, x: float, row: int) -> bool:
        top, bottom = self.ys[row], self.ys[row + 1]
        lines = [line for line in self.uprights if abs((line[0] + line[2]) / 2 - x) <= _APART]
        return sum(max(0.0, min(line[3], bottom) - max(line[1], top)) for line in lines) >= 0.5 * (bottom - top)


def find_grids(strokes: Sequence[Corners]) -> list[Grid]:
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
            xs = [*(line[0] for line in found[0]), *(line[2] for line in found[0])]
            ys = [*(line[1] for line in found[1]), *(line[3] for line in found[1])]
            inner = [(line[0] + line[2]) / 2 for line in found[1]], [(line[1] + line[3]) / 2 for line in found[0]]
            grids.append(
                Grid(edges_of([*inner[0], min(xs), max(xs)]), edges_of([*inner[1], min(ys), max(ys)]), tuple(found[1]))
            )
    return sorted((grid for grid in grids if len(grid.xs) > 1 and len(grid.ys) > 1), key=lambda grid: grid.ys[0])


def _touch(a: Corners, b: Corners) -> bool:
    return max(a[0], b[0]) - min(a[2], b[2]) <= THICK and max(a[1], b[1]) - min(a[3], b[3]) <= THICK


def edges_of(places: Sequence[float]) -> tuple[float, ...]:
    """Return places in order, those that are nearly the same once."""
    edges: list[float] = []
    for place in sorted(places):
        if not edges or place - edges[-1] > _APART:
            edges.append(place)
    return tuple(edges)
