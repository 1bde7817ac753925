"""Which sentences go with one that is quoted, so that it says there what it says in its document. Ground floor."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rag.language.lexical import sentence_stems
from rag.models import RetrievedChunk
from rag.quoting.layout import Layout, announces, is_question, layout_of, term_in, without_answer_mark, without_mark
from rag.quoting.leaning import leans, points_at_a_noun

LONGEST_LIST = 12
"""Items of a list that are quoted as one; of a longer list these, and a note says how many more there are."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """What is quoted: a sentence of a passage, or the term alone that it begins with."""

    passage: int
    """The passage, from 1."""
    index: int
    """The sentence in it, from 0."""
    term_alone: bool = False


Unit = tuple[Place, ...]
"""What counts as one sentence of an answer: a sentence with its term or the words above its list, or a whole list."""

_LIMITS = re.compile(
    r"\b(?:unless|except(?: (?:that|when|where|if|for|in|on))?|other than|but not|up to|until"
    r"|at (?:the )?(?:most|latest)|no (?:later|more|longer) than)\b",
    re.IGNORECASE,
)
_ON_THE_OTHER_SIDE = re.compile(
    r"\W*(?:\d[\d.]* )?(?:after\w*|later|earlier|beyond|above|over|below|under|then|otherwise|else|there|here|if|when"
    r"|where|for|in|on|at|from|during|with|without|whoever|any(?:one|body|thing)?|those|this|these|that|such|it|they|he"
    r"|she|others?|another|longer|shorter|more|less|fewer|larger|smaller|greater|bigger|higher|lower|heavier|lighter"
    r"|older|younger|no|not|nobody|none|never|only|exceptions?|each|every|all|further|additional|extra|however|outside"
    r"|once|as)\b",
    re.IGNORECASE,
)
"""How a sentence begins that says what holds where the limit of the one before is passed: `After that, ...`."""
_CLAUSE_END = re.compile(r"[,;:.!?](?=\s|$)")
_REPLY = re.compile(
    r"(?:yes|no|not|only|never|always|sometimes|usually|maybe|perhaps|of course|certainly|because|sure|sorry)\b",
    re.IGNORECASE,
)


def with_company(index: int, passage: int, hits: Sequence[RetrievedChunk], asked: frozenset[str]) -> list[Unit]:
    """Return a sentence and then those it cannot be read without, as the units that they count as.

    A question of the documents is not quoted, but what answers it, and before a mere "yes" of it the question, where it
    asks for more than was asked. A sentence that leans on the one before brings it, an item the words above its list,
    those words all items, a definition its term, and one that excepts the case asked about the sentence after it, where
    that says what holds then.

    Args:
        index: The sentence, from 0.
        passage: Its passage, from 1.
        hits: The passages.
        asked: The stems of the question.
    """
    hit = hits[passage - 1]
    layout = layout_of(hit)
    if layout.asks[index]:
        return _answer(index, passage, hits, asked)
    company = [_itself(index, passage, hit, asked), *_announced(index, passage, hits)]
    for other in _meant_by(index, hit, layout):
        company += [_at(passage, [other]), *_announced(other, passage, hits)]
    goes_on = layout.block(index).last > index and _ON_THE_OTHER_SIDE.match(hit.sentence_texts[index + 1])
    if goes_on and _excepts(hit.sentence_texts[index], asked):
        company.append(_at(passage, [index + 1]))
    company += [_at(passage, [question]) for question in _question_of_reply(index, hit, layout, asked)]
    return list(dict.fromkeys(company))


def _itself(index: int, passage: int, hit: RetrievedChunk, asked: frozenset[str]) -> Unit:
    """Return a sentence with the term or the words above its list; the whole list where only those words were asked."""
    texts, layout = hit.sentence_texts, layout_of(hit)
    head = _head(index, texts, layout)
    terms = tuple(Place(passage, term, term_alone=True) for term in _terms_over(index, hit, layout))
    if head is None:
        return (*_at(passage, _halves(index, texts, layout)), *terms)
    is_asked = asked & set(sentence_stems(texts[index])) - set(sentence_stems(texts[head]))
    items = [] if is_asked else layout.list_below(head)[:LONGEST_LIST]
    indexes = {index, *(each for item in items for each in range(item.first, item.last + 1))}
    return (*_at(passage, [head, *sorted(indexes)]), *terms)


def _halves(index: int, texts: Sequence[str], layout: Layout) -> list[int]:
    """Return a sentence with its other half, where the end of a page or column has cut it at a semicolon."""
    for first in (index, index - 1):
        second = first + 1
        is_cut = first >= 0 and second < len(texts) and texts[first].endswith(";") and texts[second][:1].islower()
        if is_cut and layout.block(first).kind == layout.block(second).kind == "text":
            return [first, second]
    return [index]


def answers_at(index: int, passage: int, hits: Sequence[RetrievedChunk]) -> list[Place]:
    """Return what answers the question that a sentence asks: in its passage, or in the next where that is a hit."""
    hit = hits[passage - 1]
    layout = layout_of(hit)
    found = [Place(passage, each) for each in layout.answers(index) if not _is_alone(each, hit, layout)]
    following = None if found or not all(layout.asks[index:]) else passage_after(hit, hits)
    if following is None:
        return found
    below = layout_of(hits[following - 1])
    return [Place(following, each) for each, owner in enumerate(below.question_of) if owner is None]


def passage_after(hit: RetrievedChunk, hits: Sequence[RetrievedChunk]) -> int | None:
    """Return the number of the hit that goes on right where another ends in its document; None where there is none."""
    for number, other in enumerate(hits, start=1):
        is_next = (other.document_hash, other.chunk_index) == (hit.document_hash, hit.chunk_index + 1)
        if is_next and other.document == hit.document and other.start >= hit.end:
            return number
    return None


def _at(passage: int, indexes: Iterable[int]) -> Unit:
    return tuple(Place(passage, index) for index in indexes)


def _meant_by(index: int, hit: RetrievedChunk, layout: Layout) -> list[int]:
    """Return the sentences that one leans on, the nearest first.

    Under a term, `this group` is the term, which comes along by itself.
    """
    texts = hit.sentence_texts
    found = [index]
    while leans(texts[found[-1]]) and not (layout.term_of[index] is not None and points_at_a_noun(texts[found[-1]])):
        before = _before(found[-1], layout)
        if before is None:
            break
        found.append(before)
    return [each for each in found[1:] if each != layout.term_of[index] or term_in(texts[each])]


def _before(index: int, layout: Layout) -> int | None:
    """Return the sentence that one may lean on: the one before, of the same entry; below a list, the words above it.

    None where the one before is a question, or of another item or entry.
    """
    if not index or layout.asks[index - 1] or layout.term_of[index] == index:
        return None
    if layout.block(index).first != index or layout.block(index - 1).kind == layout.block(index).kind == "text":
        return index - 1
    head = layout.head_of(index - 1) if layout.block(index).kind == "text" else None
    return head if head is not None and layout.block(head).kind == "text" and not layout.asks[head] else None


def _terms_over(index: int, hit: RetrievedChunk, layout: Layout) -> list[int]:
    """Return the sentence with the term that a sentence explains without naming it, or as `this group`; mostly none."""
    text, term = hit.sentence_texts[index], layout.term_of[index]
    if term is None or term == index:
        return []
    is_named = term_stems(index, hit) <= set(sentence_stems(text)) and not points_at_a_noun(text)
    return [] if is_named else [term]


def term_stems(index: int, hit: RetrievedChunk) -> set[str]:
    """Return the stems of the term that a sentence explains; none where it explains none."""
    term = layout_of(hit).term_of[index]
    text = "" if term is None else hit.sentence_texts[term]
    return set(sentence_stems(term_in(text) or text))


def _head(index: int, texts: Sequence[str], layout: Layout) -> int | None:
    """Return the sentence above the list that an item needs: one that ends with a colon, or is gone on with by it."""
    head = layout.head_of(index)
    if head is None or layout.asks[head] or layout.block(index).kind != "item":
        return None
    is_part = without_mark(texts[layout.block(index).first])[:1].islower()
    return head if announces(texts[head]) or (is_part and texts[head][-1:] not in ".!?") else None


def _announced(index: int, passage: int, hits: Sequence[RetrievedChunk]) -> list[Unit]:
    """Return the list that a sentence announces as one unit, into the next passage; nothing where it announces none."""
    hit = hits[passage - 1]
    if not announces(hit.sentence_texts[index]):
        return []
    items = [(passage, item) for item in layout_of(hit).list_below(index)]
    following = passage_after(hit, hits) if items and items[-1][1].last == len(hit.sentences) - 1 else None
    if following is not None:
        items += [(following, item) for item in layout_of(hits[following - 1]).items_at_start()]
    places = [Place(number, each) for number, item in items[:LONGEST_LIST] for each in range(item.first, item.last + 1)]
    return [tuple(places)] if places else []


def _excepts(text: str, asked: frozenset[str]) -> bool:
    """Return whether a sentence names the case asked about only where it excepts it or sets an end: `unless ...`."""
    for match in _LIMITS.finditer(text):
        end = _CLAUSE_END.search(text, match.end())
        stop = end.start() if end else len(text)
        clause = set(sentence_stems(text[match.end() : stop]))
        if asked & clause - set(sentence_stems(text[: match.start()] + " " + text[stop:])):
            return True
    return False


# --- questions and their answers ----------------------------------------------------------------------------------


def _answer(index: int, passage: int, hits: Sequence[RetrievedChunk], asked: frozenset[str]) -> list[Unit]:
    """Return what answers a question of the document, its lists as units of their own."""
    company: list[Unit] = []
    for place in answers_at(index, passage, hits):
        if not any(place in unit for unit in company):
            company += [(place,), *_announced(place.index, place.passage, hits)]
    first = company[0][0]
    hit = hits[first.passage - 1]
    shown = _question_of_reply(first.index, hit, layout_of(hit), asked)
    return [company[0], *(_at(passage, [question]) for question in shown), *company[1:]]


def _is_alone(index: int, hit: RetrievedChunk, layout: Layout) -> bool:
    """Return whether a sentence is an item of no list, and no whole sentence: what is left of a menu or a heading."""
    block = layout.block(index)
    beside = layout.blocks[max(layout.block_of[index] - 1, 0) : layout.block_of[index] + 2]
    is_listed = sum(each.kind == "item" for each in beside) > 1 or layout.head_of(index) in layout.answers(index)
    return block.kind == "item" and not is_listed and hit.sentence_texts[index][-1:] not in ".!"


def _question_of_reply(index: int, hit: RetrievedChunk, layout: Layout, asked: frozenset[str]) -> list[int]:
    """Return the question to show before a reply that would say something else without it; mostly none.

    That is a first sentence as "No, only at night" where the question has words that were not asked.
    """
    texts, question = hit.sentence_texts, layout.question_of[index]
    if question is None or layout.answers(question)[:1] != (index,) or not is_question(texts[question]):
        return []
    more = set(sentence_stems(without_mark(texts[question]))) - asked
    return [question] if more and _REPLY.match(without_answer_mark(texts[index])) else []
