"""Which lines of a PDF are headings, and of what level: by outline, number, size and weight."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rag.ingest.loaders.numbering import parse_title
from rag.ingest.loaders.pdf_layout import Line
from rag.ingest.loaders.pdf_words import Bookmark
from rag.language.text import fold

Style = tuple[float, bool, bool, bool]
"""Font height, bold, capitals, upright: sorts by how much it stands out."""
_LONGEST = 160
_COMPOUND = re.compile(r"(?<![\w-])[^\W\d_]+-[^\W\d_]+(?![\w-])")


@dataclass(frozen=True, slots=True)
class Look:
    """What text looks like in this document, so that headings can be told from it."""

    body_size: float
    body_bold: bool
    outline: Mapping[tuple[int, str], int]
    """Level of each (page, folded title) of the outline."""
    compounds: frozenset[str] = frozenset()
    """Words that stand with a hyphen within a line, case folded."""


def look_of(lines: Iterable[Line], bookmarks: Sequence[Bookmark]) -> Look:
    """Return the most frequent size and weight, by characters, the outline, and the words with a hyphen."""
    counts: Counter[tuple[float, bool]] = Counter()
    compounds: set[str] = set()
    for line in lines:
        counts[line.size, line.bold] += len(line.text)
        if "-" in line.text:
            compounds.update(word.casefold() for word in _COMPOUND.findall(line.text))
    size, bold = counts.most_common(1)[0][0] if counts else (10.0, False)
    outline = {(mark.page, fold(mark.title)): mark.level for mark in bookmarks if mark.page is not None}
    return Look(size, bold, outline, frozenset(compounds))


def outline_level(text: str, page: int, look: Look) -> int | None:
    """Return the level that the outline gives to a line of this page."""
    return look.outline.get((page, fold(text)))


def style_of(line: Line) -> Style:
    """Return how a line looks."""
    letters = [c for c in line.text if c.isalpha()]
    capitals = bool(letters) and sum(c.isupper() for c in letters) > 0.85 * len(letters)
    return line.size, line.bold, capitals, not line.italic


def is_candidate(line: Line, look: Look) -> bool:
    """Whether a line stands out as a heading does: larger or bold, short, words, not a sentence."""
    text = line.text
    if len(text) > _LONGEST or len(line.cells) > 2 or sum(c.isalpha() for c in text) < 3:
        return False
    if len(line.cells) == 2 and parse_title(text).kind == "plain":
        return False
    larger = line.size >= look.body_size * 1.12
    bolder = line.bold and not look.body_bold and line.size >= look.body_size * 0.9
    numbered = parse_title(text).kind in ("chapter", "dotted", "part", "bare")
    sentence = text.endswith((".", ";", ",")) and not re.search(r"\b(?:Inc|Corp|Ltd|Co)\.$", text)
    if not text[:1].isalnum() or (text[:1].islower() and not numbered):
        return False
    return (larger or bolder) and (not sentence or (numbered and len(text) < 90))


def style_levels(headings: Sequence[tuple[Style, str]]) -> dict[Style, int]:
    """Return a level for each style of heading that has no number of its own.

    A style that numbered headings of one level use has that level; where they are of several, what has no number is
    below them all, as it is below `Part`, `Item` and `Note` of its size. The others rank by size, weight and capitals.
    """
    found: dict[Style, set[int]] = {}
    parts: dict[float, int] = {}
    for style, text in headings:
        level = number_level(text)
        if level is not None:
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
    if title.kind == "chapter":
        return 1
    if title.kind == "dotted":
        return min(title.depth, 6)
    if title.kind == "part":
        word = text.split()[0].casefold()
        return {"part": 1, "volume": 1, "appendix": 1, "annex": 1, "note": 3}.get(word, 2)
    return None
