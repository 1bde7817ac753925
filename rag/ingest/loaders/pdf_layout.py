"""Words of a page to lines in reading order: lines, the cells that wide gaps cut them into, columns."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from statistics import median

from rag.ingest.loaders.pdf_direction import in_reading_order
from rag.ingest.loaders.pdf_page import Word

_CELL_GAP = 1.1
"""A gap wider than this many font heights separates two cells; justified text stays below it."""
_GUTTER = 7.0
"""The narrowest gutter between two columns of text, in points."""
_MIN_COLUMN_LINES = 4
_SIGNS = ("$", "€", "£", "¥", "($", "(€", "(£", "•", "-", "–", "*", "☒", "☐", "☑", "¨")


@dataclass(frozen=True)
class Cell:
    """Words of one line without a wide gap between them, left to right."""

    words: tuple[Word, ...]

    @cached_property
    def read(self) -> tuple[Word, ...]:
        """The words in the order in which they are read."""
        return self.words if self.is_ascii else in_reading_order(self.words)

    @cached_property
    def is_ascii(self) -> bool:
        """Whether all words are in ASCII, as most are: nothing of them is read from right to left."""
        return all(word.text.isascii() for word in self.words)

    @cached_property
    def text(self) -> str:
        """The words as they are read, with single spaces."""
        return " ".join(word.text for word in self.read)

    @cached_property
    def x0(self) -> float:
        """Left edge."""
        return self.words[0].x0

    @cached_property
    def x1(self) -> float:
        """Right edge."""
        return max(word.x1 for word in self.words)


@dataclass(frozen=True)
class Line:
    """Cells that stand beside each other."""

    cells: tuple[Cell, ...]

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """All words, left to right."""
        return tuple(word for cell in self.cells for word in cell.words)

    @cached_property
    def read(self) -> tuple[Word, ...]:
        """All words in the order in which they are read."""
        if all(cell.is_ascii for cell in self.cells):
            return self.words
        return in_reading_order(self.words)

    @cached_property
    def text(self) -> str:
        """All words as they are read, with single spaces."""
        return " ".join(word.text for word in self.read)

    @cached_property
    def x0(self) -> float:
        """Left edge."""
        return self.cells[0].x0

    @cached_property
    def x1(self) -> float:
        """Right edge."""
        return max(cell.x1 for cell in self.cells)

    @cached_property
    def y0(self) -> float:
        """Top edge."""
        return min(word.y0 for word in self.words)

    @cached_property
    def y1(self) -> float:
        """Bottom edge."""
        return max(word.y1 for word in self.words)

    @cached_property
    def size(self) -> float:
        """Font height of most of its characters, rounded to half points."""
        weights: dict[float, int] = {}
        for word in self.words:
            key = round(word.size * 2) / 2
            weights[key] = weights.get(key, 0) + len(word.text)
        return max(weights, key=lambda key: (weights[key], key))

    @cached_property
    def bold(self) -> bool:
        """Whether nearly all of its characters are bold."""
        letters = sum(len(word.text) for word in self.words)
        return sum(len(word.text) for word in self.words if word.bold) >= 0.85 * letters

    @cached_property
    def italic(self) -> bool:
        """Whether nearly all of its characters are italic."""
        letters = sum(len(word.text) for word in self.words)
        return sum(len(word.text) for word in self.words if word.italic) >= 0.85 * letters


def make_lines(words: Iterable[Word]) -> list[Line]:
    """Return the lines of a page, top to bottom, whatever columns they cross."""
    rows: list[list[Word]] = []
    middle = 0.0
    for word in sorted(words, key=_middle):
        if rows and _middle(word) - middle <= 0.45 * min(rows[-1][0].size, max(word.size, 0.5 * rows[-1][0].size)):
            rows[-1].append(word)
        else:
            rows.append([word])
            middle = _middle(word)
    return [_line(row) for row in _with_raised(rows)]


def _middle(word: Word) -> float:
    return (word.y0 + word.y1) / 2


def _with_raised(rows: list[list[Word]]) -> list[list[Word]]:
    """Return the rows; one of few small words whose middle lies within a neighbour (superscripts) joins that."""
    kept = list(rows)
    for row in rows:
        if len(row) > 4:
            continue
        index = kept.index(row)
        middle, size = _middle(row[0]), max(word.size for word in row)
        for other in [*kept[max(0, index - 1) : index], *kept[index + 1 : index + 2]]:
            tall = max(other, key=lambda word: word.size)
            if size < 0.8 * tall.size and tall.y0 <= middle <= tall.y1:
                other.extend(row)
                kept.pop(index)
                break
    return kept


def _line(words: list[Word]) -> Line:
    words.sort(key=lambda word: word.x0)
    size = median(word.size for word in words)
    cells: list[list[Word]] = [[words[0]]]
    edge = words[0].x1
    for word in words[1:]:
        apart = word.x0 - edge > _CELL_GAP * size
        belongs = cells[-1][-1].text in _SIGNS or word.text in ("%", ")", ")%")
        amount = word.text[:1] in "$€£¥" and any(c.isdigit() for c in cells[-1][-1].text)
        if (apart and not belongs) or (amount and word.x0 - edge > 0.3 * size and _is_value(cells[-1])):
            cells.append([])
        cells[-1].append(word)
        edge = max(edge, word.x1)
    return Line(tuple(Cell(tuple(cell)) for cell in cells))


def _is_value(words: Sequence[Word]) -> bool:
    """Whether a cell is a figure, so that a currency sign after it begins the next one."""
    return not any(c.isalpha() for word in words for c in word.text)


def reading_order(lines: Sequence[Line]) -> list[list[Line]]:
    """Return blocks of lines in reading order: what spans the page, then column after column.

    A block is a run of lines of one column; the lines of a table stay whole.
    """
    found = _columns(lines)
    if found is None:
        return [list(lines)] if lines else []
    first, last, x = found
    left, right = _split(lines[first:last], x)
    blocks = [*reading_order(left), *reading_order(right)]
    above = [list(lines[:first])] if first else []
    return [*above, *blocks, *reading_order(lines[last:])]


def _columns(lines: Sequence[Line]) -> tuple[int, int, float] | None:
    """Return the longest run of lines that stands in two columns, as first, last exclusive and the gutter's middle."""
    if len(lines) < _MIN_COLUMN_LINES:
        return None
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    best: tuple[int, int, float] | None = None
    for x in _gutters(lines, left, right):
        for first, last in _runs(lines, x):
            longer = best is None or last - first > best[1] - best[0]
            if longer and _is_prose(lines[first:last], x):
                best = (first, last, x)
    return best


def _gutters(lines: Sequence[Line], left: float, right: float) -> list[float]:
    """Return the middles of gaps that could be gutters: at least two lines of text begin right of one."""
    starts = sorted(cell.x0 for line in lines for cell in line.cells if left + 0.25 * (right - left) < cell.x0)
    groups = [[*group] for _, group in groupby(starts, key=lambda x: round(x / 6))]
    return [
        min(group) - _GUTTER / 2 for group in groups if len(group) >= 2 and min(group) < right - 0.2 * (right - left)
    ]


def _runs(lines: Sequence[Line], x: float) -> list[tuple[int, int]]:
    """Return the runs of lines that leave the gutter at `x` free."""
    clear = [all(c.x1 <= x - _GUTTER / 2 + 0.5 or c.x0 >= x + _GUTTER / 2 - 0.5 for c in line.cells) for line in lines]
    runs, start = [], 0
    for free, group in groupby(clear):
        length = len(list(group))
        if free:
            runs.append((start, start + length))
        start += length
    return runs


def _split(lines: Sequence[Line], x: float) -> tuple[list[Line], list[Line]]:
    """Return what stands left and right of `x`."""
    left = [tuple(cell for cell in line.cells if cell.x1 <= x) for line in lines]
    right = [tuple(cell for cell in line.cells if cell.x1 > x) for line in lines]
    return [Line(cells) for cells in left if cells], [Line(cells) for cells in right if cells]


def _is_prose(lines: Sequence[Line], x: float) -> bool:
    """Whether both sides of a gutter are running text rather than the columns of a table."""
    left, right = _split(lines, x)
    if min(len(left), len(right)) < _MIN_COLUMN_LINES:
        return False
    return all(_reads_as_prose(side) for side in (left, right))


def _reads_as_prose(lines: Sequence[Line]) -> bool:
    """Whether most lines are one cell that fills the column with words."""
    width = max(line.x1 for line in lines) - min(line.x0 for line in lines)
    filled = sum(1 for line in lines if line.x1 - line.x0 >= 0.7 * width)
    wordy = median(sum(word.text[:1].isalpha() for word in line.words) for line in lines)
    return wordy >= 4 and filled >= 0.5 * len(lines) and width > 80
