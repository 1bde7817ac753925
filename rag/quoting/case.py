"""The case asked about, and what takes a rule back, where the sentences after the quoted one say them. Ground floor.

"The week has 37 hours." is right for most, and for controllers, whom the question names and the next sentence gives 36,
it is wrong. So is "Eleven hours of rest are due." where what follows is "This may be reduced to nine."
"""

import re
from collections.abc import Sequence

from rag.language.text import stems
from rag.models import RetrievedChunk
from rag.quoting.company import Place
from rag.quoting.layout import layout_of

NEAR = 2
"""So many sentences after the best one may say the case asked about."""
_IS_CASE = re.compile(
    r"\W*(?:\d[\d.]* )?(?:for|in|on|at|during|if|when|where|with|within|after|before|unless|until|under)\b"
    r"(?: [\w’'-]+){1,8}?,? (?:it|they|this|these|that|those) ",
    re.IGNORECASE,
)
"""How a sentence begins that says of a case what the one before says of all: `For children it is half.`"""
_CHANGES = r"(?:extend|lengthen|reduc|shorten|rais|lower|exceed|waiv|dispens|suspend|relax|postpon|grant|allow|permit)"
_TAKES_BACK = re.compile(
    r"\W*(?:\d[\d.]* )?(?:"
    r"however|nevertheless|exceptionally|by way of exception"
    r"|(?:the |an )?(?:only |sole )?exceptions? (?:is|are|appl\w+)"
    r"|in (?:exceptional|urgent|special|justified|individual) (?:cases?|circumstances)"
    r"|(?:for|in|during|on|at) [^,;.]{1,40}?,? (?:it|they|this) (?:is|are)"
    r"|(?:this|it|they|these|that) (?:need not|(?:does|do) not (?:apply|hold))"
    r"|(?:this|these|that|such an?) [\w-]+ "
    r"(?:need not|(?:does|do) not (?:apply|exist|hold)|(?:is|are) not (?:due|given))"
    rf"|[^.;]{{0,80}}?\b(?:may|can) (?:\w+ly |together |also |only )?(?:be )?{_CHANGES}(?:e|s|ed|es)?"
    r"|[^.;]{0,60}?\b(?:is|are) (?:exempt|excepted|excluded)"
    r")\b",
    re.IGNORECASE,
)


def with_case(
    asked: frozenset[str], chosen: Sequence[Place], best: Place, hits: Sequence[RetrievedChunk], limit: int
) -> list[Place]:
    """Return what is quoted with what the best sentence's paragraph says next of the case asked about or against it.

    That is a sentence close after it that says of a case what it says of all, with a word of the question that nothing
    quoted has and no heading above; and the one right after anything quoted where it takes back what that says.

    Args:
        asked: The stems of the question.
        chosen: What is quoted, in the order it is read.
        best: The best sentence, one of them.
        hits: The passages.
        limit: The most sentences of the whole answer.
    """
    hit = hits[best.passage - 1]
    layout, texts = layout_of(hit), hit.sentence_texts
    said = [hits[one.passage - 1].sentence_texts[one.index] for one in chosen]
    open_ = asked.difference(stems(" ".join((*said, *hit.section_path, hit.metadata.title or ""))))
    added = [] if layout.block(best.index).kind == "row" else _taken_back(chosen, hits)
    for index in range(best.index + 1, min(best.index + NEAR, layout.block(best.index).last) + 1):
        place, text = Place(best.passage, index), texts[index]
        if place in chosen or layout.asks[index]:
            continue
        if _IS_CASE.match(text) and not open_.isdisjoint(stems(text)):
            added.append(place)
    added = list(dict.fromkeys(sorted(added, key=lambda one: one != Place(best.passage, best.index + 1))))
    return sorted({*chosen, *added[: max(limit - len(chosen), 0)]})


def _taken_back(chosen: Sequence[Place], hits: Sequence[RetrievedChunk]) -> list[Place]:
    """Return what takes back a sentence quoted, right after it in its paragraph: `This may be reduced.`"""
    found = []
    for one in chosen:
        texts, layout = hits[one.passage - 1].sentence_texts, layout_of(hits[one.passage - 1])
        after = Place(one.passage, one.index + 1)
        is_beside = not one.term_alone and one.index < layout.block(one.index).last and not layout.asks[after.index]
        if is_beside and after not in chosen and _TAKES_BACK.match(texts[after.index]):
            found.append(after)
    return found
