"""Stage 2: the ways in which a question may be read; the reading that finds more wins.

Without a model a follow-up is read both as asked and together with the question before it. Nobody decides by its words
whether it leans on that: what is found decides. A passage that merely answers the question before it, all over again,
is no find.
"""

import re
from collections.abc import Sequence
from typing import Final

from rag.models import Query, Retrieval
from rag.models.query import MAX_LENGTH
from rag.protocols import Reader
from rag.reader.windows import read_text

READ_AS: Final = "Read as: "  # how the note begins that says how a question was read
_HOUSE: Final = re.compile(r" \(house words?: [^()]*\)$")
_ASKED_TOO: Final = 0.25
"""From this probability on a window answers the new question by itself, as far as a fragment can be answered."""


def read_note(read_as: str, house_words: Sequence[str] = ()) -> str:
    """Return the note that says how a question was read, and the house words that made it so.

    >>> read_note("Which protective gear is worn?", ["PPE = protective gear"])
    'Read as: Which protective gear is worn? (house word: PPE)'
    """
    names = ", ".join(dict.fromkeys(one.partition(" = ")[0] for one in house_words))
    called = "house word" if len(house_words) == 1 else "house words"
    return f"{READ_AS}{read_as}{f' ({called}: {names})' if names else ''}"


def read_in(note: str) -> str:
    """Return the question that such a note tells of.

    >>> read_in("Read as: Which protective gear is worn? (house word: PPE)")
    'Which protective gear is worn?'
    """
    return _HOUSE.sub("", note.removeprefix(READ_AS))


def joined_to_previous(query: Query) -> Query | None:
    """Return the question joined to the one before it; None where there is none, or both together are too long.

    >>> joined_to_previous(Query(question="And acids?", previous="Which gloves for ethers?")).question
    'Which gloves for ethers? And acids?'
    """
    if not query.previous or query.previous.strip() == query.question:
        return None
    text = f"{query.previous.strip()} {query.question}"
    return query.model_copy(update={"question": text}) if len(text) <= MAX_LENGTH else None


def finds_anew(query: Query, found: Retrieval, *, reader: Reader) -> bool:
    """Return whether the best window found by the joined question speaks of the new question, not only of the old one.

    It does where the joined question is answered by it more surely than the old question alone, or where it answers the
    new one as it was asked.
    """
    best = found.hits[0] if found.hits else None
    if best is None or best.reading is None or not best.windows:
        return False
    before = reader.read(query.previous or "", [read_text(best, best.best_window)[0]])[0].probability
    return best.reading > before or finds_as_asked(query, found, reader=reader)


def finds_as_asked(query: Query, found: Retrieval, *, reader: Reader) -> bool:
    """Return whether the best window found by the joined question also answers the new one as it was asked."""
    best = found.hits[0] if found.hits else None
    if best is None or best.reading is None or not best.windows:
        return False
    return reader.read(query.question, [read_text(best, best.best_window)[0]])[0].probability >= _ASKED_TOO
