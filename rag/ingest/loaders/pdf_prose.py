"""Lines of a column to headings, list items and paragraphs, by outline, number, size, weight and the space between."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rag.ingest.loaders.blocks import END, Block, grouped
from rag.ingest.loaders.lists import ITEM
from rag.ingest.loaders.pdf_grids import Grid
from rag.ingest.loaders.pdf_order import Line
from rag.ingest.loaders.structure import parse_title
from rag.models import BlockKind
from rag.text.words import fold

Style: TypeAlias = tuple[float, bool, bool, bool]  # font height, bold, capitals, upright: sorts by weight
_LONGEST = 160
_STEP = 6.0  # Points: what is indented by less stands at the same place.
_COMPOUND = re.compile(r"(?<![\w-])[^\W\d_]+-[^\W\d_]+(?![\w-])")
_UNSPACED = re.compile(r"[\u3001-\u3003\u3008-\u3011\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff01-\uff0f\uff1a-\uff1f]")
"""A character of Chinese or Japanese, which are written without spaces between words."""
TICK = re.compile(r"(?:\[ ?[xX✓✗]? ?\]|[☐☑☒])(?=\s|$)")  # how a line begins that can be chosen in a form
_DIVIDED = re.compile(r"[^\W\d_][-\u00ad\u2010]$")


@dataclass(frozen=True, slots=True)
class Look:
    """What text looks like in this document: most of it, the level of each (page, folded title) of the outline."""

    body_size: float
    body_bold: bool
    outline: Mapping[tuple[int, str], int]
    compounds: frozenset[str]  # words that stand with a hyphen within a line, case folded

    @classmethod
    def of(cls, lines: Iterable[Line], outline: Mapping[tuple[int, str], int]) -> "Look":
        """Return the most frequent size and weight, by characters, and the words with a hyphen."""
        counts: Counter[tuple[float, bool]] = Counter()
        compounds: set[str] = set()
        for line in lines:
            counts[line.size, line.bold] += len(line.text)
            if "-" in line.text:
                compounds.update(word.casefold() for word in _COMPOUND.findall(line.text))
        return cls(*(counts.most_common(1)[0][0] if counts else (10.0, False)), outline, frozenset(compounds))


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece(Block):
    """A block that is made of lines of one column; a heading has its level once all headings are known."""

    lines: Sequence[Line]
    column: int
    grid: Grid | None = None
    turn: int = 0
    is_low: bool = False


def style_of(line: Line) -> Style:
    """Return how a line looks."""
    letters = [c for c in line.text if c.isalpha()]
    capitals = bool(letters) and sum(c.isupper() for c in letters) > 0.85 * len(letters)
    return line.size, line.bold, capitals, not line.italic


def style_levels(headings: Sequence[tuple[Style, str]]) -> dict[Style, int]:
    """Return a level for each style of heading that has no number of its own.

    A style that numbered headings of one level use has that level; where they are of several, what has no number is
    below them all, as it is below `Part`, `Item` and `Note` of its size. The others rank by size, weight and capitals.
    """
    found: dict[Style, set[int]] = {}
    parts: dict[float, int] = {}
    for style, text in headings:
        if (level := number_level(text)) is not None:
            found.setdefault(style, set()).add(level)
            if parse_title(text).kind == "part":
                parts[style[0]] = max(level, parts.get(style[0], 0))
    levels = {style: max(numbers) + (len(numbers) > 1) for style, numbers in found.items()}
    levels |= {style: max(level, parts[style[0]] + 1) for style, level in levels.items() if style[0] in parts}
    for style in sorted({style for style, _ in headings if style not in found}, reverse=True):
        above = [level for other, level in levels.items() if other > style]
        levels[style] = min(max([*above, parts.get(style[0], 0)], default=0) + 1, 8)
    return levels


def number_level(text: str) -> int | None:
    """Return the level that a heading's words give it: `Chapter 3` 1, `2.2` 2, `Item 1` 2, `Note 3` 3."""
    title = parse_title(text)
    match title.kind:
        case "chapter":
            return 1
        case "dotted":
            return min(title.depth, 6)
        case "part":
            return {"part": 1, "volume": 1, "appendix": 1, "annex": 1, "note": 3}.get(text.split()[0].casefold(), 2)
    return None


def prose(lines: Sequence[Line], page: int, look: Look, column: int) -> Iterator[Piece]:
    """Yield headings, list items and paragraphs of a run of text lines."""
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    for group in grouped(lines, lambda group, line: not _begins_anew(group, line, right, page, look)):
        text = mend([line.text for line in group], look.compounds)
        is_heading = len(group) <= 4 and _is_heading(group[0], page, look)
        kind: BlockKind = "heading" if is_heading else "item" if ITEM.match(text) else "paragraph"
        begin = group[0].x0 if kind == "item" else min(line.x0 for line in group)
        indent = round((begin - left) / _STEP)
        yield Piece(kind, text, page=page, indent=indent, lines=group, column=column)


def _is_heading(line: Line, page: int, look: Look) -> bool:
    """Whether a line is in the outline, or stands out as a heading does: larger or bold, short, words, no sentence."""
    if (page, fold(line.text)) in look.outline:
        return True
    text = line.text
    larger = line.size >= look.body_size * 1.12
    bolder = line.bold and not look.body_bold and line.size >= look.body_size * 0.9
    if not (larger or bolder) or len(text) > _LONGEST or len(line.cells) > 2:
        return False
    if sum(c.isalpha() for c in text) < 3 or not text[:1].isalnum():
        return False
    kind = parse_title(text).kind
    numbered = kind in ("chapter", "dotted", "part", "bare")
    if (len(line.cells) == 2 and kind == "plain") or (text[:1].islower() and not numbered):
        return False
    sentence = text.endswith((".", ";", ",")) and not re.search(r"\b(?:Inc|Corp|Ltd|Co)\.$", text)
    return not sentence or (numbered and len(text) < 90)


def _begins_anew(group: Sequence[Line], line: Line, right: float, page: int, look: Look) -> bool:
    """Whether a line begins a paragraph, a list item or a heading rather than going on."""
    above = group[-1]
    heading_above, heading = _is_heading(above, page, look), _is_heading(line, page, look)
    if heading_above or heading:
        same = style_of(above)[:2] == style_of(line)[:2]
        close = line.y0 - above.y1 < 0.7 * line.size
        return not (heading_above and same and close and number_level(line.text) is None and len(above.text) > 20)
    if TICK.match(line.text):
        return True
    if ITEM.match(line.text):  # unless a sentence that wrapped ends so: `... as of June` / `30. The`
        is_marked = re.match(r"\(?[\da-zA-Z]", line.text) is not None
        if not is_marked or END.search(above.text) or abs(above.x0 - line.x0) >= 1:
            return True
    if _DIVIDED.search(above.text) and line.text[:1].islower() and abs(line.size - above.size) <= 1.5:
        return False
    goes_on = line.text[:1].islower() and not END.search(above.text) and right - above.x1 < 6 * line.size
    room = (1.5 if goes_on else 0.65) * line.size
    if line.y0 - above.y1 > room or line.y1 < above.y0 or abs(line.size - above.size) > 1.5:
        return True
    left = min(one.x0 for one in group)
    is_item = ITEM.match(group[0].text) is not None
    indented = line.x0 - left > 0.8 * line.size and not is_item
    slack = right - above.x1 - (line.words[0].x1 - line.words[0].x0)
    ended = END.search(above.text) is not None
    is_short = slack > 2 * line.size
    outdented = is_item and group[0].x0 - line.x0 > 1.5 * line.size and (ended or is_short)
    spare = is_short and (ended or slack > 0.3 * (right - left))
    return (indented and ended) or outdented or spare


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
        if _is_divided(text, line, compounds):
            text = text[:-1] + line
        elif (re.search(r"\w-$", text) and line[:1].isalnum()) or (
            _UNSPACED.match(text[-1:]) and _UNSPACED.match(line)
        ):
            text += line
        else:
            text = f"{text} {line}" if text else line
    return text


def _is_divided(text: str, line: str, compounds: Collection[str]) -> bool:
    """Whether a hyphen at a text's end divides a word; compounds, a letter alone, `well-` and `self-` keep theirs."""
    if not line[:1].islower() or not re.search(r"[^\W\d_]-$", text) or re.search(r"\b[a-z]+-[a-z]+-$", text):
        return False
    if re.search(r"(?<![^\W_])([^\W\d_]|well|self)-$", text, re.I) and not re.match(r"(?:ness|ish|less)\b", line):
        return False
    parts = re.search(r"(?<![^\W\d_])[^\W\d_]+-$", text), re.match(r"[^\W\d_]+", line)
    return "".join(part[0] for part in parts if part).casefold() not in compounds
