"""Numbers in a text with their units: what each may be worth, and whether a text states one of a claim."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Final

from rag.exact.normal import plain
from rag.exact.units import converted, is_same, units_at

_NUMBER: Final = re.compile(
    r"(?:(?P<money>US\$|[$€£¥₹]|(?-i:\b[A-Z]{3})(?=\s?[\d-]))\s?)?"
    r"(?P<sign>(?<![\w.)\]%°/–−-])[-−–](?=[.\d])|\b(?:minus|negative)\s)?"
    r"(?<!\w)(?<!\d[.,])(?P<digits>\d++(?:\.\d++)*+|\.\d++)(?P<order>(?:st|nd|rd|th)(?!\w))?"
    r"|(?<!\w)(?P<one>one|an?|each|every|per)(?=[\s-])|(?<=\w)\s?(?P<per>/)\s?(?=[^\W\d_])"
    r"|(?<!\w)(?P<alone>(?=hour|dai?ly|day|week|fortnight|month|year|annual)[a-z]++(?<!s))",
    re.IGNORECASE,
)
_GAP: Final = re.compile(r"[ \u00a0\u202f-]?")
_JOINS: Final = re.compile(r"\s?(?:[-–—/,×x]|to\b|and\b|or\b|by\b|, or\b)\s?", re.IGNORECASE)
_ADDS: Final = re.compile(r"\s?(?:,|and\b)?\s?")
_ABOUT: Final = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.|circa|ca\.|nearly|almost|some"
    r"|(?:just|slightly|little)\s(?:over|under|above|below|more\sthan|less\sthan))|[~≈])\s?(?:an?\s)?$",
    re.IGNORECASE,
)
_BOUND: Final = re.compile(
    r"\b(?:over|under|above|below|(?:more|less|fewer)\sthan|upwards\sof)\s(?:an?\s)?$", re.IGNORECASE
)
_LISTED: Final = re.compile(r"(?:^|\n)[ \t>]*(?:[-*•]\s)?\(?$")
_NEAR: Final = 0.1  # what `about` and `just over` allow: `about 50` for 47, `just over 100` for 108


@dataclass(frozen=True, slots=True)
class Number:
    """A number as a text states it.

    Attributes:
        values: What it may be worth: `1.250` is 1.25, or 1250 where a point groups digits.
        units: What its unit may be, as pint calls it; empty where none stands there.
        start: Where it begins in the text in digits.
        end: Where it ends, its unit included.
        order: Whether it is a place in an order (`3rd`), or the number of a list's item.
        about: Whether it is said to be near (`about 50`).
        bound: Whether it is said to be a bound (`over 50`).
        lent: Whether the unit is that of the number after it: `5` of `5 to 10 kg`.
        alone: Whether no word follows that it may count: `| 5 |`.
    """

    values: tuple[float, ...]
    units: tuple[str, ...]
    start: int
    end: int
    order: bool = False
    about: bool = False
    bound: bool = False
    lent: bool = False
    alone: bool = False

    @property
    def is_certain(self) -> bool:
        """Whether it has one value and one unit of its own, and is neither a bound, nor near, nor a rate or degrees."""
        is_one = len(self.values) == len(self.units) == 1 and not self.units[0].startswith("deg")
        return is_one and "/" not in self.units[0] and not (self.about or self.bound or self.lent or self.order)


@lru_cache(maxsize=256)
def numbers(text: str) -> tuple[Number, ...]:
    """Return the numbers of a text in digits, sums such as `2 hours 30 minutes` behind their parts.

    >>> [(one.values, one.units) for one in numbers("25 tents, 3 kg or 2 h 30 min")]
    [((25.0,), ()), ((3.0,), ('kilogram',)), ((2.0,), ('hour',)), ((30.0,), ('minute',)), ((2.5,), ('hour',))]
    """
    found = [number for match in _NUMBER.finditer(text) if (number := _read(text, match))]
    for place in range(len(found) - 2, -1, -1):
        found[place] = _lent(text, found[place], found[place + 1])
    sums = [total for one, other in pairwise(found) if (total := _sum(text, one, other))]
    return (*found, *sums)


def _read(text: str, match: re.Match[str]) -> Number | None:
    """Return one number, or None for `one` and `a` without a unit, and for an identifier such as `4.2.10`."""
    after = _GAP.match(text, match.end())
    units, end = units_at(text, match.start("alone") if match["alone"] else after.end() if after else match.end())
    if match["one"] or match["per"] or match["alone"]:
        return Number((1.0,), units, match.start(), end) if units else None
    if match["digits"].count(".") > 1:
        return None
    if match["money"]:
        units = units_at(match["money"], 0)[0] or units
    begin, sign = match["digits"], -1 if match["sign"] else 1
    values = [sign * float(begin)]
    if re.fullmatch(r"\d{1,3}\.\d{3}", begin):
        values.append(sign * float(begin.replace(".", "")))
    before = text[max(0, match.start() - 16) : match.start()]
    listed = bool(_LISTED.search(before)) and text[match.end() : match.end() + 1] in (".", ")")
    alone = not re.match(r"[\s-]?[^\W\d_]", text[end : end + 2])
    return Number(
        tuple(values),
        units,
        match.start(),
        max(end if units else 0, match.end()),
        order=bool(match["order"]) or listed,
        about=bool(_ABOUT.search(before)),
        bound=bool(_BOUND.search(before)),
        alone=alone,
    )


def _lent(text: str, one: Number, other: Number) -> Number:
    """Return a number with the unit of the next one, where a range or a list joins them."""
    if one.units or not other.units or not _JOINS.fullmatch(text, one.end, other.start):
        return one
    return replace(one, units=other.units, lent=True)


def _sum(text: str, one: Number, other: Number) -> Number | None:
    """Return `2 hours 30 minutes` as one number of hours, or None where the two are no sum."""
    if (
        not one.units
        or not other.units
        or one.lent
        or not text[one.start].isdigit()
        or not text[other.start].isdigit()
        or not _ADDS.fullmatch(text, one.end, other.start)
    ):
        return None
    rest = converted(other.values[0], other.units[0], one.units[0])
    if one.units[0] == other.units[0] or rest is None or not 0 < rest < 1:
        return None
    return Number((one.values[0] + rest,), one.units[:1], one.start, other.end)


def is_stated(claimed: Number, stated: Number) -> bool:
    """Return whether a number of a text carries one of a claim, by value and, where both have one, by unit."""
    return any(_carries(claimed, value, stated, other) for value in claimed.values for other in stated.values)


def _carries(claimed: Number, value: float, stated: Number, other: float) -> bool:
    if not claimed.units and "percent" in stated.units:
        return _is_near(claimed, value, other) or _is_near(claimed, 100 * value, other)
    if "percent" in claimed.units and not stated.units and other <= 1:
        return _is_near(claimed, value, 100 * other)
    if not claimed.units:
        return _is_near(claimed, value, other)
    if not stated.units or claimed.lent:
        return _is_near(claimed, value, other) and (claimed.lent or (stated.alone and not stated.order))
    return any(_is_same(claimed, value, unit, other, there) for unit in claimed.units for there in stated.units)


def _is_same(claimed: Number, value: float, unit: str, other: float, there: str) -> bool:
    if is_same(value, unit, other, there):
        return True
    near = converted(other, there, unit) if claimed.about or claimed.bound else None
    return near is not None and _is_near(claimed, value, near)


def _is_near(claimed: Number, value: float, other: float) -> bool:
    """Return whether two values are the same, as far as the claim says that it is rounded."""
    if claimed.about:
        return abs(value - other) <= _NEAR * abs(other)
    if claimed.bound and value:
        whole, _, places = plain(abs(value)).partition(".")
        last = 10.0 ** (-len(places) if places else len(whole) - len(whole.rstrip("0")))
        return abs(value - other) <= min(last, 2 * _NEAR * abs(other))
    return abs(value - other) <= 1e-7 * abs(other)
