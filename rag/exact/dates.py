"""Dates and times of day in a text, whichever way they are written."""

import re
from calendar import month_name
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_MONTHS: Final = {name[:3].casefold(): number for number, name in enumerate(month_name) if name}
_NAMES: Final = "|".join(rf"{name[:3]}(?:{name[3:]})?" if name != "May" else name for name in month_name if name)
_MONTH: Final = rf"(?P<month>Sept|{_NAMES})(?!\w)\.?"
_DAY: Final = r"\d{1,2}(?:st|nd|rd|th)?(?![\d:]|\.\d)"
_TO: Final = r"\s?(?:-|–|—|to|and|or|until|till|,)\s?"
_NAMED: Final = (
    re.compile(
        rf"(?<![\w.,])(?:(?P<first>{_DAY}){_TO}(?:the\s)?)?(?P<day>{_DAY})\s(?:of\s)?{_MONTH}(?:,?\s(?P<year>\d{{4}})(?!\d))?",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?<!\w){_MONTH}\s(?:the\s)?(?:(?P<first>{_DAY}){_TO})?(?P<day>{_DAY})(?:,?\s(?P<year>\d{{4}})(?!\d))?",
        re.IGNORECASE,
    ),
    re.compile(rf"(?<!\w){_MONTH},?\s(?:of\s)?(?P<year>\d{{4}})(?!\d)", re.IGNORECASE),
    re.compile(rf"(?<!\w){_MONTH}"),
)
_IN_DIGITS: Final = (
    re.compile(r"(?<![\w-])(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)(?!\d)"),
    re.compile(r"(?<![\w./-])(?P<day>\d\d?)(?P<mark>[./-])(?P<month>\d\d?)(?P=mark)(?P<year>[12]\d{3})(?!\w)"),
)
_TIME: Final = re.compile(
    r"(?<![\w.])(?P<part>0\.5|0\.25|half|quarter)\s(?P<side>past|to)\s(?P<of>\d\d?)\b"
    r"|(?<![\w.,:])(?:(?P<low>\d\d?)(?:[:.](?P<low_minute>[0-5]\d))?\s?(?:-|–|—|to|and|until|till)\s?)?"
    r"(?P<hour>\d\d?)(?:(?P<colon>[:.])(?P<minute>[0-5]\d))?(?::[0-5]\d)?"
    r"\s?(?P<half>[ap]\.?m\b\.?|noon\b|o['’]clock\b)?(?![\d:])"
    r"|\b(?P<word>noon|midday|midnight)\b",
    re.IGNORECASE,
)
"""Found in text in digits."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A date or a time of day.

    Attributes:
        parts: Year, month and day, or hour and minute; 0 for a year, month or day that is not said.
        start: Where it begins.
        end: Where it ends.
        either: Whether day and month may be exchanged (`03.04.2024`), or the time may be before or after noon (`8:15`).
    """

    parts: tuple[int, ...]
    start: int
    end: int
    either: bool = False


@lru_cache(maxsize=256)
def dates(text: str) -> tuple[Moment, ...]:
    """Return the dates of a text: whole ones, and what is said of others, such as `June 2025`.

    >>> [one.parts for one in dates("3 June 2025, June 4th and 2025-06-05; in July")]
    [(2025, 6, 5), (2025, 6, 3), (0, 6, 4), (0, 7, 0)]
    """
    found: list[Moment] = []
    for pattern in (*_IN_DIGITS, *_NAMED):
        for match in pattern.finditer(text):
            if not any(one.start < match.end() and match.start() < one.end for one in found):
                found += list(_read(match))
    return tuple(found)


def _read(match: re.Match[str]) -> Iterator[Moment]:
    said = match.groupdict()
    year, day, month = int(said.get("year") or 0), int((said.get("day") or "0").rstrip("stndrh")), said["month"]
    number = int(month) if month.isdigit() else _MONTHS[month[:3].casefold()]
    if number > 12 >= day:
        number, day = day, number
    if not (number <= 12 and day <= 31) or said.get("day") in ("0", "00") or month in ("may", "march", "mar"):
        return
    if said.get("first"):
        yield Moment((year, number, int(said["first"].rstrip("stndrh"))), match.start(), match.end())
    yield Moment((year, number, day), match.start(), match.end(), said.get("mark") is not None and 0 < day <= 12)


def is_dated(claimed: Moment, stated: Moment) -> bool:
    """Return whether a date of a text says all that a claim says of a date, or says nothing of the rest.

    >>> is_dated(Moment((2025, 6, 0), 0, 0), Moment((2025, 6, 3), 0, 0))
    True
    """
    year, month, day = stated.parts
    orders = ((year, month, day), (year, day, month)) if stated.either or claimed.either else ((year, month, day),)
    return any(all(said in (0, part) for said, part in zip(claimed.parts, order, strict=True)) for order in orders)


@lru_cache(maxsize=256)
def times(text: str) -> tuple[Moment, ...]:
    """Return the times of day of a text in digits.

    >>> [(one.parts, one.either) for one in times("from 9 to 12:30, at 5 pm, at midnight and 0.5 past 6")]
    [((9, 0), True), ((12, 30), True), ((17, 0), False), ((0, 0), False), ((6, 30), True)]
    """
    found = [moment for match in _TIME.finditer(text) for moment in _times(match)]
    if any(moment.parts[0] > 12 and moment.either for moment in found):
        return tuple(Moment(one.parts, one.start, one.end) for one in found)  # the text counts to 24
    return tuple(found)


def _times(match: re.Match[str]) -> Iterator[Moment]:
    """Yield the times of one match: none for a number by itself, two for `9 to 12:30`."""
    if match["word"] or match["part"]:
        yield _in_words(match)
        return
    half, hour = (match["half"] or "").casefold(), int(match["hour"])
    if hour > 24 or not (half or match["colon"]) or (match["colon"] == "." and not half):
        return
    either = not half.startswith(("a", "p", "n")) and 0 < hour <= 12 and not match["hour"].startswith("0")
    if half.startswith(("a", "p")):
        hour = hour % 12 + 12 * half.startswith("p")
    if match["low"] and int(match["low"]) <= 24:
        yield Moment(
            (int(match["low"]), int(match["low_minute"] or 0)), match.start(), match.end(), int(match["low"]) <= 12
        )
    yield Moment((hour % 24, int(match["minute"] or 0)), match.start(), match.end(), either)


def _in_words(match: re.Match[str]) -> Moment:
    if match["word"]:
        return Moment((0 if match["word"].casefold() == "midnight" else 12, 0), match.start(), match.end())
    part = 30 if match["part"].casefold() in ("0.5", "half") else 15
    hour, minute = divmod(int(match["of"]) * 60 + (part if match["side"].casefold() == "past" else -part), 60)
    return Moment((hour % 24, minute), match.start(), match.end(), either=True)


def is_timed(claimed: Moment, stated: Moment) -> bool:
    """Return whether two times of day may be the same.

    >>> is_timed(Moment((21, 0), 0, 0), Moment((9, 0), 0, 0, either=True))
    True
    """
    hours = 12 if claimed.either or stated.either else 24
    return (claimed.parts[0] - stated.parts[0]) % hours == 0 and claimed.parts[1] == stated.parts[1]
