"""Who writes the draft where no model does: whole sentences quoted from the hits, which therefore cannot invent.

A model's stream is cut into whole sentences by `complete_sentences`, so that each can be checked before it is shown,
and gathered by `collect`; both are at home in `rag.drafts`.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, takewhile
from math import log

from rag.drafts import MARKERS, collect, complete_sentences, draft_of, split_sentences
from rag.language.asked import Asked, understand
from rag.language.lexical import passage_terms, sentence_stems
from rag.language.mentions import misnamed
from rag.language.orders import without_orders
from rag.language.rows import statements
from rag.language.text import stems, term_id, words
from rag.models import Draft, GeneratorInfo, Query, RetrievedChunk

__all__ = ["collect", "complete_sentences", "draft_of", "extract", "split_sentences"]

MAX_SENTENCES = 3
CLIFF = 0.75
"""A further sentence is quoted when its score is at least this share of the best one's."""
ALTERNATIVE_CLIFF = 0.94
"""The same for a sentence of another passage than the best one's, or another row: it must earn its citation."""
PAIR_BONUS = 0.4
"""What a sentence earns that has all neighbouring words of the question as neighbours."""
NEAR_DUPLICATE = 0.8
"""Two sentences that share this part of the shorter one's content words say the same."""
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
SHORT_ECHO = 2
"""A sentence of so many words may repeat the question's: it can be a name that the question lets choose from."""
SHORT_MARK = 5
"""A sentence of fewer characters is a list's mark that stands by itself."""
LONG_SENTENCE = 60
"""Words from which a sentence is too long to be a good answer."""

_DEPENDENT = re.compile(
    r"(?:it|its|this|that|these|those|they|their|them|he|she|his|her|such|both|however|therefore|thus|hence|moreover|"
    r"furthermore|also|instead|consequently|otherwise|nevertheless|then|so|but|and|or|for example|for instance|"
    r"in addition|in contrast|as a result|the (?:former|latter)|(?:(?:all|any|most|some|many) |the )?others?|another|"
    r"neither|in (?:this|that|such an?) (?:way|case))\b",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"\b(?:in (?:this|that) way|(?:described|shown|mentioned|stated|noted|listed|given|named) (?:above|before)|"
    r"the (?:former|latter)|as above)\b",
    re.IGNORECASE,
)
_GRAMMAR = frozenset("a an the is are am was were be been being do does did has have had".split())  # noqa: SIM905
_DIGIT = re.compile(r"\d")
_TERM = re.compile(r"[^\n:.!?]{1,60}: \S")
_BULLET = re.compile(r"[-*•‣◦▪–]\s+(?=[^\W\d])")
_OPTION = re.compile(r"\(?(?:\d{1,2}|[a-eA-E])[.)]\s")
_ITEM = re.compile(r"(?:[-*•‣◦▪–|]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s")


# --- the extractive answerer --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Candidate:
    """One sentence of one hit: where it stands and how well it answers."""

    passage: int
    index: int
    text: str
    stems: frozenset[str]
    score: float
    place: float
    """The part of the score that it owes to where it stands, not to what it says."""
    is_row: bool
    """Whether it is a row of a table."""


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
    name, a reason, a definition. Questions, headings, fragments and very long sentences score less. The best is quoted,
    then further ones down to `CLIFF`, near duplicates and echoes of the question left out. A sentence that leans on
    the one before brings it. Where titles tell the hits apart by a name of the question, only those that have it are
    quoted.

    Args:
        query: The question.
        hits: The passages, best first; numbered from 1 in this order.
        document_frequency: In how many chunks of the index each term id occurs.
        indexed: How many chunks the index holds; at least 1 is assumed.
        max_sentences: The most sentences to quote.
        language: Snowball stemmer.

    Returns:
        The draft, sentences in order of hits and, within a hit, of the document; an empty text where no hit has any
        that says more than the question.
    """
    asked = understand(query.question)
    sought = stems(asked.subject, language=language) or stems(query.question, language=language)
    weights = _idf(sought, document_frequency, indexed)
    named = _named(query.question, hits, language)
    found = (one for one in _candidates(query.question, asked, hits, weights, language) if one.passage in named)
    ranked = sorted(found, key=lambda one: (-one.score, one.passage))
    chosen = _choose(ranked, hits, max_sentences)
    text = " ".join(f"{_quoted(hits[passage - 1], index)} [{passage}]" for passage, index in chosen)
    return Draft(text=text, generator=GeneratorInfo(name="extractive"))


def _named(question: str, hits: Sequence[RetrievedChunk], language: str) -> set[int]:
    """Return the numbers of the hits that are about what the question names as much as any of them."""
    words = [passage_terms(hit.content, hit.sentences, language) for hit in hits]
    others = misnamed(question, hits, words, language=language)
    least = min(others, default=0.0)
    return {number for number, share in enumerate(others, start=1) if share <= least}


def _idf(
    sought: Sequence[str], document_frequency: Callable[[Sequence[int]], Mapping[int, int]], indexed: int
) -> dict[str, float]:
    """Return for each stem of the question its share of the idf of all: ln(1 + (N - n + 0.5) / (n + 0.5)), sum 1."""
    terms = {stem: term_id(stem) for stem in sought}
    found = document_frequency(list(terms.values())) if terms else {}
    total = max(indexed, 1, *found.values())
    idf = {stem: log(1 + (total - found.get(i, 0) + 0.5) / (found.get(i, 0) + 0.5)) for stem, i in terms.items()}
    mass = sum(idf.values())
    return {stem: value / mass for stem, value in idf.items()}


def _candidates(
    question: str, asked: Asked, hits: Sequence[RetrievedChunk], weights: Mapping[str, float], language: str
) -> Iterator[_Candidate]:
    """Yield every sentence of the hits with its score."""
    sought = frozenset(weights)
    pairs = _neighbours(asked.subject, language)
    echoed = "" if asked.yes_or_no else _wording(question)
    sections = Counter((hit.document, hit.section) for hit in hits)
    for passage, hit in enumerate(hits, start=1):
        place = RANK_BONUS / passage + SECTION_BONUS * sections[hit.document, hit.section] / len(hits)
        above = sought & _said(" ".join((*hit.section_path, hit.context)), language)
        before: frozenset[str] = frozenset()
        options = _options(hit)
        cosines = hit.sentence_scores or (hit.similarity_score,) * len(hit.sentences)
        allowed = without_orders(hit.content)
        for index, (text, cosine, (start, end)) in enumerate(
            zip(_statements(hit), cosines, hit.sentences, strict=False)
        ):
            if allowed[start:end].isspace() or _echoes(text, echoed):
                continue
            said = _said(text, language)
            here = sought & said
            overlap = _share(here, weights) + CONTEXT_CREDIT * _share(above - here, weights)
            overlap += NEIGHBOUR_CREDIT * _share(before - here - above, weights)
            before = here
            overlap += PAIR_BONUS * _pair_share(pairs, text, language)
            score = overlap + max(cosine, 0.0) + asked.fit(text) + place - _flaws(text, index)
            score -= OPTION_FLAW if index in options else 0.0
            yield _Candidate(passage, index, text, said, score, place, is_row=hit.content[start] == "|")


def _statements(hit: RetrievedChunk) -> tuple[str, ...]:
    """Return what each sentence of a hit says; a table's row with the heads of its columns, the heads nothing."""
    return _statements_in(hit.sentence_texts)


@lru_cache(maxsize=1_024)
def _statements_in(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(statements(texts))


def _echoes(text: str, question: str) -> bool:
    """Return whether a sentence only says words of the question in their order: it asks or supposes, no more.

    Every word counts but articles and forms of `be`, `do` and `have`: with "not" or "all" a sentence does answer.
    """
    said = _wording(text)
    return said.count(" ") - 1 > SHORT_ECHO and said in question


@lru_cache(maxsize=16_384)
def _wording(text: str) -> str:
    """Return the words of a text in their order, marked off so that one wording holds another or does not."""
    return f" {' '.join(word for word in words(text) if word not in _GRAMMAR)} "


def _pair_share(pairs: frozenset[tuple[str, str]], text: str, language: str) -> float:
    """Return the share of the question's neighbouring words that are neighbours in a text: `class A`, not `class B`."""
    return len(pairs & _neighbours(text, language)) / len(pairs) if pairs else 0.0


@lru_cache(maxsize=4_096)
def _neighbours(text: str, language: str) -> frozenset[tuple[str, str]]:
    """Return the neighbouring stems of a text; remembered as `_said` is."""
    return frozenset(pairwise(sentence_stems(text, language)))


def _share(found: Iterable[str], weights: Mapping[str, float]) -> float:
    """Return how much of the question's idf the stems found carry: 0..1."""
    return sum(map(weights.__getitem__, found))


@lru_cache(maxsize=4_096)
def _said(text: str, language: str) -> frozenset[str]:
    """Return the stems of a text; remembered, because the same passages come back for many questions."""
    return frozenset(sentence_stems(text, language))


def _options(hit: RetrievedChunk) -> frozenset[int]:
    """Return which sentences are numbered or lettered items below a question: options to choose from, mostly wrong."""
    found: set[int] = set()
    below = False
    for index, (start, end) in enumerate(hit.sentences):
        is_option = bool(_OPTION.match(hit.content, start, end))
        if below and is_option:
            found.add(index)
        below = hit.content[start:end].rstrip().endswith("?") or (below and (is_option or end - start < SHORT_MARK))
    return frozenset(found)


def _flaws(text: str, index: int) -> float:
    """Return what makes a sentence a poor answer whatever it says."""
    length = text.count(" ") + 1
    flaws = 0.0
    if text.endswith("?"):
        flaws += 0.5
    if text[-1:] not in '.!?:;"”’)]|' and not _TERM.match(text):
        flaws += 0.1 if _DIGIT.search(text) else 0.25
    if length < 4 or text.startswith("#"):
        flaws += 0.4
    if length > LONG_SENTENCE:
        flaws += 0.2
    if text.endswith(":"):
        flaws += 0.1
    if index == 0 and _DEPENDENT.match(text):
        flaws += 0.1
    return flaws


def _choose(ranked: Sequence[_Candidate], hits: Sequence[RetrievedChunk], max_sentences: int) -> list[tuple[int, int]]:
    """Return the sentences to quote as (passage, index), in the order they are read."""
    chosen: list[_Candidate] = []
    places: set[tuple[int, int]] = set()
    for candidate in ranked:
        if chosen and candidate.score < _bar(candidate, chosen[0]):
            continue
        wanted = [place for place in _with_company(candidate, hits[candidate.passage - 1]) if place not in places]
        room = max_sentences - len(places)
        if (chosen and len(wanted) > room) or any(_same(candidate, other) for other in chosen):
            continue
        chosen.append(candidate)
        places.update(wanted[:room])
        if len(places) >= max_sentences:
            break
    return sorted(places)


def _bar(candidate: _Candidate, best: _Candidate) -> float:
    """Return the score that a further sentence must reach; rows of a table are alternatives, as other passages are."""
    alternative = candidate.passage != best.passage or (candidate.is_row and best.is_row)
    return best.place + (best.score - best.place) * (ALTERNATIVE_CLIFF if alternative else CLIFF)


def _with_company(candidate: _Candidate, hit: RetrievedChunk) -> list[tuple[int, int]]:
    """Return a sentence and then those it cannot be read without: the ones before, or the list that it announces."""
    company = [candidate.index]
    while company[-1] and _leans(hit.sentence_texts[company[-1]]):
        company.append(company[-1] - 1)
    if candidate.text.endswith(":"):
        following = range(candidate.index + 1, len(hit.sentences))
        company += takewhile(lambda index: _ITEM.match(hit.content, *hit.sentences[index]), following)
    return [(candidate.passage, index) for index in company]


def _leans(text: str) -> bool:
    """Return whether a sentence says something only together with the one before."""
    return bool(_DEPENDENT.match(text) or _POINTS_BACK.search(text))


def _same(one: _Candidate, other: _Candidate) -> bool:
    """Return whether two sentences share nearly all content words of the shorter."""
    shorter = min(len(one.stems), len(other.stems))
    return shorter > 0 and len(one.stems & other.stems) >= NEAR_DUPLICATE * shorter


def _quoted(hit: RetrievedChunk, index: int) -> str:
    """Return a sentence on one line, the document's own `[12]` dropped so that it cannot pass for a citation.

    A whole sentence loses its bullet; what is none and no list item is ended with a full stop.
    """
    text = " ".join(MARKERS.sub("", _statements(hit)[index]).split())
    if _BULLET.match(text):
        return _BULLET.sub("", text) if text.endswith((".", "!", "?")) else text
    return f"{text}." if text[-1:].isalnum() else text
