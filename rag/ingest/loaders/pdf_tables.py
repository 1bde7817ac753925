"""Tables of a page: cells that are drawn, forms of boxes with a label over a value, and rows that gaps alone cut."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, pairwise
from statistics import median
from typing import Literal, TypeAlias

from rag.ingest.loaders.blocks import END, grouped, row
from rag.ingest.loaders.pdf_grids import THICK, Corners, Grid, edges_of
from rag.ingest.loaders.pdf_order import Line
from rag.ingest.loaders.pdf_prose import mend
from rag.ingest.loaders.pdf_words import Word

Cells: TypeAlias = list[list[Line]]  # The cells of a row, each as the lines that it takes
_VALUE = re.compile(
    r"[$€£(\[]*+\s*+(?:[-–—]\s*+)?(?=[.,]*\d)[\d.,]++\s*+[)%\]]*+(?: \[\d+\]|[⁰¹²³⁴-⁹]+)?|[-–—]|N/?A|n/?a|\*+"
)
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

    def has_heads(self) -> bool:
        """Whether the first row of a drawn table alone is bold, in two cells or more: the heads of its columns."""
        rows = [list(chain.from_iterable(row)) for row in self.cells]
        bold = [all(word.bold for line in row for word in line.words) for row in rows]
        return len(rows) > 1 and len(rows[0]) > 1 and bold[0] and not any(bold[1:])

    def visual_lines(self) -> Iterable[Line]:
        """Return the lines as they are read: those of a table cell by cell."""
        return [line for row in self.cells for parts in row for line in parts] if self.cells else self.lines


def drawn_run(lines: Sequence[Line], grid: Grid) -> Run | None:
    """Return the run of what stands in a grid: fields where most boxes have a label over a value in other type.

    None where it is a frame around text, or a chart: fewer than two rows have words in two of their cells.
    """
    cells = _grid_cells(lines, grid)
    boxes = [parts for row in cells for parts in row if parts]
    if 2 * sum(len(parts) > 1 and _is_label(*parts[:2]) for parts in boxes) > len(boxes):
        return Run("fields", lines, grid, cells, list(map(_field, boxes)))
    is_filled = sum(sum(map(bool, row)) > 1 for row in cells) > 1
    return Run("table", lines, grid, cells) if len(grid.xs) > 2 and is_filled else None


def _grid_cells(lines: Sequence[Line], grid: Grid) -> list[Cells]:
    """Return the cells of a drawn table's rows; two lines with figures between the same two rules are two rows."""
    rows: list[Cells] = []
    for at, group in groupby(lines, key=lambda line: grid.row(line.middle)):
        cut: list[dict[int, list[Line]]] = []
        for line in group:
            cut.append({})
            for column, words in groupby(line.words, key=lambda word: grid.column((word.x0 + word.x1) / 2, at)):
                cut[-1].setdefault(column, []).append(Line(words))
        figures = (any(column and any(map(_is_value, cells)) for column, cells in line.items()) for line in cut)
        for part in [[line] for line in cut] if sum(figures) > 1 else [cut]:
            places = range(len(grid.xs) - 1)
            rows.append([[cell for line in part for cell in line.get(column, [])] for column in places])
    return rows


def _is_label(line: Line, value: Line) -> bool:
    return len(line.text) <= 80 and (line.size <= 0.9 * value.size or line.text.endswith(":") or line.bold > value.bold)


def _field(lines: Sequence[Line]) -> str:
    return f"{lines[0].text.rstrip(' :')}: {mend([line.text for line in lines[1:]])}".rstrip()


def split_runs(lines: Sequence[Line], strokes: Sequence[Corners]) -> Iterator[Run]:
    """Yield the runs of lines: fields, and tables and text before, between and after them.

    A field is a cell that ends in a colon with one cell right of it, where that is so on two lines in a row or more.
    What stands left of fields comes before them. `strokes` are the lines drawn on the page.
    """
    pairs = [_pair(line) for line in lines]
    text: list[Line] = []
    fields: list[list[Line]] = []
    for at, (line, pair) in enumerate(zip([*lines, None], [*pairs, None], strict=True)):
        if line and pair and any(pairs[max(0, at - 1) : at] + pairs[at + 1 : at + 2]):
            left = line.cells[: -len(pair)]
            text.extend([Line.of(cell.words for cell in left)] if left else [])
            fields.extend([list(pair[at : at + 2]) for at in range(0, len(pair), 2)])
        elif line and fields and _goes_on(fields[-1], line):
            fields[-1].append(line)
        elif line and not fields:
            text.append(line)
        else:
            yield from _split_tables(text, strokes)
            if fields:
                yield Run("fields", list(chain.from_iterable(fields)), fields=list(map(_field, fields)))
            text, fields = [line] if line else [], []


def _goes_on(field: Sequence[Line], line: Line) -> bool:
    return len(line.cells) == 1 and abs(line.x0 - field[1].x0) < 3 and line.y0 - field[-1].y1 < 0.6 * line.size


def _pair(line: Line) -> tuple[Line, ...] | None:
    """Return the cells at the end of a line that are a label and its value, or several of these."""
    cells = line.cells
    if len(cells) < 2 or cells[-1].text.endswith(":") or not _is_named(cells[-2]):
        return None
    both = len(cells) == 4 and _is_named(cells[0]) and not _is_named(cells[1])
    return cells if both else cells[-2:]


def _is_named(cell: Line) -> bool:
    return cell.text.endswith(":") and len(cell.text) <= 60 and any(c.isalpha() for c in cell.text)


def _split_tables(lines: Sequence[Line], strokes: Sequence[Corners]) -> list[Run]:
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
            kept.append(Run("table", run, cells=_cells(run, strokes)))
        elif is_text or not all(len(cell.words) > 2 for line in run for cell in line.cells):
            kept.append(Run("text", run))
        else:  # text beside other text, in no columns
            kept.extend(Run("text", [cell], is_sure=False) for line in run for cell in line.cells)
        goes_on = is_text
    return kept


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
    """Whether a line of one cell stands close between lines of a table, at most three of its kind in a row."""
    before = next((k for k in range(index - 1, max(-1, index - 4), -1) if flags[k]), None)
    after = next((k for k in range(index + 1, min(len(lines), index + 4)) if flags[k]), None)
    line = lines[index]
    if before is None or after is None or (line.bold and line.y0 - lines[index - 1].y1 > pitch):
        return False
    room = (1.8 if len(line.text) <= 60 or line.text.endswith(":") else 1.2) * pitch
    return len(line.text) <= 110 and all(b.y0 - a.y1 <= room for a, b in pairwise(lines[before : after + 1]))


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


def _cells(lines: Sequence[Line], strokes: Sequence[Corners]) -> Sequence[Cells]:
    """Return for each row of a table its cells, and for each cell its pieces: one for each line that it takes."""
    columns = _columns(lines)
    counts = [len(line.cells) for line in lines if len(line.cells) > 1]
    is_regular = counts.count(max(counts, default=0)) >= max(2, 0.25 * len(counts))
    lines = list(_cut_lines(lines, columns)) if is_regular else lines
    left = min(line.x0 for line in lines)
    groups = _ruled_groups(lines, strokes) or grouped(lines, lambda row, line: _belongs(row[-1], line, left))
    return [_merged(group, columns) if len(group) > 1 else _aligned(group[0], columns, is_regular) for group in groups]


def _cut_lines(lines: Sequence[Line], columns: Sequence[tuple[float, float]]) -> Iterator[Line]:
    """Yield the lines of a table, with a cut between words of two columns that a narrow gap parts."""
    gaps = [(b.x0 - a.x1) / line.size for line in lines for cell in line.cells for a, b in pairwise(cell.words)]
    narrow = max(0.5, 1.5 * median(gaps)) if len(gaps) >= 5 else 0.5
    for line in lines:
        cells: list[list[Word]] = []
        for cell in line.cells if len(line.cells) < len(columns) else ():
            cells.append([cell.words[0]])
            for before, word in pairwise(cell.words):
                places = [_columns_under(one, columns) for one in (before, word)]
                is_apart = word.x0 - before.x1 > narrow * line.size and places[0] != places[1]
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
    is_corner = len(line.cells) == len(columns) - 1 and line.x0 > columns[0][1]
    return placed if is_corner and not placed[0] and all(placed[1:]) else plain


def _columns_under(piece: Line | Word, columns: Sequence[tuple[float, float]]) -> list[int]:
    return [index for index, (x0, x1) in enumerate(columns) if min(x1, piece.x1) - max(x0, piece.x0) > 0]


def _ruled_groups(lines: Sequence[Line], strokes: Sequence[Corners]) -> list[list[Line]] | None:
    """Return the lines between neighbouring rules that span the table, or None where it has no such grid."""
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    heights: dict[int, float] = {}
    for x0, y0, x1, y1 in strokes:
        if y1 - y0 <= THICK and x1 - x0 >= 20 and lines[0].y0 - 12 <= y0 <= lines[-1].y1 + 12:
            at = round((y0 + y1) / 2)
            heights[at] = heights.get(at, 0.0) + max(min(x1, right) - max(x0, left), 0.0)
    edges = edges_of([y for y, covered in heights.items() if covered >= 0.85 * (right - left)])
    if len(edges) < 3:
        return None
    groups = [list(group) for _, group in groupby(lines, key=lambda line: sum(edge <= line.middle for edge in edges))]
    return groups if len(groups) >= 3 and all(sum(map(_has_value, group)) <= 1 for group in groups) else None


def _has_value(line: Line) -> bool:
    """Whether a line has a figure of its own beside its label; two such lines are two rows, whatever the rules say."""
    return any(map(_is_value, line.cells[1:]))


def _is_value(cell: Line) -> bool:
    return _VALUE.fullmatch(cell.text) is not None


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
    return is_year or not any(map(_is_value, line.cells))


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
