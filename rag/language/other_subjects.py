"""Whether a text tells of another thing than the one a question asks about: how heavy an axle is, asked of a chain.

By form alone, and in doubt it does not: only where the text has the verb of the question, each time with a noun before
it that the question does not have, and the documents name the thing asked about elsewhere. Ground floor.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from rag.language.text import stems

_JOINTS = (
    "of|in|on|at|by|for|from|with|to|per|near|before|after|until|during|between|within|without|under|over|into|as|than"
    "|and|or|but|if|when|while|once|each|every|the|a|an|its|their|his|her|our|your|this|that"
)
_NOUN = rf"(?!(?:{_JOINTS}|be|been|have|has|had|need)\b)[^\W\d_][\w’'-]*"
_ASKS = re.compile(
    r"\bhow (?:many|much|long|far|often|fast|high|deep|old|soon|late|early)\b[^,;?]*?"
    r"\b(?:does|do|did|must|may|can|could|should|shall|will|would|has|have) "
    r"(?:(?:the|an?|each|every|one|our|your|its|this|that) )?"
    rf"(?:{_NOUN} ){{0,2}}(?P<head>{_NOUN}) "
    rf"(?:(?:have|has|need|be allowed|get) to |be |been |have |usually |normally |still )?(?P<verb>{_NOUN})"
    rf"(?=\W*$|\W*[,;?]| (?:{_JOINTS})\b)",
    re.IGNORECASE,
)
"""The thing asked about and its verb, behind which the question ends or goes on with a joint: `does it cost in`."""
_WORD = re.compile(r"[^\W\d_][\w’'-]*|\d[\w.,]*|[^\w\s]")
_BETWEEN = frozenset(
    """
    may must can could should shall will would is are was were be been being has have had do does did not
    usually normally always also only never still often then typically generally currently each both all
    """.split()  # noqa: SIM905
)
"""What may stand between a subject and its verb."""
_HAVE = frozenset(("have", "has", "had", "need", "needs"))
_BEFORE_NOUN = frozenset("the a an no each every any one our its their his her your this these those all some".split())  # noqa: SIM905
_NO_NOUN = frozenset(
    """
    it they he she we you i one ones who which that this these those there others another anyone anybody everyone
    everybody nobody someone somebody people person persons thing things whoever all both most some many few
    """.split()  # noqa: SIM905
)
_NO_PART = frozenset("of in on at by for from with to and or but as than into over under".split())  # noqa: SIM905
_WIDEST = 3
"""Words of a noun phrase behind its article, at most."""


def tells_of_another(question: str, text: str, told: Iterable[str]) -> bool:
    """Return whether a text says of another thing what a question asks about one.

    Args:
        question: As asked.
        text: What would be quoted.
        told: What the passages found say, for whether they name the thing asked about.

    >>> told = ["Each chain is 68 m long."]
    >>> tells_of_another("How much does a chain weigh?", "No axle may weigh more than 6 tonnes.", told)
    True
    >>> tells_of_another("How much does a chain weigh?", "It weighs 3 tonnes.", told)
    False
    """
    asked = _asked(question)
    if asked is None:
        return False
    head, verb, given = asked
    if head & frozenset(stems(text)):
        return False
    subjects = _subjects(text, verb)
    if not subjects or any(subject is None or subject & given for subject in subjects):
        return False
    return any(head <= frozenset(stems(sentence)) for sentence in told)


@lru_cache(maxsize=256)
def _asked(question: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]] | None:
    """Return the stems of what a question asks about, of its verb, and all of its own; None where form tells none."""
    match = _ASKS.search(" ".join(question.split()))
    if match is None or match["head"].casefold() in _NO_NOUN | _BEFORE_NOUN | _NO_PART | _BETWEEN:
        return None
    head, verb = frozenset(stems(match["head"])), frozenset(stems(match["verb"]))
    return (head, verb, frozenset(stems(question))) if head and verb else None


def _subjects(text: str, verb: frozenset[str]) -> list[frozenset[str] | None]:
    """Return the stems of the noun before each place of a verb, None where form tells none."""
    words = _WORD.findall(text)
    places = [at for at, word in enumerate(words) if verb & frozenset(stems(word))]
    return [_noun_before(words, at) for at in places]


def _noun_before(words: list[str], place: int) -> frozenset[str] | None:
    at = place - 1
    if at > 0 and words[at].casefold() == "to" and words[at - 1].casefold() in _HAVE:
        at -= 2
    while at >= 0 and words[at].casefold() in _BETWEEN:
        at -= 1
    if at < 0 or not words[at][0].isalpha() or words[at].casefold() in _NO_NOUN | _NO_PART | _BEFORE_NOUN:
        return None
    for start in range(at, max(-1, at - _WIDEST - 1), -1):
        if words[start].casefold() in _NO_NOUN:
            return None
        before = words[start - 1].casefold() if start else "."
        if before in _NO_PART:
            return None
        if before in _BEFORE_NOUN or not before[0].isalnum():
            return frozenset(stems(words[at])) or None
    return None
