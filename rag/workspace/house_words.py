"""House words as they are kept: looked up in the database, checked, written to a file and read from one.

`rag/asking/house_words.py` puts them into questions.
"""

import csv
import io
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import Lock
from time import monotonic
from typing import Final

from pydantic import ValidationError

from rag.errors import CandorError, InvalidQuery
from rag.models import HouseWord
from rag.models.complaints import complaint

KNOWN_S: Final = 1.0  # how long what the database says is taken as it was
AFTER_FAILURE_S: Final = 30.0
"""How long a database that does not answer is left alone; questions are asked as they are written."""
HEAD: Final = ("word", "means", "by")  # the head of a CSV file of house words
_log = logging.getLogger(__name__)


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
        raise InvalidQuery(f"{one!r} cannot be its own meaning. Write another name for it.", details={"field": "means"})
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
