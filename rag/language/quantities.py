"""Numbers with their units, scales, bounds, ranges and dates, read out of a sentence. Ground floor."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isclose
from typing import Literal

from rag.language.dates import Date, dates, same_date
from rag.language.hours import Time, same_time, times
from rag.language.numerals import NUMERAL, SHARES, VALUES, Written, share_of, value_of
from rag.language.periods import Period, decades, periods, rates
from rag.language.units import UNIT, UNITS, canonical, dimension

Kind = Literal["number", "ordinal", "range", "date", "decade", "frequency", "time"]
Bound = Literal["", "least", "most", "more", "less"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as a sentence states it.

    `values` is `(value,)`, for a range `(low, high)`, for a date `(year, month, day)` with 0 for what is not said, for
    a decade (`the 1920s`) its first year, for a frequency (`every week`) the time from one to the next, `(7.0,)` with
    the unit `d`, for a time of day (`8:15 p.m.`) or a span of them its minutes since midnight; `unit` is canonical
    (`min`, `mg/kg`, `%`), empty where there is none; `following` are the words right after it. A value that a float
    does not hold, or that is a name (`version 4.2.10`), is `Written`. `twelve`: a time of day that may be before or
    after noon (`8:15`); `full`: one in 24-hour notation (`20:15`); `either`: a date that may have its month first
    (`03.04.2024`).
    """

    kind: Kind
    values: tuple[float, ...]
    unit: str
    bound: Bound
    start: int
    end: int
    following: tuple[str, ...] = ()
    twelve: bool = False
    full: bool = False
    either: bool = False


_ORDINAL_WORDS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
)
_ORDINALS = {word: float(number) for number, word in enumerate(_ORDINAL_WORDS.split(), 1)}
_MULTIPLES = {"once": 1.0, "twice": 2.0, "thrice": 3.0, "twofold": 2.0, "threefold": 3.0, "fourfold": 4.0}

_CURRENCIES = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR"}
_WORDS = "|".join(sorted([*VALUES], key=len, reverse=True))
_SCALE = r"(?:hundred|thousand|million|billion|trillion|dozen|mn|mio|bn|tn)"
_SPELLED = rf"(?:(?:a|an|{_WORDS})(?:[-\s]+(?:and\s+)?(?:{_WORDS}|{_SCALE}s?))+|(?:{_WORDS})|a dozen|half)"
_SIGN = r"(?:(?<![\w.)\]])[-−–](?=\d|\.\d)|(?:minus|negative)\s+)"
_VALUE = (
    rf"(?:{_SIGN})?(?:[$€£¥₹]\s?{NUMERAL}(?:\s?(?:{_SCALE}s?|[kmb])(?![^\W_]))?"
    rf"|(?:{NUMERAL}|{_SPELLED})(?:\s?{_SCALE}s?(?![^\W_])|k(?![^\W_]))?)"
)
_RATE = (
    r"\s(?:an?|each)\s(?:second|minute|hour|day|night|week|month|year|person|guest|head|kilo|kilogram|lit(?:re|er)"
    r"|met(?:re|er)|kilomet(?:re|er)|mile)\b(?!\s(?:later|ago|earlier|before|after|old))"
)
"""What makes a rate of a number with a unit: `90 euros a night`."""
_FULL_UNIT = rf"(?:[\s-]?({UNIT}(?:\s?(?:/|per)\s?(?:{UNIT}|[^\W\d_]+)|{_RATE})?))?"
_QUANTITY = re.compile(
    rf"(?<![^\W_])(?<![^\W\d_][-.])(?:(?P<ordinal>\d+(?:st|nd|rd|th)\b|(?:{'|'.join(_ORDINALS)})\b(?!s))"
    rf"|(?P<multiple>{'|'.join(_MULTIPLES)})\b"
    rf"|(?P<part>(?P<count>{_WORDS}|an?)[-\s](?P<share>half|third|quarter|fourth|fifth|tenth)s?)\b(?!\s+of\s+\d)"
    rf"|(?P<low>{_VALUE}){_FULL_UNIT}(?:\s?[-–—]\s?(?=[\d.$€£])|\s+to\s+|\s+and\s+)(?P<high>{_VALUE}){_FULL_UNIT}(?![^\W_])"
    rf"|(?P<value>{_VALUE}){_FULL_UNIT}(?![^\W_]))",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\b(?:between|from|range[sd]?(?: of| from)?)\s+$", re.IGNORECASE)
_OF_YEAR = re.compile(r"\b(?:in|since|during|until|year|fiscal|FY)\s+$", re.IGNORECASE)
"""What stands before a year, so that `in 2019 and 7 kg` is none of `2019 kg`."""
_UPWARD = "more|greater|higher|longer|older|larger|faster|heavier|deeper|wider|taller|thicker|warmer|hotter|stronger"
_DOWNWARD = "less|fewer|lower|shorter|younger|smaller|slower|lighter|narrower|thinner|colder|cooler|weaker"
_LEAST = re.compile(
    rf"(?:\b(?:at least|at a minimum(?: of)?|(?:no|not) (?:{_DOWNWARD}|earlier) than|not (?:below|under)"
    rf"|minimum(?: \w+)?(?: is| of|:)?|min\.?|(?:{_UPWARD}) than|over"
    r"|above|exceed|exceeds|exceeding|exceeded|surpass\w*|starting (?:at|from)|from)|[>≥]=?)\s*(?:the |a |of )?$",
    re.IGNORECASE,
)
_MOST = re.compile(
    rf"(?:\b(?:at (?:the )?most|up to|(?:no|not) (?:{_UPWARD}|later) than"
    r"|(?:not|never|cannot|without|n't) (?:to )?(?:be )?(?:exceed|exceeding|exceeded|over|above|surpass"
    rf"|(?:{_UPWARD}|later) than)"
    rf"|maximum(?: \w+)?(?: is| of|:)?|max\.?|(?:{_DOWNWARD}) than"
    r"|under|below|within|until|limited to|a limit of)|[<≤]=?)\s*(?:the |a |of )?$",
    re.IGNORECASE,
)
_NOT_BELOW = re.compile(
    r"\b(?:not?|never|n't)(?: \w+)? (?:(?:fall |drop )?below|under"
    rf"|(?:{_DOWNWARD}|earlier) than)\s*$",
    re.IGNORECASE,
)
_BELOW = re.compile(rf"(?:\b(?:{_DOWNWARD}) than|\b(?:under|below)|<)\s*(?:the |a )?$", re.IGNORECASE)
_ABOVE = re.compile(
    rf"(?:\b(?:(?:{_UPWARD}) than|over|above|exceed(?:s|ed|ing)?|surpass\w*)|>)"
    r"\s*(?:the |a )?$",
    re.IGNORECASE,
)
_OR_MORE = re.compile(r"^\s*(?:or (?:more|above|over|higher|longer|older|greater)|minimum|and (?:above|over|older))\b")
_OR_LESS = re.compile(r"^\s*(?:or (?:less|below|under|fewer|lower|shorter|younger)|maximum|max)\b")
_WORD = re.compile(r"[^\W\d_]+")
_PRONOUN_ONE = re.compile(
    r"\b(?:no|any|some|every|each|the|this|that|another|which|only)[\s-]+$|\b(?:a|an)\s+\w+\s+$", re.IGNORECASE
)
_AFTER_ONE = re.compile(
    r"^\s*(?:of\b|another\b|should\b|must\b|can\b|may\b|who\b|that\b|'s\b|has\b|is\b|or\b|and\b|[.,;])"
)
_COMPARED = re.compile(r"\b(?:as|than)\s+$", re.IGNORECASE)
_PLACED = re.compile(r"\s*(?:in|on|at|from|for|with)\b", re.IGNORECASE)


_BOUND_SIDES = {"": 0, "least": 1, "more": 1, "most": -1, "less": -1}
_STRICT = ("more", "less")
_ROUNDING = 5e-15
"""The relative error of a value converted from one unit into another."""


@lru_cache(maxsize=2048)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Return the numbers of a sentence in order: numerals, spelled-out numbers, ordinals, ranges, dates, frequencies.

    >>> [(found.values, found.unit) for found in quantities("two drums of 1.5 million litres at 5%")]
    [((2.0,), ''), ((1500000.0,), 'l'), ((5.0,), '%')]
    >>> quantities("From 10 to 15 minutes")[0].values, quantities("on 3 May 2021")[0].values
    ((10.0, 15.0), (2021.0, 5.0, 3.0))
    """
    days = [_date(date) for date in dates(text)]
    days += [Quantity("decade", (year,), "", "", start, end) for year, start, end in decades(text)]
    masked = _masked(text, days)
    hours = [_time_of_day(time, text) for time in times(masked)]
    masked = _masked(masked, hours)
    often = [_frequency(period, text) for period in periods(masked)]
    often += [_frequency(period, text) for period in rates(_masked(masked, often), UNITS)]
    found = [quantity for match in _matches(_masked(masked, often)) for quantity in _read(match, text)]
    return tuple(sorted([*days, *hours, *often, *found], key=lambda quantity: quantity.start))


def _masked(text: str, found: Sequence[Quantity]) -> str:
    for quantity in found:
        text = text[: quantity.start] + "\ue000" * (quantity.end - quantity.start) + text[quantity.end :]
    return text


def _frequency(period: Period, text: str) -> Quantity:
    bound = _bound(text[max(0, period.start - 40) : period.start], text[period.end : period.end + 40])
    return Quantity("frequency", (period.interval,), period.unit, bound, period.start, period.end)


def _time_of_day(time: Time, text: str) -> Quantity:
    alone = len(time.minutes) == 1
    bound = _bound(text[max(0, time.start - 40) : time.start], text[time.end : time.end + 40]) if alone else ""
    return Quantity("time", time.minutes, "", bound, time.start, time.end, twelve=time.twelve, full=time.full)


def _date(date: Date) -> Quantity:
    return Quantity("date", date.parts, "", "", date.start, date.end, either=date.either)


_TOKEN = re.compile(r"[^\W_]+")
_HEADS = frozenset([*VALUES, *_ORDINALS, *_MULTIPLES, *SHARES, "dozen", "hundred", "thousand", "million", "billion"])
_PREFIX = re.compile(r"(?:(?<![^\W_])(?:minus|negative|an?)[-\s]+|[-−–])?(?:[$€£¥₹]\s?)?\.?$", re.IGNORECASE)


def _matches(text: str) -> Iterator[re.Match[str]]:
    """Yield the quantities of a text; the large pattern is tried only where one can begin."""
    end = 0
    for token in _TOKEN.finditer(text):
        if token.start() < end or not (token[0][0].isdigit() or token[0].casefold() in _HEADS):
            continue
        prefix = _PREFIX.search(text, max(end, token.start() - 12), token.start())
        match = (prefix and _QUANTITY.match(text, prefix.start())) or _QUANTITY.match(text, token.start())
        if match:
            end = match.end()
            yield match


def same_quantity(claimed: Quantity, stated: Quantity) -> bool:
    """Return whether what a claim says of a number is what a text states: value, unit, kind, and no other bound.

    A strict bound (`more than 5`) is neither left out nor put in.
    """
    if _BOUND_SIDES[claimed.bound] * _BOUND_SIDES[stated.bound] < 0 or (stated.bound in _STRICT and not claimed.bound):
        return False
    if claimed.bound in _STRICT and stated.bound not in _STRICT:
        return False
    if claimed.kind == "date":
        turned = claimed.either != stated.either  # two in digits are taken to be written the same way
        return stated.kind == "date" and same_date(claimed.values, stated.values, turned=turned)
    if claimed.kind == "number" and stated.kind == "date":
        return claimed.unit == "" and claimed.values[0] == stated.values[0] > 0
    if "time" in (claimed.kind, stated.kind):
        return _same_hour(claimed, stated)
    if claimed.kind != stated.kind:
        return False
    one, other = _in_one_unit(claimed, stated)
    reckoned = one is not claimed or claimed.kind == "frequency"
    return _same_values(one.values, other.values, reckoned=reckoned) and _same_unit(one, other)


def _same_values(claimed: Sequence[float], stated: Sequence[float], *, reckoned: bool) -> bool:
    """Return whether numbers are equal: exactly, or within what a float loses where they were `reckoned` with."""
    if len(claimed) != len(stated):
        return False
    pairs = list(zip(claimed, stated, strict=True))
    if not reckoned or any(isinstance(value, Written) for pair in pairs for value in pair):
        return all(a == b for a, b in pairs)
    return all(isclose(a, b, rel_tol=_ROUNDING, abs_tol=0.0) for a, b in pairs)


def _same_hour(claimed: Quantity, stated: Quantity) -> bool:
    """Return whether two times of day are one; a bare number may be one on the hour: `open from 9 to 11`."""
    if any(one.kind != "time" and not _may_be_hour(one) for one in (claimed, stated)):
        return False
    loose = claimed.twelve or (claimed.kind != "time" and max(claimed.values) <= 12)
    full = stated.full or (stated.kind != "time" and max(stated.values) > 12)
    return same_time(_minutes_of(claimed), _minutes_of(stated), loose=loose, full=full)


def _minutes_of(quantity: Quantity) -> tuple[float, ...]:
    return quantity.values if quantity.kind == "time" else tuple(60 * value for value in quantity.values)


def _may_be_hour(quantity: Quantity) -> bool:
    whole = all(value.is_integer() and 0 <= value <= 24 for value in quantity.values)
    alone = not quantity.unit and (not quantity.following or quantity.following[0] in _AFTER_HOUR)
    return quantity.kind in ("number", "range") and whole and alone


def _in_one_unit(claimed: Quantity, stated: Quantity) -> tuple[Quantity, Quantity]:
    """Return two quantities of one dimension in one unit where theirs differ: 1.5 h and 90 min, 500 mg and 0.5 g."""
    one, other = dimension(claimed.unit), dimension(stated.unit)
    if claimed.unit == stated.unit or one is None or other is None or one[0] != other[0]:
        return claimed, stated
    scale = one[1] / other[1]
    values = tuple(value if isinstance(value, Written) else value * scale for value in claimed.values)
    return replace(claimed, values=values, unit=stated.unit), stated


def _same_unit(claimed: Quantity, stated: Quantity) -> bool:
    if claimed.unit and stated.unit:
        return claimed.unit == stated.unit or (
            (claimed.unit == "deg" and stated.unit in ("C", "F"))
            or (stated.unit == "deg" and claimed.unit in ("C", "F"))
        )
    if stated.unit and not claimed.unit:
        return stated.unit not in ("%", "pp", "times") and not claimed.following
    return True


def comparable(one: Quantity, other: Quantity) -> bool:
    """Return whether two numbers could be confused: the same kind, and units that are equal or not given."""
    if one.kind != other.kind and not {one.kind, other.kind} <= {"number", "range", "decade"}:
        return False
    one, other = _in_one_unit(one, other)
    if one.kind == "frequency" or one.unit == other.unit or is_rate_of(one, other) or is_rate_of(other, one):
        return one.unit != "" or is_year(one) == is_year(other)
    return (not one.unit and not is_year(one)) or (not other.unit and not is_year(other))


def is_rate_of(rate: Quantity, other: Quantity) -> bool:
    """Return whether one number has the other's unit and says per what, too: `14 euros a night` beside `22 euros`."""
    base, _, per = rate.unit.partition("/")
    return bool(per) and base == other.unit


_FOLLOWING_YEAR = (
    "and or the a in to on at by with of was is were but when as for after before until till once while since although "
    "because which who that it he she they had has"
)
_AFTER_YEAR = frozenset(_FOLLOWING_YEAR.split())
_AFTER_HOUR = _AFTER_YEAR | {"every", "each", "daily", "until", "till", "from", "sharp", "o"}


def is_year(quantity: Quantity) -> bool:
    """Return whether a number is written as a year: 1000 to 2100, whole, with no unit and no noun after it."""
    value = quantity.values[0]
    counted = quantity.following and quantity.following[0] not in _AFTER_YEAR
    whole = quantity.kind != "time" and value.is_integer()
    return not quantity.unit and 1000 <= value <= 2100 and whole and not counted


def _read(match: re.Match[str], text: str) -> Iterator[Quantity]:
    """Yield the quantities of one match: none for the pronoun `one`, two for `5 and 6` that is no range."""
    before, after = text[max(0, match.start() - 40) : match.start()], text[match.end() : match.end() + 40]
    following = tuple(word.casefold() for word in _WORD.findall(re.split(r"[.,;:()|]", after)[0])[:4])
    common = {"start": match.start(), "end": match.end(), "following": following}
    if match["ordinal"]:
        word = match["ordinal"].casefold()
        value = _ORDINALS[word] if word in _ORDINALS else float(word[:-2])
        if word != "second" or not re.search(r"\b(?:per|a|each|every)\s+$", before, re.IGNORECASE):
            yield Quantity("ordinal", (value,), "", "", **common)  # type: ignore[arg-type]
    elif match["multiple"]:
        if match["multiple"].casefold() == "once" and _CLAUSE_AFTER_ONCE.match(after):
            return
        yield Quantity("number", (_MULTIPLES[match["multiple"].casefold()],), "times", "", **common)  # type: ignore[arg-type]
    elif match["part"]:
        value = share_of(match["count"].casefold(), match["share"].casefold())
        yield Quantity("number", (value,), "", "", **common)  # type: ignore[arg-type]
    elif match["low"]:
        yield from _range(match, before, after, following)
    elif (match[_LAST_UNIT] or "").casefold() == "in" and _is_pronoun(match["value"], before, " in"):
        return  # `half as much as one in the inn` is no inch
    elif match[_LAST_UNIT] or not _is_pronoun(match["value"], before, after):
        value, unit = _value(match["value"], match[_LAST_UNIT])
        value = _as_label(match["value"], value, before, unit)
        yield Quantity("number", (value,), unit, _bound(before, after), **common)  # type: ignore[arg-type]


_LABELLED = re.compile(
    r"(?:\b(?i:versions?|ver|releases?|sections?|chapters?|clauses?|paragraphs?|articles?|figures?|tables?|appendix|annex"
    r"|steps?|rules?|items?|parts?|builds?|no|nos|numbers?)\.?|§|\b[vV]\.?|\b[A-Z][\w+#-]*)\s*$"
)
"""What stands before a number that is a name: `version 2.10`, `section 4.20`, `Python 3.10`."""
_STEPPED = re.compile(r"\d+\.\d*0")


def _as_label(text: str, value: float, before: str, unit: str) -> float:
    """Return a name such as `version 2.10` as it is written, so that it is not version 2.1; else the value."""
    is_label = not unit and _STEPPED.fullmatch(text) and not text.endswith(".0") and _LABELLED.search(before)
    return Written(text) if is_label else value


_CLAUSE_AFTER_ONCE = re.compile(
    r"\s+(?:(?:the|an?|this|these|that|those|your|their|its|his|her|all|any|no)\s+"
    r"(?:[^\W\d_]+(?:['’-][^\W\d_]+)?\s+){1,4}?(?:is|are|was|were|has|have|had|can|may|must|will)|it|they|he|she|you|we|i)\b",
    re.IGNORECASE,
)
"""What makes a conjunction of `once`: `once a work is recorded`."""
_LAST_UNIT = _QUANTITY.groups
_LOW_UNIT, _HIGH_UNIT = _QUANTITY.groupindex["low"] + 1, _QUANTITY.groupindex["high"] + 1


def _range(match: re.Match[str], before: str, after: str, following: tuple[str, ...]) -> Iterator[Quantity]:
    """Yield a range, or two numbers where `5 and 6` is none."""
    low, low_unit = _value(match["low"], match[_LOW_UNIT])
    high, high_unit = _value(match["high"], match[_HIGH_UNIT])
    if not low_unit and re.search(r"(?:hundred|thousand)$", match["low"]) and not re.search(r"\d", match["high"]):
        yield Quantity("number", (low + high,), high_unit, _bound(before, after), match.start(), match.end(), following)
        return
    joined = match.string[match.end("low") : match.start("high")]
    unit = high_unit or low_unit
    listed = re.search(r"\band\b", joined, re.IGNORECASE) and not _BETWEEN.search(before)
    alike = not low_unit or low_unit == high_unit
    rises = low < high or (isinstance(low, Written) and isinstance(high, Written))
    if alike and not listed and (rises or _BETWEEN.search(before)) and not _starts_change(match, low, low_unit):
        yield Quantity("range", (low, high), unit, "", match.start(), match.end(), following)
        return
    middle = match.end(_LOW_UNIT) if match[_LOW_UNIT] else match.end("low")
    lent = "" if not low_unit and 1000 <= low <= 2100 and _OF_YEAR.search(before) else high_unit
    if not high_unit and listed and following and following[0] not in _AFTER_YEAR:
        unit = ""  # `one hour and 25 crowns`: the unit is not that of the crowns
    first = Quantity("number", (low,), low_unit or lent, _bound(before, ""), match.start(), middle)
    yield first
    yield replace(first, values=(high,), unit=unit, bound=_bound("", after), start=match.start("high"), end=match.end())


def _starts_change(match: re.Match[str], low: float, low_unit: str) -> bool:
    """Return whether `2019 to $1.5 billion` is a year and then an amount, no range."""
    return not low_unit and 1900 <= low <= 2100 and bool(re.search(r"[$€£¥₹]|[a-z%°]", match["high"] + match[0][-1]))


def _is_pronoun(value: str, before: str, after: str) -> bool:
    if value.casefold() != "one":
        return False
    return bool(_PRONOUN_ONE.search(before) or _AFTER_ONE.search(after)) or bool(
        _COMPARED.search(before) and _PLACED.match(after)
    )


def _bound(before: str, after: str) -> Bound:
    if _NOT_BELOW.search(before):
        return "least"
    if _MOST.search(before) or _OR_LESS.search(after):
        return "less" if _BELOW.search(before) else "most"
    if _LEAST.search(before) or _OR_MORE.search(after):
        return "more" if _ABOVE.search(before) else "least"
    return ""


def _value(text: str, unit: str | None) -> tuple[float, str]:
    """Return the number that a text such as `$1.5 million` or `twenty-five` names, and its canonical unit."""
    currency = next((code for sign, code in _CURRENCIES.items() if sign in text), "")
    return value_of(text), currency or canonical(unit)
