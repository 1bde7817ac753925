"""The other half of a rule that allows one thing and forbids another: a question whether one may is told both.

"Electric grills are allowed until 21:00." is the second half of a rule whose first is "Charcoal is forbidden on the
balcony.", and misleads without it. Ground floor.
"""

import re
from collections.abc import Sequence

from rag.language.lexical import sentence_stems
from rag.models import RetrievedChunk
from rag.quoting.company import Place
from rag.quoting.layout import layout_of

_ASKS_LEAVE = re.compile(
    r"(?:^\W*|,\s*)(?:can|may|could|might|am|are|is|do|does|must)\b.*\b(?:allowed|permitted|forbidden|prohibited)\b"
    r"|(?:^\W*|,\s*)(?:can|may|could) (?!you\b)",
    re.IGNORECASE,
)
_ALLOWS = re.compile(r"\b(?:allowed|permitted|may|can)\b(?! (?:not|only|never)\b)", re.IGNORECASE)
_FORBIDS = re.compile(
    r"\b(?:forbidden|prohibited|banned|(?:not|never|nor) (?:be )?(?:allowed|permitted)|(?:may|must|can) (?:not|never)"
    r"|cannot)\b",
    re.IGNORECASE,
)


def with_contrary(
    question: str, chosen: Sequence[Place], best: Place, hits: Sequence[RetrievedChunk], limit: int
) -> list[Place]:
    """Return what is quoted with the sentence beside the best one that forbids where it allows, or the reverse.

    Only for a question whether one may, and where that sentence stands in the same paragraph or item and has a word
    of the question.

    Args:
        question: The question.
        chosen: What is quoted, in the order it is read.
        best: The best sentence, one of them.
        hits: The passages.
        limit: The most sentences of the whole answer.
    """
    if not _ASKS_LEAVE.search(question) or len(chosen) >= limit:
        return list(chosen)
    hit = hits[best.passage - 1]
    layout, texts, asked = layout_of(hit), hit.sentence_texts, set(sentence_stems(question))
    for index in (best.index - 1, best.index + 1):
        place = Place(best.passage, index)
        if not 0 <= index < len(texts) or layout.block_of[index] != layout.block_of[best.index]:
            continue
        is_told = place not in chosen and not layout.asks[index] and asked & set(sentence_stems(texts[index]))
        if is_told and _are_contrary(texts[best.index], texts[index]):
            return sorted({*chosen, place})
    return list(chosen)


def _are_contrary(one: str, other: str) -> bool:
    """Return whether of two sentences one only allows and the other only forbids."""
    return {_leave(one), _leave(other)} == {"allows", "forbids"}


def _leave(text: str) -> str:
    """Return what a sentence does: it allows, it forbids, or neither or both."""
    forbids = bool(_FORBIDS.search(text))
    allows = bool(_ALLOWS.search(_FORBIDS.sub(" ", text)))
    return "both" if allows and forbids else "allows" if allows else "forbids" if forbids else ""
