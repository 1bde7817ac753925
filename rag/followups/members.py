"""Another member of a small family of words: "On Saturday?" after a question about Sunday, "And black?" after blue."""

import re
from typing import Final

from rag.followups.grammar import Word, words_of
from rag.followups.words import word_set

_DAYS: Final = word_set("monday tuesday wednesday thursday friday saturday sunday weekday weekend")
_MONTHS: Final = word_set("january february march april may june july august september october november december")
_SEASONS: Final = word_set("spring summer autumn winter")
_COLOURS: Final = word_set("black white red blue green yellow brown grey gray orange purple pink violet")
_FAMILIES: Final = (_DAYS, _MONTHS, _SEASONS, _COLOURS)
_AMBIGUOUS: Final = word_set("may march spring")
"""Members only with a capital letter, or as all that is said."""


def with_member(before: str, topic: str) -> str | None:
    """Return the question before with another day, month, season or colour, or another number; None where it has none.

    Args:
        before: A question that stands alone.
        topic: What is said then: one such word, and what may stand before it.

    >>> with_member("visiting hours sunday", "on saturday?"), with_member("What does blue smoke mean?", "black?")
    ('visiting hours saturday', 'What does black smoke mean?')
    >>> with_member("When was the Muscat bottled?", "on Sunday?") is None
    True
    """
    said = [word for word in words_of(topic) if word.kind not in ("preposition", "determiner", "adverb", "mark")]
    if len(said) != 1 or said[0].low == "may":
        return None
    family = _family(said[0])
    if family is None:
        return None
    members = [word for word in words_of(before) if _is_of(word, family)]
    if len(members) != 1 or members[0].low == said[0].low:
        return None
    start, end = members[0].start, members[0].end
    return f"{before[:start]}{said[0].text}{before[end:]}"


def _family(word: Word) -> frozenset[str] | str | None:
    """Return the family that a word is of: a set of words, or how many digits a number has; None where of none."""
    if word.text.isdecimal():
        return _of_figures(word.text)
    return next((family for family in _FAMILIES if _singular(word) in family), None)


def _is_of(word: Word, family: frozenset[str] | str) -> bool:
    if isinstance(family, str):
        return word.text.isdecimal() and _of_figures(word.text) == family
    return _singular(word) in family and (word.low not in _AMBIGUOUS or (word.is_name and word.start > 0))


def _of_figures(text: str) -> str:
    """Return whether a number may be a year."""
    return "year" if re.fullmatch(r"(?:19|20)\d\d", text) else "number"


def _singular(word: Word) -> str:
    return word.low.removesuffix("s") if word.low.removesuffix("s") in _DAYS else word.low
