"""Numbers with their units, scales, bounds, ranges and dates, read out of a sentence. Ground floor."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from rag.language.hours import Time, same_time, times
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
    (`min`, `mg/kg`, `%`), empty where there is none; `following` are the words right after it. `twelve`: a time of day
    that may be before or after noon (`8:15`).
    """

    kind: Kind
    values: tuple[float, ...]
    unit: str
    bound: Bound
    start: int
    end: int
    following: tuple[str, ...] = ()
    twelve: bool = False


_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_VALUES = {word: float(number) for number, word in enumerate(_ONES.split())}
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_VALUES |= {word: 10.0 * number for number, word in enumerate(_TENS.split(), 2)}
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0}
_SCALES |= {"mn": 1e6, "mio": 1e6, "bn": 1e9, "tn": 1e12}
_ORDINAL_WORDS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
)
_ORDINALS = {word: float(number) for number, word in enumerate(_ORDINAL_WORDS.split(), 1)}
_PARTS = {"half": 0.5, "halves": 0.5, "third": 1 / 3, "quarter": 0.25, "fourth": 0.25, "fifth": 0.2, "tenth": 0.1}
_MULTIPLES = {"once": 1.0, "twice": 2.0, "thrice": 3.0, "twofold": 2.0, "threefold": 3.0, "fourfold": 4.0}
_MONTH_NAMES = "january february march april may june july august september october november december"
_MONTHS = {name[:length]: number for number, name in enumerate(_MONTH_NAMES.split(), 1) for length in (3, len(name))}
_MONTHS["sept"] = 9

_CURRENCIES = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR"}
_NUMERAL = r"(?:\d{1,3}(?:[,\u00a0\u202f]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)*|\.\d+)"
_WORDS = "|".join(sorted([*_VALUES], key=len, reverse=True))
_SCALE = r"(?:hundred|thousand|million|billion|trillion|dozen|mn|mio|bn|tn)"
_SPELLED = rf"(?:(?:a|an|{_WORDS})(?:[-\s]+(?:and\s+)?(?:{_WORDS}|{_SCALE}s?))+|(?:{_WORDS})|a dozen|half)"
_SIGN = r"(?:(?<![\w.)\]])[-−–](?=\d|\.\d)|(?:minus|negative)\s+)"
_VALUE = (
    rf"(?:{_SIGN})?(?:[$€£¥₹]\s?{_NUMERAL}(?:\s?(?:{_SCALE}s?|[kmb])(?![^\W_]))?"
    rf"|(?:{_NUMERAL}|{_SPELLED})(?:\s?{_SCALE}s?(?![^\W_])|k(?![^\W_]))?)"
)
_FULL_UNIT = rf"(?:[\s-]?({UNIT}(?:\s?(?:/|per)\s?(?:{UNIT}|[^\W\d_]+))?))?"
_MONTH = r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
_MONTH += r"|Nov(?:ember)?|Dec(?:ember)?)\.?"
_DATE = re.compile(
    r"\b(?P<y1>\d{4})-(?P<m1>\d{2})-(?P<d1>\d{2})\b"
    rf"|\b(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s+(?P<m2>{_MONTH})(?:,?\s+(?P<y2>\d{{4}}))?\b"
    rf"|\b(?P<m3>{_MONTH})\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,?\s+(?P<y3>\d{{4}}))?\b"
    rf"|\b(?P<m4>{_MONTH}),?\s+(?P<y4>\d{{4}})\b"
)
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
_LEAST = re.compile(
    r"(?:\b(?:at least|at a minimum(?: of)?|(?:no|not) (?:less|fewer|lower|shorter|earlier) than|not (?:below|under)"
    r"|minimum(?: \w+)?(?: is| of|:)?|min\.?|more than|greater than|higher than|longer than|older than|larger than|over"
    r"|above|exceed|exceeds|exceeding|exceeded|surpass\w*|starting (?:at|from)|from)|[>≥]=?)\s*(?:the |a |of )?$",
    re.IGNORECASE,
)
_MOST = re.compile(
    r"(?:\b(?:at (?:the )?most|up to|(?:no|not) (?:more|greater|longer|higher|older|later) than"
    r"|(?:not|never|cannot|without|n't) (?:to )?(?:be )?(?:exceed|exceeding|exceeded|over|above|surpass"
    r"|(?:more|greater|longer|higher|older|later) than)"
    r"|maximum(?: \w+)?(?: is| of|:)?|max\.?|less than|fewer than|lower than|shorter than|younger than|smaller than"
    r"|under|below|within|until|limited to|a limit of)|[<≤]=?)\s*(?:the |a |of )?$",
    re.IGNORECASE,
)
_NOT_BELOW = re.compile(
    r"\b(?:not?|never|n't)(?: \w+)? (?:(?:fall |drop )?below|under"
    r"|(?:less|fewer|lower|shorter|younger|smaller|earlier) than)\s*$",
    re.IGNORECASE,
)
_BELOW = re.compile(
    r"(?:\b(?:less|fewer|lower|shorter|younger|smaller) than|\b(?:under|below)|<)\s*(?:the |a )?$", re.IGNORECASE
)
_ABOVE = re.compile(
    r"(?:\b(?:(?:more|greater|higher|longer|older|larger) than|over|above|exceed(?:s|ed|ing)?|surpass\w*)|>)"
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


_BOUND_SIDES = {"": 0, "least": 1, "more": 1, "most": -1, "less": -1}
_STRICT = ("more", "less")


@lru_cache(maxsize=2048)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Return the numbers of a sentence in order: numerals, spelled-out numbers, ordinals, ranges, dates, frequencies.

    >>> [(found.values, found.unit) for found in quantities("two drums of 1.5 million litres at 5%")]
    [((2.0,), ''), ((1500000.0,), 'l'), ((5.0,), '%')]
    >>> quantities("From 10 to 15 minutes")[0].values, quantities("on 3 May 2021")[0].values
    ((10.0, 15.0), (2021.0, 5.0, 3.0))
    """
    dates = [_date(match) for match in _DATE.finditer(text)]
    dates += [Quantity("decade", (year,), "", "", start, end) for year, start, end in decades(text)]
    masked = _masked(text, dates)
    hours = [_time_of_day(time, text) for time in times(masked)]
    masked = _masked(masked, hours)
    often = [_frequency(period, text) for period in periods(masked)]
    often += [_frequency(period, text) for period in rates(_masked(masked, often), UNITS)]
    found = [quantity for match in _matches(_masked(masked, often)) for quantity in _read(match, text)]
    return tuple(sorted([*dates, *hours, *often, *found], key=lambda quantity: quantity.start))


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
    return Quantity("time", time.minutes, "", bound, time.start, time.end, twelve=time.twelve)


_TOKEN = re.compile(r"[^\W_]+")
_HEADS = frozenset([*_VALUES, *_ORDINALS, *_MULTIPLES, *_PARTS, "dozen", "hundred", "thousand", "million", "billion"])
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
        return stated.kind == "date" and all(a in (0.0, b) for a, b in zip(claimed.values, stated.values, strict=True))
    if claimed.kind == "number" and stated.kind == "date":
        return claimed.unit == "" and claimed.values[0] == stated.values[0] > 0
    if "time" in (claimed.kind, stated.kind):
        return _same_hour(claimed, stated)
    if claimed.kind != stated.kind:
        return False
    claimed, stated = _in_one_unit(claimed, stated)
    if len(claimed.values) != len(stated.values) or any(
        abs(a - b) > 1e-9 * max(1.0, min(abs(a), abs(b))) for a, b in zip(claimed.values, stated.values, strict=True)
    ):
        return False
    return _same_unit(claimed, stated)


def _same_hour(claimed: Quantity, stated: Quantity) -> bool:
    """Return whether two times of day are one; a bare number may be one on the hour: `open from 9 to 11`."""
    if any(one.kind != "time" and not _may_be_hour(one) for one in (claimed, stated)):
        return False
    loose = claimed.twelve or (claimed.kind != "time" and max(claimed.values) <= 12)
    return same_time(_minutes_of(claimed), _minutes_of(stated), loose=loose)


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
    return replace(claimed, values=tuple(value * scale for value in claimed.values), unit=stated.unit), stated


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
    if one.kind == "frequency" or one.unit == other.unit:
        return one.unit != "" or is_year(one) == is_year(other)
    return (not one.unit and not is_year(one)) or (not other.unit and not is_year(other))


_FOLLOWING_YEAR = "and or the a in to on at by with of was is were but when as for"
_AFTER_YEAR = frozenset(_FOLLOWING_YEAR.split())
_AFTER_HOUR = _AFTER_YEAR | {"every", "each", "daily", "until", "till", "from", "sharp", "o"}


def is_year(quantity: Quantity) -> bool:
    """Return whether a number is written as a year: 1000 to 2100, whole, with no unit and no noun after it."""
    value = quantity.values[0]
    counted = quantity.following and quantity.following[0] not in _AFTER_YEAR
    whole = quantity.kind != "time" and value.is_integer()
    return not quantity.unit and 1000 <= value <= 2100 and whole and not counted


def _date(match: re.Match[str]) -> Quantity:
    parts = match.groupdict()
    year = next((parts[name] for name in ("y1", "y2", "y3", "y4") if parts[name]), "0")
    day = next((parts[name] for name in ("d1", "d2", "d3") if parts[name]), "0")
    month = next(parts[name] for name in ("m1", "m2", "m3", "m4") if parts[name])
    number = float(month) if month.isdigit() else float(_MONTHS[month.rstrip(".").casefold()])
    return Quantity("date", (float(year), number, float(day)), "", "", match.start(), match.end())


def _read(match: re.Match[str], text: str) -> Iterator[Quantity]:
    """Yield the quantities of one match: none for the pronoun `one`, two for `5 and 6` that is no range."""
    before, after = text[max(0, match.start() - 40) : match.start()], text[match.end() : match.end() + 40]
    following = tuple(word.casefold() for word in _WORD.findall(re.split(r"[.,;:()|]", after)[0])[:4])
    common = {"start": match.start(), "end": match.end(), "following": following}
    if match["ordinal"]:
        word = match["ordinal"].casefold()
        value = _ORDINALS[word] if word in _ORDINALS else float(word[:-2])
        if word != "second" or not re.search(r"\b(?:per|a|each|every)\s+$", before):
            yield Quantity("ordinal", (value,), "", "", **common)  # type: ignore[arg-type]
    elif match["multiple"]:
        yield Quantity("number", (_MULTIPLES[match["multiple"].casefold()],), "times", "", **common)  # type: ignore[arg-type]
    elif match["part"]:
        value = _VALUES.get(match["count"].casefold(), 1.0) * _PARTS[match["share"].casefold()]
        yield Quantity("number", (value,), "", "", **common)  # type: ignore[arg-type]
    elif match["low"]:
        yield from _range(match, before, after, following)
    elif not _is_pronoun(match["value"], before, after):
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
    """Return a value of its own for a name such as `version 2.10`, which is not version 2.1; else the value."""
    if unit or not _STEPPED.fullmatch(text) or text.endswith(".0") or not _LABELLED.search(before):
        return value
    return float(int.from_bytes(text.encode(), "big"))


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
    if alike and not listed and (low < high or _BETWEEN.search(before)) and not _starts_change(match, low, low_unit):
        yield Quantity("range", (low, high), unit, "", match.start(), match.end(), following)
        return
    middle = match.end(_LOW_UNIT) if match[_LOW_UNIT] else match.end("low")
    lent = "" if not low_unit and 1000 <= low <= 2100 and _OF_YEAR.search(before) else high_unit
    first = Quantity("number", (low,), low_unit or lent, _bound(before, ""), match.start(), middle)
    yield first
    yield replace(first, values=(high,), unit=unit, bound=_bound("", after), start=match.start("high"), end=match.end())


def _starts_change(match: re.Match[str], low: float, low_unit: str) -> bool:
    """Return whether `2019 to $1.5 billion` is a year and then an amount, no range."""
    return not low_unit and 1900 <= low <= 2100 and bool(re.search(r"[$€£¥₹]|[a-z%°]", match["high"] + match[0][-1]))


def _is_pronoun(value: str, before: str, after: str) -> bool:
    return value.casefold() == "one" and bool(_PRONOUN_ONE.search(before) or _AFTER_ONE.search(after))


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
    folded = text.casefold().replace("−", "-").replace("–", "-")
    currency = next((code for sign, code in _CURRENCIES.items() if sign in folded), "")
    sign = -1.0 if re.match(r"\s*(?:-|minus|negative)", folded) else 1.0
    numeral = re.search(_NUMERAL, folded)
    factor = 1.0
    if numeral:
        value = _numeral(numeral[0])
        for word in _WORD.findall(folded[numeral.end() :]):
            factor *= (
                {"k": 1e3, "m": 1e6, "b": 1e9}.get(word) or _SCALES.get(word) or _SCALES.get(word.rstrip("s"), 1.0)
            )
    else:
        value = _spelled(_WORD.findall(folded))
    return sign * value * factor, currency or canonical(unit)


def _numeral(text: str) -> float:
    text = text.replace("\u00a0", "").replace("\u202f", "")
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", text):
        return float(text.replace(",", ""))
    if re.fullmatch(r"\d+,\d{1,2}", text):
        return float(text.replace(",", "."))
    if text.count(".") > 1 or "," in text:  # a version, a list, a section number: any injective reading will do
        return float(int.from_bytes(text.encode(), "big"))
    return float(text)


def _spelled(parts: list[str]) -> float:
    total, current = 0.0, 0.0
    for part in parts:
        scale = _SCALES.get(part) or _SCALES.get(part.rstrip("s"))
        if part == "half":
            current += 0.5
        elif part in _VALUES:
            current += _VALUES[part]
        elif scale is not None and scale <= 100:
            current = (current or 1.0) * scale
        elif scale is not None:
            total, current = total + (current or 1.0) * scale, 0.0
    return total + current
