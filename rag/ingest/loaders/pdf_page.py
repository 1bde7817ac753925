"""What is read of a page of a PDF: words, rules, drawn tables; and the page turned, where text stands sideways.

Coordinates are points, 72 to the inch, from the top left corner of the page as it is shown, y downwards. A page that
is turned so that its text is upright has its own, from its own top left corner.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from rag.ingest.loaders.pdf_grids import Grid, Stroke, find_grids

Corners: TypeAlias = tuple[float, float, float, float]
SLANTED = -1
"""The direction of words that run across the page, as of a watermark: they cannot be put in lines with others."""
_SHORTEST_RULE = 20.0
"""Points: shorter lines are no rules of a table."""
_THICKEST_RULE = 2.5


class Word(NamedTuple):
    """One word, its box, the height of its font, its face, and by how much it is turned.

    `turn` is clockwise in degrees, 0, 90, 180 or 270: text at 90 runs down the page. It may be `SLANTED`.
    """

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    bold: bool = False
    italic: bool = False
    turn: int = 0


class Rule(NamedTuple):
    """A thin horizontal line, or an edge of a filled box, as tables have them."""

    x0: float
    x1: float
    y: float


@dataclass(frozen=True, slots=True)
class Drawing:
    """What is drawn on a page: thin lines, the sides of boxes, whether there are pictures, whether there is anything.

    Text does not count.
    """

    thin: tuple[Stroke, ...] = ()
    sides: tuple[Stroke, ...] = ()
    has_picture: bool = False
    is_empty: bool = True


@dataclass(frozen=True, slots=True)
class Page:
    """One page with upright text: size in points, words in the file's order, rules, grids, what else is drawn.

    `turn` says by how much the text is turned where the page is shown; `others` is its text in other directions, and
    `slanted` the number of words that are left out.
    """

    number: int
    width: float
    height: float
    words: tuple[Word, ...]
    rules: tuple[Rule, ...]
    has_picture: bool = False
    is_empty: bool = True
    grids: tuple[Grid, ...] = ()
    turn: int = 0
    others: tuple["Page", ...] = ()
    slanted: int = 0

    @property
    def letters(self) -> int:
        """Number of characters of all words, whatever their direction."""
        return sum(len(word.text) for page in (self, *self.others) for word in page.words)

    def shown(self, box: Corners) -> Corners:
        """Return where a box of this page stands on the page as it is shown."""
        return turned_box(box, (360 - self.turn) % 360, self.width, self.height)


def turned_box(box: Corners, turn: int, width: float, height: float) -> Corners:
    """Return a box after the page was turned back by `turn`, so that text of that direction is upright.

    >>> turned_box((10, 20, 30, 60), 90, 100, 200)
    (20, 70, 60, 90)
    >>> turned_box((20, 70, 60, 90), 270, 200, 100)
    (10, 20, 30, 60)

    Args:
        box: Left, top, right and bottom.
        turn: Direction of the text, clockwise in degrees: 0, 90, 180 or 270.
        width: Width of the page before it is turned.
        height: Its height.
    """
    x0, y0, x1, y1 = box
    if turn == 90:
        return y0, width - x1, y1, width - x0
    if turn == 180:
        return width - x1, height - y1, width - x0, height - y0
    if turn == 270:
        return height - y1, x0, height - y0, x1
    return box


def make_page(number: int, width: float, height: float, words: Sequence[Word], drawing: Drawing) -> Page:
    """Return a page with its upright text, or where it has none with its text in the direction of most of it.

    Text in each other direction is a page of its own within it; slanted text is left out and counted.

    Args:
        number: Page number from 1.
        width: Width of the page as it is shown.
        height: Its height.
        words: All words, with boxes on the page as it is shown.
        drawing: What is drawn.
    """
    letters: Counter[int] = Counter()
    for word in words:
        letters[word.turn] += len(word.text)
    letters.pop(SLANTED, None)
    turns = sorted(letters, key=lambda turn: (turn != 0, -letters[turn], turn)) or [0]
    main, *others = [_turned(number, width, height, words, drawing, turn) for turn in turns]
    return replace(main, others=tuple(others), slanted=sum(word.turn == SLANTED for word in words))


def _turned(number: int, width: float, height: float, words: Sequence[Word], drawing: Drawing, turn: int) -> Page:
    """Return the page turned so that text of one direction is upright, with that text alone."""
    thin = [Stroke(*turned_box(line, turn, width, height)) for line in drawing.thin]
    sides = [Stroke(*turned_box(line, turn, width, height)) for line in drawing.sides]
    rules = sorted((rule for line in thin if (rule := _rule(line))), key=lambda rule: rule.y)
    chosen = tuple(_upright(word, width, height) for word in words if word.turn == turn)
    across, down = (height, width) if turn in (90, 270) else (width, height)
    grids = find_grids([*thin, *sides])
    return Page(number, across, down, chosen, tuple(rules), drawing.has_picture, drawing.is_empty, grids, turn)


def _rule(line: Stroke) -> Rule | None:
    is_rule = line.x1 - line.x0 >= _SHORTEST_RULE and line.y1 - line.y0 <= _THICKEST_RULE
    return Rule(line.x0, line.x1, (line.y0 + line.y1) / 2) if is_rule else None


def _upright(word: Word, width: float, height: float) -> Word:
    if word.turn == 0:
        return word
    x0, y0, x1, y1 = turned_box((word.x0, word.y0, word.x1, word.y1), word.turn, width, height)
    return word._replace(x0=x0, y0=y0, x1=x1, y1=y1, size=y1 - y0)
