"""Numbers of a question that only say how much or how many: `30 kg`, `a 5-year-old dog`, `for 4 nights`. Ground floor.

A number names something where it stands behind what it tells apart (`room 12`), as a year, or alone.
"""

import re

from rag.language.designations import designations
from rag.language.text import STOPWORDS
from rag.language.units import UNIT, canonical, dimension

_AMOUNT = re.compile(r"\d+(?:[.,]\d+)*(?:\s?[-–]\s?\d+(?:[.,]\d+)*)?")
_YEAR = re.compile(r"(?:1[4-9]|20)\d\d")
_UNIT = re.compile(rf"(?!-?(?-i:[A-Z])\b)[\s-]?(?P<unit>{UNIT})", re.IGNORECASE)
"""A unit behind a number; a single capital without a space is no unit: `flat 3A`."""
_COUNTED = re.compile(r"\s+(?:(?P<kind>[^\W\d_]+)\s+)?(?P<noun>[^\W\d_]+)")
_MANY = re.compile(r"[^\Wsui]s$")
_MANY_WITHOUT_S = frozenset(("people", "men", "women", "children", "feet", "teeth", "mice", "geese", "cattle", "sheep"))
_WORD_BEFORE = re.compile(r"([^\W_]+(?:['’][^\W_]+)*)(?:\s+no\.)?\s+$")
_APPROXIMATE = frozenset(("almost", "another", "around", "exactly", "least", "nearly", "next", "roughly", "within"))
_DOER = re.compile(r"\b(?:I|we|you|he|she|it|they)\s+$", re.IGNORECASE)
_CURRENCY = "$£€¥₹"


def measure_end(text: str, start: int, end: int) -> int:
    """Return where a plain number of units, or of things counted in small letters, ends with its unit; 0 for others.

    Args:
        text: The question.
        start: Where the word begins.
        end: Where it ends; a unit may be part of it (`30kg`).

    >>> measure_end("Is she 30 kg?", 7, 9), measure_end("Is room 12 heated?", 8, 10)
    (12, 0)
    """
    number = _AMOUNT.match(text, start)
    unit = _UNIT.match(text, number.end()) if number else None
    if number is None or (number.end() < end and unit is None):
        return 0
    if _is_measured(text, number, unit["unit"] if unit else ""):
        return unit.end() if unit else end
    return 0


def _is_measured(text: str, number: re.Match[str], unit: str) -> bool:
    start = number.start()
    before = _WORD_BEFORE.search(text[:start])
    if before and designations(f"{before[1]} {number.group()}"):
        return False
    if text[max(start - 1, 0) : start] in (*_CURRENCY,):
        return True
    if _YEAR.fullmatch(number.group()):
        return _is_size(unit)
    return bool(unit) or (_is_counted(text, number.end()) and _leaves_a_count(text[:start]))


def _is_size(unit: str) -> bool:
    """Return whether a unit is one of length, mass or the like: neither of time nor of money, as behind a year."""
    known = dimension(canonical(unit)) if unit else None
    return known is not None and known[0] not in ("time", "months")


def _is_counted(text: str, place: int) -> bool:
    """Return whether a noun in the plural follows a number, alone or behind one word: `nights`, `adult dogs`."""
    found = _COUNTED.match(text, place)
    if found is None:
        return False
    first = found["kind"] or found["noun"]
    if _is_many(first):
        return True
    return first.islower() and first not in STOPWORDS and bool(found["kind"]) and _is_many(found["noun"])


def _is_many(word: str) -> bool:
    is_noun = word.islower() and word not in STOPWORDS
    return is_noun and (word in _MANY_WITHOUT_S or bool(_MANY.search(word)))


def _leaves_a_count(before: str) -> bool:
    """Return whether what stands before a number names nothing by it: `for 4 nights`, `may I bring 2 dogs`."""
    last = _WORD_BEFORE.search(before)
    if last is None:
        return True
    word = last[1].casefold()
    return word in STOPWORDS or word in _APPROXIMATE or bool(_DOER.search(before[: last.start()]))
