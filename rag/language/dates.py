"""Dates: `3 May 2021`, `May 3, 2021`, `2021-05-03`, `03.05.2021`. Ground floor."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_MONTH_NAMES = "january february march april may june july august september october november december"
_MONTHS = {name[:length]: number for number, name in enumerate(_MONTH_NAMES.split(), 1) for length in (3, len(name))}
_MONTHS["sept"] = 9
_MONTH = r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
_MONTH += r"|Nov(?:ember)?|Dec(?:ember)?)\.?"
_DATE = re.compile(
    r"\b(?P<y1>\d{4})-(?P<m1>\d{2})-(?P<d1>\d{2})\b"
    rf"|\b(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s+(?P<m2>{_MONTH})(?:,?\s+(?P<y2>\d{{4}}))?\b"
    rf"|\b(?P<m3>{_MONTH})\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,?\s+(?P<y3>\d{{4}}))?\b"
    rf"|\b(?P<m4>{_MONTH}),?\s+(?P<y4>\d{{4}})\b"
    r"|(?<![\w.,/$€£¥₹])(?P<one>\d{1,2})(?P<mark>[./]|(?<!\d-\d)(?<!\d-\d\d)-)(?P<other>\d{1,2})(?P=mark)"
    r"(?P<y5>[12]\d{3})(?![\w/]|[.,]\d|-\d+-\d+(?![\d.]))"
)


@dataclass(frozen=True, slots=True)
class Date:
    """A date: `parts` are year, month and day, 0 for what is not said; `start` and `end` are offsets.

    `either`: it is in digits that may be read with the month first as well, `03.04.2024`; `parts` has the day first.
    """

    parts: tuple[float, float, float]
    either: bool
    start: int
    end: int


def dates(text: str) -> Iterator[Date]:
    """Yield the dates of a text, in order.

    >>> [(found.parts, found.either) for found in dates("from 3 May 2021 to 03.04.2024, not 25.12.2024")]
    [((2021.0, 5.0, 3.0), False), ((2024.0, 4.0, 3.0), True), ((2024.0, 12.0, 25.0), False)]
    """
    for match in _DATE.finditer(text):
        if not match["mark"]:
            yield _named(match)
            continue
        day, month = int(match["one"]), int(match["other"])
        either = day <= 12 and month <= 12 and day != month
        if month > 12:
            day, month = month, day
        if 1 <= day <= 31 and 1 <= month <= 12:
            yield Date((float(match["y5"]), float(month), float(day)), either, match.start(), match.end())


def _named(match: re.Match[str]) -> Date:
    parts = match.groupdict()
    year = next((parts[name] for name in ("y1", "y2", "y3", "y4") if parts[name]), "0")
    day = next((parts[name] for name in ("d1", "d2", "d3") if parts[name]), "0")
    month = next(parts[name] for name in ("m1", "m2", "m3", "m4") if parts[name])
    number = float(month) if month.isdigit() else float(_MONTHS[month.rstrip(".").casefold()])
    return Date((float(year), number, float(day)), False, match.start(), match.end())


def same_date(claimed: tuple[float, ...], stated: tuple[float, ...], *, turned: bool) -> bool:
    """Return whether a text states all that a claim says of a date; `turned`: or says it with day and month exchanged.

    >>> same_date((2024.0, 3.0, 4.0), (2024.0, 4.0, 3.0), turned=True), same_date((0.0, 3.0, 4.0), (2024.0, 3.0, 5.0),
    ...     turned=False)
    (True, False)
    """
    if all(said in (0.0, part) for said, part in zip(claimed, stated, strict=True)):
        return True
    year, month, day = stated
    return turned and same_date(claimed, (year, day, month), turned=False)
