"""Fields of forms: a label beside its value or above it, or below a rule under it; one pair alone proves little."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TypeAlias

from rag.ingest.loaders.blocks import grouped
from rag.ingest.loaders.lists import ITEM
from rag.ingest.loaders.pdf_grids import THICK, Corners
from rag.ingest.loaders.pdf_labels import (
    FEWEST,
    MOST_WORDS,
    NEAR,
    SMALLER,
    TIGHT,
    Field,
    Found,
    above,
    below,
    can_be_label,
    differ,
    is_short,
    is_ticked,
    style,
    touch,
)  # fmt: skip
from rag.ingest.loaders.pdf_order import Line
from rag.ingest.loaders.pdf_prose import TICK
from rag.ingest.loaders.pdf_words import Word

_SHORTEST_RULE = 40.0  # points: a rule over a label
_SPACE = 0.4  # of a line's height: what parts two cells that share a place with others is wider
_AROUND = 20  # lines above and below one that tell how wide its column is
_MOST_RULES = 500  # on one page; a page with more is a drawing
_Way: TypeAlias = Callable[[Sequence[Line], int], Found]


def find_fields(lines: Sequence[Line], strokes: Sequence[Corners] = ()) -> Iterator[tuple[list[Line], list[Field]]]:
    """Yield the lines of a column as text and the fields that follow it; what stands left of fields comes before.

    `strokes` are the lines that are drawn on the page.
    """
    rules = [one for one in strokes if one[3] - one[1] <= THICK and one[2] - one[0] >= _SHORTEST_RULE]
    rules = rules if len(rules) <= _MOST_RULES else []
    ways: tuple[_Way, ...] = (_beside, _beside_in_type, above, partial(below, rules=rules))
    searched = [0] * len(ways)  # up to which line each has found nothing
    text: list[Line] = []
    at = 0
    while at < len(lines):
        found = Found([], at)
        for number, way in enumerate(ways):
            if not found.fields and searched[number] <= at:
                found = way(lines, at)
                searched[number] = found.end
        if found.fields:
            yield [*text, *found.text], found.fields
            text, at = [], found.end
        else:
            text.extend(lines[at].cells if all(map(is_ticked, lines[at].cells)) else lines[at : at + 1])
            at += 1
    if text:
        yield text, []


def _beside(lines: Sequence[Line], at: int) -> Found:
    """Return the fields of lines from one on that end in pairs of label and value told by a colon, or a box to tick.

    Two pairs are fields, but three where a label and its value stand in one cell and nothing else tells them apart.
    """
    rows: list[list[Field]] = []
    text: list[Line] = []
    told = 0
    end = at
    if ":" not in lines[at].text and not TICK.search(lines[at].text):
        return Found([], end)
    right = max(line.x1 for line in lines[max(0, at - _AROUND) : at + _AROUND])
    while end < len(lines):
        left, row = _pairs(lines[end].cells, rows[-1] if rows else ())
        within = [] if row else _fields_within(lines[end])
        if row or (within and not any(_wraps(within[-1], line, right) for line in lines[end + 1 : end + 2])):
            told += len(row) + sum(_is_told(field, rows) for field in within)
            rows.append(row or within)
            text.extend([Line.of(cell.words for cell in left)] if row and left else [])
        elif not (rows and _goes_on(rows[-1], lines[end])):
            break
        end += 1
    fields = list(chain.from_iterable(rows))
    is_choice = any(is_ticked(line) for field in fields for line in field.value[:1])
    return Found(fields if is_choice or len(fields) >= (2 if told > 1 else FEWEST) else [], end, text)


def _is_told(field: Field, rows: Sequence[Sequence[Field]]) -> bool:
    """Whether label and value in one cell differ in type, or the value begins where one above does."""
    above = [line.x0 for other in (rows[-1] if rows else ()) for line in other.value[:1]]
    return differ(field.label[0], field.value[0]) or any(abs(field.value[0].x0 - place) <= NEAR for place in above)


def _wraps(field: Field, below: Line, right: float) -> bool:
    """Whether the line below a field may be the rest of a paragraph that begins like one: no more fits in its line."""
    [value] = field.value
    is_own = _fields_within(below) or _pairs(below.cells)[1] or abs(below.x0 - value.x0) <= NEAR
    if is_own or below.y0 - value.y1 > TIGHT * below.size:
        return False
    first = below.words[0]
    return below.text[:1].islower() or right - value.x1 < first.x1 - first.x0 + value.size


def _beside_in_type(lines: Sequence[Line], at: int) -> Found:
    """Return the fields of lines from one on that are pairs of a label and a value in other type.

    The pairs stand at the same places below each other, and nothing else of a table does.
    """
    rows: list[list[Field]] = []
    end = at
    while end < len(lines) and (rows or len(lines[at].cells) > 1):
        cells: Sequence[Line] = lines[end].cells
        if rows and len(cells) < 2 * len(rows[0]):  # a value may stand close to its label
            cells = _cut_at(lines[end], [field.value[0].x0 for field in rows[0]])
        left, row = _pairs_in_type(cells)
        if row and not left and (not rows or _are_level(rows[0], row)):
            rows.append(row)
        elif not (rows and _goes_on(rows[-1], lines[end])):
            break
        end += 1
    are_fields = len(rows) > 1 and not _is_in_table([*lines[max(0, at - 1) : at], *lines[end : end + 1]], rows)
    return Found(list(chain.from_iterable(rows)) if are_fields else [], end)


def _fields_within(line: Line) -> list[Field]:
    """Return the fields of a line whose cells are all written as `Label: value`, short and no sentences."""
    fields: list[Field] = []
    for cell in line.cells:
        words = cell.words[:MOST_WORDS]
        end = next((at for at, word in enumerate(words, 1) if word.text.endswith(":")), len(cell.words))
        if end == len(cell.words) or ITEM.match(cell.text):
            return []
        label, value = Line(cell.words[:end]), Line(cell.words[end:])
        if not (can_be_label(label) and is_short(value)):
            return []
        fields.append(Field([label], [value]))
    return fields


def _pairs(cells: Sequence[Line], above: Sequence[Field] = ()) -> tuple[Sequence[Line], list[Field]]:
    """Return the cells of a line that are no pairs, and the pairs right of them; boxes to tick are one value.

    A label that ends in a colon, below one of the fields above, has no value where no cell but a label follows.
    """
    choices = grouped(cells, lambda group, cell: is_ticked(group[-1]) and is_ticked(cell))
    left = [group[0] if len(group) == 1 else Line.of(cell.words for cell in group) for group in choices]
    pairs: list[Field] = []
    while left:
        is_pair = len(left) > 1 and _has_colon(*left[-2:])
        is_level = any(abs(left[-1].x0 - field.label[0].x0) <= NEAR for field in above)
        if not is_pair and not (is_level and left[-1].text.endswith(":")):
            break
        pairs.insert(0, Field(left[-2:-1], left[-1:]) if is_pair else Field(left[-1:], []))
        del left[-1 - is_pair :]
    return left, pairs


def _has_colon(label: Line, value: Line) -> bool:
    is_told = label.text.endswith(":") or is_ticked(value)
    return is_told and not value.text.endswith(":") and can_be_label(label)


def _pairs_in_type(cells: Sequence[Line]) -> tuple[Sequence[Line], list[Field]]:
    """Return the cells of a line that are no pairs, and the pairs right of them; a label may have a code before it."""
    left = list(cells)
    pairs: list[Field] = []
    while len(left) > 1 and can_be_label(left[-2]) and differ(left[-2], left[-1]) and re.search(r"\w", left[-1].text):
        has_code = len(left) > 2 and max(left[-3].size, left[-2].size) <= SMALLER * left[-1].size
        label = left[-3:-1] if has_code else left[-2:-1]
        pairs.insert(0, Field([Line.of([[word for cell in label for word in cell.words]])], left[-1:]))
        del left[-1 - len(label) :]
    return left, pairs


def _are_level(above: Sequence[Field], row: Sequence[Field]) -> bool:
    """Whether the labels of two lines stand in the same places and look the same."""
    pairs = [(a.label[0], b.label[0]) for a, b in zip(above, row, strict=False)]
    return len(above) == len(row) and all(abs(a.x0 - b.x0) <= NEAR and style(a) == style(b) for a, b in pairs)


def _goes_on(row: Sequence[Field], line: Line) -> bool:
    """Add a line to the fields above it where each of its cells goes on with a value."""
    chosen: list[list[Line]] = []
    for cell in line.cells:
        parts = [field.value for field in row if field.value]
        under = [p for p in parts if abs(p[0].x0 - cell.x0) < NEAR and cell.y0 - p[-1].y1 < TIGHT * cell.size]
        chosen += [part for part in under[:1] if style(part[0])[1:] == style(cell)[1:]]
    if len(chosen) < len(line.cells):
        return False
    for part, cell in zip(chosen, line.cells, strict=True):
        part.append(cell)
    return True


def _is_in_table(beside: Sequence[Line], rows: Sequence[Sequence[Field]]) -> bool:
    """Whether a line above or below fields has cells in their columns, as the heads or the other rows of a table."""
    places = [part[0] for field in rows[0] for part in field]
    top, bottom = places[0].y0, rows[-1][-1].lines[-1].y1
    return any(
        len(line.cells) > 1
        and max(top - line.y1, line.y0 - bottom) < 1.5 * line.size
        and all(any(touch(cell, place) for place in places) for cell in line.cells)
        for line in beside
    )


def _cut_at(line: Line, places: Sequence[float]) -> list[Line]:
    """Return the cells of a line, cut where a word begins at one of these places."""
    parts: list[list[Word]] = []
    for cell in line.cells:
        for number, word in enumerate(cell.words):
            is_apart = number > 0 and word.x0 - cell.words[number - 1].x1 > _SPACE * cell.size
            if number == 0 or (is_apart and any(abs(word.x0 - place) <= 1 for place in places)):
                parts.append([])
            parts[-1].append(word)
    return [Line(part) for part in parts]
