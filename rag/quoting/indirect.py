"""Sentences that only say where an answer is settled, as an indirect question. Ground floor."""

import re

from rag.language.polarity import stem_of
from rag.language.text import words

INDIRECT_FLAW = 0.3
"""What a sentence loses that repeats the question instead of answering it."""
_ASKS = r"(?:what|where|whom?|when|which|why|how)"
_SETTLES = re.compile(
    r"\b(?:decid|determin|govern|regulat|specif|indicat|explain|describ|stat|tell|say|show|list|defin|depend|set|lay|lai)"
    rf"(?:e?s|ed|ied|ies|y|d)?(?: (?:up)?on| out| down| you| us| everyone)? (?={_ASKS}\b)",
    re.IGNORECASE,
)
_ASKING = re.compile(rf"\b{_ASKS}\b", re.IGNORECASE)
_ASKS_WHO_SETTLES = re.compile(
    r"\b(?:decid|determin|govern|regulat|specif|explain|describ|depend|defin|stated|says?\b|shows?\b|listed)",
    re.IGNORECASE,
)


def repeats(question: str, text: str) -> bool:
    """Return whether a sentence says that something settles what is asked, and not how; not where that is asked.

    The indirect question must be the one asked: at least half of its words stand in the question, too. So `The logbook
    lists what was caught.` answers what the logbook has in it.

    >>> repeats("What must be worn?", "The class decides where it is kept and what must be worn.")
    True
    >>> repeats("Who chooses the winners?", "The jury decides which entries win.")
    False
    """
    settles, asking = _SETTLES.search(text), _ASKING.search(question)
    if settles is None or asking is None or _ASKS_WHO_SETTLES.search(question):
        return False
    asked, told = _content(question), text[settles.end() :]
    starts = [*_ASKING.finditer(told)]
    ends = [*(match.start() for match in starts[1:]), len(told)]
    for match, end in zip(starts, ends, strict=True):
        said = _content(told[match.end() : end])
        if match.group().lower() == asking.group().lower() and said and 2 * len(said & asked) >= len(said):
            return True
    return False


def _content(text: str) -> set[str]:
    return {stem for stem in map(stem_of, words(text)) if stem}
