"""Tables whose cells are drawn: lines that touch, as the columns and rows between them.

Coordinates are points from the top left corner of the page as it is shown, y downwards.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

_THICK = 2.5
"""Points: a line is at most so thick, and lines so close touch."""
_SHORT = 6.0
"""Points: shorter strokes are ticks and corners."""
_APART = 3.0
"""Points: edges closer together are one edge drawn twice."""
_MOST_PAIRS = 60_000
"""Pairs of lines on one page that are compared; a page with more is a drawing."""


class Stroke(NamedTuple):
    """A drawn line, as the box that it fills."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def is_level(self) -> bool:
        """Whether it is a horizontal line."""
        return self.y1 - self.y0 <= _THICK and self.x1 - self.x0 >= _SHORT

    @property
    def is_upright(self) -> bool:
        """Whether it is a vertical line."""
        return self.x1 - self.x0 <= _THICK and self.y1 - self.y0 >= _SHORT


@dataclass(frozen=True, slots=True)
class Grid:
    """The edges of a drawn table's columns (`xs`) and rows (`ys`), rising, and its vertical lines."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    uprights: tuple[Stroke, ...]

    @property
    def top(self) -> float:
        """Upper edge."""
        return self.ys[0]

    @property
    def bottom(self) -> float:
        """Lower edge."""
        return self.ys[-1]

    def row(self, y: float) -> int:
        """Return the row in which a height lies, from 0."""
        return sum(edge <= y for edge in self.ys[1:-1])

    def column(self, x: float, row: int) -> int:
        """Return the column in which a cell of this row begins that holds `x`, from 0; a cell may span columns."""
        column = sum(edge <= x for edge in self.xs[1:-1])
        while column > 0 and not self._is_cut(self.xs[column], row):
            column -= 1
        return column

    def continues(self, other: "Grid") -> bool:
        """Whether two grids have the same columns at the same places."""
        pairs = zip(self.xs, other.xs, strict=False)
        return len(self.xs) == len(other.xs) and all(abs(a - b) <= _APART for a, b in pairs)

    def _is_cut(self, x: float, row: int) -> bool:
        """Whether vertical lines part the cells left and right of `x` along half of a row's height or more."""
        top, bottom = self.ys[row], self.ys[row + 1]
        lines = [line for line in self.uprights if abs((line.x0 + line.x1) / 2 - x) <= _APART]
        drawn = sum(max(0.0, min(line.y1, bottom) - max(line.y0, top)) for line in lines)
        return drawn >= 0.5 * (bottom - top)


def find_grids(strokes: Sequence[Stroke]) -> tuple[Grid, ...]:
    """Return the grids that lines form, top to bottom: two columns or more, as rows may have no lines between them.

    >>> edges = (0, 50, 100)
    >>> levels = [Stroke(0, y, 100, y) for y in edges]
    >>> uprights = [Stroke(x, 0, x, 100) for x in edges]
    >>> [(grid.xs, grid.ys) for grid in find_grids([*levels, *uprights])]
    [((0.0, 50.0, 100.0), (0.0, 50.0, 100.0))]
    """
    levels = [stroke for stroke in strokes if stroke.is_level]
    uprights = [stroke for stroke in strokes if stroke.is_upright]
    if len(levels) * len(uprights) > _MOST_PAIRS:
        return ()
    grids = [_grid(*group) for group in _groups(levels, uprights)]
    return tuple(sorted((grid for grid in grids if len(grid.xs) > 2 and len(grid.ys) > 1), key=lambda grid: grid.top))


def _groups(levels: Sequence[Stroke], uprights: Sequence[Stroke]) -> Iterator[tuple[list[Stroke], list[Stroke]]]:
    """Yield the lines that touch each other, directly or through others."""
    left_levels, left_uprights = list(levels), list(uprights)
    while left_uprights:
        found: tuple[list[Stroke], list[Stroke]] = ([], [])
        waiting = [left_uprights.pop()]
        while waiting:
            line = waiting.pop()
            found[line.is_upright].append(line)
            others = left_levels if line.is_upright else left_uprights
            waiting.extend(other for other in others if _touch(line, other))
            others[:] = [other for other in others if not _touch(line, other)]
        if found[0]:
            yield found


def _touch(a: Stroke, b: Stroke) -> bool:
    across = max(a.x0, b.x0) - min(a.x1, b.x1)
    return across <= _THICK and max(a.y0, b.y0) - min(a.y1, b.y1) <= _THICK


def _grid(levels: Sequence[Stroke], uprights: Sequence[Stroke]) -> Grid:
    """Return the grid of lines that touch; where its sides are open, the ends of its lines are its edges."""
    xs = [(line.x0 + line.x1) / 2 for line in uprights]
    ys = [(line.y0 + line.y1) / 2 for line in levels]
    sides = [min(line.x0 for line in levels), max(line.x1 for line in levels)]
    ends = [min(line.y0 for line in uprights), max(line.y1 for line in uprights)]
    return Grid(_edges([*xs, *sides]), _edges([*ys, *ends]), tuple(uprights))


def _edges(places: Sequence[float]) -> tuple[float, ...]:
    edges: list[float] = []
    for place in sorted(places):
        if not edges or place - edges[-1] > _APART:
            edges.append(place)
    return tuple(edges)
