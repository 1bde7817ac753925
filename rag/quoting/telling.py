"""What is quoted: only what tells the kind of thing that a question asks for, as far as its form shows. Ground floor.

"The headstone may be 80 cm wide." is near "How many urns does a grave hold?" and tells nobody how many.
"""

import re
from collections.abc import Sequence

from rag.grounding.answers import tells_no_time
from rag.language.asked import understand
from rag.language.counts import COUNT, is_counted
from rag.language.doers import names_doer
from rag.language.kinds import HOW_LONG, HOW_OLD, WHEN, lacking
from rag.language.lasting import lasts_otherwise
from rag.language.other_subjects import tells_of_another
from rag.language.stated import statements_of
from rag.language.text import stems
from rag.models import RetrievedChunk
from rag.quoting.candidates import Candidate
from rag.quoting.choice import CLIFF, choose
from rag.quoting.company import Place, with_company
from rag.quoting.layout import layout_of
from rag.quoting.leaning import leans

_OF_TIME = frozenset((HOW_LONG, WHEN, HOW_OLD))
"""Kinds of thing asked for that the sentence after the one about it often tells: `It gets a card. He has 9 days.`"""
_MEANS_IT = re.compile(
    r"\b(?:it|them)\b|\b(?:the|this|that|its|their) (?:last|first|latest|next|previous|most recent|former|other)"
    r" (?:one|time|of (?:them|these|those))\b",
    re.IGNORECASE,
)
"""What in a sentence means a thing of the one before: `has a month to mend it`, `the last one`."""
_OF_THEM = re.compile(r"\W*(?:they|he|she|you)\b", re.IGNORECASE)
"""How a sentence begins that says more of those whom the one before is about."""
_PRONOUN = re.compile(r"\b(?:it|its|they|them|their|he|she|his|her|these|those)\b", re.IGNORECASE)


def telling(
    question: str,
    ranked: Sequence[Candidate],
    hits: Sequence[RetrievedChunk],
    limit: int,
    asked: frozenset[str],
    language: str,
) -> list[Place]:
    """Return what is quoted: only what has the kind of thing asked for, as far as the question's form tells that kind.

    Where the best sentence has nothing of it, what would be quoted beside it and has it, or has all its words as well.
    Nothing where nothing does: the size of a headstone is not quoted for how many urns a grave holds, nor how many
    another grave holds. What a sentence cannot be read without counts as its own. Beside a sentence that counts the
    thing asked for, nothing is quoted that counts other things.
    """
    if not ranked:
        return []
    best = ranked[0]
    told = read_at(company_of(best, hits, asked), hits)
    if tells_no_time(question, told) and (after := _tells_when_next(question, ranked, hits, asked)):
        return choose(after, hits, limit, asked)
    kind = _lacking(question, told, hits)
    if not kind:
        counts = is_counted(question, told)
        telling = [one for one in ranked[1:] if one.asks or not _lacking(question, one.text, hits)]
        further = [
            one for one in telling if one.asks or not counts or is_counted(question, one.text) or _names_it(one, best)
        ]
        return choose((best, *further), hits, limit, asked)
    usual = set() if kind == COUNT else set(choose(ranked, hits, limit, asked))
    own, others = [], []
    near = (
        one
        for one in ranked
        if one.score >= CLIFF * best.score
        or _says_the_deed(question, one, best, asked)
        or (kind in _OF_TIME and _goes_on(one, best, hits))
        or (kind in _OF_TIME and _says_of_them(question, one, best, language))
    )
    for other in (one for one in near if not one.asks):
        company = company_of(other, hits, asked)
        read = read_at(company, hits)
        if _lacking(question, read, hits):
            continue
        if Place(best.passage, best.index) in company:
            own.append(other)
        elif Place(other.passage, other.index) in usual or (
            kind in _OF_TIME and (_goes_on(other, best, hits) or _says_of_them(question, other, best, language))
        ):
            others.append(other)
        elif asked & best.stems <= frozenset(stems(read, language=language)):
            others += [other] if kind != COUNT or is_counted(question, read) else []
        elif _says_more_under_heading(other, best, hits, asked, language):
            others += [other] if kind != COUNT else []
    told_by = (*own, *others)[:1]
    goes_on = kind in _OF_TIME and any(_goes_on(one, best, hits) for one in told_by)
    before = company_of(best, hits, asked) if goes_on else []
    return sorted({*choose(told_by, hits, limit, asked), *before})


def _goes_on(one: Candidate, best: Candidate, hits: Sequence[RetrievedChunk]) -> bool:
    """Return whether a sentence follows the best one in its paragraph and means a thing of it: `in the last one`."""
    if (one.passage, one.index) != (best.passage, best.index + 1) or one.is_row or best.is_row:
        return False
    layout = layout_of(hits[one.passage - 1])
    return layout.block(one.index) == layout.block(best.index) and bool(_MEANS_IT.search(one.text))


def _says_of_them(question: str, one: Candidate, best: Candidate, language: str) -> bool:
    """Return whether a sentence follows the best one, which has all that is asked about, and goes on with `they`."""
    follows = (one.passage, one.index) == (best.passage, best.index + 1) and bool(_OF_THEM.match(one.text))
    return follows and set(stems(understand(question).subject, language=language)) <= best.stems


def _says_more_under_heading(
    one: Candidate, best: Candidate, hits: Sequence[RetrievedChunk], asked: frozenset[str], language: str
) -> bool:
    """Return whether a sentence says more of what is asked than the best one there, whose words the heading has.

    Under `Ice hole`, "Stay in for a minute." tells how long one may stay in it; that it is open in winter does not.
    """
    path = hits[one.passage - 1].section_path
    if one.passage != best.passage or one.is_row or not path or not (asked & one.stems) - best.stems:
        return False
    return asked & best.stems <= {*stems(path[-1], language=language), *one.stems}


def _tells_when_next(
    question: str, ranked: Sequence[Candidate], hits: Sequence[RetrievedChunk], asked: frozenset[str]
) -> list[Candidate]:
    """Return the sentence that tells when right after the best one, in its paragraph and with a word asked for of it.

    "You may refuse." tells nobody when one must, and "You must refuse if you know a party." after it does.
    """
    best = ranked[0]
    last = layout_of(hits[best.passage - 1]).block(best.index).last
    return [
        one
        for one in ranked
        if (one.passage, one.index) == (best.passage, best.index + 1)
        and one.index <= last
        and not one.asks
        and asked & one.stems & best.stems
        and not tells_no_time(question, one.text)
    ]


def _lacking(question: str, text: str, hits: Sequence[RetrievedChunk]) -> str:
    """Return in words what a question asks for and a text cannot tell; what it says of another thing is no answer."""
    if kind := lacking(question, text):
        return kind
    told = [sentence for hit in hits for sentence in statements_of(hit)]
    if lasts_otherwise(question, text, told):
        return HOW_LONG
    return COUNT if tells_of_another(question, text, told) else ""


def _names_it(one: Candidate, best: Candidate) -> bool:
    """Return whether a sentence stands right before the best one, which says `it` or `they`, maybe of what it names."""
    return (one.passage, one.index) == (best.passage, best.index - 1) and bool(_PRONOUN.search(best.text))


def _says_the_deed(question: str, one: Candidate, best: Candidate, asked: frozenset[str]) -> bool:
    """Return whether a sentence that follows the best one and leans on it says the deed asked about: `It is baked`."""
    follows = (one.passage, one.index) == (best.passage, best.index + 1) and leans(one.text)
    return follows and (bool((asked & one.stems) - best.stems) or names_doer(question, one.text))


def company_of(one: Candidate, hits: Sequence[RetrievedChunk], asked: frozenset[str]) -> list[Place]:
    """Return what is quoted for a candidate where no other one is, in the order of the document."""
    return sorted({place for unit in with_company(one.index, one.passage, hits, asked) for place in unit})


def read_at(places: Sequence[Place], hits: Sequence[RetrievedChunk]) -> str:
    """Return what stands at some places, as one text."""
    return " ".join(statements_of(hits[place.passage - 1])[place.index] for place in places)
