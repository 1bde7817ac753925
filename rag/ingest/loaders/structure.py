"""Headings to sections: which chapter and which section every stretch of a text belongs to.

The chapter is the heading that says so (`Chapter 3: X`), or a single number (`3 X`) where other headings bear it out,
or the first part of the section numbers below it. The section is the nearest heading of two parts (`2.2 X`); where
headings have no numbers, the one right below the chapter or title. Deeper headings stay in `path`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rag.exact.dates import dates
from rag.models import Section

if TYPE_CHECKING:
    from rag.ingest.loaders.blocks import Placed

TitleKind = Literal["chapter", "dotted", "bare", "part", "plain"]

_CHAPTER = re.compile(r"(?:chapter|chap\.|lecture|lesson|unit|kapitel|chapitre)\s+(\w+)\b[\s.:|–—-]*(.*)", re.I | re.S)
_PART = re.compile(
    r"(?:part|appendix|annex|item|note|article|schedule|volume)\s+(?:\d{1,3}[A-Z]?|[IVXLC]+|[A-Z])\b", re.I
)
_DOTTED = re.compile(r"§?\s*((?:\d{1,3}|[A-Z])(?:\.\d{1,3}){1,5})[.):]?\s+(?=\S)(.*)", re.S)
_BARE = re.compile(r"§?\s*(\d{1,2})(?:[.):]\s*|\s+[–—-]\s+|\s+)(?=[^\W\d_]|[\"'“‘(])(.*)", re.S)
_WORDS = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc")),
    *((50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_MOST_ROMAN = 3999
_MOST_READ = 100  # Roman numerals of this and more are words.


@dataclass(frozen=True, slots=True)
class Title:
    """A heading, taken apart: `2.2 Working with hoods` has number `2.2`, parts (2, 2) and that name."""

    kind: TitleKind
    text: str
    name: str
    number: str = ""

    @property
    def chapter(self) -> int | None:
        """The chapter that the number belongs to: its first part, where that is a number."""
        head = self.number.split(".")[0]
        return int(head) if head.isdigit() else None

    @property
    def depth(self) -> int:
        """How many parts the number has; 0 where there is none."""
        return self.number.count(".") + 1 if self.number else 0

    @property
    def label(self) -> str:
        """Number and name with one space between them."""
        return f"{self.number} {self.name}".strip() if self.kind in ("dotted", "bare") else self.text


@dataclass(frozen=True, slots=True)
class _Entry:
    """A heading with its number read and its part decided."""

    start: int
    level: int
    title: Title
    chapter: int | None
    is_chapter: bool


def make_sections(headings: "Sequence[Placed]", length: int, *, chapter: int | None = None) -> tuple[Section, ...]:
    """Return the sections that cover a text of `length` characters, one for each heading and one before the first.

    Headings are in text order; `chapter` is that of everything that no heading gives a chapter.
    """
    entries = _entries(headings)
    flat = not any(not entry.is_chapter and entry.level > 1 for entry in entries)
    ends = [*(entry.start for entry in entries), length]
    sections = [Section(start=0, end=ends[0], chapter=chapter)] if ends[0] > 0 or not entries else []
    stack: list[_Entry] = []
    for entry, end in zip(entries, ends[1:], strict=True):
        stack = [*(above for above in stack if above.level < entry.level), entry]
        sections.append(_section(stack, end, chapter=chapter, flat=flat))
    return tuple(sections)


def _entries(headings: "Sequence[Placed]") -> list[_Entry]:
    known = sorted({heading.block.level for heading in headings})
    levels = [known.index(heading.block.level) + 1 for heading in headings]  # without gaps: 2, 4, 4 becomes 1, 2, 2
    titles = _bear_out([parse_title(heading.block.text) for heading in headings], levels)
    chapter_level = _chapter_level(titles, levels)
    entries = []
    for index, (heading, title, level) in enumerate(zip(headings, titles, levels, strict=True)):
        is_chapter = title.kind == "chapter" or (title.kind in ("bare", "plain", "part") and level == chapter_level)
        number = title.chapter if title.kind in ("chapter", "dotted") or (title.kind == "bare" and is_chapter) else None
        number = _chapter_below(index, titles, levels) if number is None else number
        entries.append(_Entry(heading.start, level, title, number, is_chapter))
    return entries


def _bear_out(titles: Sequence[Title], levels: Sequence[int]) -> list[Title]:
    """Return the titles; a single number without a section `7.1`, or a 6 or 8 on its level, is a word (`7 habits`)."""
    dotted = {title.chapter for title in titles if title.kind == "dotted"}
    bare = {(title.chapter, level) for title, level in zip(titles, levels, strict=True) if title.kind == "bare"}

    def is_word(title: Title, level: int) -> bool:
        number = title.chapter
        if title.kind != "bare" or number is None or number in dotted:
            return False
        return bare.isdisjoint({(number - 1, level), (number + 1, level)})

    pairs = zip(titles, levels, strict=True)
    return [Title("plain", title.text, title.text) if is_word(title, level) else title for title, level in pairs]


def _chapter_level(titles: Sequence[Title], levels: Sequence[int]) -> int | None:
    """Return the level whose headings are chapters, or None where the only top heading is the document's title."""
    for kind in ("chapter", "bare"):
        if found := [level for title, level in zip(titles, levels, strict=True) if title.kind == kind]:
            return min(found)
    return 1 if levels.count(1) > 1 or (titles and _chapter_below(0, titles, levels) is not None) else None


def _chapter_below(index: int, titles: Sequence[Title], levels: Sequence[int]) -> int | None:
    found: set[int | None] = set()
    for title, level in zip(titles[index + 1 :], levels[index + 1 :], strict=True):
        if level <= levels[index] or len(found) > 1:
            break
        if title.kind != "plain" and title.number:
            found.add(title.chapter)
    return found.pop() if len(found) == 1 else None


def _section(stack: Sequence[_Entry], end: int, *, chapter: int | None, flat: bool) -> Section:
    place = next((entry for entry in reversed(stack) if entry.is_chapter), None)
    numbers = [entry.chapter for entry in reversed(stack) if entry.chapter is not None]
    section = _section_entry(stack, place, flat=flat)
    number = section.title.number if section and section.title.kind in ("dotted", "bare") else None
    return Section(
        start=stack[-1].start,
        end=end,
        chapter=numbers[0] if numbers else chapter,
        chapter_title=place.title.name if place else None,
        section=section.title.label if section else None,
        section_number=number,
        path=tuple(entry.title.text for entry in stack),
    )


def _section_entry(stack: Sequence[_Entry], place: _Entry | None, *, flat: bool) -> _Entry | None:
    """Return the heading that names the section: the one of two parts, else the first below chapter or title."""
    dotted = [entry for entry in stack if entry.title.kind == "dotted"]
    if dotted:
        return next((entry for entry in dotted if entry.title.depth == 2), dotted[0])
    if flat and place is not None and place.title.kind != "chapter" and place is stack[-1]:
        return place
    below = stack[stack.index(place) + 1 if place else int(stack[0].level == 1) :]
    return below[0] if below else None


def parse_title(text: str) -> Title:
    """Return what a heading says of its place.

    >>> parse_title("Chapter IV: Fume hoods")
    Title(kind='chapter', text='Chapter IV: Fume hoods', name='Fume hoods', number='4')
    >>> parse_title("2.2. Working with hoods").label
    '2.2 Working with hoods'
    >>> parse_title("1973 oil crisis").kind
    'plain'
    """
    text = " ".join(text.split())
    if (match := _CHAPTER.fullmatch(text)) and (number := _number(match[1])) is not None:
        return Title("chapter", text, match[2].strip() or text, str(number))
    if match := _DOTTED.fullmatch(text):
        return Title("dotted", text, match[2].strip(), match[1])
    if _PART.match(text):
        return Title("part", text, text)
    if (match := _BARE.fullmatch(text)) and not any(one.start == 0 for one in dates(text)):
        return Title("bare", text, match[2].strip(), match[1])
    return Title("plain", text, text)


def _number(word: str) -> int | None:
    if word.isdecimal() and len(word) <= 3:
        return int(word)
    if word.casefold() in _WORDS:
        return _WORDS.index(word.casefold()) + 1
    return next((number for number in range(1, _MOST_READ) if numeral(number, "i") == word.casefold()), None)


def numeral(number: int, kind: str) -> str:
    """Return a number as a list of a type counts: `1`, `a`, `A`, `i` or `I`; in digits where letters have none.

    >>> [numeral(28, kind) for kind in "1aAiI"], numeral(0, "a")
    (['28', 'ab', 'AB', 'xxviii', 'XXVIII'], '0')
    >>> [numeral(number, "I") for number in (9, 14, 40, 99)]
    ['IX', 'XIV', 'XL', 'XCIX']
    """
    text, rest = "", number
    if kind in ("a", "A"):
        while rest > 0:
            rest, place = divmod(rest - 1, 26)
            text = chr(ord("a") + place) + text
    elif kind in ("i", "I") and 0 < number <= _MOST_ROMAN:
        for value, letters in _ROMAN:
            text += letters * (rest // value)
            rest %= value
    return (text.upper() if kind.isupper() else text) or str(number)
