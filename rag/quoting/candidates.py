"""Which sentences of the hits may be quoted, and how well each answers. Ground floor."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import log

from rag.language.asked import DEFINITION_BONUS, Asked
from rag.language.counterparts import is_of_counterpart
from rag.language.designations import names_another
from rag.language.headrows import silent_rows
from rag.language.lexical import passage_terms, sentence_stems
from rag.language.mentions import misnamed
from rag.language.orders import without_orders
from rag.language.siblings import is_of_sibling, lists_in
from rag.language.stated import statements_of
from rag.language.text import stems, term_id, words
from rag.models import RetrievedChunk
from rag.quoting.company import answers_at
from rag.quoting.forms import defines_role, flaws, form_of, is_aim, is_title_row, options_in
from rag.quoting.indirect import COUNT_FLAW, INDIRECT_FLAW, only_counts, repeats
from rag.quoting.layout import Layout, announces, first_row_above, layout_of, term_in, without_mark
from rag.quoting.limiting import of_limits
from rag.quoting.steps import STEPS_BONUS, heads_steps
from rag.quoting.tables import (
    ABOVE_TABLE_FLAW,
    COLUMN_BONUS,
    LABEL_BONUS,
    MEASURE_BONUS,
    has_measure,
    only_heads_rows,
    tells_column_of,
    tells_figure_of,
)

PAIR_BONUS = 0.4
"""What a sentence earns that has all neighbouring words of the question as neighbours."""
CONTEXT_CREDIT = 0.5
"""What a question word counts that stands in the headings above the sentence and not in it."""
NEIGHBOUR_CREDIT = 0.25
"""What a question word counts that stands in the sentence before only."""
SECTION_BONUS = 0.5
"""What a sentence earns where all hits are of its section; in part where some are: they show what is asked about."""
RANK_BONUS = 0.1
"""What the first passage's rank adds; the second's adds half of it, the third's a third."""
OPTION_FLAW = 0.8
"""What an option of a multiple-choice question loses: it is there to be judged and is no statement."""
SAME_QUESTION = 0.75
"""A question of the documents with this share of the idf of the words asked stands for its answer."""
SHORT_ECHO = 2
"""A sentence of so many words may repeat the question's: it can be a name that the question lets choose from."""

_GRAMMAR = frozenset("a an the is are am was were be been being do does did has have had".split())  # noqa: SIM905
_INDEFINITE = frozenset("someon somebodi someth anyon anybodi anyth everyon everybodi".split())  # noqa: SIM905
_HYPHENED = re.compile(r"(?<![^\W\d_])[^\W\d_]+(?:-[^\W\d_]+)+")


@dataclass(frozen=True, slots=True)
class Candidate:
    """One sentence of one hit: where it stands and how well it answers."""

    passage: int
    index: int
    text: str
    stems: frozenset[str]
    score: float
    place: float
    """The part of the score that it owes to where it stands or to its form, not to what it says."""
    is_row: bool
    """Whether it is a row of a table."""
    asks: bool = False
    """Whether it is a question of the document: what answers it is quoted in its place."""
    names_another: bool = False
    """Whether it is about another thing than the question, class D for class C or members for friends: never quoted."""


@dataclass(frozen=True, slots=True)
class Sought:
    """What the question asks for: its words by weight, its neighbouring words, its wording."""

    asked: Asked
    weights: Mapping[str, float]
    pairs: frozenset[tuple[str, str]]
    echoed: str
    """The question's wording; empty where repeating it is an answer, as "It is safe." to "Is it safe?"."""
    language: str
    question: str = ""
    """As it was asked: a sentence about another thing of a kind that it names by a letter or number is no answer."""


def sought_in(question: str, asked: Asked, weights: Mapping[str, float], language: str) -> Sought:
    """Return what a question asks for, ready to be held against sentences."""
    echoed = "" if asked.yes_or_no else _wording(question)
    return Sought(asked, weights, _neighbours(asked.subject, language), echoed, language, question)


def telling_stems(subject: str, *, language: str) -> list[str]:
    """Return the stems of what is asked about, without `someone` and the like: they name nothing, however rare.

    >>> telling_stems("visit someone in care", language="english")
    ['visit', 'care']
    """
    return [stem for stem in stems(subject, language=language) if stem not in _INDEFINITE]


def idf_shares(
    sought: Sequence[str], document_frequency: Callable[[Sequence[int]], Mapping[int, int]], indexed: int
) -> dict[str, float]:
    """Return for each stem of the question its share of the idf of all: ln(1 + (N - n + 0.5) / (n + 0.5)), sum 1."""
    terms = {stem: term_id(stem) for stem in sought}
    found = document_frequency(list(terms.values())) if terms else {}
    total = max(indexed, 1, *found.values())
    idf = {stem: log(1 + (total - found.get(i, 0) + 0.5) / (found.get(i, 0) + 0.5)) for stem, i in terms.items()}
    mass = sum(idf.values())
    return {stem: value / mass for stem, value in idf.items()}


def named_in(question: str, hits: Sequence[RetrievedChunk], language: str) -> set[int]:
    """Return the numbers of the hits that are about what the question names as much as any of them."""
    words = [passage_terms(hit.content, hit.sentences, language) for hit in hits]
    others = misnamed(question, hits, words, language=language)
    least = min(others, default=0.0)
    return {number for number, share in enumerate(others, start=1) if share <= least}


def candidates(hits: Sequence[RetrievedChunk], sought: Sought) -> Iterator[Candidate]:
    """Yield every sentence of the hits that may be quoted, and every question that was asked there, with its score.

    A question of the documents is a candidate only where it asks what was asked and is answered there. What is about
    another thing of a kind than the one asked about is yielded and marked.
    """
    sections = Counter((hit.document, hit.section) for hit in hits)
    listed = lists_in(text for hit in hits for text in hit.sentence_texts)
    for passage, hit in enumerate(hits, start=1):
        place = RANK_BONUS / passage + SECTION_BONUS * sections[hit.document, hit.section] / len(hits)
        for one in _of_hit(passage, hits, sought, place):
            yield replace(one, names_another=True) if is_of_sibling(sought.question, one.text, listed) else one


def _of_hit(passage: int, hits: Sequence[RetrievedChunk], sought: Sought, place: float) -> Iterator[Candidate]:
    """Yield the candidates of one hit."""
    hit = hits[passage - 1]
    layout, weights, language = layout_of(hit), sought.weights, sought.language
    wanted = frozenset(weights)
    headings = wanted & said(" ".join((*hit.section_path, hit.context)), language)
    before: frozenset[str] = frozenset()
    term: frozenset[str] = frozenset()  # what the sentence before it names and does not define
    options = options_in(hit, layout)
    cosines = hit.sentence_scores or (hit.similarity_score,) * len(hit.sentences)
    allowed, silent = without_orders(hit.content), silent_rows(hit)
    texts = statements_of(hit)
    for index, (text, cosine, (start, end)) in enumerate(zip(texts, cosines, hit.sentences, strict=False)):
        stands_for_more = layout.asks[index] or (announces(text) and layout.list_below(index))
        if allowed[start:end].isspace() or (_echoes(text, sought.echoed) and not stands_for_more):
            continue
        if _is_run_in_term(text, layout, index, sought):
            term, before = wanted & said(text, language), frozenset()
            continue
        if index in silent or is_aim(hit, layout, index) or is_title_row(text):
            continue
        found = said(text, language)
        here, term, defines = wanted & found | term, frozenset(), bool(term)
        above = headings | (wanted & _governing(hit, layout, index, language))
        answer = text
        if layout.asks[index]:
            answer = _answer_to(index, passage, hits, options) if _share(here | above, weights) >= SAME_QUESTION else ""
        if not answer:
            before = here
            continue
        overlap = _share(here, weights) + CONTEXT_CREDIT * _share(above - here, weights)
        overlap += NEIGHBOUR_CREDIT * _share(before - here - above, weights)
        before = here
        overlap += PAIR_BONUS * _pair_share(sought.pairs, text, language)
        is_row = hit.content[start] == "|"
        form, fit = form_of(sought.question, answer, is_row=is_row), sought.asked.fit(answer)
        fit += DEFINITION_BONUS if defines or defines_role(sought.question, text) else 0.0
        fit += MEASURE_BONUS if here and has_measure(sought.question, answer) else 0.0
        form -= ABOVE_TABLE_FLAW if only_heads_rows(sought.question, hit, index) else 0.0
        form -= INDIRECT_FLAW if repeats(sought.question, text) else 0.0
        form -= COUNT_FLAW if only_counts(sought.question, text) else 0.0
        score = overlap + max(cosine, 0.0) + place + (max(form, fit) if form > 0 else form + fit)
        score += of_limits(sought.question, answer)
        score += _of_row(sought.question, text) if is_row else 0.0
        score += STEPS_BONUS if here and layout.list_below(index) and heads_steps(sought.question, text) else 0.0
        score -= 0.0 if layout.asks[index] else flaws(text, index)
        score -= OPTION_FLAW if index in options else 0.0
        other = names_another(sought.question, text, texts[index - 1] if index else "")
        other = other or is_of_counterpart(sought.question, answer)
        yield Candidate(passage, index, text, found, score, place + form, is_row, layout.asks[index], other)


def _of_row(question: str, row: str) -> float:
    """Return what a row earns that is about the very thing that a question names."""
    if tells_column_of(question, row):
        return COLUMN_BONUS
    return LABEL_BONUS if tells_figure_of(question, row) else 0.0


def _is_run_in_term(text: str, layout: Layout, index: int, sought: Sought) -> bool:
    """Return whether a paragraph begins with the term whose definition is asked for, and goes on to define it.

    As the entry of a glossary does: `Bursting disc. A thin metal plate that breaks at a known pressure.`
    """
    block = layout.block(index)
    begins = index == block.first < block.last
    return begins and bool(sought.asked.term) and _wording(text) == _wording(sought.asked.term)


def _answer_to(index: int, passage: int, hits: Sequence[RetrievedChunk], options: frozenset[int]) -> str:
    """Return what answers a question of the documents; nothing where that is a choice of options."""
    places = answers_at(index, passage, hits)
    if not places or (places[0].passage == passage and places[0].index in options):
        return ""
    return " ".join(hits[place.passage - 1].sentence_texts[place.index] for place in places)


def _governing(hit: RetrievedChunk, layout: Layout, index: int, language: str) -> frozenset[str]:
    """Return the words that stand over a sentence as a heading does: of its question, term, list or table."""
    texts = hit.sentence_texts
    question, term, head = layout.question_of[index], layout.term_of[index], layout.head_of(index)
    over: list[str] = []
    if question is not None and not layout.asks[index]:
        over += [
            texts[each] for each, owner in enumerate(layout.question_of) if owner == question and layout.asks[each]
        ]
    if term is not None and term != index:
        over.append(term_in(texts[term]) or texts[term])
    if head is not None and not layout.asks[head] and announces(texts[head]):
        over.append(texts[head])
    over.append(first_row_above(hit, index))
    return said(" ".join(over), language) if over else frozenset()


def _echoes(text: str, question: str) -> bool:
    """Return whether a sentence only says words of the question in their order: it asks or supposes, no more.

    Every word counts but articles and forms of `be`, `do` and `have`: with "not" or "all" a sentence does answer.
    """
    wording = _wording(text)
    return wording.count(" ") - 1 > SHORT_ECHO and wording in question


@lru_cache(maxsize=16_384)
def _wording(text: str) -> str:
    """Return the words of a text in their order, marked off so that one wording holds another or does not.

    A list's mark before them, as `8.` or `Q.`, is none of them.
    """
    return f" {' '.join(word for word in words(without_mark(text)) if word not in _GRAMMAR)} "


def _pair_share(pairs: frozenset[tuple[str, str]], text: str, language: str) -> float:
    """Return the share of the question's neighbouring words that are neighbours in a text: `class A`, not `class B`."""
    return len(pairs & _neighbours(text, language)) / len(pairs) if pairs else 0.0


@lru_cache(maxsize=4_096)
def _neighbours(text: str, language: str) -> frozenset[tuple[str, str]]:
    """Return the neighbouring stems of a text, and the parts of `check-in`; remembered as `said` is."""
    joined = (pairwise(word.casefold().split("-")) for word in (_HYPHENED.findall(text) if "-" in text else ()))
    return frozenset((*pairwise(sentence_stems(text, language)), *(pair for pairs in joined for pair in pairs)))


def _share(found: Iterable[str], weights: Mapping[str, float]) -> float:
    """Return how much of the question's idf the stems found carry: 0..1."""
    return sum(map(weights.__getitem__, found))


@lru_cache(maxsize=4_096)
def said(text: str, language: str) -> frozenset[str]:
    """Return the stems of a text; remembered, because the same passages come back for many questions."""
    return frozenset(sentence_stems(text, language))
