"""How often something is done (`every week`, `twice a year`), decades, and which `May` is a month. Ground floor."""

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass

_DAYS = {"minute": 1 / 1440, "hour": 1 / 24, "day": 1.0, "week": 7.0, "fortnight": 14.0}
_MONTHS = {"month": 1.0, "quarter": 3.0, "year": 12.0, "decade": 120.0}
_ADVERBS = {
    "hourly": "hour",
    "daily": "day",
    "weekly": "week",
    "fortnightly": "fortnight",
    "monthly": "month",
    "quarterly": "quarter",
    "yearly": "year",
    "annual": "year",
    "annually": "year",
}
_SPELLED = "one two three four five six seven eight nine ten eleven twelve"
_COUNTS = {word: float(count) for count, word in enumerate(_SPELLED.split(), 1)}
_COUNTS |= {"other": 2.0, "second": 2.0, "half": 0.5, "0.5": 0.5, "single": 1.0}
_TIMES = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
_PERIOD = "|".join([*_DAYS, *_MONTHS])
_COUNT = rf"{'|'.join(map(re.escape, _COUNTS))}|\d{{1,3}}"
_OFTEN = re.compile(
    rf"(?<![\w-])(?:(?:(?P<times>once|twice|thrice)|(?P<number>\d{{1,3}}|{_SPELLED.replace(' ', '|')})\s+times)[\s-]+)?"
    rf"(?:(?P<each>every|each|a|an|per|in\s+a|in\s+every|in\s+each)\s+(?:(?P<count>{_COUNT})[\s-]+)?(?P<period>{_PERIOD})s?"
    rf"|(?P<adverb>{'|'.join(sorted(_ADVERBS, key=len, reverse=True))}))(?![\w-])",
    re.IGNORECASE,
)
_HINT = re.compile(r"every|each|once|twice|thrice|times|ly\b|annual", re.IGNORECASE)
"""What every frequency has one of; most sentences have none and are spared the large pattern."""

_RATE_HINT = re.compile(rf"\b(?:per|an?)\s+(?:{_PERIOD})\b", re.IGNORECASE)

_DECADE = re.compile(r"(?<![\w.,$€£¥₹-])(?P<year>1\d\d0|20\d0)['’]?s(?![\w/])")
_WORD = re.compile(r"\S+")
_OTHER_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
_JOINT = r"(?:\s*[–—/-]\s*|,?\s+(?:and|or|to|through|until|till)\s+|,\s+)"
_BEFORE_MAY = (
    r"\b(?:[Ii]n|[Oo]f|[Ss]ince|[Uu]ntil|[Tt]ill|[Ff]rom|[Tt]o|[Bb]y|[Dd]uring|[Bb]efore|[Aa]fter|[Tt]hrough|[Bb]etween"
    r"|[Tt]hroughout|[Tt]he|a|is|was|early|late|last|next|every|each|this|[Mm]id)[\s-]+"
)
"""Title Case writes the last ones with a capital (`This May Hurt`), so that in small letters they lead to a month."""
_MAY = re.compile(
    rf"(?:{_BEFORE_MAY}|\b{_OTHER_MONTH}{_JOINT})(?P<led>May)\b"
    rf"|\bMay\b(?={_JOINT}{_OTHER_MONTH}|\s+(?:is|was|has|had|of|in(?!\s+(?:no|any)\b))\b)"
)


def months_of_may(text: str) -> frozenset[int]:
    """Return where a `May` begins that is a month and no verb; one with a day or a year is read as a date before.

    It is one behind `in`, `until`, `the` and their like, joined to another month, or before `is`, `has`, `in` or `of`,
    where no verb stands.

    >>> sorted(months_of_may("In May you may swim; April and May are dry. May I?"))
    [3, 31]
    """
    return frozenset(match.end() - 3 for match in _MAY.finditer(text)) if "May" in text else frozenset()


def folded_words(text: str) -> list[str]:
    """Return the words of a text in small letters; a May that is a month keeps its capital.

    >>> folded_words("In May You may swim")
    ['in', 'May', 'you', 'may', 'swim']
    """
    months = months_of_may(text)
    return [match[0] if match.start() in months else match[0].casefold() for match in _WORD.finditer(text)]


@dataclass(frozen=True, slots=True)
class Period:
    """How often: once in `interval` of `unit`, `d` (days) or `mo` (months); `start` and `end` are offsets."""

    interval: float
    unit: str
    start: int
    end: int


def periods(text: str) -> Iterator[Period]:
    """Yield how often a text says that something is done.

    `a week` alone is a length of time, `10 kg per year` a rate: only with `once`, `twice` or `5 times` do these count.

    >>> [(found.interval, found.unit) for found in periods("Twice a year, then every two weeks; it lasts a week.")]
    [(6.0, 'mo'), (14.0, 'd')]
    """
    for match in _OFTEN.finditer(text) if _HINT.search(text) else ():
        counted = match["times"] or match["number"]
        if match["adverb"] or counted or match["each"].casefold() in ("every", "each"):
            name = (_ADVERBS[match["adverb"].casefold()] if match["adverb"] else match["period"]).casefold()
            interval = _number(match["count"]) * (_DAYS.get(name) or _MONTHS[name]) / _number(counted)
            yield Period(interval, "d" if name in _DAYS else "mo", match.start(), match.end())


_RATE = re.compile(
    rf"(?<![\w.,-])(?:\d[\d.,]*|{_SPELLED.replace(' ', '|')}|dozens?|hundred|thousand|million)\s+"
    rf"(?P<counted>(?:[^\W\d_]+\s+){{1,4}}?)(?P<rate>(?:per|an?)\s+(?P<period>{_PERIOD}))\b"
    r"(?!\s+(?:later|ago|earlier|before|after)\b)",
    re.IGNORECASE,
)
_UNCOUNTED = (
    "a an the and or but for in on at by with to from is are was were be been has have had took takes take lasts "
    "lasted every each per as than that which who if when while about only within after before"
)
_NOT_COUNTED = frozenset(_UNCOUNTED.split())


def rates(text: str, units: Container[str]) -> Iterator[Period]:
    """Yield how often things are counted: `400 loaves a day` says of every day what `400 loaves every day` says.

    A unit right behind the number (`10 kg per day`) makes it a rate in that unit, which is none of these.

    >>> [(found.interval, found.unit) for found in rates("400 loaves of bread per day and 10 kg per day", {"kg"})]
    [(1.0, 'd')]
    """
    for match in _RATE.finditer(text) if _RATE_HINT.search(text) else ():
        counted = match["counted"].casefold().split()
        if counted != [word for word in counted if word in units] and not _NOT_COUNTED & set(counted):
            name = match["period"].casefold()
            interval, unit = (_DAYS[name], "d") if name in _DAYS else (_MONTHS[name], "mo")
            yield Period(interval, unit, match.start("rate"), match.end("rate"))


def decades(text: str) -> Iterator[tuple[float, int, int]]:
    """Yield the first year of each decade or century (`the 1800s`) that a text names, and its offsets.

    >>> list(decades("It sank in the 1920s, in 1921."))
    [(1920.0, 15, 20)]
    """
    for match in _DECADE.finditer(text) if "0s" in text or "0'" in text or "0’" in text else ():
        yield float(match["year"]), match.start(), match.end()


def _number(text: str | None) -> float:
    """Return the count that `12`, `twelve`, `other` or `twice` names; 1 where there is none."""
    folded = (text or "1").casefold()
    named = _TIMES.get(folded) or _COUNTS.get(folded)
    return named or max(1.0, float(folded))
