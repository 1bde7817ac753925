"""Numbers with their units, scales, ranges and dates, read out of a sentence. Ground floor."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from rag.language.bounds import Bound, bound_of
from rag.language.dates import Date, dates
from rag.language.hours import Time, times
from rag.language.numerals import NUMERAL, SHARES, VALUES, Written, share_of, value_of
from rag.language.periods import Period, decades, periods, rates
from rag.language.units import UNIT, UNITS, canonical

Kind = Literal["number", "ordinal", "range", "date", "decade", "frequency", "time"]


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
_WORD = re.compile(r"[^\W\d_]+")
_PRONOUN_ONE = re.compile(
    r"\b(?:no|any|some|every|each|the|this|that|another|which|only)[\s-]+$|\b(?:a|an)\s+\w+\s+$", re.IGNORECASE
)
_AFTER_ONE = re.compile(
    r"^\s*(?:of\b|another\b|should\b|must\b|can\b|may\b|who\b|that\b|'s\b|has\b|is\b|or\b|and\b|[.,;])"
)
_COMPARED = re.compile(r"\b(?:as|than)\s+$", re.IGNORECASE)
_PLACED = re.compile(r"\s*(?:in|on|at|from|for|with)\b", re.IGNORECASE)


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
    bound = bound_of(text[max(0, period.start - 40) : period.start], text[period.end : period.end + 40])
    return Quantity("frequency", (period.interval,), period.unit, bound, period.start, period.end)


def _time_of_day(time: Time, text: str) -> Quantity:
    alone = len(time.minutes) == 1
    bound = bound_of(text[max(0, time.start - 40) : time.start], text[time.end : time.end + 40]) if alone else ""
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


_FOLLOWING_YEAR = (
    "and or the a in to on at by with of was is were but when as for after before until till once while since although "
    "because which who that it he she they had has"
)
AFTER_YEAR = frozenset(_FOLLOWING_YEAR.split())
"""Words that may follow a year; after any other word a number counts something."""


def is_year(quantity: Quantity) -> bool:
    """Return whether a number is written as a year: 1000 to 2100, whole, with no unit and no noun after it."""
    value = quantity.values[0]
    counted = quantity.following and quantity.following[0] not in AFTER_YEAR
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
        yield Quantity("number", (value,), unit, bound_of(before, after), **common)  # type: ignore[arg-type]


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
    r"(?:[^\W\d_]+(?:['’-][^\W\d_]+)?\s+){1,4}?(?:is|are|was|were|has|have|had|can|may|must|will)|it|they|he|she|you|we|i)\b"
    r"|\s+(?:(?:fully|completely)\s+)?[^\W\d_]+(?:ed|[eo]wn|en)(?=\s*(?:[,.;]|$))",
    re.IGNORECASE,
)
"""What makes a conjunction of `once`: `once a work is recorded`, `once opened,`."""
_LAST_UNIT = _QUANTITY.groups
_LOW_UNIT, _HIGH_UNIT = _QUANTITY.groupindex["low"] + 1, _QUANTITY.groupindex["high"] + 1


def _range(match: re.Match[str], before: str, after: str, following: tuple[str, ...]) -> Iterator[Quantity]:
    """Yield a range, or two numbers where `5 and 6` is none."""
    low, low_unit = _value(match["low"], match[_LOW_UNIT])
    high, high_unit = _value(match["high"], match[_HIGH_UNIT])
    if not low_unit and re.search(r"(?:hundred|thousand)$", match["low"]) and not re.search(r"\d", match["high"]):
        yield Quantity(
            "number", (low + high,), high_unit, bound_of(before, after), match.start(), match.end(), following
        )
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
    if not high_unit and listed and following and following[0] not in AFTER_YEAR:
        unit = ""  # `one hour and 25 crowns`: the unit is not that of the crowns
    first = Quantity("number", (low,), low_unit or lent, bound_of(before, ""), match.start(), middle)
    yield first
    yield replace(
        first, values=(high,), unit=unit, bound=bound_of("", after), start=match.start("high"), end=match.end()
    )


def _starts_change(match: re.Match[str], low: float, low_unit: str) -> bool:
    """Return whether `2019 to $1.5 billion` is a year and then an amount, no range."""
    return not low_unit and 1900 <= low <= 2100 and bool(re.search(r"[$€£¥₹]|[a-z%°]", match["high"] + match[0][-1]))


def _is_pronoun(value: str, before: str, after: str) -> bool:
    if value.casefold() != "one":
        return False
    return bool(_PRONOUN_ONE.search(before) or _AFTER_ONE.search(after)) or bool(
        _COMPARED.search(before) and _PLACED.match(after)
    )


def _value(text: str, unit: str | None) -> tuple[float, str]:
    """Return the number that a text such as `$1.5 million` or `twenty-five` names, and its canonical unit."""
    currency = next((code for sign, code in _CURRENCIES.items() if sign in text), "")
    return value_of(text), currency or canonical(unit)
