"""Editions of one work, told apart by dates and versions in file names and in questions. Ground floor.

English only. When a file was last written says little of how new its content is; its name is what people keep up.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePath
from typing import TypeAlias

Part: TypeAlias = str  # one part of a date or version as it is compared: `2023`, `q3`, `m10`, `d27`, `v2.1`

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<named>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NTH = rf"{'|'.join(_ORDINALS)}|\d{{1,2}}(?:st|nd|rd|th)"
_YEAR = r"(?<!\d)(?P<year>(?:19|20)\d\d)"
_NAMES_VERSION = r"(?<![a-z\d])(?:v|ver|version|rev|revision|release|issue|edition|ed)"
_PARTS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_YEAR}([-. ]?)(?P<month>0[1-9]|1[0-2])\2(?P<day>0[1-9]|[12]\d|3[01])(?!\d)",
        rf"(?<![a-z\d])(?P<day>\d{{1,2}})(?:st|nd|rd|th)? {_MONTH}(?![a-z])",
        rf"(?<![a-z]){_MONTH}[. ] ?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)",
        rf"(?<![a-z]){_MONTH}(?![a-z])",
        r"(?<![a-z])q(?P<quarter>[1-4])(?![a-z\d])",
        rf"(?<![a-z])(?P<quarter>{_NTH}) quarter(?![a-z])",
        r"(?<![a-z])h(?P<half>[12])(?![a-z\d])",
        rf"(?<![a-z])(?P<half>{_NTH}) half(?![a-z])",
        rf"{_NAMES_VERSION}[-. ]{{0,2}}(?P<version>\d+(?:\.\d+)*)(?![a-z\d])",
        r"(?<![a-z\d])(?:version|rev|revision|edition)[-. ]{1,2}(?P<version>[a-z])(?![a-z\d])",
        rf"(?<![a-z\d])(?P<version>{_NTH})[- ](?:ed|edition|version|revision|issue)(?![a-z])",
        rf"{_YEAR}[-/ ](?:19|20)?(?P<until>\d\d)(?![\d-])",
        rf"{_YEAR}[-. ]?(?P<month>0[1-9]|1[0-2])(?!\d)",
        rf"{_YEAR}(?!\d)",
    )
)
"""Longer forms stand before those that they hold; what one has taken the later ones leave alone."""
_ORDER = ("year", "half", "quarter", "month", "day", "version")
_LETTER = {"quarter": "q", "half": "h", "month": "m", "day": "d", "version": "v"}
_HINT = re.compile(r"(?:19|20)\d\d|(?<![a-z\d])(?:v|rev|release|issue|ed)|edition|version|revision")
"""What every name with a year or a version has one of; most names have none and are spared the patterns."""
_SPACES = re.compile(r"[\s_]+")
_TOKEN = re.compile(r"[^\W_]+")
_NAMED = r"(?:version|edition|revision|release|issue)"
_SAID_OF_EDITIONS = re.compile(
    r"(?:(?<!\s)|(?=,)),?\s*+\b(?:(?:according to|as of|in|of|from|under|by|per|with)\s+)?the\s+"
    rf"(?:(?:{_YEAR}|{_NTH})\s+)+{_NAMED}\b"
    rf"|(?:(?<!\s)|(?=,)),?\s*+\b(?:in|of|from|under|per)\s+{_NAMED}\s+[\w.]+",
    re.IGNORECASE,
)
"""What names an edition by its date or number and says nothing of what is asked: `according to the 2024 edition`."""
_IN_A_YEAR = re.compile(
    r"(?:(?<!\s)|(?=,)),?\s*+\b(?:in|for|of|as of|since)\s+(?P<year>(?:19|20)\d\d)\b(?!\s*(?:[-/]|and\b|or\b|to\b|\d))"
)


@dataclass(frozen=True, slots=True)
class Edition:
    """Which work a document is an edition of, and where it stands among the others.

    Attributes:
        work: What is left of the name without date and version, and of which kind these are.
        order: Comparable with those of the same work.
        parts: What names this edition, as `parts_named` sees it.
    """

    work: str
    order: tuple[tuple[int, ...], ...]
    parts: frozenset[Part]


@lru_cache(maxsize=65_536)
def edition_of(name: str) -> Edition | None:
    """Return what a file name, or the folder told with it, says of its edition; None without a date or a version.

    Of two years, or two versions, the last one counts and the first belongs to the work.

    >>> edition_of("2023 Q2 ACME.pdf").work, edition_of("2023 Q2 ACME.pdf").order
    ('acme (year quarter)', ((2023,), (2,)))
    >>> edition_of("2026/parking.md").work == edition_of("parking 2024.md").work
    True
    >>> edition_of("safety_manual_v2.10.pdf").order > edition_of("safety_manual_v2.9.pdf").order
    True
    """
    plain = _plain(" ".join(PurePath(name).with_suffix("").parts))
    if not _HINT.search(plain):
        return None
    values: dict[str, tuple[int, ...]] = {}
    spans: dict[str, tuple[int, int]] = {}
    for kind, value, span in _scan(plain):
        values[kind], spans[kind] = value, span
    if not values.keys() & {"year", "version"}:
        return None
    left = "".join(" " if any(a <= place < b for a, b in spans.values()) else one for place, one in enumerate(plain))
    kinds = [kind for kind in _ORDER if kind in values]
    work = f"{' '.join(_TOKEN.findall(left))} ({' '.join(kinds)})"
    return Edition(work, tuple(values[kind] for kind in kinds), frozenset(_part(kind, values[kind]) for kind in kinds))


def parts_named(question: str) -> frozenset[Part]:
    """Return the parts of dates and versions that a question names.

    >>> sorted(parts_named("What changed in the second quarter of 2023, and in version 2.1?"))
    ['2023', 'q2', 'v2.1']
    """
    return frozenset(_part(kind, value) for kind, value, _ in _scan(_plain(question)))


def without_editions(question: str, years: frozenset[str] = frozenset()) -> str:
    """Return a question without the dates and numbers that say which edition it means.

    Args:
        question: The question.
        years: Years that name an edition by themselves; elsewhere a year says what is asked.

    >>> without_editions("What is the fee, according to the 2024 edition?")
    'What is the fee?'
    >>> without_editions("Who was treasurer in 2022?", frozenset({"2022"})), without_editions("Who won in 2022?")
    ('Who was treasurer?', 'Who won in 2022?')
    """
    left = _SAID_OF_EDITIONS.sub("", question)
    left = _IN_A_YEAR.sub(lambda match: "" if match["year"] in years else match[0], left)
    plain = re.sub(r" ([?.!,;:])", r"\1", " ".join(left.split())).strip(" ,")
    return plain if len(_TOKEN.findall(plain)) > 1 else question


def _plain(text: str) -> str:
    return _SPACES.sub(" ", text).casefold().strip()


def _scan(plain: str) -> Iterator[tuple[str, tuple[int, ...], tuple[int, int]]]:
    """Yield kind, value and place of every part of a date or version, from left to right."""
    taken: list[tuple[tuple[int, int], dict[str, tuple[int, ...]]]] = []
    for pattern in _PARTS:
        for match in pattern.finditer(plain):
            first, end = match.span()
            if all(end <= a or b <= first for (a, b), _ in taken) and (values := _values(match)):
                taken.append(((first, end), values))
    for span, values in sorted(taken, key=lambda each: each[0]):
        yield from ((kind, value, span) for kind, value in values.items())


def _values(match: re.Match[str]) -> dict[str, tuple[int, ...]]:
    """Return the parts that a pattern found; none where a span of years is none."""
    found = {kind: text for kind, text in match.groupdict().items() if text}
    if until := found.pop("until", None):
        return {"year": (int(found["year"]),)} if int(until) == (int(found["year"]) + 1) % 100 else {}
    if named := found.pop("named", None):
        found["month"] = str(_MONTHS.index(named[:3]) + 1)
    return {kind: _number(text) for kind, text in found.items()}


def _number(text: str) -> tuple[int, ...]:
    """Return a part as it is compared: the numbers of `2.10`, of `second`, of `3rd`, or the place of a letter."""
    if text in _ORDINALS:
        return (_ORDINALS.index(text) + 1,)
    if text.isalpha():
        return (ord(text) - ord("a") + 1,)
    return tuple(int(digits) for digits in re.findall(r"\d+", text))


def _part(kind: str, value: tuple[int, ...]) -> Part:
    return _LETTER.get(kind, "") + ".".join(str(number) for number in value)
