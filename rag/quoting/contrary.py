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
_DENIES = re.compile(r"\b(?:not|never|nobody|no one|none|no|neither|nor|cannot|only|except|unless)\b", re.IGNORECASE)
_GOES_ON_DENYING = re.compile(
    r"\W*(?:(?:\d[\d.]* )?(?:it|they|he|she|this|these|those|that) (?:\w+ ){1,2}(?:not|never|only)\b"
    r"|(?:nobody|no one|none)\b|(?:do not|never)\b)",
    re.IGNORECASE,
)
"""What goes on after a sentence and denies: `It must not be given ...`, `Nobody can ...`."""


def with_contrary(
    question: str, chosen: Sequence[Place], best: Place, hits: Sequence[RetrievedChunk], limit: int
) -> list[Place]:
    """Return what is quoted with the sentence beside the best one that forbids where it allows, or the reverse.

    Only for a question whether one may, and where that sentence stands in the same paragraph or item and has a word
    of the question. So is what goes on right after anything quoted and denies: `They are not given to ...`.

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
    return _with_denial(chosen, hits)


def _with_denial(chosen: Sequence[Place], hits: Sequence[RetrievedChunk]) -> list[Place]:
    """Return what is quoted with the first sentence that goes on right after a part of it and denies, if none does.

    One that begins with what the sentence before is about, or with nobody, goes on with it.
    """
    if any(_DENIES.search(hits[one.passage - 1].sentence_texts[one.index]) for one in chosen):
        return list(chosen)
    for one in chosen:
        layout, texts = layout_of(hits[one.passage - 1]), hits[one.passage - 1].sentence_texts
        after = Place(one.passage, one.index + 1)
        if one.term_alone or after.index > layout.block(one.index).last or layout.asks[after.index]:
            continue
        if _GOES_ON_DENYING.match(texts[after.index]):
            return sorted({*chosen, after})
    return list(chosen)


def _are_contrary(one: str, other: str) -> bool:
    """Return whether of two sentences one only allows and the other only forbids."""
    return {_leave(one), _leave(other)} == {"allows", "forbids"}


def _leave(text: str) -> str:
    """Return what a sentence does: it allows, it forbids, or neither or both."""
    forbids = bool(_FORBIDS.search(text))
    allows = bool(_ALLOWS.search(_FORBIDS.sub(" ", text)))
    return "both" if allows and forbids else "allows" if allows else "forbids" if forbids else ""
