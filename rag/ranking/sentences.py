"""Which sentences of the hits are nearest to a question, by meaning and by words. Ground floor."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rag.language.stated import stated_terms
from rag.language.text import stems
from rag.models import RetrievedChunk

WORD_WEIGHT = 0.6
"""What the share of the question's words counts against the cosine."""


@dataclass(frozen=True, slots=True)
class RankedSentence:
    """A sentence by the place of its hit and its own in it, both counted from 0."""

    hit: int
    index: int
    score: float


def ranked_sentences(question: str, hits: Sequence[RetrievedChunk], language: str) -> list[RankedSentence]:
    """Return the sentences of the hits, best first; equal ones in the order of the hits.

    A sentence scores by its cosine with the question and by its share of the question's words, a word counting by how
    few of the hits' sentences hold it; a table's row is read with the heads of its columns.
    """
    words = [stated_terms(hit, language).by_sentence for hit in hits]
    weights = _rarity(set(stems(question, language=language)), [one for hit in words for one in hit])
    total = sum(weights.values()) or 1.0
    ranked = []
    for position, (hit, sentences) in enumerate(zip(hits, words, strict=True)):
        cosines = hit.sentence_scores or (hit.cosine,) * len(sentences)
        for index, (cosine, sentence) in enumerate(zip(cosines, sentences, strict=False)):
            share = sum(weights[stem] for stem in weights.keys() & sentence) / total
            ranked.append(RankedSentence(position, index, cosine + WORD_WEIGHT * share))
    return sorted(ranked, key=lambda sentence: (-sentence.score, sentence.hit, sentence.index))


def _rarity(wanted: set[str], sentences: Sequence[frozenset[str]]) -> dict[str, float]:
    """Return the idf of each stem among these sentences."""
    count = len(sentences)
    frequency = {stem: sum(stem in sentence for sentence in sentences) for stem in wanted}
    return {stem: math.log(1 + (count - n + 0.5) / (n + 0.5)) for stem, n in frequency.items()}
