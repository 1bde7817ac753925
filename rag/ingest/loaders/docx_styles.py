"""Styles and numbers of a Word document: what a paragraph's styles say of it, and the numbers that Word computes."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.ingest.loaders.structure import numeral

if TYPE_CHECKING:
    from docx.document import Document as WordDocument
    from lxml.etree import _Element


W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
OFF = ("0", "false", "off")
"""What a property says that is there and not set."""
_HEADING = re.compile(r"(?:heading|überschrift|titre|título|rubrik|kop) ?(\d)", re.I)


def value(element: "_Element", tag: str) -> str | None:
    """Return the `w:val` of a child element, or None where there is no such child."""
    child = element.find(f"{W}{tag}")
    return None if child is None else child.get(f"{W}val")


class Styles:
    """The style definitions, looked up once: a large document asks for them at every paragraph."""

    def __init__(self, word: "WordDocument") -> None:
        self._elements: dict[str, _Element] = {}
        self._default = ""
        self._levels: dict[str, int] = {}
        self._runs: dict[tuple[str, str], str | None] = {}
        for style in word.styles.element.iter(f"{W}style"):
            identity = style.get(f"{W}styleId", "")
            self._elements[identity] = style
            if style.get(f"{W}type") == "paragraph" and style.get(f"{W}default") in ("1", "true", "on"):
                self._default = identity

    def chain(self, paragraph: "_Element") -> "list[_Element]":
        """Return the paragraph's style and those that it is based on, nearest first."""
        return self._chain_of(self._identity(paragraph))

    def _chain_of(self, identity: str | None) -> "list[_Element]":
        found: list[_Element] = []
        while identity in self._elements and self._elements[identity] not in found:
            found.append(self._elements[identity])
            identity = value(found[-1], "basedOn")
        return found

    def name(self, paragraph: "_Element") -> str:
        """Return the name of the paragraph's style; empty where it has none."""
        element = self._elements.get(self._identity(paragraph))
        return (value(element, "name") or "") if element is not None else ""

    def heading_level(self, paragraph: "_Element") -> int:
        """Return 1 to 9 for a heading, by its own outline level or by its styles; 0 for other text."""
        own = paragraph.find(f"{W}pPr/{W}outlineLvl")
        if own is not None:
            return _outline(own)
        identity = self._identity(paragraph)
        if identity not in self._levels:
            self._levels[identity] = next(filter(None, map(_level_of, self.chain(paragraph))), 0)
        return max(self._levels[identity], 0)

    def of_run(self, run: "_Element", tag: str) -> str | None:
        """Return the value of a property of a run, its own or that of its styles; `1` where it is there without one.

        The run's own comes first, then that of its character style, then that of its paragraph's style.
        """
        own = run.find(f"{W}rPr/{W}{tag}")
        if own is not None:
            return str(own.get(f"{W}val", "1"))
        style = run.find(f"{W}rPr/{W}rStyle")
        paragraph = next(run.iterancestors(f"{W}p"), None)
        own_style = style.get(f"{W}val", "") if style is not None else ""
        for identity in (own_style, "" if paragraph is None else self._identity(paragraph)):
            found = self._of_style(identity, tag)
            if found is not None:
                return found
        return None

    def _of_style(self, identity: str, tag: str) -> str | None:
        """Return the value that a style, or one that it is based on, gives its runs for a property."""
        if (identity, tag) not in self._runs:
            found = (place.find(f"{W}rPr/{W}{tag}") for place in self._chain_of(identity))
            known = next((one for one in found if one is not None), None)
            self._runs[identity, tag] = None if known is None else str(known.get(f"{W}val", "1"))
        return self._runs[identity, tag]

    def _identity(self, paragraph: "_Element") -> str:
        style = paragraph.find(f"{W}pPr/{W}pStyle")
        return style.get(f"{W}val", "") if style is not None else self._default


def _level_of(style: "_Element") -> int:
    """Return the level that one style gives; 0 where it says nothing, -1 where it says body text."""
    name = value(style, "name") or ""
    if match := _HEADING.fullmatch(name):
        return int(match[1])
    if name.casefold() == "title":
        return 1
    outline = style.find(f"{W}pPr/{W}outlineLvl")
    return (_outline(outline) or -1) if outline is not None else 0


def _outline(element: "_Element") -> int:
    """Return the level from 1; outline level 9 means body text."""
    level = element.get(f"{W}val", "9")
    return int(level) + 1 if level.isdigit() and int(level) < 9 else 0


@dataclass(frozen=True, slots=True)
class _Level:
    """How one level of a list is numbered: format, pattern as `%1.%2`, first number, where its text begins."""

    form: str
    pattern: str
    start: int
    left: int | None


class Numbering:
    """Counts the numbered paragraphs of one document, in document order."""

    def __init__(self, word: "WordDocument", styles: Styles) -> None:
        self._styles = styles
        self._levels: dict[tuple[str, int], _Level] = {}
        self._abstract: dict[str, str] = {}
        self._starts: dict[tuple[str, int], int] = {}
        self._own: dict[tuple[str, int], _Level] = {}
        self._counts: dict[tuple[str, int], int] = {}
        self._item = (0, 0)
        part = next((rel.target_part for rel in word.part.rels.values() if rel.reltype.endswith("/numbering")), None)
        if part is not None and hasattr(part, "element"):
            self._read(part.element)

    def _read(self, root: "_Element") -> None:
        for abstract in root.iter(f"{W}abstractNum"):
            for level in abstract.iter(f"{W}lvl"):
                key = (abstract.get(f"{W}abstractNumId", ""), int(level.get(f"{W}ilvl", "0")))
                self._levels[key] = _level(level)
        for number in root.iter(f"{W}num"):
            identity = number.get(f"{W}numId", "")
            self._abstract[identity] = value(number, "abstractNumId") or ""
            for override in number.iter(f"{W}lvlOverride"):
                self._read_override(override, (identity, int(override.get(f"{W}ilvl", "0"))))

    def _read_override(self, override: "_Element", key: tuple[str, int]) -> None:
        """Read what one list has of its own at one level: how it is numbered, or that it begins anew."""
        level, start = override.find(f"{W}lvl"), value(override, "startOverride") or ""
        if level is not None:
            self._own[key] = _level(level)
        if start.isdigit():
            self._starts[key] = int(start)

    def label(self, paragraph: "_Element") -> tuple[str, bool]:
        """Return the label before a paragraph (`2.1`, `a)`, `•`; empty for none), and whether it is a bullet."""
        number, depth = self._numbering_of(paragraph)
        level = self._level(number, depth)
        if level is None or level.form == "none":
            # The list styles may define no numbering of their own.
            is_bullet = number in ("", "0") and self._styles.name(paragraph).startswith("List Bullet")
            return ("•", True) if is_bullet else ("", False)
        if level.form == "bullet":
            return "•", True
        self._count(number, depth, level)
        label = level.pattern
        for above in range(depth + 1):
            label = label.replace(f"%{above + 1}", self._shown(number, above, plain=above < depth))
        return label.strip(), False

    def indent(self, paragraph: "_Element", *, is_item: bool) -> int:
        """Return how far a paragraph is indented: an item by its depth; another one deeper than the item above it.

        A paragraph goes on with the item above where its text begins at least as far to the right.
        """
        number, depth = self._numbering_of(paragraph)
        lefts = (_left(place) for place in [paragraph, *self._styles.chain(paragraph)])
        left = next((one for one in lefts if one is not None), None)
        if is_item:
            level = self._level(number, depth)
            self._item = depth, (left if left is not None else level.left if level else 0) or 0
            return depth
        above, text = self._item
        return above + 1 if left and left >= text else 0

    def _numbering_of(self, paragraph: "_Element") -> tuple[str, int]:
        """Return list id and depth of a paragraph, its own or those of its style or the styles that it is based on."""
        number: str | None = None
        depth: str | None = None
        for place in [paragraph, *self._styles.chain(paragraph)]:
            properties = place.find(f"{W}pPr/{W}numPr")
            if properties is not None and number is None:
                number = value(properties, "numId")
                depth = depth if depth is not None else value(properties, "ilvl")
        return number or "", int(depth or 0)

    def _level(self, number: str, depth: int) -> _Level | None:
        """Return how a list is numbered at a depth: what it has of its own, or what it shares with others."""
        return self._own.get((number, depth)) or self._levels.get((self._abstract.get(number, ""), depth))

    def _count(self, number: str, depth: int, level: _Level) -> None:
        """Count a paragraph; lists of one definition count on together, until one of them begins anew, once."""
        abstract = self._abstract.get(number, "")
        start = self._starts.pop((number, depth), None)
        before = start - 1 if start is not None else self._counts.get((abstract, depth), level.start - 1)
        self._counts[abstract, depth] = before + 1
        for below in range(depth + 1, 9):
            self._counts.pop((abstract, below), None)

    def _shown(self, number: str, depth: int, *, plain: bool) -> str:
        level = self._level(number, depth)
        count = self._counts.get((self._abstract.get(number, ""), depth), level.start if level else 1)
        return formatted(count, level.form if level else "decimal") if not plain or level else str(count)


def _level(element: "_Element") -> _Level:
    start = value(element, "start") or "1"
    form, pattern = value(element, "numFmt") or "decimal", value(element, "lvlText") or ""
    return _Level(form, pattern, int(start) if start.isdigit() else 1, _left(element))


def _left(element: "_Element") -> int | None:
    """Return where the text of a paragraph, style or level begins, in twentieths of a point; None where unsaid."""
    place = element.find(f"{W}pPr/{W}ind")
    said = (place.get(f"{W}left") or place.get(f"{W}start") or "") if place is not None else ""
    return int(said) if said.isdigit() else None


def formatted(count: int, form: str) -> str:
    """Return a count as Word shows it.

    >>> formatted(4, "upperRoman"), formatted(28, "lowerLetter"), formatted(3, "decimalZero")
    ('IV', 'bb', '03')
    """
    if form in ("lowerLetter", "upperLetter"):
        text = chr(ord("a") + (count - 1) % 26) * ((count - 1) // 26 + 1)
    elif form in ("lowerRoman", "upperRoman"):
        text = numeral(count, "i")
    else:
        text = f"{count:02d}" if form == "decimalZero" else str(count)
    return text.upper() if form.startswith("upper") else text
