"""Styles of a Word document: what a paragraph's style, and the styles it is based on, say of it."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docx.document import Document as WordDocument
    from lxml.etree import _Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
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
        identities = (style.get(f"{W}val", "") if style is not None else "", self._identity_of(paragraph))
        for identity in identities:
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

    def _identity_of(self, paragraph: "_Element | None") -> str:
        return "" if paragraph is None else self._identity(paragraph)

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
