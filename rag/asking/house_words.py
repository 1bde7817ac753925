"""House words: a question with the other names of things put in. The reading that finds more is kept.

Names are found by form: letter for letter, with a plural's `s`. What is also an ordinary English word (`IT`, `sheet`)
is put in for nothing, since it would find whatever has that word; in capitals it is found only as it is written.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from rag.models import HouseWord
from rag.models.query import MAX_LENGTH
from rag.opening.english import is_english

MOST_READINGS: Final = 3
"""So many readings are tried at most, where a word means several things."""


class Reading(NamedTuple):
    """A question with house words put in, and which they are."""

    question: str
    words: tuple[HouseWord, ...]


class _Place(NamedTuple):
    start: int
    end: int
    others: tuple[tuple[str, HouseWord], ...]
    """What may be put in there."""


def readings(question: str, words: Sequence[HouseWord]) -> tuple[Reading, ...]:
    """Return the question with other names of the same things in it; none where it has no house word.

    >>> ppe = HouseWord(word="PPE", means="personal protective equipment")
    >>> readings("Which ppe is worn?", [ppe])[0].question
    'Which personal protective equipment is worn?'
    >>> readings("Who pays for personal protective equipment?", [ppe])[0].question
    'Who pays for PPE?'
    """
    places = [place for place in _places(question, words) if place.others]
    found = (_read(question, places, number) for number in range(max((len(one.others) for one in places), default=0)))
    return tuple(one for one in found if len(one.question) <= MAX_LENGTH)[:MOST_READINGS]


def _places(question: str, words: Sequence[HouseWord]) -> list[_Place]:
    """Return where names stand that have others, in order; of two that overlap the longer."""
    names: dict[str, list[tuple[str, HouseWord]]] = {}
    folded = question.casefold()
    for one in words:
        if one.word.casefold() in folded:
            names.setdefault(one.word, []).append((one.means, one))
        if one.means.casefold() in folded:
            names.setdefault(one.means, []).extend([] if is_english(one.word) else [(one.word, one)])
    taken: list[_Place] = []
    for name in sorted(names, key=len, reverse=True):
        for match in _form_of(name).finditer(question):
            if all(match.end() <= place.start or place.end <= match.start() for place in taken):
                taken.append(_Place(match.start(), match.end(), tuple(names[name])))
    return sorted(taken)


def _read(question: str, places: Sequence[_Place], number: int) -> Reading:
    """Return the question with the `number`th other name at each place, or the last where there are fewer."""
    chosen = [place.others[min(number, len(place.others) - 1)] for place in places]
    for place, (other, _) in zip(reversed(places), reversed(chosen), strict=True):
        question = question[: place.start] + other + question[place.end :]
    return Reading(question, tuple(dict.fromkeys(word for _, word in chosen)))


@lru_cache(maxsize=4_096)
def _form_of(name: str) -> re.Pattern[str]:
    form = r"\s+".join(map(re.escape, name.split()))
    is_ordinary = name.isupper() and is_english(name)
    return re.compile(rf"(?<!\w){form}(?:['’]?s)?(?!\w)", re.NOFLAG if is_ordinary else re.IGNORECASE)
