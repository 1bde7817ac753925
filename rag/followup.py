"""A question that leans on the one before it, made to stand alone by form only: no model, and shown as what it is.

"What about acids?" after "Which gloves are needed for ethers?" becomes "Which gloves are needed for acids?".
"""

import re
from collections.abc import Sequence
from typing import Final

from rag.validate import MAX_LENGTH, MIN_LENGTH

_ELLIPSIS: Final = re.compile(
    r"^\W*(?:(?:and|but|so|then|also|or)\b[\s,]*)?(?:what|how) about\b\s*(?P<topic>[^?]+?)\s*\?*\s*$"
    r"|^\W*(?:and|but|or)\b[\s,]*(?P<rest>[^?]+?)\s*\?*\s*$",
    re.IGNORECASE,
)
_BARE: Final = re.compile(
    r"^\W*(?:why|when|where|who|how|how so|why not|how (?:much|many|long|often))\W*$", re.IGNORECASE
)
_PRONOUN: Final = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|these|those|this one|that one|the same"
    r"|(?:this|that)(?=\s*(?:\W*$|(?:is|was|does|did|mean|means|apply|applies|happen|work|take)\b)))\b",
    re.IGNORECASE,
)
_FUNCTION: Final = frozenset(
    re.findall(
        r"\w+",
        "a an and any are as at be been by can could did do does for from had has have how if in is long many may "
        "might much must of often old on or shall should so soon than that the then there to was were what when where "
        "which who whom whose why will with would",
    )
)
"""Words that a pronoun cannot stand for."""
_MOST_TURNS: Final = 50
_PREPOSITION: Final = r"(?:for|of|in|on|at|with|by|to|from|under|about|against|during|after|before)"
_LAST_PHRASE: Final = re.compile(rf"\b(?P<word>{_PREPOSITION})\s+(?P<what>[^?,;]+?)\s*\?*\s*$", re.IGNORECASE)
_ASKS: Final = re.compile(
    r"^(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|may|must|should)\b", re.I
)


def stand_alone(question: str, previous: str) -> str | None:
    """Return a question that needs no conversation, or None where the question stands alone already.

    Args:
        question: As asked.
        previous: The question before it, itself standing alone.

    >>> stand_alone("What about acids?", "Which gloves are required for dichloromethane?")
    'Which gloves are required for acids?'
    >>> stand_alone("How long does it take?", "How often is the refresher course held?")
    'How long does it take? (How often is the refresher course held?)'
    >>> stand_alone("What happens to a cell when it dries?", "What is osmosis?") is None
    True
    """
    text = " ".join(question.split())
    before = " ".join(previous.split())
    elliptic = _ELLIPSIS.match(text)
    if elliptic and elliptic["topic"]:
        return _fitting(_with_topic(before, elliptic["topic"]), text)
    if elliptic and not _ASKS.match(elliptic["rest"]):
        return _fitting(_with_topic(before, elliptic["rest"]), text)
    if _BARE.match(text) or _leans(text) or (elliptic and _PRONOUN.search(text)):
        return _fitting(f"{text} ({before})", text)
    return None


def read_in_turn(questions: Sequence[str]) -> str:
    """Return the last question of a conversation as it is read: each question with the one before it as that was read.

    What could not have been asked, because it is too short or too long, is passed over; only the last is as it is.

    Args:
        questions: At least one, oldest first; of many the last 50 are read.

    >>> read_in_turn(["Which gloves are required for ethers?", "What about acids?", "And bases?"])
    'Which gloves are required for bases?'
    """
    *earlier, last = questions[-_MOST_TURNS:]
    read = ""
    for question in (*earlier, last):
        if MIN_LENGTH <= len(question.strip()) <= MAX_LENGTH:
            read = (stand_alone(question, read) if read else None) or question
        elif question is last:
            return last
    return read


def _with_topic(before: str, topic: str) -> str:
    """Return the question before with its last phrase replaced, or the topic added where it has none."""
    named = re.match(rf"^{_PREPOSITION}\b", topic, re.IGNORECASE)
    last = _LAST_PHRASE.search(before)
    if last and (not named or named.group().lower() == last["word"].lower()):
        phrase = topic if named else f"{last['word']} {topic}"
        return f"{before[: last.start()]}{phrase}?"
    return f"{before.rstrip('? ')} {topic if named else f'({topic})'}?"


def _leans(text: str) -> bool:
    """Whether a pronoun stands before anything that it could stand for."""
    pronoun = _PRONOUN.search(text)
    if pronoun is None:
        return False
    return all(word in _FUNCTION for word in re.findall(r"[^\W\d_]+", text[: pronoun.start()].lower()))


def _fitting(text: str, instead: str) -> str | None:
    return text if text != instead and len(text) <= MAX_LENGTH else None
