"""Sentences that promise an answer and do not give it: what settles it, how many things there are. Ground floor."""

import re
from functools import lru_cache

from rag.language.asked import understand
from rag.language.lexical import sentence_stems
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

COUNT_FLAW = 0.3
"""What a sentence loses that tells how many things there are to be named, and none of them."""
_COUNT = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[2-9]|1[0-2]|several|many|various|numerous)\b",
    re.IGNORECASE,
)
_ASKS_HOW_MANY = re.compile(r"\bhow (?:many|much|often|long|few)\b|\bnumber of\b", re.IGNORECASE)
_COUNTING = """
    two three four five six seven eight nine ten eleven twelve several many various numerous different distinct main
    major basic broad general specific certain separate key common possible important kind type sort form group class
    category belong divide divided split fall consist comprise contain include recognise recognised recognize recognized
    distinguish distinguished classify classified exist occur occurs
"""
"""Words with which things are counted and nothing is said of them."""


def repeats(question: str, text: str) -> bool:
    """Return whether a sentence says that something settles what is asked, and not how; not where that is asked.

    The indirect question must be the one asked: at least half of its words stand in the question, too. So `The logbook
    lists what was caught.` answers what the logbook has in it.

    >>> repeats("What must be worn?", "The class decides where it is kept and what must be worn.")
    True
    >>> repeats("Who chooses the winners?", "The jury decides which entries win.")
    False
    """
    settles = _SETTLES.search(text)
    asking = _ASKING.search(question) if settles else None
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


def only_counts(question: str, text: str) -> bool:
    """Return whether a sentence only says how many there are of what is asked about; not where their number is asked.

    >>> only_counts("What are the stages of labour?", "There are three stages of labour.")
    True
    >>> only_counts("How many stages has labour?", "There are three stages of labour.")
    False
    """
    if not counted_in(question, text)[0] or _ASKS_HOW_MANY.search(question) or understand(question).yes_or_no:
        return False
    return not set(sentence_stems(text)) - set(sentence_stems(question)) - _counting()


@lru_cache(maxsize=1)
def _counting() -> frozenset[str]:
    """Return the stems of `_COUNTING`."""
    return frozenset(sentence_stems(_COUNTING))


def counted_in(question: str, text: str) -> tuple[str, str]:
    """Return the number in a sentence that counts a thing which the question names, and that thing; empty without one.

    >>> counted_in("Describe the stages of labour.", "There are three main stages.")
    ('three', 'stages')
    """
    asked = frozenset(sentence_stems(question))
    for number in _COUNT.finditer(text):
        for noun in words(text[number.end() :])[:3]:
            if not asked.isdisjoint(sentence_stems(noun)):
                return number.group(), noun
    return "", ""


def _content(text: str) -> set[str]:
    return {stem for stem in map(stem_of, words(text)) if stem}
