"""Whether a text may say how old somebody is, or must be. Ground floor."""

import re

from rag.language.numerals import NUMBER

ASKS_AGE = re.compile(r"\bhow old (?:is|was) (?!an? )(?!.*\b(?:to|must|allowed|enough)\b)", re.IGNORECASE)
ASKS_LEAST_AGE = re.compile(
    r"\bhow old (?:must|should|do|does|did|can|may|need|has|have|will)\b"
    r"|\bhow old (?:is|are|was|were)\b.*\b(?:to|must|allowed|enough)\b",
    re.IGNORECASE,
)
_TELLS_AGE = re.compile(
    rf"\b(?:aged?|ages|years?|year-olds?|birthdays?|minors?|adults?|months?)\b|\b(?:under|over|below|above) {NUMBER}\b",
    re.IGNORECASE,
)
_ANYONE = frozenset(("you", "i", "we", "one", "they", "he", "she", "it", "people", "person", "someone", "anyone"))
_ASKS_AGE_OF = re.compile(
    r"\bhow old (?:must|should|do|does|did|can|may|need|has|have|will|is|are|was|were) (?:(?:the|an?|my|our|your) )?"
    r"(?:(?!(?:you|i|we|one|they|he|she|it|be)\b)[a-z]+ )?(?P<who>(?!be\b)[^\W\d_]+) (?:to|have|be)\b",
    re.IGNORECASE,
)
_AGE_OF = re.compile(
    r"\b(?!(?:it|he|she|they|you|who|that|one|i|we|people)\b)[^\W\d_]{3,} "
    rf"(?:is|are|was|were|turns?|reach(?:es)?) (?:at least |under |over )?"
    rf"{NUMBER} (?:days?|weeks?|months?|years?)(?: old)?\b"
    r"|\b(?:[^\W\d_]+)['’]s (?:first|second|third) birthday\b",
    re.IGNORECASE,
)
"""Whose age a text tells: `until her baby is six months old`."""
_ONLY_FROM_AGE = re.compile(r"\b(?:from|at least|minimum(?: of)?|as of) \d+ (?:years?|months?)\b", re.IGNORECASE)
"""From which age on somebody may, which says nobody's age."""
_AGE = re.compile(
    r"(?<!from )(?<!least )(?<!minimum )(?<!minimum of )(?<!as of )\b\d+ (?:years?|months?|weeks?|days?)\b"
    r"|\b(?:1[0-9]|20)\d\d\b|\b(?:aged|old|born|hatched|turn(?:s|ed) \d+)\b",
    re.IGNORECASE,
)


def tells_age(text: str) -> bool:
    """Return whether a text may tell somebody's age: not where it only says from which one on something is allowed."""
    return not _ONLY_FROM_AGE.search(text) or bool(_AGE.search(text))


def tells_least_age(question: str, text: str) -> bool:
    """Return whether a text may tell from which age on somebody may, not another one.

    >>> tells_least_age("How old must a mother be?", "She can give until her baby is six months old.")
    False
    >>> tells_least_age("How old must a mother be?", "Mothers must be 18 years old.")
    True
    """
    match = _ASKS_AGE_OF.search(question)
    if match and match["who"].casefold() not in _ANYONE:
        own = match["who"].casefold()[:5]
        text = _AGE_OF.sub(lambda found: found[0] if own in found[0].casefold() else " ", text)
    return bool(_TELLS_AGE.search(text))
