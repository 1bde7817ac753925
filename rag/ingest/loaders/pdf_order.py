"""Words of a page in reading order: runs in the file's own order, cut by white space into columns, and their lines.

PDFium gives words in the order in which a file draws them. Where a gutter has running text on both sides, or the file
draws one side after the other, the sides are columns; where the file goes to and fro over it, they are a table's.
"""

import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from statistics import median

from rag.ingest.loaders.blocks import grouped
from rag.ingest.loaders.pdf_words import Word

_CELL_GAP = 1.1  # A gap wider than this many font heights separates two cells; justified text mostly stays below it.
_FEW = 3  # lines of a side that is no running text: so short a side is drawn in one go
_SELDOM = 0.4  # of the lines of a side stand beside one of the other where they are no rows
_NARROWEST = 0.25  # of the font's height: no gutter is narrower, and most spaces between words are hardly wider
_FLUSH = 1.0  # points: lines that begin within so much stand below each other
_WIDER = 1.2  # times the usual space between words: a gap that is so much wider in each line is none of those
_FEWEST_PAIRS, _MANY_PAIRS = 4, 10  # lines on both sides of a gutter that is wider than such spaces, and of any other
_ONE_SIZE = 0.8  # of the lines beside a gutter are as high as each other: a chart has words of many sizes
_MOST_PLACES = 40  # where a gutter is looked for
_GO_ON = 0.2  # of the lines beside a gutter go on in mid sentence, also in a language whose nouns have capitals
_OVERHANG = 3.0  # points by which a line may reach over a gutter
_SIGNS = ("$", "€", "£", "¥", "($", "(€", "(£", "•", "-", "–", "*", "☒", "☐", "☑", "¨")


class Line:
    """Words beside each other, left to right, and what is known of them together.

    Attributes:
        words: The words by place.
        cells: The parts that wide gaps cut the line into; itself if there are none.
        read: The words in the order in which they are read, and `text` the same with single spaces.
        x0, y0, x1, y1: Its edges in points, together `box`; `middle` is the height of its middle.
        size: Font height of most of its characters, rounded to half points.
        bold, italic: Whether nearly all of its characters are so.
        ink: The colour of its characters; that of the first where they differ.
    """

    def __init__(self, words: Iterable[Word], pieces: Sequence["Line"] = ()) -> None:
        self.words = tuple(sorted(words, key=lambda word: word.x0))
        self._pieces = tuple(pieces)
        self.read = _in_reading_order(self.words)
        self.text = " ".join(word.text for word in self.read)
        self.x0, self.x1 = self.words[0].x0, max(word.x1 for word in self.words)
        self.y0, self.y1 = min(word.y0 for word in self.words), max(word.y1 for word in self.words)
        self.box = (self.x0, self.y0, self.x1, self.y1)
        self.middle = (self.y0 + self.y1) / 2
        weights: Counter[float] = Counter()
        bold = italic = 0
        for word in self.words:
            weights[round(word.size * 2) / 2] += len(word.text)
            bold += word.bold * len(word.text)
            italic += word.italic * len(word.text)
        self.size = max(weights, key=lambda key: (weights[key], key))
        self.ink = self.words[0].ink
        self.bold, self.italic = (share >= 0.85 * weights.total() for share in (bold, italic))

    @classmethod
    def of(cls, cells: Iterable[Iterable[Word]]) -> "Line":
        """Return the line of cells with these words."""
        pieces = [cls(words) for words in cells]
        return pieces[0] if len(pieces) == 1 else cls([word for cell in pieces for word in cell.words], pieces)

    @property
    def cells(self) -> tuple["Line", ...]:
        """The parts that wide gaps cut the line into."""
        return self._pieces or (self,)


def _in_reading_order(words: Sequence[Word]) -> tuple[Word, ...]:
    """Return the words of a line in the order in which they are read: from the right where most letters are so.

    Words of other scripts beside each other keep their order among themselves; a number is a word of its own.
    """
    if all(word.text.isascii() for word in words):
        return tuple(words)
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

    def is_level(row: list[Word], word: Word) -> bool:
        room = 0.45 * min(row[0].size, max(word.size, 0.5 * row[0].size))
        return _middle(word) - _middle(row[0]) <= room

    return [line_of(row) for row in _with_raised(grouped(sorted(words, key=_middle), is_level))]


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


def line_of(words: Iterable[Word]) -> Line:
    """Return words beside each other as a line, cut into cells by wide gaps."""
    words = sorted(words, key=lambda word: word.x0)
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
    return Line.of(cells)


def columns(words: Sequence[Word]) -> Iterator[list[Word]]:
    """Yield the words of a page column by column, in reading order; what is in no columns stays together."""
    runs = sorted(_runs(sorted(words, key=lambda word: word.order)), key=lambda run: run.middle)
    yield from ([word for run in group for word in run.words] for group in _cut(list(_parted(runs))))


def _runs(words: Sequence[Word]) -> Iterator[Line]:
    """Yield words that the file draws one right after the other on one line."""
    run: list[Word] = []
    left = right = 0.0
    for word in words:
        if run:
            size = max(word.size, run[-1].size)
            is_level = abs(_middle(word) - _middle(run[-1])) <= 0.5 * size
            if not (is_level and -0.5 * size < max(word.x0 - right, left - word.x1) <= _CELL_GAP * size):
                yield Line(run)
                run = []
        left, right = (min(left, word.x0), max(right, word.x1)) if run else (word.x0, word.x1)
        run.append(word)
    if run:
        yield Line(run)


def _parted(runs: Sequence[Line]) -> Iterator[Line]:
    """Yield runs, given by height, cut where they go over a gutter that is too narrow for its width to tell of it.

    Spaces between words stand below each other in some lines, but seldom in many: a gutter is told by its height.
    """
    rows = grouped(runs, lambda row, run: run.middle - row[0].middle <= 0.4 * run.size)
    lines = [sorted((word for run in row for word in run.words), key=lambda word: word.x0) for row in rows]
    starts = sorted(b.x0 for line in lines for a, b in pairwise(line) if b.x0 - a.x1 >= _NARROWEST * b.size)
    places = grouped(starts, lambda place, x: x - place[0] <= _FLUSH)
    cuts: defaultdict[int, list[float]] = defaultdict(list)
    for x in (median(place) for place in sorted(places, key=len)[-_MOST_PLACES:] if len(place) >= _FEWEST_PAIRS):
        halves = [_halves(line, x) for line in lines]
        free = [at for at in range(len(rows)) if halves[at] is not None]
        for stretch in grouped(free, lambda stretch, at: at == stretch[-1] + 1 and _is_close(rows[at - 1], rows[at])):
            if _is_gutter([pair for at in stretch if (pair := halves[at]) and all(pair)], x):
                for at in stretch:
                    cuts[at].append(x - _FLUSH)
    yield from (part for at, row in enumerate(rows) for run in row for part in _parts(run, cuts[at]))


def _parts(run: Line, places: Sequence[float]) -> Iterable[Line]:
    parts = grouped(run.words, lambda part, word: not any(part[0].x0 < x <= word.x0 for x in places))
    return map(Line, parts) if len(parts) > 1 else [run]


def _is_close(above: Sequence[Line], below: Sequence[Line]) -> bool:
    return below[0].y0 - above[0].y1 < 1.5 * below[0].size


def _halves(words: Sequence[Word], x: float) -> tuple[Sequence[Word], Sequence[Word]] | None:
    """Return the words of a line left and right of a gutter that ends at `x`; None where one stands in it."""
    at = bisect_left(words, x - _FLUSH, key=lambda word: word.x0)
    is_free = at == 0 or x - words[at - 1].x1 >= _NARROWEST * words[at - 1].size
    return (words[:at], words[at:]) if is_free else None


def _is_gutter(pairs: Sequence[tuple[Sequence[Word], Sequence[Word]]], x: float) -> bool:
    """Whether lines of running text stand on both sides of `x`, too many for spaces that are in line by chance.

    They may be few where the gap is wider than spaces in each of them; else many have to begin at `x`.
    """
    if len(pairs) < _FEWEST_PAIRS:
        return False
    usual = median([b.x0 - a.x1 for pair in pairs for side in pair for a, b in pairwise(side)] or [0.0])
    if min(right[0].x0 - left[-1].x1 for left, right in pairs) < _WIDER * usual:
        pairs = [pair for pair in pairs if pair[1][0].x0 <= x + _FLUSH]
        if len({" ".join(word.text for word in left) for left, _ in pairs}) < _MANY_PAIRS:
            return False
    sides = [[[Line(words)] for words in side] for side in zip(*pairs, strict=True)]
    [(_, same)] = Counter(row[0].size for side in sides for row in side).most_common(1)
    return same >= _ONE_SIZE * 2 * len(pairs) and all(
        _reads_as_prose(side) and _is_full(side) and _is_wrapped(side, _GO_ON) for side in sides
    )


def _cut(runs: Sequence[Line]) -> Iterator[Sequence[Line]]:
    """Yield runs, given by height, by columns: what stands above the longest stretch of columns, these, the rest."""
    first, last, groups = 0, 0, list[list[Line]]()
    for x in _gutters(runs):
        start = 0
        for free, group in groupby(runs, key=lambda run: run.x1 <= x + _OVERHANG or run.x0 >= x - _OVERHANG):
            stop = start + len(list(group))
            begin, end = _whole_lines(runs, start, stop) if free else (start, start)
            if end - begin > last - first:
                begin = _begin(runs, begin, end, x)
                if sides := _sides(runs[begin:end], x):
                    first, last, groups = begin, end, sides
            start = stop
    if not groups:
        yield runs
        return
    for part in [*([runs[:first]] if first else []), *groups, *([runs[last:]] if runs[last:] else [])]:
        yield from _cut(part)


def _is_right(run: Line, x: float) -> bool:
    return (run.x0 + run.x1) / 2 > x


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


def _whole_lines(runs: Sequence[Line], start: int, stop: int) -> tuple[int, int]:
    """Return where runs begin and end without those on one line with the run before `start`, or with that at `stop`."""
    begin, end = start, stop
    while start > 0 and begin < end and _are_level(runs[start - 1], runs[begin]):
        begin += 1
    while stop < len(runs) and begin < end and _are_level(runs[end - 1], runs[stop]):
        end -= 1
    return begin, end


def _are_level(above: Line, below: Line) -> bool:
    return below.middle - above.middle <= 0.4 * below.size


def _sides(runs: Sequence[Line], x: float) -> list[list[Line]]:
    """Return the runs left and right of a gutter where they are to be read one after the other, else nothing."""
    sides = [[run for run in runs if _is_right(run, x) is right] for right in (False, True)]
    rows = [grouped(side, lambda row, run: abs(run.middle - row[0].middle) <= 0.4 * run.size) for side in sides]
    fewest = min(map(len, rows))
    if fewest < 2:
        return []
    drawn = sorted(runs, key=lambda run: run.words[0].order)
    cells = [list(group) for _, group in groupby(drawn, key=lambda run: _is_right(run, x))]
    in_turn = len(cells) <= max(3, 0.25 * fewest)
    prose = [_reads_as_prose(side) or (in_turn and _is_wrapped(side)) for side in rows]
    if all(prose) and not in_turn and len(cells) < 1.2 * fewest:  # cell by cell: nothing runs on from one to the next
        return [group for cell in cells for group in ([], sorted(cell, key=lambda run: run.middle))]
    if all(prose):
        return sides if in_turn or fewest >= 4 else []
    if len(cells) == 2 and any(map(_is_drawn_by_rows, rows)):  # no table is drawn here by columns and there by rows
        return sides
    aligned = _aligned(rows)
    if len(cells) <= fewest >= _FEW and aligned <= _SELDOM:  # no table has rows that are never level
        return sides
    is_sure = in_turn and (len(cells) == 2 or fewest > _FEW)
    return sides if is_sure and aligned < (0.7 if any(prose) and fewest >= 3 else 0.6) else []


def _is_drawn_by_rows(rows: Sequence[Sequence[Line]]) -> bool:
    """Whether most lines have several cells, which the file draws one after the other."""
    orders = [sorted(run.words[0].order for run in row) for row in rows]
    wide = sum(len(order) > 1 for order in orders)
    return wide > max(1, len(rows) / 2) and all(a[-1] < b[0] for a, b in pairwise(orders))


def _reads_as_prose(rows: Sequence[Sequence[Line]]) -> bool:
    """Whether most lines fill the column with words."""
    edges = [(min(run.x0 for run in row), max(run.x1 for run in row)) for row in rows]
    width = max(right for _, right in edges) - min(left for left, _ in edges)
    filled = sum(right - left >= 0.7 * width for left, right in edges)
    wordy = median(sum(word.text[:1].isalpha() for run in row for word in run.words) for row in rows)
    return wordy >= 4 and filled >= 0.5 * len(rows) and width > 80


def _is_full(rows: Sequence[Sequence[Line]]) -> bool:
    """Whether many lines have no room for the first word of the next, as those of paragraphs; cells end anywhere."""
    right = max(row[-1].x1 for row in rows)
    full = sum(right - a[-1].x1 < b[0].words[0].x1 - b[0].x0 + 0.5 * b[0].size for a, b in pairwise(rows))
    return full >= 0.4 * (len(rows) - 1)


def _is_wrapped(rows: Sequence[Sequence[Line]], share: float = 1 / 3) -> bool:
    """Whether such a share of the lines go on in mid sentence in the next, as those of a short column do."""
    texts = [" ".join(run.text for run in row) for row in rows]
    on = sum(a[-1:] not in ".!?:" and b[:1].islower() and " " in a for a, b in pairwise(texts))
    return on >= share * (len(rows) - 1)


def _aligned(rows: Sequence[Sequence[Sequence[Line]]]) -> float:
    """Return the share of lines of the longer side that stand beside one of the other, as the cells of a table do.

    Beside a side of few lines, those above and below it do not count.
    """
    few, many = sorted(rows, key=len)
    if len(few) < _FEW:
        top, bottom = few[0][0].y0, few[-1][0].y1
        many = [row for row in many if top < row[0].middle < bottom] or many
    return sum(any(abs(a[0].middle - b[0].middle) <= 0.4 * a[0].size for b in few) for a in many) / len(many)
