"""What can be seen of a question and its hits without a large model: the inputs of the calibrated estimator.

Every signal is a number in about 0..1 that means the same for every corpus; none knows a subject, a name or a template.
"""

import re
from collections.abc import Iterator, Sequence

from rag.asked import understand
from rag.lexical import QuestionTerms, passage_terms
from rag.models import Retrieval, RetrievedChunk
from rag.text import stems

_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][\w’'-]*|\b\w*\d\w*\b|\b[A-Z]{2,}\b")
SIGNALS = (
    "best_similarity",
    "best_sentence_similarity",
    "mean_similarity",
    "margin",
    "bm25_share",
    "words_in_chunk",
    "words_in_place",
    "words_in_sentence",
    "words_in_sentence_place",
    "pairs_in_chunk",
    "rarest_word_found",
    "unknown_words",
    "names_in_chunk",
    "agreement",
    "rank_agreement",
    "sentence_fit",
    "best_joint_sentence",
    "second_joint_sentence",
    "subject_phrase",
    "subject_in_heading",
    "question_words",
)
"""Names of the signals, in the order of a fit's weights."""


def signals(question: str, retrieval: Retrieval, terms: QuestionTerms, *, language: str) -> dict[str, float]:
    """Return every signal of `SIGNALS` for a question and its hits; all 0 where there are no hits.

    Args:
        question: The question.
        retrieval: What it found.
        terms: Its stems with their idf in the index.
        language: Snowball stemmer.
    """
    hits = retrieval.hits
    if not hits:
        return dict.fromkeys(SIGNALS, 0.0)
    words = [passage_terms(hit.content, hit.sentences, language).sentences for hit in hits]
    places = [frozenset(stems(hit.context, language=language)) for hit in hits]
    similarities = sorted((hit.similarity_score for hit in (*hits, *retrieval.rest)), reverse=True)
    asked = understand(question)
    joint = sorted(_joint(hits, words, terms), reverse=True)
    in_chunk = [terms.share(stem for sentence in sentences for stem in sentence) for sentences in words]
    return {
        "best_similarity": similarities[0],
        "best_sentence_similarity": max(max(hit.sentence_scores, default=hit.cosine) for hit in hits),
        "mean_similarity": sum(hit.similarity_score for hit in hits) / len(hits),
        "margin": similarities[0] - similarities[-1],
        "bm25_share": max(hit.bm25_score for hit in hits) / (terms.total * 2.2) if terms.total else 0.0,
        "words_in_chunk": max(in_chunk),
        "words_in_place": max(
            terms.share({*place, *(stem for sentence in sentences for stem in sentence)})
            for place, sentences in zip(places, words, strict=True)
        ),
        "words_in_sentence": max(terms.share(sentence) for sentences in words for sentence in sentences),
        "words_in_sentence_place": max(
            terms.share({*place, *sentence})
            for place, sentences in zip(places, words, strict=True)
            for sentence in sentences
        ),
        "pairs_in_chunk": max(
            terms.pair_share([stem for sentence in sentences for stem in sentence]) for sentences in words
        ),
        "rarest_word_found": _rarest_found(terms, words),
        "unknown_words": _unknown(terms),
        "names_in_chunk": max(_names_found(question, hit) for hit in hits),
        "agreement": sum(hit.dense_rank is not None and hit.bm25_rank is not None for hit in hits) / len(hits),
        "rank_agreement": _rank_agreement(hits[0]),
        "sentence_fit": max(asked.fit(text) for hit in hits for text in hit.sentence_texts or (hit.content,)),
        "best_joint_sentence": joint[0],
        "second_joint_sentence": joint[1] if len(joint) > 1 else 0.0,
        "subject_phrase": max(_longest_run(terms.stems, sentence) for sentences in words for sentence in sentences),
        "subject_in_heading": max(terms.share(place) for place in places),
        "question_words": min(len(terms.stems), 20) / 20,
    }


def _rarest_found(terms: QuestionTerms, words: Sequence[Sequence[Sequence[str]]]) -> float:
    """Return 1 where the question's most telling word stands in one of the hits, else 0."""
    if not terms.stems:
        return 0.0
    rarest = max(zip(terms.idf, terms.stems, strict=True))[1]
    return float(any(rarest in sentence for sentences in words for sentence in sentences))


def _unknown(terms: QuestionTerms) -> float:
    """Return the idf-weighted share of the question's words that occur nowhere in the index."""
    unknown = sum(idf for idf, frequency in zip(terms.idf, terms.frequencies, strict=True) if frequency == 0)
    return unknown / terms.total if terms.total else 1.0


def _names_found(question: str, hit: RetrievedChunk) -> float:
    """Return the share of the question's names and numbers that stand in a chunk or its headings; 1 for none asked."""
    names = {match.casefold() for match in _NAME.findall(question)}
    text = f"{hit.context} {hit.content}".casefold()
    return sum(name in text for name in names) / len(names) if names else 1.0


def _rank_agreement(hit: RetrievedChunk) -> float:
    """Return how near the top both searches put the best hit: mean of 1 / rank, 0 where one did not find it."""
    return sum(1 / rank for rank in (hit.dense_rank, hit.bm25_rank) if rank) / 2


def _joint(
    hits: Sequence[RetrievedChunk], words: Sequence[Sequence[Sequence[str]]], terms: QuestionTerms
) -> Iterator[float]:
    """Yield for each sentence the mean of its cosine and its share of the question's words: both in one place."""
    for hit, sentences in zip(hits, words, strict=True):
        scores = hit.sentence_scores or (hit.cosine,) * len(sentences)
        for score, sentence in zip(scores, sentences, strict=False):
            yield (max(score, 0.0) + terms.share(sentence)) / 2


def _longest_run(wanted: Sequence[str], sentence: Sequence[str]) -> float:
    """Return the longest run of the question's stems that stands in a sentence in the same order, as a share."""
    longest = 0
    for start in range(len(wanted)):
        for place in (index for index, stem in enumerate(sentence) if stem == wanted[start]):
            length = 0
            while wanted[start + length : start + length + 1] == sentence[place + length : place + length + 1] != ():
                length += 1
            longest = max(longest, length)
    return longest / len(wanted) if wanted else 0.0
