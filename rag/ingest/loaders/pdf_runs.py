"""A page's lines as runs in reading order: text, tables told by their gaps, and tables whose cells are drawn."""

from collections.abc import Iterator, Sequence

from rag.ingest.loaders.pdf_grids import Grid
from rag.ingest.loaders.pdf_layout import Line, reading_order
from rag.ingest.loaders.pdf_tables import Run, grid_cells, middle, split_tables


def runs_of(lines: Sequence[Line], grids: Sequence[Grid]) -> Iterator[tuple[int, Run]]:
    """Yield the runs of a page in reading order, each with the number of its block; a drawn table is a run whole.

    A table with text beside it, as in the other column of a page, is a run of its column; where the two are in no
    columns, it is read like the text.
    """
    number, rest = 0, list(lines)
    left: list[Grid] = []
    for grid in grids:
        inside = [line for line in rest if is_inside(line, grid)]
        beside = any(grid.top < middle(line) < grid.bottom and line not in inside for line in rest)
        if beside or not _fills(inside, grid):
            left.append(grid)
            continue
        above = [line for line in rest if middle(line) <= grid.top]
        runs = list(_plain_runs(above, number, left))
        yield from runs
        number = runs[-1][0] + 1 if runs else number
        yield number, Run(True, tuple(inside), grid)
        number, rest = number + 1, [line for line in rest if middle(line) >= grid.bottom]
    yield from _plain_runs(rest, number, left)


def _plain_runs(lines: Sequence[Line], first: int, grids: Sequence[Grid]) -> Iterator[tuple[int, Run]]:
    """Yield the runs of lines in one or more columns; a column may hold tables of `grids`."""
    blocks = reading_order(lines)
    for number, block in enumerate(blocks, start=first):
        within = (run for _, run in runs_of(block, grids)) if grids and len(blocks) > 1 else split_tables(block)
        yield from ((number, run) for run in within)


def is_inside(line: Line, grid: Grid) -> bool:
    """Whether a line stands within a drawn table."""
    within = grid.xs[0] - 1 <= line.x0 and line.x1 <= grid.xs[-1] + 1
    return within and grid.top < middle(line) < grid.bottom


def _fills(lines: Sequence[Line], grid: Grid) -> bool:
    """Whether two rows of a grid or more have words in two of their cells or more: else it is a frame or a chart."""
    return sum(sum(map(bool, cells)) > 1 for cells in grid_cells(lines, grid)) > 1
