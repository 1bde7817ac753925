"""Styles and numbers of a Word document: what a paragraph's styles say of it, and the numbers that Word computes."""

import re
from dataclasses import dataclass
from functools import cache

from docx.document import Document as WordDocument
from lxml.etree import _Element

from rag.ingest.loaders.structure import numeral

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_OFF = ("0", "false", "off")
_HEADING = re.compile(r"(?:heading|überschrift|titre|título|rubrik|kop) ?(\d)", re.I)


def value(element: _Element, tag: str, otherwise: str = "") -> str | None:
    """Return the `w:val` of a child by its tag or path, `otherwise` where it has none; None without such a child."""
    child = element.find(W + tag.replace("/", f"/{W}"))
    return None if child is None else child.get(f"{W}val", otherwise)


def is_on(said: str | None) -> bool:
    """Return whether the value of a property, None where it is not there, sets it."""
    return said is not None and said not in _OFF


class Styles:
    """The style definitions, looked up once: a large document asks for them at every paragraph."""

    def __init__(self, word: WordDocument) -> None:
        self._elements = {style.get(f"{W}styleId", ""): style for style in word.styles.element.iter(f"{W}style")}
        self._default = ""
        for identity, style in self._elements.items():
            if style.get(f"{W}type") == "paragraph" and style.get(f"{W}default") in ("1", "true", "on"):
                self._default = identity
        self._of_style = cache(self._said_by_style)
        self._level = cache(lambda identity: next(filter(None, map(_level_of, self.chain(identity))), 0))

    def chain(self, identity: str | None) -> list[_Element]:
        """Return a style and those that it is based on, nearest first."""
        found: list[_Element] = []
        while identity in self._elements and self._elements[identity] not in found:
            found.append(self._elements[identity])
            identity = value(found[-1], "basedOn")
        return found

    def identity(self, paragraph: _Element) -> str:
        """Return the identity of the paragraph's style."""
        own = value(paragraph, "pPr/pStyle")
        return self._default if own is None else own

    def name(self, paragraph: _Element) -> str:
        """Return the name of the paragraph's style; empty where it has none."""
        style = self._elements.get(self.identity(paragraph))
        return (value(style, "name") or "") if style is not None else ""

    def heading_level(self, paragraph: _Element) -> int:
        """Return 1 to 9 for a heading, by its own outline level or by its styles; 0 for other text."""
        own = value(paragraph, "pPr/outlineLvl")
        if own is not None:
            return _outline(own)
        return max(self._level(self.identity(paragraph)), 0)

    def of_run(self, run: _Element, tag: str) -> str | None:
        """Return the value of a property of a run, its own or that of its styles; `1` where it is there without one.

        The run's own comes first, then that of its character style, then that of its paragraph's style.
        """
        own = value(run, f"rPr/{tag}", "1")
        if own is None:
            own = self._of_style(value(run, "rPr/rStyle") or "", tag)
        if own is None and (paragraph := next(run.iterancestors(f"{W}p"), None)) is not None:
            own = self._of_style(self.identity(paragraph), tag)
        return own

    def _said_by_style(self, identity: str, tag: str) -> str | None:
        found = (value(style, f"rPr/{tag}", "1") for style in self.chain(identity))
        return next((one for one in found if one is not None), None)


def _level_of(style: _Element) -> int:
    """Return the level that one style gives; 0 where it says nothing, -1 where it says body text."""
    name = value(style, "name") or ""
    if match := _HEADING.fullmatch(name):
        return int(match[1])
    if name.casefold() == "title":
        return 1
    outline = value(style, "pPr/outlineLvl")
    return 0 if outline is None else _outline(outline) or -1


def _outline(level: str) -> int:
    return int(level) + 1 if level.isdigit() and int(level) < 9 else 0


@dataclass(frozen=True, slots=True)
class _Level:
    """How one level of a list is numbered: format, pattern as `%1.%2`, first number, where its text begins."""

    form: str = "decimal"
    pattern: str = ""
    start: int = 1
    left: int | None = None


class Numbering:
    """Counts the numbered paragraphs of one document, in document order."""

    def __init__(self, word: WordDocument, styles: Styles) -> None:
        self._styles = styles
        self._levels: dict[tuple[str, int], _Level] = {}
        self._abstract: dict[str, str] = {}
        self._starts: dict[tuple[str, int], int] = {}
        self._counts: dict[tuple[str, int], int] = {}
        self._item = (0, 0)
        part = next((rel.target_part for rel in word.part.rels.values() if rel.reltype.endswith("/numbering")), None)
        if part is not None and hasattr(part, "element"):
            self._read(part.element)

    def _read(self, root: _Element) -> None:
        """Read how each list is numbered at each depth: as the definition that it shares says, or as it says itself."""
        shared = {
            abstract.get(f"{W}abstractNumId", ""): {_depth(level): _level(level) for level in abstract.iter(f"{W}lvl")}
            for abstract in root.iter(f"{W}abstractNum")
        }
        for number in root.iter(f"{W}num"):
            identity = number.get(f"{W}numId", "")
            self._abstract[identity] = abstract = value(number, "abstractNumId") or ""
            self._levels |= {(identity, depth): level for depth, level in shared.get(abstract, {}).items()}
            for override in number.iter(f"{W}lvlOverride"):
                key, own = (identity, _depth(override)), override.find(f"{W}lvl")
                if own is not None:
                    self._levels[key] = _level(own)
                if (start := value(override, "startOverride") or "").isdigit():
                    self._starts[key] = int(start)

    def label(self, paragraph: _Element) -> tuple[str, bool]:
        """Return the label before a paragraph (`2.1`, `a)`, `•`; empty for none), and whether it is a bullet."""
        number, depth = self._numbering_of(paragraph)
        level, abstract = self._levels.get((number, depth)), self._abstract.get(number, "")
        if level is None or level.form == "none":  # the list styles may define no numbering of their own
            is_style = number in ("", "0") and self._styles.name(paragraph).startswith("List Bullet")
            return ("•", True) if is_style else ("", False)
        if level.form == "bullet":
            return "•", True
        start = self._starts.pop((number, depth), None)  # a list begins anew once, and counts on with those like it
        before = start - 1 if start is not None else self._counts.get((abstract, depth), level.start - 1)
        self._counts[abstract, depth] = before + 1
        for below in range(depth + 1, 9):
            self._counts.pop((abstract, below), None)
        label = level.pattern
        for above in range(depth + 1):
            known = self._levels.get((number, above), _Level())
            shown = formatted(self._counts.get((abstract, above), known.start), known.form)
            label = label.replace(f"%{above + 1}", shown)
        return label.strip(), False

    def indent(self, paragraph: _Element, *, is_item: bool) -> int:
        """Return how far a paragraph is indented: an item by its depth; another one deeper than the item above it.

        A paragraph goes on with the item above where its text begins at least as far to the right.
        """
        left = next((one for one in map(_left, self._places(paragraph)) if one is not None), None)
        if not is_item:
            above, text = self._item
            return above + 1 if left and left >= text else 0
        number, depth = self._numbering_of(paragraph)
        level = self._levels.get((number, depth))
        self._item = depth, (left if left is not None else level.left if level else 0) or 0
        return depth

    def _numbering_of(self, paragraph: _Element) -> tuple[str, int]:
        """Return list id and depth of a paragraph, its own or those of its style or the styles that it is based on."""
        number = depth = None
        for place in self._places(paragraph):
            if number is None:
                number = value(place, "pPr/numPr/numId")
                depth = value(place, "pPr/numPr/ilvl") if depth is None else depth
        return number or "", int(depth or 0)

    def _places(self, paragraph: _Element) -> list[_Element]:
        return [paragraph, *self._styles.chain(self._styles.identity(paragraph))]


def _depth(element: _Element) -> int:
    return int(element.get(f"{W}ilvl", "0"))


def _level(element: _Element) -> _Level:
    start = value(element, "start") or ""
    form, pattern = value(element, "numFmt") or "decimal", value(element, "lvlText") or ""
    return _Level(form, pattern, int(start) if start.isdigit() else 1, _left(element))


def _left(element: _Element) -> int | None:
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
