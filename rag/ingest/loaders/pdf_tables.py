"""Tables of a page: cells that are drawn, forms of boxes with a label over a value, and rows that gaps alone cut."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import chain, groupby, pairwise
from statistics import median
from typing import Literal, TypeAlias

from rag.ingest.loaders.blocks import END, grouped, row
from rag.ingest.loaders.pdf_fields import find_fields
from rag.ingest.loaders.pdf_grids import THICK, Corners, Drawn, Grid
from rag.ingest.loaders.pdf_labels import SMALLER, Field, Style, is_label_above, is_pair, is_value, style
from rag.ingest.loaders.pdf_order import Line, line_of, make_lines
from rag.ingest.loaders.pdf_prose import mend
from rag.ingest.loaders.pdf_words import Word

Cells: TypeAlias = list[list[Line]]  # The cells of a row, each as the lines that it takes
_MARKER = re.compile(r"[-*•‣◦▪–]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)]|(?:\d{1,3}\.)*\d{1,3}\.?")


@dataclass(frozen=True, slots=True)
class Run:
    """Lines of one column that are running text, a table, or fields of a form.

    `cells` are those of each row of a table or a drawn form, `grid` is what is drawn around them, `fields` the texts of
    fields. `is_sure` says whether it is known what stands before and after it: nothing is joined to what stands beside
    other text.
    """

    kind: Literal["text", "table", "fields"]
    lines: Sequence[Line]
    grid: Grid | None = None
    cells: Sequence[Cells] = ()
    fields: Sequence[str] = ()
    is_sure: bool = True

    def rows(self) -> list[str]:
        """Return the rows of a table, top to bottom, as `| label | value | value |`."""
        rows = (row([mend([line.text for line in parts]) for parts in cells]) for cells in self.cells)
        return [text for text in rows if text]

    def has_heads(self, drawn: Drawn) -> bool:
        """Whether the first row alone, or with the last, is shaded, bold or smaller: heads of columns."""
        rows = [list(chain.from_iterable(row)) for row in self.cells]
        if len(rows) < 2 or sum(map(bool, self.cells[0])) < 2 or any(map(is_value, rows[0])):
            return False
        signs: list[Callable[[list[Line]], bool]] = [lambda row: all(drawn.is_shaded(line.box) for line in row)]
        first, below = rows[0][0], rows[1][0]
        if first.bold > below.bold or first.size <= SMALLER * below.size:
            signs.append(lambda row: all(style(line) == style(first) for line in row))
        return any(sign(rows[0]) and not sign(rows[1]) and not any(map(sign, rows[2:-1])) for sign in signs)

    def visual_lines(self) -> Iterable[Line]:
        """Return the lines as they are read: those of a table cell by cell."""
        return [line for row in self.cells for parts in row for line in parts] if self.cells else self.lines


def _without_totals(rows: Sequence[Cells]) -> tuple[Sequence[Cells], list[Field]]:
    """Return the rows of a table without the sums below it, which stand right of its first column, and these."""
    filled = [[parts for parts in row if parts] for row in rows]
    edge = min((row[1][0].x0 for row in filled if len(row) > 2), default=None)
    end = len(rows)
    while edge is not None and end > 2 and len(filled[end - 1]) == 2:
        label, value = filled[end - 1]
        if not (is_pair(Line.of([label[0].words, value[0].words])) and label[0].x0 > edge - THICK):
            break
        end -= 1
    return rows[:end], [Field(*row) for row in filled[end:]]


def split_runs(lines: Sequence[Line], strokes: Sequence[Corners]) -> Iterator[Run]:
    """Yield the runs of lines: fields, and tables and text before, between and after them.

    `strokes` are the lines that are drawn on the page.
    """
    for text, fields in find_fields(lines, strokes):
        yield from _runs_with(text, fields)


def _runs_with(text: Sequence[Line], fields: Sequence[Field]) -> Iterator[Run]:
    yield from _split_tables(text) if text else ()
    if fields:
        yield _fields_run(fields)


def _fields_run(fields: Sequence[Field]) -> Run:
    return Run("fields", [line for field in fields for line in field.lines], fields=[field.text for field in fields])


def _split_tables(lines: Sequence[Line]) -> list[Run]:
    """Return the lines in runs of table and text: a table begins and ends with a line of two or more cells."""
    gaps = [b.y0 - a.y0 for a, b in pairwise(lines) if 0 < b.y0 - a.y0 < 40]
    pitch = median(gaps) if gaps else 12.0
    flags = [_is_tabular(line) for line in lines]
    for at in range(len(lines)):
        flags[at] = flags[at] or _stands_within(at, lines, flags, pitch)
    for at, line in enumerate(lines):
        beside = [k for k in (at - 1, at + 1) if 0 <= k < len(lines) and flags[k]]
        flags[at] = flags[at] or any(_hangs_on(line, lines[k]) for k in beside)
    kept: list[Run] = []
    goes_on = False
    for flag, group in groupby(range(len(lines)), key=flags.__getitem__):
        run = [lines[index] for index in group]
        is_table = flag and _is_table(run)
        is_text = not flag or (not is_table and all(map(_is_justified, run)))
        if goes_on and is_text:
            kept[-1] = Run("text", [*kept[-1].lines, *run])
        elif is_table:
            tables = grouped(run, lambda table, line: not _begins_anew(table, line))
            for part in tables:
                rows, sums = _without_totals(_cells(part))
                kept.append(Run("table", part, cells=rows))
                kept.extend([_fields_run(sums)] if sums else [])
        elif is_text or not all(len(cell.words) > 2 for line in run for cell in line.cells):
            kept.append(Run("text", run))
        else:  # text beside other text, in no columns
            kept.extend(Run("text", [cell], is_sure=False) for line in run for cell in line.cells)
        goes_on = is_text
    return kept


def _begins_anew(table: Sequence[Line], line: Line) -> bool:
    """Whether a line below a wider space looks like the heads of the table above, which no other row does."""
    if len(table) < 2 or min(len(table[0].cells), len(line.cells)) < 2 or style(table[0]) == style(table[1]):
        return False
    space = table[1].y0 - table[0].y1 + 0.2 * line.size
    are_heads = all(style(cell) == style(table[0]) and not is_value(cell) for cell in line.cells)
    return are_heads and line.y0 - table[-1].y1 > max(space, 0.5 * line.size)


def _is_justified(line: Line) -> bool:
    """Whether the gaps of a line are those of text that is spread to its full width, wider where sentences end."""
    if len(line.cells) < 2:
        return True
    usual = median(b.x0 - a.x1 for a, b in pairwise(line.words))
    return len(line.words) >= 5 and all(
        b.x0 - a.x1 <= (4.2 if END.search(a.text) else 2.2) * usual for a, b in pairwise(line.cells)
    )


def _is_tabular(line: Line) -> bool:
    """Whether a line has two cells or more, and is not a list item whose marker stands apart."""
    is_item = len(line.cells) == 2 and not _has_value(line) and _MARKER.fullmatch(line.cells[0].text)
    return len(line.cells) > 1 and not is_item


def _stands_within(index: int, lines: Sequence[Line], flags: Sequence[bool], pitch: float) -> bool:
    """Whether a line of one cell stands right below a line of a table, and close above another, at most three below."""
    after = next((k for k in range(index + 1, min(len(lines), index + 4)) if flags[k]), None)
    line = lines[index]
    if index == 0 or not flags[index - 1] or after is None or (line.bold and line.y0 - lines[index - 1].y1 > pitch):
        return False
    room = (1.8 if len(line.text) <= 60 or line.text.endswith(":") else 1.2) * pitch
    return len(line.text) <= 110 and all(b.y0 - a.y1 <= room for a, b in pairwise(lines[index - 1 : after + 1]))


def _hangs_on(line: Line, other: Line) -> bool:
    """Whether a line is the first or last line of a wrapped cell of the table beside it, not in its first column."""
    gap = max(line.y0 - other.y1, other.y0 - line.y1)
    inside = line.x0 > other.x0 + 3 * line.size and line.x1 <= other.x1 + 3 * line.size
    return len(other.cells) > 1 and gap < 0.25 * line.size and inside


def _is_table(lines: Sequence[Line]) -> bool:
    wide = [line for line in lines if len(line.cells) > 1]
    if all(_is_justified(line) and len(line.words) >= 2.5 * len(line.cells) for line in wide):
        return False
    return len(wide) >= 2 or any(map(_has_value, wide))


def _cells(lines: Sequence[Line]) -> Sequence[Cells]:
    """Return for each row of a table its cells, and for each cell its pieces: one for each line that it takes."""
    columns = _columns(lines)
    counts = [len(line.cells) for line in lines if len(line.cells) > 1]
    has_heads = len(lines) > 1 and len(lines[0].cells) == max(counts) and lines[0].bold and not lines[1].bold
    is_regular = has_heads or counts.count(max(counts, default=0)) >= max(2, 0.25 * len(counts))
    lines = list(_cut_lines(lines, columns)) if is_regular else lines
    left = min(line.x0 for line in lines)
    groups = grouped(lines, lambda row, line: _belongs(row[-1], line, left))
    return [_merged(group, columns) if len(group) > 1 else _aligned(group[0], columns, is_regular) for group in groups]


def _cut_lines(lines: Sequence[Line], columns: Sequence[tuple[float, float]]) -> Iterator[Line]:
    """Yield the lines of a table, with a cut between words of two columns that a narrow gap parts."""
    for line in lines:
        cells: list[list[Word]] = []
        for cell in line.cells if len(line.cells) < len(columns) else ():
            cells.append([cell.words[0]])
            for before, word in pairwise(cell.words):
                places = [_columns_under(one, columns) for one in (before, word)]
                is_apart = word.x0 - before.x1 > 0.5 * line.size and places[0] != places[1]
                if is_apart and all(len(place) == 1 for place in places):
                    cells.append([])
                cells[-1].append(word)
        yield Line.of(cells) if cells else line


def _aligned(line: Line, columns: Sequence[tuple[float, float]], is_regular: bool) -> Cells:
    """Return the cells of a line, those that stand in a column of their own there; a lone cell is a label or title."""
    plain = [[cell] for cell in line.cells]
    if not 1 < len(line.cells) < len(columns):
        return plain
    placed = _merged([line], columns)
    places = [_columns_under(cell, columns) for cell in line.cells]
    if is_regular and all(len(place) == 1 for place in places) and all(len(pieces) <= 1 for pieces in placed):
        return placed
    return placed if not placed[0] and all(placed[1:]) else plain


def _columns_under(piece: Line | Word, columns: Sequence[tuple[float, float]]) -> list[int]:
    return [index for index, (x0, x1) in enumerate(columns) if min(x1, piece.x1) - max(x0, piece.x0) > 0]


def _has_value(line: Line) -> bool:
    return any(map(is_value, line.cells[1:]))


def _belongs(above: Line, line: Line, left: float) -> bool:
    """Whether a line continues the cells of the row above it, or the label of its row began there."""
    has_label = len(above.cells) == 1 and len(line.cells) > 1 and not above.text.endswith((":", "."))
    if line.y0 - above.y1 < 0.5 * line.size and has_label and re.match(r"[a-z(]|\$?\(?\d", line.text):
        return True
    if line.y0 - above.y1 > 0.5 * line.size or abs(line.size - above.size) > 1 or line.bold != above.bold:
        return False
    under = [[cell for cell in above.cells if min(cell.x1, one.x1) > max(cell.x0, one.x0)] for one in line.cells]
    if any(len(cells) != 1 for cells in under) or len(line.cells) > len(above.cells):  # no words under words
        return False
    is_label = under[0][0] is above.cells[0] and (above.x0 <= left + line.size or _has_value(above))
    if is_label and not line.text[:1].islower():
        return False
    is_year = all(re.fullmatch(r"(?:19|20)\d\d", cell.text) for cell in line.cells)
    return is_year or not any(map(is_value, line.cells))


def _columns(lines: Sequence[Line]) -> list[tuple[float, float]]:
    """Return the x-ranges of a table's columns: cells that overlap, merged, lines that span columns left aside."""
    most = max(len(line.cells) for line in lines)
    columns: list[tuple[float, float]] = []
    for x0, x1 in sorted((cell.x0, cell.x1) for line in lines if len(line.cells) == most for cell in line.cells):
        if columns and x0 < columns[-1][1]:
            columns[-1] = (columns[-1][0], max(columns[-1][1], x1))
        else:
            columns.append((x0, x1))
    return columns


def _merged(lines: Sequence[Line], columns: Sequence[tuple[float, float]]) -> Cells:
    """Return the cells of a row that takes several lines, each piece in the column that it overlaps most."""
    cells: Cells = [[] for _ in columns]
    for piece in (cell for line in lines for cell in line.cells):
        distances = [max(x0, piece.x0) - min(x1, piece.x1) for x0, x1 in columns]
        cells[distances.index(min(distances))].append(piece)
    return cells


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
        return [_fields_run([Field([cells[0]], [cells[1]]) for cells in [ordered[0][0].cells]])]
    over = [style(parts[0]) for parts in ordered if _has_label(parts)]
    if not over or 3 * len(over) < len(ordered):
        return _drawn_table(lines, grid, drawn)
    looks = set(over)  # how labels look, where a third of the boxes have one over a value in other type
    rows = [[boxes[box] for box in sorted(boxes) if box[0] == row] for row in sorted({row for row, _ in boxes})]
    runs: list[Run] = []
    for is_form, group in groupby(rows, key=lambda row: _is_form(row, looks)):
        parts = list(chain.from_iterable(group))
        inside = sorted(chain.from_iterable(parts), key=lambda line: line.middle)
        table = [] if is_form else _drawn_table(make_lines(word for line in inside for word in line.words), grid, drawn)
        found = [] if table else [pair for box in parts for pair in _read_box(box, looks)]
        runs += [*table, *(run for text, fields in found for run in _runs_with(text, fields))]
    return runs


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


def _drawn_table(lines: Sequence[Line], grid: Grid, drawn: Drawn) -> list[Run]:
    rows: Sequence[Cells] = _grid_cells(lines, grid)
    if fields := _fields_beside(rows, drawn):
        return [_fields_run(fields)]
    is_filled = sum(sum(map(bool, row)) > 1 for row in rows) > 1
    if len(grid.xs) == 2 or not is_filled:
        return []
    rows, fields = _without_totals(rows)
    return [Run("table", lines, grid, rows), *([_fields_run(fields)] if fields else [])]


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
