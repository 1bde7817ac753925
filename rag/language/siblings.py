"""Things that a text lists beside each other, so that what it says of one it does not say of another. Ground floor.

Where "the choir has singing members, friends and honorary members", a sentence that begins with singing members tells
nothing of friends.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from rag.language.text import stems

_ITEM = r"(?:(?:the|an?) )?[^\W\d_]{3,}(?: [^\W\d_]{3,})?"
_LIST = re.compile(
    rf"\b(?:has|have|are|of|includes?|include|between) (?P<items>{_ITEM}(?:, {_ITEM})+,? (?:and|or) {_ITEM})"
    r"(?=[.,;:)]|$)"
)
_BETWEEN = re.compile(r",\s*(?:(?:and|or)\s+)?|\s+(?:and|or)\s+")
_ARTICLE = re.compile(r"(?:the|an?) ")
_OF_ALL = re.compile(r"\b(?:others?|all|each|every\w*|both|same|likewise|any\w*|no|none|neither|only)\b", re.IGNORECASE)
_ABOUT = re.compile(
    r"\b(?:is|are|was|were|do|does|did|can|may|must|shall|should|will|has|have|had|of)"
    r" (?=(?:(?:the|an?|all|my|our) )?(?P<thing>[^\W\d_]+(?: [^\W\d_]+)?))",
    re.IGNORECASE,
)
_ASKS_FOR_ONE = re.compile(r"\b(?:who|whom|whose|which|what)\b", re.IGNORECASE)
_SUBJECT = 5
"""Words within which a sentence names what it is about."""
_LONGEST = 600
"""Characters of a sentence that is looked through for a list."""

Listed = tuple[frozenset[str], ...]


def lists_in(texts: Iterable[str]) -> tuple[Listed, ...]:
    """Return the lists of three things or more that stand in sentences, each thing by the stems that it alone has."""
    return tuple(one for text in texts for one in _lists(text))


def is_of_sibling(question: str, text: str, lists: Sequence[Listed]) -> bool:
    """Return whether a sentence is about a thing that is listed beside the one that a question asks about.

    It is where it begins with that thing and does not name the other, nor all of them. A question for a person or for
    one of several may be answered by the name of any, and is left alone.

    >>> lists = lists_in(["The club has rowers, friends and patrons."])
    >>> is_of_sibling("How long are the friends admitted?", "Rowers are admitted for eight weeks.", lists)
    True
    >>> is_of_sibling("How long are the rowers admitted?", "Rowers are admitted for eight weeks.", lists)
    False
    """
    if not lists or _ASKS_FOR_ONE.search(question) or _OF_ALL.search(text):
        return False
    asked, said = frozenset(stems(question)), frozenset(stems(text))
    about = [frozenset(stems(match["thing"])) for match in _ABOUT.finditer(question)]
    begins = frozenset(stems(" ".join(text.split()[:_SUBJECT])))
    for listed in lists:
        meant = [one for one in listed if one <= asked and any(one & thing for thing in about)]
        if meant and not any(one & said for one in meant) and any(one <= begins and not one & asked for one in listed):
            return True
    return False


@lru_cache(maxsize=8_192)
def _lists(text: str) -> tuple[Listed, ...]:
    found: list[Listed] = []
    for match in _LIST.finditer(text[:_LONGEST]):
        items = [frozenset(stems(_ARTICLE.sub("", item.strip(), count=1))) for item in _BETWEEN.split(match["items"])]
        often = Counter(stem for item in items for stem in item)
        found.append(tuple(one for item in items if (one := frozenset(stem for stem in item if often[stem] == 1))))
    return tuple(found)
