"""The text of a page as runs in reading order: running text, forms, tables that are drawn or told by their gaps."""

from collections.abc import Iterator, Sequence

from rag.ingest.loaders.pdf_grids import Grid
from rag.ingest.loaders.pdf_order import Line, columns, make_lines
from rag.ingest.loaders.pdf_tables import (
    Run,
    boxed_fields,
    field_of,
    grid_cells,
    is_filled,
    split_fields,
    split_tables,
    table_cells,
)
from rag.ingest.loaders.pdf_words import Part, Word

_STAND_IN = "\0"
"""Text of a word that stands for a drawn table while columns are found."""


def runs_of(part: Part, words: Sequence[Word]) -> Iterator[tuple[int, Run]]:
    """Yield the runs of a page in reading order, each with the number of its column; a drawn table is a run whole.

    Args:
        part: The page, for what is drawn on it.
        words: Those of its words that are text.
    """
    drawn: dict[int, Run] = {}
    rest = list(words)
    for grid in part.grids:
        inside = [word for word in rest if grid.holds(word[1:5])]
        lines = tuple(make_lines(inside))
        if inside and (run := _drawn(lines, grid)):
            rest = [word for word in rest if not grid.holds(word[1:5])]
            rest.append(Word(_STAND_IN, grid.xs[0], grid.ys[0], grid.xs[-1], grid.ys[-1], 10, order=inside[0].order))
            drawn[inside[0].order] = run
    for number, group in enumerate(columns(rest)):
        lines_left = make_lines(word for word in group if word.text != _STAND_IN)
        for stand_in in sorted((word for word in group if word.text == _STAND_IN), key=lambda word: word.y0):
            middle = (stand_in.y0 + stand_in.y1) / 2
            yield from ((number, run) for run in _plain([line for line in lines_left if line.middle < middle]))
            lines_left = [line for line in lines_left if line.middle >= middle]
            yield number, drawn[stand_in.order]
        yield from ((number, run) for run in _plain(lines_left))


def _drawn(lines: tuple[Line, ...], grid: Grid) -> Run | None:
    """Return the run of what stands in a grid; None where that is a frame around text, or a chart."""
    cells = grid_cells(lines, grid)
    if fields := boxed_fields(cells):
        return Run("fields", lines, grid, tuple(fields))
    return Run("table", lines, grid) if len(grid.xs) > 2 and is_filled(cells) else None


def _plain(lines: Sequence[Line]) -> Iterator[Run]:
    for text, fields in split_fields(lines):
        yield from split_tables(text)
        if fields:
            yield Run("fields", tuple(line for field in fields for line in field), None, tuple(map(field_of, fields)))


def visual_lines(run: Run, part: Part) -> Iterator[Line]:
    """Yield the lines of a run as they are read: those of a table cell by cell."""
    if run.kind == "table":
        yield from (line for row in table_cells(run, part) for parts in row for line in parts)
    elif run.grid is not None:
        yield from (line for row in grid_cells(run.lines, run.grid) for parts in row for line in parts)
    else:
        yield from run.lines
