"""A claim's values, each looked for in the text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from rag.exact.dates import Moment, dates, is_dated, is_timed, times
from rag.exact.names import Named, has, holds, identifiers, names, unnamed
from rag.exact.normal import bare, in_digits
from rag.exact.numbers import Number, is_stated, numbers
from rag.exact.units import converted

Kind = Literal["number", "date", "time", "identifier", "name"]
_SAID: Final = {"name": "name", "identifier": "contain"}
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_PERIOD: Final = re.compile(
    r"one\s.+|(?:an?|each|every|per)\s(?:hour|day|week|fortnight|month|year)|[a-z]+ly", re.IGNORECASE
)
"""What is asked of numbers that are not in digits."""
_BACK: Final = re.compile(r"(?<!\w)(?:the|all|those|these|other|your|their|its|his|her|our)\s$", re.IGNORECASE)
_JOINED: Final = 6  # so many characters may stand between the two numbers of a range
_AROUND: Final = 30  # so many characters before and behind a number tell what it is about


@dataclass(frozen=True, slots=True)
class Missing:
    """A value of a claim that the text does not have.

    Attributes:
        kind: What it is.
        claimed: It, as the claim has it; numbers in digits.
        nearest: What the text has in its place, as far as that can be told; empty where nothing is like it.
    """

    kind: Kind
    claimed: str
    nearest: str = ""

    @property
    def told(self) -> str:
        """The same in a sentence.

        >>> Missing("number", "15 days", "50 days").told
        'The text says 50 days, not 15 days.'
        """
        if self.nearest:
            return f"The text says {self.nearest}, not {self.claimed}."
        return f"The text does not {_SAID.get(self.kind, 'say')} {self.claimed}."


def missing_values(claim: str, evidence: str, *, place: str = "") -> tuple[Missing, ...]:
    """Return the values of a claim that do not stand in the evidence, in the order of their kinds.

    Args:
        claim: A sentence that a language model wrote.
        evidence: The text of the passages that it cites.
        place: What else a reader of the passages sees: the document's title, chapter and section.

    >>> [one.told for one in missing_values("Ann Ek pays 20 euros within 2 hours.", "Ann Ek: €20, in 130 minutes")]
    ['The text says 130 minutes, not 2 hours.']
    """
    text = bare(f"{place}\n{evidence}" if place else evidence)
    rest = bare(claim)
    codes = identifiers(rest)
    rest = _without(rest, codes)
    days = dates(rest)
    rest = _without(rest, days)
    unknown = [(row, unnamed(text, row)) for row in names(rest)]
    return (
        *(Missing("identifier", one.text) for one in codes if not holds(text, one)),
        *(Missing("date", bare(claim)[one.start : one.end]) for one in days if not _is_day(one, text)),
        *_times_and_numbers(in_digits(rest), text),
        *(
            Missing("name", rest[row[0].start : row[-1].end] if some == row else ", ".join(one.text for one in some))
            for row, some in unknown
            if some
        ),
    )


def restated(claim: str, evidence: str) -> str:
    """Return a claim with its quantities as the evidence writes them, where both are the same by value.

    A network does not convert units: `120 minutes` hardly follows from `two hours` to it.

    >>> restated("The pass costs EUR 20 and lasts 120 minutes.", "It lasts two hours. The pass costs 20 euros.")
    'The pass costs 20 euros and lasts 2 hours.'
    """
    said, stated = in_digits(bare(claim)), in_digits(bare(evidence))
    there = _quantities(stated)
    found: list[tuple[int, int, str]] = []
    for number in _quantities(said):
        same = [stated[one.start : one.end].strip() for one in there if _is_equal(number, one)]
        own = said[number.start : number.end].rstrip()
        if same and own not in same:
            found.append((number.start, number.start + len(own), same[0]))
    for start, end, words in sorted(found, reverse=True):
        said = said[:start] + words + said[end:]
    return said if found else claim


def _quantities(text: str) -> list[Number]:
    """Return the numbers of a text that are certainly one value in one unit, and no parts of sums or ends of ranges."""
    every = numbers(text)
    found = []
    for one in every:
        is_part = any(other is not one and other.start <= one.start and one.end <= other.end for other in every)
        ends_range = any(other.lent and 0 <= one.start - other.end < _JOINED for other in every)
        is_short = len(text[one.start : one.end].split()) <= 2
        if one.is_certain and is_short and not is_part and not ends_range and _is_written(text, one):
            found.append(one)
    return found


def _is_equal(one: Number, other: Number) -> bool:
    value = converted(other.values[0], other.units[0], one.units[0])
    return value is not None and abs(value - one.values[0]) <= 1e-6 * abs(one.values[0])


def _without(text: str, found: Sequence[Named] | Sequence[Moment]) -> str:
    for one in found:
        text = f"{text[: one.start]}{'~' * (one.end - one.start)}{text[one.end :]}"
    return text


def _is_day(day: Moment, text: str) -> bool:
    """Return whether a text has a date; a year may stand elsewhere in it than day and month."""
    year, month, number = day.parts
    if any(is_dated(day, one) for one in dates(text)):
        return True
    apart = Moment((0, month, number), 0, 0, day.either)
    return (
        bool(year) and has(text, str(year)) and any(one.parts[0] == 0 and is_dated(apart, one) for one in dates(text))
    )


def _times_and_numbers(claim: str, text: str) -> Iterator[Missing]:
    """Yield the times and numbers of a claim, in digits, that a text does not state."""
    stated = in_digits(text)
    asked, hours = times(claim), times(stated)
    for one in asked:
        if not any(is_timed(one, other) for other in hours):
            yield Missing("time", claim[one.start : one.end].strip(" ."))
    there = numbers(_without(stated, hours))
    if re.search(r"\bhalf\b", stated):
        there = (*there, Number((0.5,), (), 0, 0, alone=True))
    parts = {float(part) for one in dates(text) for part in one.parts} | {
        float(one.parts[0] % full) for one in hours for full in (12, 24)
    }
    for number in numbers(_without(claim, asked)):
        by_part = not number.units and bool(parts & set(number.values))
        if _is_asked(claim, number) and not by_part and not any(is_stated(number, other) for other in there):
            yield Missing("number", _shown(claim, number), _nearest(claim, number, stated, there))


def _is_asked(claim: str, number: Number) -> bool:
    """Return whether a number is checked: no article, no number of an item, no `second`, no `two`, no `the 3 kinds`."""
    before = claim[max(0, number.start - 8) : number.start]
    if number.order and (number.values[0] <= 2 or re.search(r"(?<!\w)an?\s$", before, re.IGNORECASE)):
        return False
    if not number.units and (number.values[0] == 2 or (number.values[0] <= 10 and _BACK.search(before))):
        return False
    return _is_written(claim, number) or _PERIOD.fullmatch(claim, number.start, number.end) is not None


def _nearest(claim: str, number: Number, text: str, there: Sequence[Number]) -> str:
    """Return the number of the text that shares most of the words around it with the claim, of a like unit."""
    alike = [one for one in there if _is_written(text, one) and _is_alike(number, one)]
    said = _around(claim, number)
    shared = [len(said & _around(text, one)) + 2 * (one.values == number.values) for one in alike]
    best = max(range(len(alike)), key=shared.__getitem__, default=None)
    if best is None or not (shared[best] or number.units):
        return ""
    return _shown(text, alike[best])


def _shown(text: str, number: Number) -> str:
    """Return a number as people write it, large ones in groups of digits."""
    said = text[number.start : number.end].strip()
    return re.sub(r"(?<![\d.])\d{5,}", lambda match: f"{int(match[0]):,}", said)


def _is_written(text: str, number: Number) -> bool:
    return any(map(str.isdigit, text[number.start : number.end]))


def _is_alike(one: Number, other: Number) -> bool:
    """Return whether two numbers have no unit, or units of the same kind of thing, such as money or time."""
    if not one.units or not other.units:
        return not one.units and not other.units
    money = all(number.units[0][:3].isupper() for number in (one, other))
    return money or converted(1.0, other.units[0], one.units[0]) is not None


def _around(text: str, number: Number) -> set[str]:
    return set(_WORD.findall(text[max(0, number.start - _AROUND) : number.end + _AROUND].casefold()))
