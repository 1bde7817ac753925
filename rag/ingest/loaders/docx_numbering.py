"""The numbers that Word computes for headings and lists: they are seen on paper, but stand nowhere in the text."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docx.document import Document as WordDocument
    from docx.text.paragraph import Paragraph
    from lxml.etree import _Element

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_ROMAN = ((100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))


@dataclass(frozen=True, slots=True)
class _Level:
    """How one level of a list is numbered: format, pattern as `%1.%2`, first number."""

    form: str
    pattern: str
    start: int


class Numbering:
    """Counts the numbered paragraphs of one document, in document order."""

    def __init__(self, word: "WordDocument") -> None:
        self._levels: dict[tuple[str, int], _Level] = {}
        self._abstract: dict[str, str] = {}
        self._counts: dict[tuple[str, int], int] = {}
        part = next((rel.target_part for rel in word.part.rels.values() if rel.reltype.endswith("/numbering")), None)
        if part is not None and hasattr(part, "element"):
            self._read(part.element)

    def _read(self, root: "_Element") -> None:
        for abstract in root.iter(f"{_W}abstractNum"):
            for level in abstract.iter(f"{_W}lvl"):
                key = (abstract.get(f"{_W}abstractNumId", ""), int(level.get(f"{_W}ilvl", "0")))
                start = _value(level, "start") or "1"
                form, pattern = _value(level, "numFmt") or "decimal", _value(level, "lvlText") or ""
                self._levels[key] = _Level(form, pattern, int(start) if start.isdigit() else 1)
        for number in root.iter(f"{_W}num"):
            self._abstract[number.get(f"{_W}numId", "")] = _value(number, "abstractNumId") or ""

    def label(self, paragraph: "Paragraph") -> tuple[str, bool]:
        """Return the label that stands before a paragraph (`2.1`, `a)`, `•`; empty for none), and whether it is a bullet."""
        number, depth = _numbering_of(paragraph)
        abstract = self._abstract.get(number, "")
        level = self._levels.get((abstract, depth))
        if level is None or level.form == "none":
            return self._by_style(paragraph) if number in ("", "0") else ("", False)
        if level.form == "bullet":
            return "•", True
        self._count(abstract, depth, level)
        label = level.pattern
        for above in range(depth + 1):
            label = label.replace(f"%{above + 1}", self._shown(abstract, above, plain=above < depth))
        return label.strip(), False

    @staticmethod
    def _by_style(paragraph: "Paragraph") -> tuple[str, bool]:
        """Return a bullet for the list styles that define no numbering of their own."""
        name = (paragraph.style.name if paragraph.style is not None else None) or ""
        return ("•", True) if name.startswith("List Bullet") else ("", False)

    def _count(self, abstract: str, depth: int, level: _Level) -> None:
        self._counts[abstract, depth] = self._counts.get((abstract, depth), level.start - 1) + 1
        for below in range(depth + 1, 9):
            self._counts.pop((abstract, below), None)

    def _shown(self, abstract: str, depth: int, *, plain: bool) -> str:
        level = self._levels.get((abstract, depth))
        count = self._counts.get((abstract, depth), level.start if level else 1)
        return _format(count, level.form if level else "decimal") if not plain or level else str(count)


def _value(element: "_Element", tag: str) -> str | None:
    child = element.find(f"{_W}{tag}")
    return None if child is None else child.get(f"{_W}val")


def _numbering_of(paragraph: "Paragraph") -> tuple[str, int]:
    """Return list id and depth of a paragraph, its own or those of its style or the styles that it is based on."""
    number: str | None = None
    depth: str | None = None
    places = [paragraph._p]
    style = paragraph.style
    while style is not None:
        places.append(style.element)
        style = getattr(style, "base_style", None)
    for place in places:
        properties = place.find(f"{_W}pPr/{_W}numPr")
        if properties is not None:
            number = number if number is not None else _value(properties, "numId")
            depth = depth if depth is not None else _value(properties, "ilvl")
        if number is not None:
            break
    return number or "", int(depth or 0)


def _format(count: int, form: str) -> str:
    """Return a count as Word shows it.

    >>> _format(4, "upperRoman"), _format(28, "lowerLetter"), _format(3, "decimalZero")
    ('IV', 'bb', '03')
    """
    if form in ("lowerLetter", "upperLetter"):
        text = chr(ord("a") + (count - 1) % 26) * ((count - 1) // 26 + 1)
    elif form in ("lowerRoman", "upperRoman"):
        text, rest = "", count
        for value, letters in _ROMAN:
            text += letters * (rest // value)
            rest %= value
    else:
        text = f"{count:02d}" if form == "decimalZero" else str(count)
    return text.upper() if form.startswith("upper") else text
