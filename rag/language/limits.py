"""Whether a text sets limits that what a question names lies within: 15 cm within "more than 10 cm". Ground floor.

Somebody who asks of 31 degrees, of 7 kg, of June or of 22:00 has no word of the rule that is meant: "above 29 °C", "5
to 10 kg", "from April to October", "from 21:00 to 23:30". That a value lies outside of what a text says is no sign: "Up
to 20 kg may be carried." answers a question about 25 kg too.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from rag.language.offices import is_row
from rag.language.periods import months_of_may
from rag.language.quantities import Quantity, quantities
from rag.language.text import stems
from rag.language.units import dimension

_MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()  # noqa: SIM905
_MONTH = rf"(?P<{{}}>{'|'.join(name.capitalize() for name in _MONTHS)})"
_DAY = rf"(?P<{{}}>{'|'.join(name.capitalize() for name in _DAYS)})s?"
_FROM, _TO = (
    r"(?:\b(?:from|between) |\b)(?:(?:early|mid|late|the end of|\d{1,2}) )?",
    (r"(?: ?[-–—] ?| (?:to|until|till|through|and) (?:(?:early|mid|late|the end of|\d{1,2}) )?)"),
)
_SPANS = tuple(
    (
        names,
        re.compile(rf"\b{one.format('name')}\b"),
        re.compile(rf"{_FROM}{one.format('low')}{_TO}{one.format('high')}\b"),
    )
    for names, one in ((_MONTHS, _MONTH), (_DAYS, _DAY))
)
_LEFT_AND = re.compile(r"\bbetween\b|(?<! )[-–—]| [-–—] |\b(?:to|until|till|through)\b")
"""What parts the ends of a span; `and` does so after `between` only."""
_DEGREES = frozenset(("C", "F"))
_FURTHEST, _FURTHEST_TIME = 1_000, 60
"""Units further apart, as hours and weeks, are used of different things: ten hours are not within "up to ten weeks"."""


def meets_limit(question: str, text: str) -> bool:
    """Return whether something that a question names by a number, a month, a day or a time is within limits of a text.

    >>> meets_limit("What if 15 cm of snow have fallen?", "If more than 10 cm of snow has fallen, it is swept.")
    True
    >>> meets_limit("Is it open in June?", "It is open from April to October.")
    True
    >>> meets_limit("What does a parcel of 12 kg cost?", "Weight: 5 to 10 kg; Price: 7 euros")
    False
    """
    values = _values(question)
    if values and any(
        _within(value, limit) and not _is_of_another(value, text) for limit in _limits(text) for value in values
    ):
        return True
    return any(_in_span(question, text, names, name, span) for names, name, span in _SPANS)


@lru_cache(maxsize=256)
def _values(question: str) -> tuple[Quantity, ...]:
    """Return the numbers and times of a question that set no limits themselves."""
    found = quantities(question)
    return tuple(one for one in found if one.kind in ("number", "time") and not one.bound and len(one.values) == 1)


@lru_cache(maxsize=4_096)
def _limits(text: str) -> tuple[Quantity, ...]:
    """Return what sets limits in a text: `more than 10 cm`, `5 to 10 kg`, `from 6:30 to 21:00`."""
    found = quantities(text)
    return tuple(one for one in found if one.bound or one.kind == "range" or len(one.values) == 2)


def _within(value: Quantity, limit: Quantity) -> bool:
    if (value.kind == "time") != (limit.kind == "time"):
        return False
    number, ends = value.values[0], limit.values
    if value.kind == "time":
        return len(ends) == 2 and _is_between(number, *ends)
    if not _is_of_one_kind(value, limit):
        return False
    number *= _ratio(value.unit, limit.unit)
    if len(ends) == 2:
        return ends[0] <= number <= ends[1]
    return {
        "least": number >= ends[0], "more": number > ends[0], "most": number <= ends[0], "less": number < ends[0]
    }.get(limit.bound, False)  # fmt: skip


def _is_between(time: float, first: float, last: float) -> bool:
    """Return whether a time of the day lies between two others, which may be those of an evening and a morning."""
    return first <= time <= last if first <= last else time >= first or time <= last


def _is_of_another(value: Quantity, text: str) -> bool:
    """Return whether a row of a table has another number of the kind by itself: it is about that size and not this."""
    same = (one for one in quantities(text) if is_row(text) and one.kind == value.kind and not one.bound)
    return any(len(one.values) == 1 and one.values != value.values and _is_of_one_kind(value, one) for one in same)


def _is_of_one_kind(value: Quantity, limit: Quantity) -> bool:
    """Return whether two numbers measure or count the same: by their units, without any by the word behind them."""
    if value.unit or limit.unit:
        furthest = _FURTHEST_TIME if (dimension(value.unit) or ("",))[0] == "time" else _FURTHEST
        is_near = 1 / furthest <= _ratio(value.unit, limit.unit) <= furthest
        return value.unit == limit.unit or is_near or {value.unit, limit.unit} - _DEGREES == {"deg"}
    return bool(_counted(value)) and _counted(value) == _counted(limit)


def _ratio(unit: str, other: str) -> float:
    """Return how many of another unit one is; 0 where they measure different things."""
    if unit == other or {unit, other} - _DEGREES == {"deg"}:
        return 1.0
    first, second = dimension(unit), dimension(other)
    return first[1] / second[1] if first and second and first[0] == second[0] else 0.0


def _counted(quantity: Quantity) -> Sequence[str]:
    return stems(quantity.following[0]) if quantity.following else ()


def _in_span(question: str, text: str, names: Sequence[str], name: re.Pattern[str], span: re.Pattern[str]) -> bool:
    asked = {names.index(found) for found in _named(question, name)}
    for match in span.finditer(text) if asked else ():
        if _LEFT_AND.search(match.group()):
            low, high = names.index(match["low"].lower()), names.index(match["high"].lower())
            inside = range(low, high + 1) if low <= high else {*range(low, len(names)), *range(high + 1)}
            if asked.intersection(inside):
                return True
    return False


def _named(question: str, name: re.Pattern[str]) -> Iterator[str]:
    """Yield the months or days that a question names; `may` only where it is a month."""
    months = months_of_may(question)
    for match in name.finditer(question):
        if match["name"] != "May" or match.start() in months:
            yield match["name"].lower()
