"""A compound claim cut into its statements: `Ada moved to Rome and won the cup` is two. Ground floor."""

import re
from functools import lru_cache

from rag.grounding.reading import AUXILIARIES, Reading, read
from rag.language import polarity
from rag.language.periods import folded_words

_JOINT = re.compile(r";\s+|,\s+(?:and|but|while|whereas)\s+|(?<!\s)\s++(?:and|but|while|whereas)\s+", re.IGNORECASE)


@lru_cache(maxsize=512)
def parts_of(claim: str) -> tuple[Reading, ...]:
    """Return the statements of a compound claim; one that lacks a subject is given that of the first."""
    pieces = pieces_of(claim)
    if len(pieces) < 2 or any(_size(read(piece)) < 2 or piece.istitle() for piece in pieces):
        return ()
    subject = subject_of(pieces[0])
    return tuple(
        read(piece if index == 0 or _has_subject(piece) else f"{subject} {piece}") for index, piece in enumerate(pieces)
    )


def pieces_of(claim: str) -> list[str]:
    """Return the statements of a compound claim as written, cut at `and`, `but`, `while` and semicolons."""
    return [piece.strip(" ,;.") for piece in _JOINT.split(claim)]


def _size(reading: Reading) -> int:
    return len(reading.content) + len(reading.quantities)


def subject_of(piece: str) -> str:
    """Return what stands before the first auxiliary verb or past tense, or the first noun."""
    words = piece.split()
    first = next((index for index, word in enumerate(words) if read(word).content), 0)
    for index, word in enumerate(folded_words(piece)):
        if index and (word in AUXILIARIES or (index > first and polarity.is_past(word))):
            return " ".join(words[:index])
    return " ".join(words[: first + 1])


def _has_subject(piece: str) -> bool:
    words = folded_words(piece)
    return bool(words) and words[0] not in AUXILIARIES and any(word in AUXILIARIES for word in words[1:5])
