"""Who writes the draft where no model does: whole sentences quoted from the hits, which therefore cannot invent.

Which sentences, with which others, and in which words is at home in `rag.quoting`. A model's stream is cut into whole
sentences by `complete_sentences`, so that each can be checked before it is shown, and gathered by `collect`; both are
at home in `rag.drafts`.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from rag.drafts import collect, complete_sentences, draft_of, split_sentences
from rag.grounding.answers import tells_no_time
from rag.language.asked import understand
from rag.language.counts import COUNT, is_counted
from rag.language.doers import names_doer
from rag.language.kinds import HOW_LONG, WHEN, lacking
from rag.language.lasting import lasts_otherwise
from rag.language.limits import is_limited
from rag.language.stated import statements_of
from rag.language.text import stems
from rag.language.titled import only_its_title
from rag.language.unnamed import unnamed_in
from rag.models import Draft, GeneratorInfo, Query, RetrievedChunk
from rag.quoting.candidates import Candidate, candidates, idf_shares, named_in, sought_in, telling_stems
from rag.quoting.case import with_case
from rag.quoting.choice import CLIFF, choose
from rag.quoting.company import Place, with_company
from rag.quoting.continued import with_continuation
from rag.quoting.contrary import with_contrary
from rag.quoting.indirect import only_counts
from rag.quoting.layout import layout_of
from rag.quoting.leaning import leans
from rag.quoting.members import members_of
from rag.quoting.sequel import asks_outcome, with_entry, with_sequel
from rag.quoting.steps import steps_under
from rag.quoting.wording import quoted

__all__ = ["collect", "complete_sentences", "draft_of", "extract", "split_sentences"]

FAR_BETTER = 0.8
"""A sentence that reaches this share of the score of one about another thing of its kind may still be quoted."""
MAX_SENTENCES = 3
"""The most sentences of a quoted answer; all items of a list count as one."""

_OF_TIME = frozenset((HOW_LONG, WHEN))
"""Kinds of thing asked for that the sentence after the one about it often tells: `It gets a card. He has 9 days.`"""
_MEANS_IT = re.compile(
    r"\b(?:it|them)\b|\b(?:the|this|that|its|their) (?:last|first|latest|next|previous|most recent|former|other)"
    r" (?:one|time|of (?:them|these|those))\b",
    re.IGNORECASE,
)
"""What in a sentence means a thing of the one before: `has a month to mend it`, `the last one`."""
_OF_THEM = re.compile(r"\W*(?:they|he|she)\b", re.IGNORECASE)
"""How a sentence begins that says more of those whom the one before is about."""
_PRONOUN = re.compile(r"\b(?:it|its|they|them|their|he|she|his|her|these|those)\b", re.IGNORECASE)


def extract(
    query: Query,
    hits: Sequence[RetrievedChunk],
    *,
    document_frequency: Callable[[Sequence[int]], Mapping[int, int]],
    indexed: int,
    max_sentences: int = MAX_SENTENCES,
    language: str = "english",
) -> Draft:
    """Return an answer of whole sentences from the hits, each followed by the number of its passage.

    A sentence scores by its cosine with the question, the idf-weighted share of the question's words in it (less for
    words in the headings above it or the sentence before), and whether it has what is asked for: a number, a date, a
    name, a reason, a definition. Headings, fragments and very long sentences score less. The best is quoted, then
    further ones down to a share of its score, near duplicates and echoes of the question left out. What a sentence
    cannot be read without comes with it: the one it leans on, the words above its list; with one that only counts what
    is asked about come those that name it, up to six. In place of a question of the documents stands what answers it
    there. Where titles tell the hits apart by a name of the question, only those that have it are quoted.

    Args:
        query: The question.
        hits: The passages, best first; numbered from 1 in this order.
        document_frequency: In how many chunks of the index each term id occurs.
        indexed: How many chunks the index holds; at least 1 is assumed.
        max_sentences: The most sentences to quote; all items of a list count as one.
        language: Snowball stemmer.

    Returns:
        The draft, sentences in order of hits and, within a hit, of the document; an empty text where no hit has any
        that says more than the question, none tells what is asked for as far as form shows, what would be quoted shares
        with the question only a name in its title, or the hits name others of the kind that the question names, as
        tank 3 for tank 5.
    """
    if unnamed_in(query.question, hits):
        return Draft(text="", generator=GeneratorInfo(name="extractive"))
    asked = understand(query.question)
    wanted = telling_stems(asked.subject, language=language) or stems(query.question, language=language)
    sought = sought_in(query.question, asked, idf_shares(wanted, document_frequency, indexed), language)
    named = named_in(query.question, hits, language)
    found = (one for one in candidates(hits, sought) if one.passage in named)
    ranked = _quotable(sorted(found, key=lambda one: (-one.score, one.passage)))
    words = frozenset(stems(query.question, language=language))
    chosen = _telling(query.question, ranked, hits, max_sentences, words, language)
    best = Place(ranked[0].passage, ranked[0].index) if ranked else None
    chosen = steps_under(query.question, hits) or chosen
    if best in chosen and only_counts(query.question, ranked[0].text):
        members = members_of(query.question, best, hits)
        chosen = sorted({*_company(ranked[0], hits, words), *members}) if members else chosen
    if best in chosen:
        chosen = with_entry(query.question, words, chosen, best, hits, max_sentences)
    if best in chosen and asks_outcome(query.question):
        chosen = with_sequel(query.question, chosen, best, hits, max_sentences)
    if best in chosen:
        chosen = with_contrary(query.question, chosen, best, hits, max_sentences)
    if best in chosen and not ranked[0].is_row:
        chosen = with_continuation(query.question, chosen, best, hits, max_sentences)
        chosen = with_case(words, chosen, best, hits, max_sentences)
    if _shares_the_title_only(query.question, chosen, hits, language):
        chosen = []
    text = " ".join(f"{_quoted(place, chosen, hits)} [{place.passage}]" for place in chosen)
    return Draft(text=text, generator=GeneratorInfo(name="extractive"))


def _shares_the_title_only(
    question: str, chosen: Sequence[Place], hits: Sequence[RetrievedChunk], language: str
) -> bool:
    """Return whether what is quoted and the headings above it say nothing of what is asked of the title's subject.

    What limits something that the question names a value of says something: `Children under 12` of an 8-year-old.
    """
    if is_limited(question, _read(chosen, hits)):
        return False
    cited = [hits[number - 1] for number in sorted({place.passage for place in chosen})]
    said = " ".join(
        (_read(chosen, hits), *(part for hit in cited for part in (*hit.section_path, hit.chapter_title or "")))
    )
    return only_its_title(question, said, [hit.metadata.title or "" for hit in cited], language=language)


def _telling(
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
    told = _read(_company(best, hits, asked), hits)
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
        company = _company(other, hits, asked)
        read = _read(company, hits)
        if _lacking(question, read, hits):
            continue
        if Place(best.passage, best.index) in company:
            own.append(other)
        elif Place(other.passage, other.index) in usual or (kind in _OF_TIME and _goes_on(other, best, hits)):
            others.append(other)
        elif asked & best.stems <= frozenset(stems(read, language=language)):
            others += [other] if kind != COUNT or is_counted(question, read) else []
        elif _says_more_under_heading(other, best, hits, asked, language):
            others += [other] if kind != COUNT else []
    told_by = (*own, *others)[:1]
    goes_on = kind in _OF_TIME and any(_goes_on(one, best, hits) for one in told_by)
    before = _company(best, hits, asked) if goes_on else []
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
    """Return in words what a question asks for and a text cannot tell; how long another deed lasts is no answer."""
    told = (sentence for hit in hits for sentence in statements_of(hit))
    return lacking(question, text) or (HOW_LONG if lasts_otherwise(question, text, told) else "")


def _names_it(one: Candidate, best: Candidate) -> bool:
    """Return whether a sentence stands right before the best one, which says `it` or `they`, maybe of what it names."""
    return (one.passage, one.index) == (best.passage, best.index - 1) and bool(_PRONOUN.search(best.text))


def _says_the_deed(question: str, one: Candidate, best: Candidate, asked: frozenset[str]) -> bool:
    """Return whether a sentence that follows the best one and leans on it says the deed asked about: `It is baked`."""
    follows = (one.passage, one.index) == (best.passage, best.index + 1) and leans(one.text)
    return follows and (bool((asked & one.stems) - best.stems) or names_doer(question, one.text))


def _company(one: Candidate, hits: Sequence[RetrievedChunk], asked: frozenset[str]) -> list[Place]:
    """Return what is quoted for a candidate where no other one is, in the order of the document."""
    return sorted({place for unit in with_company(one.index, one.passage, hits, asked) for place in unit})


def _read(places: Sequence[Place], hits: Sequence[RetrievedChunk]) -> str:
    """Return what stands at some places, as one text."""
    return " ".join(statements_of(hits[place.passage - 1])[place.index] for place in places)


def _quotable(ranked: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates without those about another thing of a kind; none where one of those answers far better.

    What the passages say of class D is then the nearest they come to a question about class C.
    """
    own = [one for one in ranked if not one.names_another]
    others = [one for one in ranked if one.names_another]
    far_better = own and others and own[0].score < FAR_BETTER * others[0].score
    return [] if far_better else own


def _quoted(place: Place, chosen: Sequence[Place], hits: Sequence[RetrievedChunk]) -> str:
    """Return what is quoted of one place; an item keeps its bullet where the words above its list are quoted too."""
    hit = hits[place.passage - 1]
    layout = layout_of(hit)
    head = layout.head_of(place.index)
    goes_on = layout.block(place.index) in layout.items_at_start() and any(
        one.passage < place.passage for one in chosen
    )
    listed = goes_on if head is None else Place(place.passage, head) in chosen
    return quoted(hit, place.index, term_alone=place.term_alone, listed=listed)
