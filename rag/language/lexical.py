"""How much of a question's words a passage, a sentence or a pair of neighbouring words carries. Ground floor, no stage.

Words count by their inverse document frequency, idf(t) = ln(1 + (N - n + 0.5) / (n + 0.5)): a share of 0.8 means that
the words that are missing carry a fifth of the question's information.
"""

import itertools
import math
import sys
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import TypeAlias

from rag.language.asked import understand
from rag.language.text import stems, term_id
from rag.models import Chunk
from rag.protocols import Catalogue, Span

Stems: TypeAlias = tuple[str, ...]
"""The stems of a text's content words, in order, repetitions kept."""


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """A question's distinct stems in order, the idf of each, and in how many chunks each occurs.

    `total` is the sum of the idf: the question's whole information; 0 for a question without content words. `pair_idf`
    is the sum of both for each pair.
    """

    stems: Stems
    idf: tuple[float, ...]
    frequencies: tuple[int, ...]
    pairs: tuple[tuple[str, str], ...]
    total: float = field(init=False, compare=False)
    pair_idf: tuple[float, ...] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        weight = dict(zip(self.stems, self.idf, strict=True))
        object.__setattr__(self, "total", sum(self.idf))
        object.__setattr__(self, "pair_idf", tuple(weight[one] + weight[other] for one, other in self.pairs))

    def share(self, present: Iterable[str]) -> float:
        """Return the idf-weighted share, 0..1, of the question's stems that are among `present`."""
        found = frozenset(present)
        if not self.total or found.isdisjoint(self.stems):
            return 0.0
        return sum([idf for stem, idf in zip(self.stems, self.idf, strict=True) if stem in found]) / self.total

    def pair_share(self, sequence: Sequence[str], present: Container[str] | None = None) -> float:
        """Return the idf-weighted share, 0..1, of neighbouring stems of the question that are neighbours in a text.

        Args:
            sequence: The text's stems in order.
            present: The same as a set, where there is one.
        """
        there_at_all = frozenset(sequence) if present is None else present
        if not any(one in there_at_all and other in there_at_all for one, other in self.pairs):
            return 0.0
        there = set(itertools.pairwise(sequence))
        found = sum([value for pair, value in zip(self.pairs, self.pair_idf, strict=True) if pair in there])
        return found / (sum(self.pair_idf) or 1.0)


@dataclass(frozen=True, slots=True)
class PassageTerms:
    """A passage's stems: sentence by sentence, all of them in order, and each once, in the passage and a sentence."""

    sentences: tuple[Stems, ...]
    all: Stems
    distinct: frozenset[str]
    by_sentence: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class _Text:
    """A text to be stemmed; `known` are the stems of its sentences where they were kept, and no part of what it is."""

    content: str
    sentences: tuple[Span, ...]
    language: str
    known: tuple[Stems, ...] = field(default=(), compare=False)


def idf(frequency: int, chunks: int) -> float:
    """Return ln(1 + (N - n + 0.5) / (n + 0.5)) for a term in `frequency` of `chunks` chunks (Robertson 2009).

    >>> round(idf(1, 1000), 3)
    6.503
    """
    return math.log(1 + (max(chunks - frequency, 0) + 0.5) / (frequency + 0.5))


def question_terms(question: str, *, catalogue: Catalogue, language: str) -> QuestionTerms:
    """Return a question's stems with their idf in the index; a word that occurs nowhere has the largest."""
    ids = [term_id(stem) for stem in dict.fromkeys(question_stems(question, language=language))]
    return weighted_terms(question, catalogue.document_frequencies(ids), catalogue.chunk_count(), language=language)


def selected_terms(question: str, passages: Sequence[Chunk], *, language: str) -> QuestionTerms:
    """Return a question's stems with their idf among a few passages: those of a selected text, say."""
    return weighted_terms(question, frequencies(passages, language=language), len(passages), language=language)


def frequencies(passages: Sequence[Chunk], *, language: str) -> Counter[int]:
    """Return in how many of the passages each term id occurs."""
    found = (passage_terms(passage.content, passage.sentences, language).distinct for passage in passages)
    return Counter(term_id(stem) for present in found for stem in present)


@lru_cache(maxsize=256)
def question_stems(question: str, *, language: str) -> tuple[str, ...]:
    """Return the stems of what a question is about; of all of it where nothing is left without its frame. Remembered.

    >>> question_stems("What is meant by a fume hood?", language="english")
    ('fume', 'hood')
    """
    return tuple(stems(understand(question).subject, language=language) or stems(question, language=language))


def weighted_terms(question: str, frequencies: Mapping[int, int], chunks: int, *, language: str) -> QuestionTerms:
    """Return a question's stems with their idf, given in how many of `chunks` chunks each term id occurs."""
    sequence = question_stems(question, language=language)
    distinct = tuple(dict.fromkeys(sequence))
    found = tuple(frequencies.get(term_id(stem), 0) for stem in distinct)
    return QuestionTerms(
        stems=distinct,
        idf=tuple(idf(frequency, chunks) for frequency in found),
        frequencies=found,
        pairs=tuple(dict.fromkeys(itertools.pairwise(sequence))),
    )


def sentence_stems(sentence: str, language: str = "english") -> Stems:
    """Return `stems` of a sentence, remembered: retrieval, gate, answerer and grounding all read the same ones.

    >>> sentence_stems("What are the gloves made of?")
    ('glove', 'made')
    """
    return _stems(_Text(sentence, (), language))


def passage_terms(
    content: str, sentences: tuple[Span, ...], language: str = "english", known: tuple[Stems, ...] = ()
) -> PassageTerms:
    """Return the stems of each sentence of a passage; all of it is one where no sentences are given. Remembered.

    Args:
        content: The passage's text.
        sentences: Where its sentences stand.
        language: Snowball stemmer.
        known: What `stemmed` gave for it, where that was kept: nothing is stemmed then, here and in `sentence_stems`.
    """
    return _terms(_Text(content, sentences, language, known))


def stemmed(content: str, sentences: tuple[Span, ...], language: str = "english") -> tuple[Stems, ...]:
    """Return the stems of each sentence of a passage; not remembered, for it is to be kept with the passage.

    >>> stemmed("Wear gloves. Hoods are checked.", ((0, 12), (13, 31)))
    (('wear', 'glove'), ('hood', 'check'))
    """
    spans = sentences or ((0, len(content)),)
    return tuple(tuple(stems(content[start:end], language=language)) for start, end in spans)


@lru_cache(maxsize=16_384)
def _stems(text: _Text) -> Stems:
    (found,) = text.known or (stems(text.content, language=text.language),)
    return tuple(map(sys.intern, found))


@lru_cache(maxsize=8_192)
def _terms(text: _Text) -> PassageTerms:
    spans = text.sentences or ((0, len(text.content)),)
    known = [(one,) for one in text.known] if len(text.known) == len(spans) else [()] * len(spans)
    sequences = tuple(
        _stems(_Text(text.content[start:end], (), text.language, one))
        for (start, end), one in zip(spans, known, strict=True)
    )
    every = tuple(chain.from_iterable(sequences))
    return PassageTerms(sequences, every, frozenset(every), tuple(map(frozenset, sequences)))
