"""Times of day: `8:15 p.m.`, `20:15`, `noon`, `10 a.m. to 6 p.m.`. Ground floor."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

_HALF_DAY, _DAY = 720, 1440
_CLOCK = re.compile(
    r"(?<![\w.,:/$€£¥₹^])(?:(?:12\s+)?(?P<named>noon|midday|midnight)\b"
    r"|(?P<hour>\d{1,2})(?:[:.](?P<minute>[0-5]\d))?\s?(?P<half>[ap])(?:\.\s?m\b\.?|m\b)"
    r"|(?P<h>[01]?\d|2[0-4]):(?P<m>[0-5]\d)(?![\w:]|\.\d|[\s-]?(?:min|sec|s\b)))",
    re.IGNORECASE,
)
_HINT = re.compile(r":[0-5]\d|\d\s?[ap]\.?\s?m\b|noon|midday|midnight", re.IGNORECASE)
_SPAN = r"\s*[-–—]\s*|\s+(?:to|until|till|through)\s+"
_SHORTENED = re.compile(
    rf"(?<![\w.,:/$€£¥₹^-])(?P<hour>\d{{1,2}})(?:[:.](?P<minute>[0-5]\d))?(?P<joint>{_SPAN}|\s+(?:and|or)\s+)$",
    re.IGNORECASE,
)
"""What stands before `6 p.m.` in `from 4 to 6 p.m.`: it borrows the half of the day."""
_UNTIL = re.compile(_SPAN, re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Time:
    """A time of day, or from when to when: `minutes` since midnight, one or two, each 0 to 1439.

    `twelve`: nothing says whether it is before or after noon, as in `8:15`. `full`: it is in 24-hour notation, `20:15`
    or `08:15`; a span is where one of its ends is. `start` and `end` are offsets.
    """

    minutes: tuple[float, ...]
    twelve: bool
    start: int
    end: int
    full: bool = False


def times(text: str) -> Iterator[Time]:
    """Yield the times of day that a text names, in order.

    A number alone (`at 9`) is none, though it may mean one.

    >>> [(found.minutes, found.twelve) for found in times("From 10 a.m. to 6 p.m., at 20:15 or 8:15, and at noon.")]
    [((600.0, 1080.0), False), ((1215.0,), False), ((495.0,), True), ((720.0,), False)]
    """
    if not _HINT.search(text):
        return
    found: list[Time] = []
    for match in _CLOCK.finditer(text):
        clock = _read(match)
        borrower = _borrower(text, clock, found) if match["half"] else None
        if borrower and found and found[-1].start == borrower.start:
            found.pop()
        found += [borrower, clock] if borrower else [clock]
    yield from _joined(text, found)


def _read(match: re.Match[str]) -> Time:
    if match["named"]:
        minutes = 0 if match["named"].casefold() == "midnight" else _HALF_DAY
        return Time((float(minutes),), False, match.start(), match.end())
    written = match["hour"] or match["h"]
    hour, minute = int(written), int(match["minute"] or match["m"] or 0)
    if not match["half"]:
        twelve = written[0] != "0" and 1 <= hour <= 12
        return Time((_minutes(hour, minute),), twelve, match.start(), match.end(), full=not twelve)
    return Time((_minutes(hour, minute, match["half"]),), False, match.start(), match.end())


def _minutes(hour: int, minute: int, half: str = "") -> float:
    if half and 1 <= hour <= 12:
        hour = hour % 12 + (12 if half.casefold() == "p" else 0)
    return float((hour * 60 + minute) % _DAY)


def _borrower(text: str, clock: Time, found: Sequence[Time]) -> Time | None:
    """Return the time right before one with `a.m.` or `p.m.` that says none itself: the 4 of `4 to 6 p.m.`."""
    match = _SHORTENED.search(text, found[-1].end if found and not found[-1].twelve else 0, clock.start)
    if match is None or not 1 <= int(match["hour"]) <= 12:
        return None
    half = "p" if clock.minutes[0] >= _HALF_DAY else "a"
    minutes = _minutes(int(match["hour"]), int(match["minute"] or 0), half)
    if minutes > clock.minutes[0] and _UNTIL.fullmatch(match["joint"]):
        minutes = (minutes + _HALF_DAY) % _DAY  # 11 to 1 p.m. begins in the morning
    return Time((minutes,), False, match.start(), match.end("minute") if match["minute"] else match.end("hour"))


def _joined(text: str, found: Sequence[Time]) -> Iterator[Time]:
    """Yield the times, two that are the ends of a span as one."""
    pending: Time | None = None
    for time in found:
        between = text[pending.end : time.start] if pending else ""
        if pending and len(pending.minutes) == 1 and _spans(text[: pending.start], between):
            both = pending.minutes + time.minutes
            twelve, full = pending.twelve and time.twelve, pending.full or time.full
            pending = replace(pending, minutes=both, twelve=twelve, end=time.end, full=full)
            continue
        if pending:
            yield pending
        pending = time
    if pending:
        yield pending


def _spans(before: str, between: str) -> bool:
    return bool(_UNTIL.fullmatch(between)) or (between.strip() == "and" and bool(_BETWEEN.search(before)))


def same_time(claimed: Sequence[float], stated: Sequence[float], *, loose: bool, full: bool = False) -> bool:
    """Return whether two times or spans are one, each in minutes since midnight.

    Args:
        claimed: What a claim says.
        stated: What a text says.
        loose: The claim leaves open which half of the day it means, so that it may be either.
        full: The text has 24-hour notation, which a claim keeps to (`8:15` is not `20:15`); only the end of a span may
            be in the half of the day after its beginning, `9 to 5` for `09:00 to 17:00`.

    >>> same_time((495.0,), (1215.0,), loose=True), same_time((495.0,), (1215.0,), loose=True, full=True)
    (True, False)
    >>> same_time((540.0, 300.0), (540.0, 1020.0), loose=True, full=True)
    True
    """
    if len(claimed) != len(stated):
        return False
    if loose and full and len(claimed) == 2 and claimed[1] < claimed[0] < stated[1]:
        return claimed[0] == stated[0] and claimed[1] + _HALF_DAY == stated[1]
    day = _HALF_DAY if loose and not full else _DAY
    return all(one % day == other % day for one, other in zip(claimed, stated, strict=True))


def clock_text(minutes: float) -> str:
    """Return a time of day as `20:15`."""
    return f"{int(minutes) // 60:02d}:{int(minutes) % 60:02d}"
