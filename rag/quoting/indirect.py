"""Sentences that only say where an answer is settled, as an indirect question. Ground floor."""

import re

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

    >>> repeats("What must be worn?", "The class decides where it is kept and what must be worn.")
    True
    >>> repeats("Who chooses the winners?", "The jury decides which entries win.")
    False
    """
    settles, asking = _SETTLES.search(text), _ASKING.search(question)
    if settles is None or asking is None or _ASKS_WHO_SETTLES.search(question):
        return False
    return asking.group().lower() in {one.lower() for one in _ASKING.findall(text[settles.end() :])}
