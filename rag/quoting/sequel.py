"""What goes on after a quoted sentence where a question asks what happens, or what to do. Ground floor.

"If a grave is neglected, the council writes to the leaseholder." is the first half of an answer whose second half is
"After three months it may be levelled." What goes on so shares no word with the question.
"""

import re
from collections.abc import Sequence

from rag.models import RetrievedChunk
from rag.quoting.company import Place, term_stems
from rag.quoting.layout import layout_of

_ASKS_OUTCOME = re.compile(
    r"\bwhat (?:happens|happened|will happen|would happen|can happen|comes next|follows|to do\b|next\b)"
    r"|\bwhat (?:do|does|did|should|must|shall|can|could|would|will|may|have|has|am|are|is) (?:[\w’'-]+ ){1,4}?"
    r"(?:do|done)\b"
    r"|\bwhat (?:is|are|must be|should be|has to be|will be) (?:to be )?done\b"
    r"|\bwhat (?:is|are) the (?:consequences?|procedure|steps|sanctions?|penalt(?:y|ies))\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\W*(?:(?:after|within|until|before) (?:that|this|then|which|[\w-]+ (?:\w+ ){0,2}?(?:it|they|he|she)\b)|then|next"
    r"|otherwise|afterwards|later|finally"
    r"|in (?:that|this|such an?|either|both|each|the (?:first|second|third)) (?:cases?|time)"
    r"|(?:if|unless|when|once|as soon as) (?:he|she|it|they|this|that|not)\b|if (?:the|a) second\b)"
    r"|\W*(?!\w+ing\b)(?:\w[\w’'-]* ){0,5}?(?:it|they|them|he|she|this|these|then)\b",
    re.IGNORECASE,
)
_IN_CASE = re.compile(
    r"\W*(?:\d[\d.]* )?(?:if|when|whenever|in case|in the event|after|once|as soon as|should)\b", re.IGNORECASE
)
"""How a sentence begins that says of a case what is done."""
_IS_DONE_TOO = re.compile(r"\W*(?:the|nobody|no one|none|do not|don['’]t|never)\b", re.IGNORECASE)
"""How a sentence goes on that says what else is done then: `The officer informs ...`, `Nobody returns until ...`."""

_ASKS_WHAT_TO_DO = re.compile(r"\bwhat\b.{0,40}?\b(?:do|done)\b", re.IGNORECASE)
_ASKS_HOW_TO = re.compile(
    r"\bhow (?:(?:do|should|must|shall|can|could) (?:I|we|you|one|they|he|she)|to"
    r"|(?:is|are) [\w’' -]+ (?:treated|handled))\b",
    re.IGNORECASE,
)
"""What asks for what is to be done in other words: `How do I treat a burn?`"""
_MAY_BE = re.compile(
    r"\b(?:may|might|could|can) (?:have|be|mean|indicate|suffer from|point to)\b|\b(?:signs?|symptoms?) of\b",
    re.IGNORECASE,
)
"""How a sentence ends that says by what something is known: what is to be done about it stands after it."""


def asks_outcome(question: str) -> bool:
    """Return whether a question asks what happens in a case, or what is to be done.

    >>> asks_outcome("What happens if it leaks?"), asks_outcome("What does the pump do?"), asks_outcome("What leaks?")
    (True, True, False)
    """
    return bool(_ASKS_OUTCOME.search(question))


def with_sequel(
    question: str, chosen: Sequence[Place], best: Place, hits: Sequence[RetrievedChunk], limit: int
) -> list[Place]:
    """Return what is quoted with the sentences of the best one's paragraph that go on right after it.

    Where it says what is done in a case, what else is done then; where it says only by what something is known, and
    what to do about it is asked, whatever stands after it.

    Args:
        question: The question.
        chosen: What is quoted, in the order it is read.
        best: The best sentence.
        hits: The passages.
        limit: The most sentences of the whole answer.
    """
    hit = hits[best.passage - 1]
    layout, texts = layout_of(hit), hit.sentence_texts
    added: list[Place] = []
    says_signs = _ASKS_WHAT_TO_DO.search(question) and _MAY_BE.search(texts[best.index])
    says_case = _IN_CASE.match(texts[best.index])
    for index in range(best.index + 1, layout.block(best.index).last + 1):
        place = Place(best.passage, index)
        goes_on = _GOES_ON.match(texts[index]) or (says_case and _IS_DONE_TOO.match(texts[index]))
        if layout.asks[index] or not (says_signs or goes_on):
            break
        if place not in chosen:
            added.append(place)
    return sorted({*chosen, *added[: max(limit - len(chosen), 0)]})


def with_entry(
    question: str,
    asked: frozenset[str],
    chosen: Sequence[Place],
    best: Place,
    hits: Sequence[RetrievedChunk],
    limit: int,
) -> list[Place]:
    """Return what is quoted with the sentences before the best one that explain its term, where the question names it.

    Under `Power cut`, "Switch off at the wall." stands before what may be done later, and is what to do.

    Args:
        question: The question.
        asked: The stems of the question.
        chosen: What is quoted, in the order it is read.
        best: The best sentence, one of them.
        hits: The passages.
        limit: The most sentences of the whole answer, the term not counted.
    """
    hit = hits[best.passage - 1]
    layout = layout_of(hit)
    term = layout.term_of[best.index]
    is_named = term is not None and term != best.index and term_stems(best.index, hit) & asked
    if not is_named or not (asks_outcome(question) or _ASKS_HOW_TO.search(question)):
        return list(chosen)
    above = [Place(best.passage, index) for index in range(layout.block(best.index).first, best.index)]
    added = [place for place in above if place not in chosen and not layout.asks[place.index]]
    room = limit - sum(not place.term_alone for place in chosen)
    return sorted({*chosen, *added[: max(room, 0)]})
