"""Sections of one document that are versions of one another: release notes, minutes, yearly rules. Ground floor.

Headings say so by their form alone: two that differ by a date or a version number, and by nothing else.
"""

import re
from calendar import day_name
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from rag.exact.dates import dates
from rag.models import RetrievedChunk
from rag.text.excerpts import place_at
from rag.text.rows import blocks_of
from rag.text.stated import bare
from rag.text.words import fold

_NUMBER: Final = re.compile(
    r"(?<![\w.])(?P<named>(?:v|ver|version|release|rev|revision|edition)[. ]{0,2})?"
    r"(?P<number>\d++(?:\.\d++)*+)(?!\.*\w)",
    re.IGNORECASE,
)
_YEAR: Final = re.compile(r"(?<![\w.])(?:19|20)\d\d(?:[/–-](?:19|20)?\d\d)?(?![\w.]*\w)")
_QUARTER: Final = re.compile(r"\bQ([1-4])\b", re.IGNORECASE)
_WEEKDAY: Final = re.compile(rf"\b(?:{'|'.join(day_name)})\b", re.IGNORECASE)
_ORDINAL: Final = re.compile(r"\b\d+(?:st|nd|rd|th)\b|(?<=\bno\. )\d+", re.IGNORECASE)
"""The number of a meeting, which differs from date to date."""
_LEAST_PARTS: Final = 3  # parts of a number that alone names a version: `2.4.0`. Fewer may number a section.
_FIGURE: Final = re.compile(r"\W*\d")
_SIGNS: Final = re.compile(r"[\W_]+")

Place: TypeAlias = tuple[int, int]  # a passage and a sentence of it, counted from 0


@dataclass(frozen=True, slots=True)
class Version:
    """A heading that names a date or version.

    Attributes:
        order: Compares versions of one series: dates first, then the number.
        series: What remains of the heading, and which of date and number it has: the same for all of its series.
    """

    order: tuple[int, ...]
    series: tuple[str, bool, bool]

    @property
    def number(self) -> str:
        """The number, as `4.1.2`; empty where it has a date alone."""
        return ".".join(map(str, self.order[3 if self.series[1] else 0 :]))


@lru_cache(maxsize=1_024)
def version_of(heading: str | None) -> Version | None:
    """Return the version that a heading names; None where it names none.

    >>> version_of("2.4.0 (2026-03-01)"), version_of("2.2 Working with hoods")
    (Version(order=(2026, 3, 1, 2, 4, 0), series=('', True, True)), None)
    """
    moment, rest = _dated(heading or "")
    number = next((match for match in _NUMBER.finditer(rest) if _names_version(match, is_dated=bool(moment))), None)
    if number is not None:
        rest = f"{rest[: number.start()]} {rest[number.end() :]}"
    if not moment and number is None:
        return None
    parts = tuple(int(part) for part in number["number"].split(".")) if number else ()
    rest = _ORDINAL.sub(" ", _WEEKDAY.sub(" ", rest)) if moment else rest
    return Version((*moment, *parts), (_SIGNS.sub(" ", fold(rest)).strip(), bool(moment), number is not None))


def _dated(heading: str) -> tuple[tuple[int, ...], str]:
    """Return year, month and day of a heading, 0 where one is not said, and the rest of it; nothing where undated."""
    if found := dates(heading):
        day = found[0]
        return (*day.parts, *([0] * (3 - len(day.parts)))), f"{heading[: day.start]} {heading[day.end :]}"
    if year := _YEAR.search(heading):
        rest = f"{heading[: year.start()]} {heading[year.end() :]}"
        quarter = _QUARTER.search(rest)
        month = 3 * int(quarter[1]) if quarter else 0
        return (int(year[0][:4]), month, 0), _QUARTER.sub(" ", rest)
    return (), heading


def _names_version(match: re.Match[str], *, is_dated: bool) -> bool:
    """Return whether a number is a version's: it is called so, or has three parts, or two beside a date."""
    parts = match["number"].count(".") + 1
    return bool(match["named"]) or parts >= _LEAST_PARTS or (is_dated and parts > 1)


def by_version(
    hits: Sequence[RetrievedChunk], scores: Sequence[Sequence[float]], best: Place, *, share: float, limit: int
) -> list[tuple[str, Place]]:
    """Return the sentences that versions of one section say on a question, the latest first, each with its heading.

    Returns:
        One sentence for each version; nothing where the best one's section has no other version among the passages.
    """
    own = _version_at(hits, best)
    if own is None:
        return []
    found: dict[Version, tuple[float, str, Place]] = {}
    seen = set()
    for place, hit in enumerate(hits):
        blocks = blocks_of(hit)
        for number, score in enumerate(scores[place] if hit.document == hits[best[0]].document else ()):
            if blocks[number].kind == "heading":
                continue
            heading, version = _version_at(hits, (place, number)) or ("", None)
            if version is None or version.series != own[1].series:
                continue
            seen.add(version)
            if score >= share * scores[best[0]][best[1]] and score > found.get(version, (0.0,))[0]:
                found[version] = (score, heading, (place, number))
    if len(seen) < 2:
        return []
    latest = sorted(found.items(), key=lambda item: item[0].order, reverse=True)
    return [(heading, place) for _, (_, heading, place) in latest[:limit]]


def first_of_version(
    hits: Sequence[RetrievedChunk], heading: str, at: Place, quoted: Iterable[Place]
) -> tuple[Place, str]:
    """Return the first sentence quoted of a version's section, and its heading: nothing where the sentence is that."""
    hit = hits[at[0]]
    own = (one for one in quoted if one[0] == at[0])
    first = next((one for one in own if place_at(hit, hit.sentences[one[1]][0]).section == heading), at)
    return first, "" if bare(hit.sentence_texts[first[1]]) == bare(heading) else heading


def sections_of_others(question: str, passages: Sequence[RetrievedChunk]) -> list[frozenset[int]]:
    """Return for each passage its sentences that cannot answer: another section has the version that is asked for.

    Args:
        question: The question; without the number of a version in it no sentence is ruled out.
        passages: What was found.
    """
    asked = {match["number"] for match in _NUMBER.finditer(question) if "." in match["number"] or match["named"]}
    if not asked:
        return [frozenset()] * len(passages)
    versions = {
        (place, number): (passage.document, heading[1])
        for place, passage in enumerate(passages)
        for number in range(len(passage.sentences))
        if (heading := _version_at(passages, (place, number)))
    }
    meant = {(document, one.series) for document, one in versions.values() if one.number in asked}
    return [
        frozenset(
            number
            for number in range(len(passage.sentences))
            if (found := versions.get((place, number)))
            and (found[0], found[1].series) in meant
            and found[1].number not in asked
        )
        for place, passage in enumerate(passages)
    ]


def number_of(heading: str) -> str:
    """Return the number of the version that a heading names; an empty string where it names none.

    >>> number_of("[4.1.2] - 2026-01-15"), number_of("2.2 Working with hoods")
    ('4.1.2', '')
    """
    version = version_of(heading)
    return version.number if version else ""


def rows_by_version(rows: Mapping[int, Sequence[str]], best: int) -> list[int]:
    """Return the rows of a table that say of other dates or versions what the best one says of its own, latest first.

    Returns:
        Such rows, the best among them; nothing where the table has no column of dates, or this row alone.
    """
    alike = {number: cells for number, cells in rows.items() if len(cells) == len(rows[best])}
    for column in range(len(rows[best])):
        versions = {number: version_of(_value(cells[column])) for number, cells in alike.items()}
        found = {number: version for number, version in versions.items() if version and not version.series[0]}
        if len(found) < len(alike) or len({version.order for version in found.values()}) < 2:
            continue
        same = [number for number in found if _says_of(alike[number], column) == _says_of(alike[best], column)]
        if len({found[number].order for number in same}) > 1:
            return sorted(same, key=lambda number: found[number].order, reverse=True)
    return []


def _value(cell: str) -> str:
    """Return a cell without the head that it tells itself: `Year: 2025`."""
    return cell.rpartition(": ")[2]


def _says_of(cells: Sequence[str], column: int) -> list[str]:
    """Return what a row speaks of: its cells, figures and one column left out."""
    others = [cell for place, cell in enumerate(cells) if place != column]
    return ["" if _FIGURE.match(_value(cell)) else cell for cell in others]


def _version_at(hits: Sequence[RetrievedChunk], place: Place) -> tuple[str, Version] | None:
    hit = hits[place[0]]
    heading = place_at(hit, hit.sentences[place[1]][0]).section or ""
    version = version_of(heading)
    return (heading, version) if version else None
