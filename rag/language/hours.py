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
_JOINT = re.compile(_SPAN, re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Time:
    """A time of day, or from when to when: `minutes` since midnight, one or two, each 0 to 1439.

    `twelve`: nothing says whether it is before or after noon, as in `8:15`. `start` and `end` are offsets.
    """

    minutes: tuple[float, ...]
    twelve: bool
    start: int
    end: int


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
        return Time((_minutes(hour, minute),), written[0] != "0" and 1 <= hour <= 12, match.start(), match.end())
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
    if minutes > clock.minutes[0] and _JOINT.fullmatch(match["joint"]):
        minutes = (minutes + _HALF_DAY) % _DAY  # 11 to 1 p.m. begins in the morning
    return Time((minutes,), False, match.start(), match.end("minute") if match["minute"] else match.end("hour"))


def _joined(text: str, found: Sequence[Time]) -> Iterator[Time]:
    """Yield the times, two that are the ends of a span as one."""
    pending: Time | None = None
    for time in found:
        between = text[pending.end : time.start] if pending else ""
        if pending and len(pending.minutes) == 1 and _spans(text[: pending.start], between):
            both = pending.minutes + time.minutes
            pending = replace(pending, minutes=both, twelve=pending.twelve and time.twelve, end=time.end)
            continue
        if pending:
            yield pending
        pending = time
    if pending:
        yield pending


def _spans(before: str, between: str) -> bool:
    return bool(_JOINT.fullmatch(between)) or (between.strip() == "and" and bool(_BETWEEN.search(before)))


def same_time(claimed: Sequence[float], stated: Sequence[float], *, loose: bool) -> bool:
    """Return whether two times or spans are one; `loose` where the claim leaves open which half of the day it means.

    >>> same_time((495.0,), (1215.0,), loose=True), same_time((495.0,), (1215.0,), loose=False)
    (True, False)
    """
    day = _HALF_DAY if loose else _DAY
    return len(claimed) == len(stated) and all(
        one % day == other % day for one, other in zip(claimed, stated, strict=True)
    )


def clock_text(minutes: float) -> str:
    """Return a time of day as `20:15`."""
    return f"{int(minutes) // 60:02d}:{int(minutes) % 60:02d}"
