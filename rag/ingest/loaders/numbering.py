"""What a heading's own words say of its place: chapter, dotted number, part, bare number."""

import re
from dataclasses import dataclass
from typing import Literal

from rag.exact.dates import dates

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
_ROMAN = re.compile(r"(?=[IVXLC])(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})", re.I)
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}


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
    if match := _CHAPTER.fullmatch(text):
        number = _number(match[1])
        if number is not None:
            return Title("chapter", text, match[2].strip() or text, str(number))
    if match := _DOTTED.fullmatch(text):
        return Title("dotted", text, match[2].strip(), match[1])
    if _PART.match(text):
        return Title("part", text, text)
    if (match := _BARE.fullmatch(text)) and not any(one.start == 0 for one in dates(text)):
        return Title("bare", text, match[2].strip(), match[1])
    return Title("plain", text, text)


def _number(word: str) -> int | None:
    """Return a number written in digits, as a word up to twenty, or in Roman numerals."""
    if word.isdecimal() and len(word) <= 3:
        return int(word)
    if word.casefold() in _WORDS:
        return _WORDS.index(word.casefold()) + 1
    return _roman(word.upper()) if _ROMAN.fullmatch(word) else None


def _roman(word: str) -> int:
    values = [_ROMAN_VALUES[letter] for letter in word]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))
