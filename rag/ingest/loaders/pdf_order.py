"""Words of a page in reading order: runs in the file's own order, cut by white space into columns, and their lines.

PDFium gives words in the order in which a file draws them. Where a gutter has running text on both sides, or the file
draws one side after the other, the sides are columns; where the file goes to and fro over it, they are a table's.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from statistics import median

from rag.ingest.loaders.blocks import grouped
from rag.ingest.loaders.pdf_words import Word

_CELL_GAP = 1.1  # A gap wider than this many font heights separates two cells; justified text mostly stays below it.
_OVERHANG = 3.0  # points by which a line may reach over a gutter
_SIGNS = ("$", "€", "£", "¥", "($", "(€", "(£", "•", "-", "–", "*", "☒", "☐", "☑", "¨")


@dataclass(frozen=True)
class Line:
    """Words beside each other, left to right; `cells` are the parts that wide gaps cut it into, itself if it is one."""

    words: tuple[Word, ...]
    pieces: tuple["Line", ...] = ()

    @classmethod
    def of(cls, cells: Sequence["Line"]) -> "Line":
        """Return the line of these cells."""
        return cells[0] if len(cells) == 1 else cls(tuple(word for cell in cells for word in cell.words), tuple(cells))

    @property
    def cells(self) -> tuple["Line", ...]:
        """The parts that wide gaps cut the line into."""
        return self.pieces or (self,)

    @cached_property
    def read(self) -> tuple[Word, ...]:
        """The words in the order in which they are read."""
        return self.words if all(word.text.isascii() for word in self.words) else _in_reading_order(self.words)

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

    @cached_property
    def y0(self) -> float:
        """Top edge."""
        return min(word.y0 for word in self.words)

    @cached_property
    def y1(self) -> float:
        """Bottom edge."""
        return max(word.y1 for word in self.words)

    @cached_property
    def middle(self) -> float:
        """Height of its middle."""
        return (self.y0 + self.y1) / 2

    @cached_property
    def size(self) -> float:
        """Font height of most of its characters, rounded to half points."""
        weights: Counter[float] = Counter()
        for word in self.words:
            weights[round(word.size * 2) / 2] += len(word.text)
        return max(weights, key=lambda key: (weights[key], key))

    @cached_property
    def bold(self) -> bool:
        """Whether nearly all of its characters are bold."""
        return self._share([word.bold for word in self.words])

    @cached_property
    def italic(self) -> bool:
        """Whether nearly all of its characters are italic."""
        return self._share([word.italic for word in self.words])

    def _share(self, marks: Sequence[bool]) -> bool:
        lengths = [len(word.text) for word in self.words]
        return sum(length for length, mark in zip(lengths, marks, strict=True) if mark) >= 0.85 * sum(lengths)


def _in_reading_order(words: Sequence[Word]) -> tuple[Word, ...]:
    """Return the words of a line in the order in which they are read: from the right where most letters are so.

    Words of other scripts beside each other keep their order among themselves; a number is a word of its own.
    """
    sides = [_side(word.text) for word in words]
    letters: Counter[str] = Counter()
    for word, side in zip(words, sides, strict=True):
        letters[side] += len(word.text)
    if letters["R"] <= letters["L"]:
        return tuple(words)
    groups = [list(group) for _, group in groupby(range(len(words)), key=lambda at: sides[at] == "L" or -at)]
    return tuple(words[at] for group in reversed(groups) for at in group)


def _side(text: str) -> str:
    kinds = {unicodedata.bidirectional(character) for character in text}
    return "R" if kinds & {"R", "AL"} else "L" if "L" in kinds else ""


def make_lines(words: Iterable[Word]) -> list[Line]:
    """Return the lines of a page or of a column of it, top to bottom."""
    rows = grouped(sorted(words, key=_middle), lambda row, word: _is_level(row[0], word))
    return [_line(row) for row in _with_raised(rows)]


def _is_level(first: Word, word: Word) -> bool:
    return _middle(word) - _middle(first) <= 0.45 * min(first.size, max(word.size, 0.5 * first.size))


def _middle(word: Word) -> float:
    return (word.y0 + word.y1) / 2


def _with_raised(rows: list[list[Word]]) -> list[list[Word]]:
    """Return the rows; one of few small words whose middle lies within a neighbour (superscripts) joins that."""
    kept = list(rows)
    for row in rows:
        if len(row) > 4:
            continue
        index = kept.index(row)
        for other in [*kept[max(0, index - 1) : index], *kept[index + 1 : index + 2]]:
            tall = max(other, key=lambda word: word.size)
            if max(word.size for word in row) < 0.8 * tall.size and tall.y0 <= _middle(row[0]) <= tall.y1:
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
        gap, last = word.x0 - edge, cells[-1]
        belongs = last[-1].text in _SIGNS or word.text in ("%", ")", ")%")
        begins_amount = word.text[:1] in "$€£¥" and any(map(str.isdigit, last[-1].text))
        is_value = begins_amount and not any(character.isalpha() for one in last for character in one.text)
        if (gap > _CELL_GAP * size and not belongs) or (is_value and gap > 0.3 * size):
            cells.append([])
        cells[-1].append(word)
        edge = max(edge, word.x1)
    return Line.of([Line(tuple(cell)) for cell in cells])


def columns(words: Sequence[Word]) -> Iterator[list[Word]]:
    """Yield the words of a page column by column, in reading order; what is in no columns stays together."""
    runs = sorted(_runs(sorted(words, key=lambda word: word.order)), key=lambda run: run.middle)
    yield from ([word for run in group for word in run.words] for group in _cut(runs))


def _runs(words: Sequence[Word]) -> Iterator[Line]:
    """Yield words that the file draws one right after the other on one line."""
    run: list[Word] = []
    left = right = 0.0
    for word in words:
        if run:
            size = max(word.size, run[-1].size)
            is_level = abs(_middle(word) - _middle(run[-1])) <= 0.5 * size
            if not (is_level and -0.5 * size < max(word.x0 - right, left - word.x1) <= _CELL_GAP * size):
                yield Line(tuple(sorted(run, key=lambda one: one.x0)))
                run = []
        left, right = (min(left, word.x0), max(right, word.x1)) if run else (word.x0, word.x1)
        run.append(word)
    if run:
        yield Line(tuple(sorted(run, key=lambda one: one.x0)))


def _cut(runs: Sequence[Line]) -> Iterator[Sequence[Line]]:
    """Yield runs, given by height, by columns: what stands above columns, the columns, the rest."""
    found = _columns(runs)
    if found is None:
        yield runs
        return
    first, last, groups = found
    for group in [*([runs[:first]] if first else []), *groups, *([runs[last:]] if runs[last:] else [])]:
        yield from _cut(group)


def _is_right(run: Line, x: float) -> bool:
    return (run.x0 + run.x1) / 2 > x


def _columns(runs: Sequence[Line]) -> tuple[int, int, list[list[Line]]] | None:
    """Return the longest stretch of runs in columns, as first, last exclusive and the runs of each column."""
    best: tuple[int, int, list[list[Line]]] | None = None
    for x in _gutters(runs):
        start = 0
        for free, group in groupby(runs, key=lambda run: run.x1 <= x + _OVERHANG or run.x0 >= x - _OVERHANG):
            stop = start + len(list(group))
            if free and (best is None or stop - start > best[1] - best[0]):
                first = _begin(runs, start, stop, x)
                if groups := _sides(runs[first:stop], x):
                    best = (first, stop, groups)
            start = stop
    return best


def _gutters(runs: Sequence[Line]) -> list[float]:
    """Return where columns could begin: at least two runs begin there, not at the edges of the page's text."""
    if len(runs) < 4:
        return []
    left, right = min(run.x0 for run in runs), max(run.x1 for run in runs)
    starts = sorted(run.x0 for run in runs if 0.2 < (run.x0 - left) / max(right - left, 1) < 0.85)
    return [group[0] for group in grouped(starts, lambda group, x: x - group[0] <= 6) if len(group) >= 2]


def _begin(runs: Sequence[Line], start: int, stop: int, x: float) -> int:
    """Return where columns begin that follow text of the full width: the last lines of that may be short too."""
    at = start
    while 0 < at < stop and not _is_right(runs[at], x) and runs[at].y0 - runs[at - 1].y1 < 0.4 * runs[at].size:
        at += 1
    return at if at < stop and not _is_right(runs[at], x) else start


def _sides(runs: Sequence[Line], x: float) -> list[list[Line]]:
    """Return the runs left and right of a gutter where they are to be read one after the other, else nothing."""
    sides = [[run for run in runs if _is_right(run, x) is right] for right in (False, True)]
    if min(map(len, sides)) < 2:
        return []
    drawn = sorted(runs, key=lambda run: run.words[0].order)
    cells = [list(group) for _, group in groupby(drawn, key=lambda run: _is_right(run, x))]
    is_terse = any(sum(len(run.words) for run in side) < 3 * len(side) for side in sides)
    if len(cells) > max(3, 0.25 * min(map(len, sides))) and is_terse:
        return []
    rows = [grouped(side, lambda row, run: abs(run.middle - row[0].middle) <= 0.4 * run.size) for side in sides]
    fewest = min(map(len, rows))
    if fewest < 2:
        return []
    in_turn = len(cells) <= max(3, 0.25 * fewest)
    prose = [_reads_as_prose(side) or (in_turn and _is_wrapped(side)) for side in rows]
    if all(prose) and not in_turn and len(cells) < 1.2 * fewest:  # cell by cell: nothing runs on from one to the next
        return [group for cell in cells for group in ([], sorted(cell, key=lambda run: run.middle))]
    if all(prose):
        return sides if in_turn or fewest >= 4 else []
    return sides if in_turn and _aligned(rows) < (0.7 if any(prose) and fewest >= 3 else 0.6) else []


def _reads_as_prose(rows: Sequence[Sequence[Line]]) -> bool:
    """Whether most lines fill the column with words."""
    edges = [(min(run.x0 for run in row), max(run.x1 for run in row)) for row in rows]
    width = max(right for _, right in edges) - min(left for left, _ in edges)
    filled = sum(right - left >= 0.7 * width for left, right in edges)
    wordy = median(sum(word.text[:1].isalpha() for run in row for word in run.words) for row in rows)
    return wordy >= 4 and filled >= 0.5 * len(rows) and width > 80


def _is_wrapped(rows: Sequence[Sequence[Line]]) -> bool:
    """Whether a third of the lines go on in mid sentence in the next, as those of a short column do."""
    texts = [" ".join(run.text for run in row) for row in rows]
    on = sum(a[-1:] not in ".!?:" and b[:1].islower() and " " in a for a, b in pairwise(texts))
    return on >= (len(rows) - 1) / 3


def _aligned(rows: Sequence[Sequence[Sequence[Line]]]) -> float:
    """Return the share of lines of the longer side that stand beside one of the other, as the cells of a table do."""
    few, many = sorted(rows, key=len)
    return sum(any(abs(a[0].middle - b[0].middle) <= 0.4 * a[0].size for b in few) for a in many) / len(many)
