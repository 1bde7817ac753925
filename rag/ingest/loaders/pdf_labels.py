"""Labels and values of forms: what each is by its form alone, and lines of labels with the lines of their values.

No word is looked at. A label is short and has letters; it is set smaller than its value, or in another weight or
colour, or ends in a colon.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from rag.ingest.loaders.pdf_grids import Corners
from rag.ingest.loaders.pdf_order import Line
from rag.ingest.loaders.pdf_prose import TICK, mend

SMALLER = 0.9  # a label's type has at most this share of the height of its value's
_LARGER = 1.25  # a line that is higher than the next by more is a heading
NEAR = 3.0  # points: edges so close are the same
TIGHT = 0.7  # of a line's height: what stands closer below goes on with what is above
FEWEST = 3  # pairs that are fields where only one thing tells so
MOST_WORDS = 4  # of a label before a colon, or one that ends in a full stop: `Account no.`
_VALUE = re.compile(
    r"[$€£(\[]*+\s*+(?:[-–—]\s*+)?(?=[.,]*\d)[\d.,]++\s*+[)%\]]*+(?: \[\d+\]|[⁰¹²³⁴-⁹]+)?|[-–—]|N/?A|n/?a|\*+"
)
_LONGEST = 60  # characters of a label that stands in no box of its own
_MOST_LABELS = 12  # beside each other
_CLOSE = 0.3  # of a line's height: the space between the lines of an address is smaller, that between rows seldom is
_MOST_LINES = 6  # of a value that stands in no box
Style: TypeAlias = tuple[float, bool, int]  # Height, weight and colour of type


class Field(NamedTuple):
    """The lines of a label, and those of its value."""

    label: list[Line]
    value: list[Line]

    @property
    def text(self) -> str:
        """Label and value as `Label: value`."""
        label, value = (mend([line.text for line in lines]) for lines in self)
        return f"{label.rstrip(' :')}: {value}".rstrip()

    @property
    def lines(self) -> list[Line]:
        """All lines as they are read."""
        return [*self.label, *self.value]


class Found(NamedTuple):
    """Fields from a line on, what text stands left of them, and the index of the line below them.

    No fields: there are none before that line.
    """

    fields: list[Field]
    end: int
    text: Sequence[Line] = ()


def is_value(cell: Line) -> bool:
    """Whether a cell is a figure, or a sign that stands for none."""
    return _VALUE.fullmatch(cell.text) is not None


def is_pair(line: Line) -> bool:
    """Whether a line is a label and a figure, as `Total | 4.10`."""
    return len(line.cells) == 2 and can_be_label(line.cells[0]) and re.search(r"\d", line.cells[1].text) is not None


def is_label_above(line: Line, value: Line) -> bool:
    """Whether the first line of a box is the label of what stands below it."""
    is_told = line.text.endswith(":") or (differ(line, value) and line.size <= _LARGER * value.size)
    return len(line.text) <= 80 and is_told


def style(line: Line) -> Style:
    """Return height, weight and colour of the type of a line."""
    return line.size, line.bold, line.ink


def differ(label: Line, value: Line) -> bool:
    """Whether a label is set smaller than its value, or in another weight or colour."""
    return label.size <= SMALLER * value.size or (label.bold, label.ink) != (value.bold, value.ink)


def can_be_label(cell: Line) -> bool:
    """Whether a cell is short, has letters, and is no figure and no sentence."""
    return is_short(cell) and any(map(str.isalpha, cell.text)) and not is_value(cell)


def is_short(cell: Line) -> bool:
    """Whether a cell is no sentence, nor the part of one that fills a line."""
    is_sentence = cell.text.endswith((".", "!", "?", ";", ",")) and len(cell.words) > MOST_WORDS
    return len(cell.text) <= _LONGEST and not is_sentence


def is_ticked(cell: Line) -> bool:
    """Whether a cell is a box that can be ticked, with what it stands for."""
    return TICK.match(cell.text) is not None and not TICK.match(cell.words[-1].text)


def touch(one: Line, other: Line) -> bool:
    """Whether one line begins, ends or has its middle where another does."""
    edges = ((line.x0, line.x1, (line.x0 + line.x1) / 2) for line in (one, other))
    return any(abs(a - b) <= NEAR for a, b in zip(*edges, strict=True))


def above(lines: Sequence[Line], at: int) -> Found:
    """Return the fields of lines of labels from one on, each above lines of values."""
    bands: list[_Band] = []
    end = at
    while (band := _band(lines, end)) and (not bands or style(bands[0].labels) == style(band.labels)):
        bands.append(band)
        end += 1 + len(band.values)
    are_fields = bands and _are_fields(bands, [*lines[max(0, at - 1) : at], *lines[end : end + 1]])
    return Found([field for band in bands for field in band.fields()] if are_fields else [], end)


def below(lines: Sequence[Line], at: int, rules: Sequence[Corners]) -> Found:
    """Return the fields of lines of small labels from one on, each below a rule with its value, if any, above that."""
    fields: list[Field] = []
    end = at
    while end < len(lines) and (fields or any(one.size <= SMALLER * lines[at].size for one in lines[at + 1 : at + 2])):
        row = _ruled(lines[end + 1 : end + 2], lines[end].cells, rules) or _ruled(lines[end : end + 1], (), rules)
        if not row:
            break
        end += 1 + any(field.value for field in row)
        fields += row
    return Found(fields if len(fields) > 1 and any(field.value for field in fields) else [], end)


class _Band(NamedTuple):
    """A line of labels, and the lines of values below it."""

    labels: Line
    values: list[list[Line]]

    def fields(self) -> list[Field]:
        """Return each label with what stands below it."""
        cells = [cell for row in self.values for cell in row]
        return [Field([label], [cell for cell in cells if touch(label, cell)]) for label in self.labels.cells]


def _band(lines: Sequence[Line], at: int) -> _Band | None:
    """Return a line as labels with values below it, if each of those begins or ends where one label does."""
    if at + 1 >= len(lines) or not differ(lines[at], lines[at + 1]) or len(lines[at].cells) > _MOST_LABELS:
        return None
    labels = lines[at]
    if not all(can_be_label(cell) and style(cell) == style(labels) for cell in labels.cells):
        return None
    rows: list[list[Line]] = []
    for upper, line in pairwise(lines[at : at + _MOST_LINES + 2]):
        if line.y0 - upper.y1 >= TIGHT * line.size:
            break
        cells = list(line.cells)
        is_under = all(sum(touch(label, cell) for label in labels.cells) == 1 for cell in cells)
        is_same = all(style(cell) == style(rows[0][0]) if rows else differ(labels, cell) for cell in cells)
        if not (is_under and is_same):
            break
        rows.append(cells)
    is_filled = rows and 2 * len(rows[0]) >= len(labels.cells)
    return _Band(labels, rows) if is_filled and len(rows) <= _MOST_LINES else None


def _are_fields(bands: Sequence[_Band], beside: Sequence[Line]) -> bool:
    """Whether bands are those of a form, and not the heads of a table with its rows, nor headings with text.

    `beside` are the lines right above and below them.
    """
    wide = [band for band in bands if len(band.labels.cells) > 1]
    if not wide:
        smaller = [band.labels.size <= SMALLER * band.values[0][0].size for band in bands if len(band.values) == 1]
        return len(bands) == len(smaller) >= FEWEST and all(smaller)
    if len(bands) > 1:  # the lines of a value that wraps leave cells of others empty
        return all(_is_wrapped(band) or _is_in_turn(band) for band in wide)
    [band] = bands
    is_filled = all(field.value for field in band.fields())
    is_apart = not any(len(line.cells) > 1 and _is_near(band, line) for line in beside)
    return is_filled and is_apart and ((len(band.values) > 1 and _is_wrapped(band)) or _is_in_turn(band))


def _is_wrapped(band: _Band) -> bool:
    """Whether the lines below the first line of values have fewer cells, as the rest of values that wrap."""
    return all(len(row) < len(band.values[0]) for row in band.values[1:])


def _is_near(band: _Band, line: Line) -> bool:
    return max(band.labels.y0 - line.y1, line.y0 - band.values[-1][0].y1) < 2 * line.size


def _is_in_turn(band: _Band) -> bool:
    """Whether the file draws the lines of one value before those of the next, close and without figures."""
    fields = band.fields()
    is_close = all(b[0].y0 - a[0].y1 < _CLOSE * b[0].size for a, b in pairwise(band.values))
    orders = [[word.order for line in field.value for word in line.words] for field in fields]
    has_figures = any(is_value(line) for field in fields for line in field.value)
    return is_close and not has_figures and all(max(a) < min(b) for a, b in pairwise(orders))


def _ruled(labels: Sequence[Line], values: Sequence[Line], rules: Sequence[Corners]) -> list[Field]:
    """Return the fields of a line of labels that stand below rules of their own, where each value stands above one."""
    fields: list[Field] = []
    placed = 0
    for label in (cell for line in labels for cell in line.cells):
        over = [rule for rule in rules if 0 <= label.y0 - rule[1] < label.size and _spans(rule, label)]
        if len(over) != 1 or not can_be_label(label):
            return []
        value = [cell for cell in values if _spans(over[0], cell) and -NEAR < over[0][1] - cell.y1 < cell.size]
        value = [cell for cell in value if label.size <= SMALLER * cell.size]
        placed += len(value)
        fields.append(Field([label], value))
    return fields if placed == len(values) else []


def _spans(rule: Corners, cell: Line) -> bool:
    return rule[0] - NEAR <= cell.x0 and cell.x1 <= rule[2] + NEAR
