"""Questions that ask two things at once, cut into the questions that they are made of. Ground floor."""

import re

_PREPOSITIONS = r"(?:at|by|for|from|in|to|with)"
_JOINER = re.compile(
    rf"\s*(?:[,;]?\s+and(?: also)?,?\s+|[?;]\s+(?:and\s+)?)(?=(?:{_PREPOSITIONS}\s+)?"
    r"(?:who|whom|whose|when|where|why|which|what|how)\b)",
    re.IGNORECASE,
)
_VERB = r"(?:is|are|was|were|do|does|did|can|could|may|might|must|shall|should|will|would|has|have|had)\b"
_QUESTION = re.compile(
    rf"(?:{_PREPOSITIONS}\s+)?(?:(?:when|where|why)\s+{_VERB}|what\s+happen(?:s|ed)\b|who(?:m|se)?\s+\w"
    rf"|(?:what|which|how)\s+(?:[\w’'-]+\s+){{0,3}}?{_VERB})",
    re.IGNORECASE,
)
"""A question in the order of words that questions have: `when is it locked`, not `when it is locked`."""


def questions_in(question: str) -> tuple[str, ...]:
    """Return the questions of which one is made, the first with its capital; nothing where it asks one thing.

    Only such parts count as are whole questions: `Who cleans it and how often?` asks one.

    >>> questions_in("When does the shop open and how much is a ticket?")
    ('When does the shop open?', 'how much is a ticket?')
    >>> questions_in("Which doors are open when it rains and when it snows?")
    ()
    """
    found = [part.strip(" \t\n?.;,") for part in _JOINER.split(question)]
    if len(found) < 2 or not all(map(_QUESTION.match, found)):
        return ()
    return tuple(f"{part}?" for part in found)
