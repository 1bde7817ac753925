"""Lines of a page to table rows: each row keeps its label and its values together, wrapped cells mended."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, pairwise
from statistics import median

from rag.ingest.loaders.blocks import row
from rag.ingest.loaders.pdf_grids import Grid
from rag.ingest.loaders.pdf_layout import Cell, Line
from rag.ingest.loaders.pdf_page import Rule, Word

_VALUE_CELL = re.compile(
    r"[$€£(\[]*+\s*+(?:[-–—]\s*+)?(?=[.,]*\d)[\d.,]++\s*+[)%\]]*+(?: \[\d+\]|[⁰¹²³⁴-⁹]+)?|[-–—]|N/?A|n/?a|\*+"
)
_FEWEST_WORDS = 5
"""Words: the gaps of a shorter line do not tell whether it is text."""
_FULL_ROWS = 0.25
"""Share of a table's rows that fill every column, or more: else the columns are not known well enough."""
_NARROW_GAP = 0.5
"""Font heights: so much or more lies between the words of two columns, and less between the words of one text."""
_WORDS_A_CELL = 2.5
"""Words for each of its cells: a line of text that is spread has so many or more, a row of a table may have fewer."""
_AFTER_WORD, _AFTER_SENTENCE = 2.2, 4.2
"""How many times its usual gap a line of text may leave after a word, and after a sentence."""
_SENTENCE_END = re.compile(r"[.!?:;][\"'”’)\]]*$")


@dataclass(frozen=True, slots=True)
class Run:
    """A run of lines of one block: a table, or not."""

    is_table: bool
    lines: tuple[Line, ...]
    grid: Grid | None = None


def middle(line: Line) -> float:
    """Return the height of a line's middle."""
    return (line.y0 + line.y1) / 2


def grid_cells(lines: Sequence[Line], grid: Grid) -> list[list[list[Cell]]]:
    """Return the cells of a drawn table's rows, each word in the cell that its middle lies in.

    Two lines with figures between the same two rules are two rows, between which no rule is drawn.
    """
    rows: list[list[list[Cell]]] = []
    for _, group in groupby(lines, key=lambda line: grid.row(middle(line))):
        pieces = [_pieces_of(line, grid) for line in group]
        unruled = sum(any(_VALUE_CELL.fullmatch(cell.text) for column, cell in line if column) for line in pieces) > 1
        rows.extend(_in_columns(part, grid) for part in ([[line] for line in pieces] if unruled else [pieces]))
    return rows


def _pieces_of(line: Line, grid: Grid) -> list[tuple[int, Cell]]:
    """Return the words of a line by the columns of a grid that they stand in."""
    row = grid.row(middle(line))
    groups = groupby(line.words, key=lambda word: grid.column((word.x0 + word.x1) / 2, row))
    return [(column, Cell(tuple(words))) for column, words in groups]


def _in_columns(lines: Sequence[Sequence[tuple[int, Cell]]], grid: Grid) -> list[list[Cell]]:
    cells: list[list[Cell]] = [[] for _ in grid.xs[1:]]
    for column, cell in chain.from_iterable(lines):
        cells[column].append(cell)
    return cells


def split_tables(lines: Sequence[Line]) -> list[Run]:
    """Return the lines in runs of table and text.

    A table begins and ends with a line of two or more cells; single cells between such lines (a label above its
    rows, a wrapped label) belong to it while they follow without a gap. One line alone is a table only with figures:
    a line of text with wide gaps, as between its sentences, goes on in the text around it.
    """
    pitch = _pitch(lines)
    flags = [_is_tabular(line) for line in lines]
    for index, line in enumerate(lines):
        if not flags[index] and _stands_within(index, lines, flags, pitch):
            flags[index] = len(line.text) <= 110
    for index in range(len(lines)):
        flags[index] = flags[index] or _hangs_on(index, lines, flags)
    runs = [[lines[index] for index in group] for _, group in groupby(range(len(lines)), key=flags.__getitem__)]
    kept: list[Run] = []
    goes_on = False
    for index, run in enumerate(runs):
        flagged = flags[0] == (index % 2 == 0)
        is_table = flagged and _is_table(run)
        is_text = not flagged or (not is_table and all(map(_is_justified, run)))
        if goes_on and is_text:
            kept[-1] = Run(False, (*kept[-1].lines, *run))
        else:
            kept.append(Run(is_table, tuple(run)))
        goes_on = is_text
    return kept


def _is_justified(line: Line) -> bool:
    """Whether the gaps of a line are those of text that is spread to its full width, wider where sentences end."""
    if len(line.cells) < 2:
        return True
    usual = median(b.x0 - a.x1 for a, b in pairwise(line.words))
    return len(line.words) >= _FEWEST_WORDS and all(
        b.x0 - a.x1 <= (_AFTER_SENTENCE if _SENTENCE_END.search(a.text) else _AFTER_WORD) * usual
        for a, b in pairwise(line.cells)
    )


def _pitch(lines: Sequence[Line]) -> float:
    gaps = [b.y0 - a.y0 for a, b in pairwise(lines) if 0 < b.y0 - a.y0 < 40]
    return median(gaps) if gaps else 12.0


def _is_tabular(line: Line) -> bool:
    """Whether a line has two cells or more, and is not a list item whose marker stands apart."""
    if len(line.cells) < 2:
        return False
    first = line.cells[0].text
    marker = re.fullmatch(r"[-*•‣◦▪–]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)]|(?:\d{1,3}\.)*\d{1,3}\.?", first)
    return not (marker and len(line.cells) == 2 and not _VALUE_CELL.fullmatch(line.cells[1].text)) or _is_figures(line)


def _is_figures(line: Line) -> bool:
    return len(line.cells) > 2 and all(_VALUE_CELL.fullmatch(cell.text) for cell in line.cells[1:])


def _stands_within(index: int, lines: Sequence[Line], flags: Sequence[bool], pitch: float) -> bool:
    """Whether a line of one cell stands close between lines of a table, at most three of its kind in a row."""
    before = next((k for k in range(index - 1, max(-1, index - 4), -1) if flags[k]), None)
    after = next((k for k in range(index + 1, min(len(lines), index + 4)) if flags[k]), None)
    if before is None or after is None:
        return False
    line, near = lines[index], lines[before : after + 1]
    if line.bold and line.y0 - lines[index - 1].y1 > pitch:
        return False
    is_label = len(line.text) <= 60 or line.text.endswith(":")
    return all(b.y0 - a.y1 <= (1.8 if is_label else 1.2) * pitch for a, b in pairwise(near))


def _hangs_on(index: int, lines: Sequence[Line], flags: Sequence[bool]) -> bool:
    """Whether a line is the first or last line of a wrapped cell of the table beside it, not in its first column."""
    line = lines[index]
    for other in (index - 1, index + 1):
        if 0 <= other < len(lines) and flags[other] and len(lines[other].cells) > 1:
            gap = max(line.y0 - lines[other].y1, lines[other].y0 - line.y1)
            inside = line.x0 > lines[other].x0 + 3 * line.size and line.x1 <= lines[other].x1 + 3 * line.size
            if gap < 0.25 * line.size and inside:
                return True
    return False


def _is_table(lines: Sequence[Line]) -> bool:
    wide = [line for line in lines if len(line.cells) > 1]
    if all(_is_justified(line) and len(line.words) >= _WORDS_A_CELL * len(line.cells) for line in wide):
        return False
    return len(wide) >= 2 or any(_VALUE_CELL.fullmatch(cell.text) for line in wide for cell in line.cells[1:])


def has_heads(run: Run) -> bool:
    """Whether the first row of a drawn table alone is set in bold, in two cells or more: the heads of its columns."""
    if run.grid is None:
        return False
    rows = [[cell for parts in cells for cell in parts] for cells in grid_cells(run.lines, run.grid)]
    bold = [all(word.bold for cell in cells for word in cell.words) for cells in rows if cells]
    return len(bold) > 1 and bold[0] and not any(bold[1:]) and len(rows[0]) > 1


def table_rows(run: Run, rules: Sequence[Rule]) -> list[str]:
    """Return the rows of a table, top to bottom, as `| label | value | value |`."""
    rows = (row([mend([part.text for part in parts]) for parts in cells]) for cells in table_cells(run, rules))
    return [text for text in rows if text]


def table_cells(run: Run, rules: Sequence[Rule]) -> list[list[list[Cell]]]:
    """Return for each row of a table its cells, and for each cell its pieces: one for each line that it takes."""
    if run.grid is not None:
        return grid_cells(run.lines, run.grid)
    columns = _columns(run.lines)
    is_regular = _is_regular(run.lines)
    lines = _cut_lines(run.lines, columns) if is_regular else run.lines
    groups = _ruled_groups(lines, rules) or _wrapped_groups(lines)
    return [_merged(group, columns) if len(group) > 1 else _aligned(group[0], columns, is_regular) for group in groups]


def _is_regular(lines: Sequence[Line]) -> bool:
    """Whether enough rows fill every column, so that one line with a chance gap does not say where columns are."""
    counts = [len(line.cells) for line in lines if len(line.cells) > 1]
    return counts.count(max(counts, default=0)) >= max(2, _FULL_ROWS * len(counts))


def _cut_lines(lines: Sequence[Line], columns: Sequence[tuple[float, float]]) -> list[Line]:
    """Return the lines of a table, with a cut between words of two columns that a narrow gap parts."""
    gaps = [(b.x0 - a.x1) / line.size for line in lines for cell in line.cells for a, b in pairwise(cell.words)]
    narrow = max(_NARROW_GAP, 1.5 * median(gaps)) if len(gaps) >= _FEWEST_WORDS else _NARROW_GAP
    return [_cut(line, columns, narrow * line.size) if len(line.cells) < len(columns) else line for line in lines]


def _cut(line: Line, columns: Sequence[tuple[float, float]], narrow: float) -> Line:
    cells: list[list[Word]] = []
    for cell in line.cells:
        cells.append([cell.words[0]])
        for before, word in pairwise(cell.words):
            places = [_columns_under(one, columns) for one in (before, word)]
            parted = all(len(place) == 1 for place in places) and places[0] != places[1]
            if parted and word.x0 - before.x1 > narrow:
                cells.append([])
            cells[-1].append(word)
    return Line(tuple(Cell(tuple(words)) for words in cells))


def _aligned(line: Line, columns: Sequence[tuple[float, float]], is_regular: bool) -> list[list[Cell]]:
    """Return the cells of a line; where some are missing and each of the others stands in a column of its own, there.

    A lone cell is a label or a title and stays alone. Of columns that few rows fill, the first alone may be missing.
    """
    plain = [[cell] for cell in line.cells]
    if not 1 < len(line.cells) < len(columns):
        return plain
    placed = _merged([line], columns)
    places = [_columns_under(cell, columns) for cell in line.cells]
    if is_regular and all(len(place) == 1 for place in places) and all(len(pieces) <= 1 for pieces in placed):
        return placed
    is_corner = len(line.cells) == len(columns) - 1 and line.x0 > columns[0][1]
    return placed if is_corner and not placed[0] and all(placed[1:]) else plain


def _columns_under(piece: Cell | Word, columns: Sequence[tuple[float, float]]) -> list[int]:
    """Return the columns that a cell or word overlaps."""
    return [index for index, (x0, x1) in enumerate(columns) if min(x1, piece.x1) - max(x0, piece.x0) > 0]


def _ruled_groups(lines: Sequence[Line], rules: Sequence[Rule]) -> list[list[Line]] | None:
    """Return the lines between neighbouring rules that span the table, or None where it has no such grid."""
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    top, bottom = lines[0].y0 - 12, lines[-1].y1 + 12
    inside = [rule for rule in rules if top <= rule.y <= bottom]
    heights: dict[int, float] = {}
    for rule in inside:
        covered = min(rule.x1, right) - max(rule.x0, left)
        heights[round(rule.y)] = heights.get(round(rule.y), 0.0) + max(covered, 0.0)
    full = sorted(y for y, covered in heights.items() if covered >= 0.85 * (right - left))
    edges = [y for k, y in enumerate(full) if k == 0 or y - full[k - 1] > 3]
    if len(edges) < 3:
        return None
    groups: dict[int, list[Line]] = {}
    for line in lines:
        middle = (line.y0 + line.y1) / 2
        groups.setdefault(sum(edge <= middle for edge in edges), []).append(line)
    is_grid = len(groups) >= 3 and all(sum(map(_has_value, group)) <= 1 for group in groups.values())
    return list(groups.values()) if is_grid else None


def _has_value(line: Line) -> bool:
    """Whether a line has a figure of its own beside its label; two such lines are two rows, whatever the rules say."""
    return len(line.cells) > 1 and any(_VALUE_CELL.fullmatch(cell.text) for cell in line.cells[1:])


def _wrapped_groups(lines: Sequence[Line]) -> list[list[Line]]:
    """Return lines grouped to rows: a line that continues the cells above it, or whose label began there, joins it."""
    groups: list[list[Line]] = []
    left = min(line.x0 for line in lines)
    for line in lines:
        if groups and (_continues(groups[-1][-1], line, left) or _ends_label(groups[-1][-1], line)):
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _continues(above: Line, line: Line, left: float) -> bool:
    """Whether a line is the second line of cells above it: words under words, close by, no label of its own."""
    if line.y0 - above.y1 > 0.5 * line.size or abs(line.size - above.size) > 1 or line.bold != above.bold:
        return False
    under = [[cell for cell in above.cells if _overlap(cell, other)] for other in line.cells]
    if any(len(cells) != 1 for cells in under) or len(line.cells) > len(above.cells):
        return False
    is_label = under[0][0] is above.cells[0] and (above.x0 <= left + line.size or _has_value(above))
    if is_label and not line.text[:1].islower():
        return False
    is_year = all(re.fullmatch(r"(?:19|20)\d\d", cell.text) for cell in line.cells)
    return is_year or not any(_VALUE_CELL.fullmatch(cell.text) for cell in line.cells)


def _ends_label(above: Line, line: Line) -> bool:
    """Whether the label of a row began on the line above it, which has no values."""
    label = len(above.cells) == 1 and len(line.cells) > 1 and not above.text.endswith((":", "."))
    return label and line.y0 - above.y1 < 0.5 * line.size and bool(re.match(r"[a-z(]|\$?\(?\d", line.text))


def _overlap(a: Cell, b: Cell) -> bool:
    return min(a.x1, b.x1) - max(a.x0, b.x0) > 0


def _columns(lines: Sequence[Line]) -> list[tuple[float, float]]:
    """Return the x-ranges of a table's columns: cells that overlap, merged, lines that span columns left aside."""
    most = max(len(line.cells) for line in lines)
    cells = sorted((cell.x0, cell.x1) for line in lines if len(line.cells) == most for cell in line.cells)
    columns: list[tuple[float, float]] = []
    for x0, x1 in cells:
        if columns and x0 < columns[-1][1]:
            columns[-1] = (columns[-1][0], max(columns[-1][1], x1))
        else:
            columns.append((x0, x1))
    return columns


def _merged(lines: Sequence[Line], columns: Sequence[tuple[float, float]]) -> list[list[Cell]]:
    """Return the cells of a row that takes several lines, each piece in the column that it overlaps most."""
    cells: list[list[Cell]] = [[] for _ in columns]
    for piece in (cell for line in lines for cell in line.cells):
        distances = [max(x0, piece.x0) - min(x1, piece.x1) for x0, x1 in columns]
        cells[distances.index(min(distances))].append(piece)
    return cells


_UNSPACED = re.compile(r"[\u3001-\u3003\u3008-\u3011\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff01-\uff0f\uff1a-\uff1f]")
"""A character of Chinese or Japanese, which are written without spaces between words."""


def mend(lines: Sequence[str], compounds: Collection[str] = ()) -> str:
    """Return lines joined to running text; a word that a hyphen divides at a line's end is put together.

    >>> mend(["infor-", "mation on self-", "Contained sets"])
    'information on self-Contained sets'
    >>> mend(["a long-", "lived rule"], {"long-lived"})
    'a long-lived rule'

    Args:
        lines: In reading order.
        compounds: Words that keep their hyphen, case folded.
    """
    text = ""
    for line in lines:
        if _is_divided(text, line) and _divided(text, line) not in compounds:
            text = text[:-1] + line
        elif (re.search(r"\w-$", text) and line[:1].isalnum()) or (
            _UNSPACED.match(text[-1:]) and _UNSPACED.match(line)
        ):
            text += line
        else:
            text = f"{text} {line}" if text else line
    return text


def _is_divided(text: str, line: str) -> bool:
    """Whether a hyphen at the end of a text looks like one that divides a word."""
    ends = re.search(r"[^\W\d_]-$", text) and not re.search(r"\b[a-z]+-[a-z]+-$", text)
    return bool(ends) and line[:1].islower() and not _is_compound(text, line)


def _is_compound(text: str, line: str) -> bool:
    """Whether the hyphen at the end of a text is one that the word keeps: a letter alone, `well-` and `self-`."""
    first = re.search(r"(?<![^\W_])([^\W\d_]|well|self)-$", text, re.I)
    return first is not None and not re.match(r"(?:ness|ish|less)\b", line)


def _divided(text: str, line: str) -> str:
    """Return the two parts of a divided word with the hyphen between them, case folded."""
    parts = re.search(r"[^\W\d_]+-$", text), re.match(r"[^\W\d_]+", line)
    return "".join(part[0] for part in parts if part).casefold()
