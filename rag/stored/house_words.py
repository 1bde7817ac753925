"""House words: a question with the other names of things put in. The reading that finds more is kept.

Names are found by form: letter for letter, with a plural's `s`. What is also an ordinary English word (`IT`, `sheet`)
is put in for nothing, since it would find whatever has that word; in capitals it is found only as it is written.
"""

import csv
import io
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from threading import Lock
from time import monotonic
from typing import Final, NamedTuple

from pydantic import ValidationError

from rag.errors import CandorError, InvalidQuery
from rag.models import HouseWord
from rag.models.complaints import complaint
from rag.models.query import MAX_LENGTH
from rag.opening.vocabulary import is_english

MOST_READINGS: Final = 3
"""So many readings are tried at most, where a word means several things."""
KNOWN_S: Final = 1.0
"""How long what the database says is taken as it was."""
AFTER_FAILURE_S: Final = 30.0
"""How long a database that does not answer is left alone; questions are asked as they are written."""
HEAD: Final = ("word", "means", "by")
"""The head of a CSV file of house words."""
_log = logging.getLogger(__name__)


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
    """Return what finds a name as a whole, also in the plural."""
    form = r"\s+".join(map(re.escape, name.split()))
    is_ordinary = name.isupper() and is_english(name)
    return re.compile(rf"(?<!\w){form}(?:['’]?s)?(?!\w)", re.NOFLAG if is_ordinary else re.IGNORECASE)


def told(words: Iterable[HouseWord]) -> tuple[str, ...]:
    """Return house words as an answer names them."""
    return tuple(str(word) for word in words)


class KnownWords:
    """The house words as the database has them, looked up at most once a second. Threads may share it.

    Args:
        look: Returns them.
    """

    def __init__(self, look: Callable[[], Sequence[HouseWord]]) -> None:
        self._look = look
        self._lock = Lock()
        self._until = float("-inf")
        self._known: Sequence[HouseWord] = ()

    def __call__(self) -> Sequence[HouseWord]:
        """Return them; those of before where the database does not answer."""
        with self._lock:
            if monotonic() >= self._until:
                self._until = monotonic() + AFTER_FAILURE_S
                try:
                    self._known, self._until = self._look(), monotonic() + KNOWN_S
                except CandorError as error:
                    _log.warning("House words are not known: %s", error.message)
            return self._known


# --- as a file ---------------------------------------------------------------------------------------------------


def checked(word: str, means: str, *, by: str = "") -> HouseWord:
    """Return a house word, white space collapsed.

    Raises:
        InvalidQuery: A part is too short or too long, or both are the same.
    """
    one, other = " ".join(word.split()), " ".join(means.split())
    if one.casefold() == other.casefold():
        raise InvalidQuery(f"{one!r} cannot stand for itself: say what else it is called.", details={"field": "means"})
    try:
        return HouseWord(word=one, means=other, by=by)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = str(first["loc"][0])
        raise InvalidQuery(f"House word {one!r}: {complaint(name, first)}", details={"field": name}) from error


def as_csv(words: Iterable[HouseWord]) -> str:
    """Return house words as a CSV file."""
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\n")
    rows.writerows([HEAD, *((one.word, one.means, one.by) for one in words)])
    return file.getvalue()


def of_csv(text: str, *, by: str = "") -> list[HouseWord]:
    """Return the house words of a CSV file: word, meaning and, where it has a third column, who said so.

    Commas or semicolons part the columns; a first line `word,means` is the head.

    Args:
        text: What the file holds.
        by: Who says so where the file does not.

    Raises:
        InvalidQuery: It has no house word, or a line is not one; the message names the line.
    """
    found = [checked(row[0], row[1], by=row[2] if row[2:] and row[2].strip() else by) for row in _rows(text)]
    if not found:
        raise InvalidQuery("The file holds no house words. Give each a line: word,meaning - as PPE,protective gear.")
    return found


def _rows(text: str) -> Iterator[list[str]]:
    plain = text.lstrip("\ufeff")
    first = plain.partition("\n")[0]
    parted = csv.reader(io.StringIO(plain), delimiter=";" if first.count(";") > first.count(",") else ",")
    for row in parted:
        if not any(cell.strip() for cell in row) or (parted.line_num == 1 and row[0].strip().casefold() == HEAD[0]):
            continue
        if len(row) < 2:
            raise InvalidQuery(f"Line {parted.line_num}, {row[0][:80]!r}, has one column: write it as word,meaning.")
        yield row
