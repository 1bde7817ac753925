"""Tables and forms that are drawn: what stands in the cells of a grid, or in the boxes of a form."""

from collections.abc import Iterator, Sequence, Set
from itertools import chain, groupby

from rag.ingest.loaders.pdf_fields import find_fields
from rag.ingest.loaders.pdf_grids import Drawn, Grid
from rag.ingest.loaders.pdf_labels import Field, Style, is_label_above, is_pair, is_value, style
from rag.ingest.loaders.pdf_order import Line, line_of, make_lines
from rag.ingest.loaders.pdf_tables import Cells, Run, fields_run, runs_with, without_totals


def drawn_runs(lines: Sequence[Line], grid: Grid, drawn: Drawn) -> list[Run]:
    """Return the runs of what stands in a grid: tables, and fields where most boxes of a row have a label over a value.

    None where it is a frame around text, or a chart: fewer than two rows have words in two of their cells.
    """
    boxes: dict[tuple[int, int], list[Line]] = {}
    for line in lines:
        for box, words in groupby(line.words, key=lambda word: grid.box((word.x0 + word.x1) / 2, line.middle)):
            boxes.setdefault(box, []).append(line_of(words))
    ordered = [boxes[box] for box in sorted(boxes)]
    if len(ordered) == 1 and len(lines) == 1 and is_pair(ordered[0][0]):
        return [fields_run([Field([cells[0]], [cells[1]]) for cells in [ordered[0][0].cells]])]
    if not (looks := _labels_in(ordered)):
        return _table(lines, grid, drawn)
    rows = [[boxes[box] for box in sorted(boxes) if box[0] == row] for row in sorted({row for row, _ in boxes})]
    runs: list[Run] = []
    for is_form, group in groupby(rows, key=lambda row: _is_form(row, looks)):
        parts = list(chain.from_iterable(group))
        inside = sorted(chain.from_iterable(parts), key=lambda line: line.middle)
        table = [] if is_form else _table(make_lines(word for line in inside for word in line.words), grid, drawn)
        found = [] if table else [pair for box in parts for pair in _read_box(box, looks)]
        runs += [*table, *(run for text, fields in found for run in runs_with(text, fields, drawn))]
    return runs


def _labels_in(boxes: Sequence[list[Line]]) -> set[Style]:
    """Return how the labels of boxes look, where a third of these or more have a label over a value in other type."""
    over = [style(parts[0]) for parts in boxes if _has_label(parts)]
    return set(over) if 3 * len(over) >= len(boxes) else set()


def _has_label(parts: Sequence[Line]) -> bool:
    return len(parts) > 1 and is_label_above(*parts[:2])


def _is_form(boxes: Sequence[list[Line]], looks: Set[Style]) -> bool:
    """Whether most boxes of a row have a label over a value; a label alone has no value and does not count."""
    over = sum(map(_has_label, boxes))
    empty = sum(len(parts) == 1 and style(parts[0]) in looks for parts in boxes)
    return 2 * over > len(boxes) - empty or empty == len(boxes)


def _read_box(parts: list[Line], looks: Set[Style]) -> Iterator[tuple[list[Line], list[Field]]]:
    """Yield the text and fields of a box: the value below its label may be followed by more fields."""
    if _has_label(parts):
        (value, inner), *others = find_fields(parts[1:])
        yield from [([], [Field(parts[:1], value), *inner]), *others]
    elif len(parts) == 1 and style(parts[0]) in looks:
        yield [], [Field(parts, [])]
    else:
        yield from find_fields(parts)


def _table(lines: Sequence[Line], grid: Grid, drawn: Drawn) -> list[Run]:
    rows: Sequence[Cells] = _grid_cells(lines, grid)
    if fields := _fields_beside(rows, drawn):
        return [fields_run(fields)]
    is_filled = sum(sum(map(bool, row)) > 1 for row in rows) > 1
    if len(grid.xs) == 2 or not is_filled:
        return []
    rows, fields = without_totals(rows)
    return [Run("table", lines, grid, rows), *([fields_run(fields)] if fields else [])]


def _fields_beside(rows: Sequence[Cells], drawn: Drawn) -> list[Field]:
    """Return the fields of a grid in which each row is labels that are shaded, bold or end in a colon, and values."""
    fields: list[Field] = []
    for cells in rows:
        pairs: list[Field] = []
        for parts in filter(None, cells):
            is_shaded = all(drawn.is_shaded(line.box) for line in parts)
            if is_shaded or all(line.bold for line in parts) or parts[-1].text.endswith(":"):
                pairs.append(Field(parts, []))
            elif not pairs or pairs[-1].value:
                return []
            else:
                pairs[-1] = Field(pairs[-1].label, parts)
        if not fields and not any(pair.value for pair in pairs):
            return []
        fields += pairs
    is_filled = 2 * sum(bool(field.value) for field in fields) > len(fields) > 1
    return fields if is_filled else []


def _grid_cells(lines: Sequence[Line], grid: Grid) -> list[Cells]:
    """Return the cells of a drawn table's rows; two lines with figures between the same two rules are two rows."""
    rows: list[Cells] = []
    for at, group in groupby(lines, key=lambda line: grid.row(line.middle)):
        cut: list[dict[int, list[Line]]] = []
        for line in group:
            cut.append({})
            for column, words in groupby(line.words, key=lambda word: grid.column((word.x0 + word.x1) / 2, at)):
                cut[-1].setdefault(column, []).append(line_of(words))
        figures = (any(column and any(map(is_value, cells)) for column, cells in line.items()) for line in cut)
        for part in [[line] for line in cut] if sum(figures) > 1 else [cut]:
            places = range(len(grid.xs) - 1)
            rows.append([[cell for line in part for cell in line.get(column, [])] for column in places])
    return rows
