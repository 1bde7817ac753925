"""Whether a text sets limits that what a question names lies within: 15 cm within "more than 10 cm". Ground floor.

Somebody who asks of 31 degrees, of 7 kg, of June or of 22:00 has no word of the rule that is meant: "above 29 °C", "5
to 10 kg", "from April to October", "from 21:00 to 23:30"; nor who says of somebody that she is 9, where the rule is
for those under 12. That a value lies outside of what a text says is no sign: "Up to 20 kg may be carried." answers a
question about 25 kg too.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Literal

from rag.language.asked import understand
from rag.language.offices import is_row
from rag.language.periods import months_of_may
from rag.language.quantities import Quantity, quantities
from rag.language.text import is_stopword, stems
from rag.language.units import dimension

_MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()  # noqa: SIM905
_MONTH = rf"(?P<{{}}>{'|'.join(name.capitalize() for name in _MONTHS)})"
_DAY = rf"(?P<{{}}>{'|'.join(name.capitalize() for name in _DAYS)})s?"
_FROM, _TO = (
    r"(?:\b(?:from|between) |\b)(?:(?:early|mid|late|the end of|\d{1,2}) )?",
    r"(?: ?[-–—] ?| (?:to|until|till|through|and) )(?:(?:early|mid|late|the end of|\d{1,2}) )?",
)
_SPANS = tuple(
    (
        names,
        re.compile(rf"\b{one.format('name')}\b"),
        re.compile(rf"{_FROM}{one.format('low')}{_TO}{one.format('high')}\b"),
    )
    for names, one in ((tuple(_MONTHS), _MONTH), (tuple(_DAYS), _DAY))
)
_EVERY = re.compile(rf"\b({'|'.join(name.capitalize() for name in _DAYS)})s?\b")
_ON_EVERY = re.compile(
    rf"\b(?<!first )(?<!second )(?<!third )(?<!fourth )(?<!last )({'|'.join(name.capitalize() for name in _DAYS)})s\b"
    rf"|\b(?:[Oo]n(?: an?)?|[Ee]very|[Ee]ach) ({'|'.join(name.capitalize() for name in _DAYS)})\b(?! (?:\d|of\b))"
)
"""A day of every week, not `the first Sunday of March`."""
_LEFT_AND = re.compile(r"\bbetween\b|(?<! )[-–—]| [-–—] |\b(?:to|until|till|through)\b")
"""What parts the ends of a span; `and` does so after `between` only."""
_DEGREES = frozenset(("C", "F"))
_FURTHEST, _FURTHEST_TIME = 1_000, 60
"""Units further apart, as hours and weeks, are used of different things: ten hours are not within "up to ten weeks"."""


_AGE_OF = re.compile(
    r"\b(?:(?:I am|I['’]m|I (?:have )?turned|you are|he is|he['’]s|she is|she['’]s|they are|who (?:is|are)"
    r"|(?:my|our|his|her|their|the|an?) (?:[a-z]+ )?(?:son|daughter|child|boy|girl|kid|baby|brother|sister|friend|wife"
    r"|husband|mother|father|grand[a-z]+|nephew|niece|pupil|guest|rider|member|visitor|donor|student|player)"
    r" (?:is|turns|turned))(?: (?:only|just|already|almost|nearly|now))?|aged?)[ ]$",
    re.IGNORECASE,
)
"""What stands before a number that is somebody's age: `my daughter is`."""
_NO_PERSONS = (
    "under|over|water|number|letter|corner|after|other|paper|locker|container|trailer|timber|motor|boiler|heater|tower"
    "|ladder|power|summer|winter|document|plant|amount|payment|component|current|equipment|instrument"
)
"""What ends as words for persons do, and is none."""
_PERSONS_OF = re.compile(
    r"\b(?:child(?:ren)?|boys?|girls?|people|persons?|adults?|anyone|anybody|everyone|nobody|those|women|men"
    rf"|(?!{_NO_PERSONS})[a-z]{{2,}}(?:er|or|ent|ant|ist)s?|guests?|pupils?|youths?|babies)"
    r" (?:who are |aged )?(?:under|over|below|above|from|up to|younger than|older than|at least)"
    r"(?: the age of)? $",
    re.IGNORECASE,
)
"""What stands before a number that sets a limit to ages: `children under`."""
_JOINS = re.compile(r"(?:,? (?:and|but)| ?,)? (?:up to|at most|under|below|less than|not (?:more than|over))? ?$")
"""What stands between the two ends of one limit: `over 1.8 m up to 3 m`."""
_NEAR = 1.15
"""How many times a limit something may be that lies beyond it and is still near it."""
_COMPARABLE = 5
"""How many times a limit something may be, or be contained in it, and be judged by it."""
_FIGURES = re.compile(r"\d+(?:[.:]\d+)?")
_YEAR_UNIT = "yr"
_DEGREE_UNIT = "deg"
_FROM_AGE = re.compile(
    r"\b(?:(?P<least>from|at least|over|above|reached)|up to|until|till|under|below)(?: (?:the|an))? age (?:of )?$",
    re.IGNORECASE,
)
"""What stands before a number that is a limit to ages by its own words: `from the age of`."""
_AFTER = re.compile(r"\b(?:after|beyond|past|exceeds?)(?: the (?:first|last))? $", re.IGNORECASE)
"""What stands before a length of time from which on something else holds: `after 20 minutes`."""

Meeting = Literal["", "loosely", "closely"]
"""How something lies within limits of a text: not; beyond or below one; between two, or near one."""


def meets_limit(question: str, text: str) -> bool:
    """Return whether something that a question names by a number, a month, a day or a time is within limits of a text.

    >>> meets_limit("What if 15 cm of snow have fallen?", "If more than 10 cm of snow has fallen, it is swept.")
    True
    >>> meets_limit("Is it open in June?", "It is open from April to October.")
    True
    >>> meets_limit("What does a parcel of 12 kg cost?", "Weight: 5 to 10 kg; Price: 7 euros")
    False
    """
    return bool(meeting(question, text))


def meeting(question: str, text: str) -> Meeting:
    """Return how closely something that a question names lies within limits of a text.

    Of the rules for "8 to 10 °C" and for "more than 7 °C", 9 °C is meant by the first; of those for "more than 30 kg"
    and for "more than 95 kg", 98 kg by the second.

    >>> meeting("And at 9 °C?", "From 8 to 10 °C it keeps."), meeting("And at 9 °C?", "Above 7 °C it spoils.")
    ('closely', 'loosely')
    """
    met = [pair for pair in _pairs(question, text) if _within(*pair) and not _is_of_another(pair[0], text)]
    if any(len(limit.values) == 2 or _is_near(value, limit) for value, limit in met):
        return "closely"
    return "loosely" if met or any(_in_span(question, text, *one) for one in _SPANS) or _on_day(question, text) else ""


def nearly_meets(question: str, text: str) -> bool:
    """Return whether a question names a value just beyond a limit of a text, which therefore decides.

    >>> nearly_meets("My boat is 19 m long. Will you take it?", "The greatest length allowed is 18 m.")
    True
    """
    pairs = (pair for pair in _limiting(question, text) if len(pair[1].values) == 1)
    return any(value.kind == "number" and _is_near(value, limit) for value, limit in pairs)


def is_limited(question: str, text: str) -> bool:
    """Return whether a text limits the very thing that a question names a value of, on whichever side of it that lies.

    >>> is_limited("The photograph is eight months old. Will it do?", "It must not be older than six months.")
    True
    """
    return any(_limiting(question, text))


def _limiting(question: str, text: str) -> Iterator[tuple[Quantity, Quantity]]:
    """Yield each value of a question with each limit of a text that says whether it may be."""
    return (pair for pair in _pairs(question, text) if _are_comparable(*pair) and not _is_of_another(pair[0], text))


def _pairs(question: str, text: str) -> Iterator[tuple[Quantity, Quantity]]:
    """Yield each limit of a text with each value of a question; where that names none, no limit is looked for."""
    values = _values(question)
    return ((value, limit) for limit in (_limits(text) if values else ()) for value in values)


def _on_day(question: str, text: str) -> bool:
    """Return whether a text says of every such day, by name, what a question asks of it for yes or no: `on Sundays`."""
    asked = _days_asked(question)
    return bool(asked) and not asked.isdisjoint((match[1] or match[2]).casefold() for match in _ON_EVERY.finditer(text))


@lru_cache(maxsize=256)
def _days_asked(question: str) -> frozenset[str]:
    """Return the days that a question names which is answered by yes or no, in lower case."""
    return frozenset(map(str.casefold, _EVERY.findall(question))) if understand(question).yes_or_no else frozenset()


@lru_cache(maxsize=256)
def _values(question: str) -> tuple[Quantity, ...]:
    """Return the numbers and times of a question; somebody's age in years, `minus 20` in degrees."""
    found = (one for one in quantities(question) if one.kind in ("number", "time") and len(one.values) == 1)
    return tuple(replace(one, unit=_unit_of(one, question)) for one in found)


def _unit_of(value: Quantity, question: str) -> str:
    if _is_age(value, question):
        return _YEAR_UNIT
    return _DEGREE_UNIT if _is_bare(value) and value.values[0] < 0 else value.unit


def times_and_ages(question: str) -> frozenset[str]:
    """Return the figures of a question that are a time of day or somebody's age: they name nothing.

    >>> sorted(times_and_ages("My son is 12. May he come at 6 pm to room 4?"))
    ['12', '6']
    """
    told = (one for one in quantities(question) if one.kind == "time" or _is_age(one, question))
    return frozenset(figure for one in told for figure in _FIGURES.findall(question, one.start, one.end))


def _is_near(value: Quantity, limit: Quantity) -> bool:
    """Return whether a limit is the very one named, or what lies beyond it is near it: 98 kg to "over 95 kg"."""
    number, end = abs(value.values[0] * _ratio(value.unit, limit.unit)), abs(limit.values[0])
    return number == end if value.bound else end > 0 and 1 / _NEAR <= number / end <= _NEAR


def _is_age(quantity: Quantity, question: str) -> bool:
    return _is_bare(quantity) and bool(_AGE_OF.search(question, 0, quantity.start))


def _is_bare(quantity: Quantity) -> bool:
    """Return whether a number stands without a unit or a word for what it counts."""
    counts = bool(quantity.following) and not is_stopword(quantity.following[0].casefold())
    return quantity.kind == "number" and not quantity.unit and not counts


@lru_cache(maxsize=4_096)
def _limits(text: str) -> tuple[Quantity, ...]:
    """Return what sets limits in a text: `more than 10 cm`, `5 to 10 kg`, `from 6:30 to 21:00`.

    Two that belong together are one: `over 1.8 m up to 3 m`.
    """
    found: list[Quantity] = []
    for stated in quantities(text):
        one = _as_limit(stated, text)
        if not (one.bound or one.kind == "range" or len(one.values) == 2):
            continue
        if one.kind == "number" and not one.unit and _PERSONS_OF.search(text, 0, one.start):
            one = replace(one, unit=_YEAR_UNIT)
        low = found[-1] if found else None
        if low is not None and _are_ends(low, one) and _JOINS.fullmatch(text, low.end, one.start):
            found[-1] = replace(low, kind="range", values=(low.values[0], one.values[0]), end=one.end, bound="")
        else:
            found.append(one)
    return tuple(found)


def _as_limit(one: Quantity, text: str) -> Quantity:
    """Return a number with the bound that the words before it set where its own words set none: `from the age of 5`."""
    if one.bound or one.kind != "number" or len(one.values) != 1:
        return one
    if not one.unit and (age := _FROM_AGE.search(text, 0, one.start)):
        return replace(one, unit=_YEAR_UNIT, bound="least" if age["least"] else "most")
    is_time = (dimension(one.unit) or ("",))[0] == "time"
    return replace(one, bound="more") if is_time and _AFTER.search(text, 0, one.start) else one


def _are_comparable(value: Quantity, limit: Quantity) -> bool:
    """Return whether a value is of the kind of a limit and of its order, so that the limit says whether it may be."""
    if (value.kind == "time") != (limit.kind == "time"):
        return False
    if value.kind == "time":
        return True
    if not _is_of_one_kind(value, limit):
        return False
    number, end = abs(value.values[0] * _ratio(value.unit, limit.unit)), max(map(abs, limit.values))
    return end > 0 and 1 / _COMPARABLE <= number / end <= _COMPARABLE


def _are_ends(low: Quantity, high: Quantity) -> bool:
    """Return whether two limits may be the ends of one: one from below, one from above, of one unit."""
    is_pair = low.bound in ("least", "more") and high.bound in ("most", "less") and low.unit == high.unit
    return is_pair and low.values[0] < high.values[0]


def _within(value: Quantity, limit: Quantity) -> bool:
    if (value.kind == "time") != (limit.kind == "time"):
        return False
    number, ends = value.values[0], limit.values
    if value.kind == "time":
        return len(ends) == 2 and not value.bound and _is_between(number, *ends)
    if not _is_of_one_kind(value, limit):
        return False
    number *= _ratio(value.unit, limit.unit)
    if value.bound:
        return _follows_from(value.bound, number, limit)
    if len(ends) == 2:
        return min(ends) <= number <= max(ends)
    return {
        "least": number >= ends[0], "more": number > ends[0], "most": number <= ends[0], "less": number < ends[0]
    }.get(limit.bound, False)  # fmt: skip


def _follows_from(bound: str, number: float, limit: Quantity) -> bool:
    """Return whether what lies beyond a number lies beyond a limit too: what is over 20 cm is over 10 cm."""
    if len(limit.values) == 2:
        return False
    if bound in ("more", "least") and limit.bound in ("more", "least"):
        return number > limit.values[0] or (number == limit.values[0] and (bound == "more" or limit.bound == "least"))
    if bound in ("less", "most") and limit.bound in ("less", "most"):
        return number < limit.values[0] or (number == limit.values[0] and (bound == "less" or limit.bound == "most"))
    return False


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


def _in_span(question: str, text: str, names: tuple[str, ...], name: re.Pattern[str], span: re.Pattern[str]) -> bool:
    asked = _named(question, names, name)
    for match in span.finditer(text) if asked else ():
        if _LEFT_AND.search(match.group()):
            low, high = names.index(match["low"].lower()), names.index(match["high"].lower())
            inside = range(low, high + 1) if low <= high else {*range(low, len(names)), *range(high + 1)}
            if asked.intersection(inside):
                return True
    return False


@lru_cache(maxsize=512)
def _named(question: str, names: tuple[str, ...], name: re.Pattern[str]) -> frozenset[int]:
    """Return which of the months or days a question names, by their place; `may` only where it is a month."""
    months = months_of_may(question)
    found = (match for match in name.finditer(question) if match["name"] != "May" or match.start() in months)
    return frozenset(names.index(match["name"].lower()) for match in found)
