"""What can be seen of a question and its hits without a large model: the inputs of the calibrated estimator.

Every signal is a number in about 0..1 that means the same for every corpus; none knows a subject, a name or a template.
"""

from collections.abc import Iterator, Sequence

from rag.confidence.windows import Window
from rag.language.asked import TYPE_BONUS, Asked, understand
from rag.language.contrasts import contrasts
from rag.language.lexical import PassageTerms, QuestionTerms
from rag.language.stated import stated_terms
from rag.models import Retrieval, RetrievedChunk
from rag.protocols import Reader

SIGNALS = (
    "best_similarity",
    "best_sentence_similarity",
    "mean_similarity",
    "margin",
    "best_joint_sentence",
    "words_in_chunk",
    "pairs_in_chunk",
    "unknown_words",
    "rank_agreement",
    "sentence_fit",
    "question_words",
    "contrary",
)
"""Names of the signals, in the order of a fit's weights."""
READING = "reading"
"""How likely the best passage answers, judged by reading it; the one signal that costs a model."""
NO_KIND = TYPE_BONUS / 2
"""`sentence_fit` of a question that asks for no kind of thing: between having it and lacking it."""
DIRECTIONS = dict.fromkeys((*SIGNALS, READING), 1) | {
    "unknown_words": -1,
    "contrary": -1,
    "margin": 0,
    "question_words": 0,
}
"""In which direction a signal may count: 1 for an answer, -1 against one, 0 either way."""


def signals(
    question: str, retrieval: Retrieval, terms: QuestionTerms, *, best: Sequence[Window], language: str
) -> dict[str, float]:
    """Return every signal of `SIGNALS` for a question and its hits; all 0 where there are no hits.

    Args:
        question: The question.
        retrieval: What it found.
        terms: Its stems with their idf in the index.
        best: The best few sentences of the hits, best first (`rag.confidence.windows`).
        language: Snowball stemmer.
    """
    hits = retrieval.hits
    if not hits:
        return dict.fromkeys(SIGNALS, 0.0)
    words = [stated_terms(hit, language) for hit in hits]
    similarities = [hit.similarity_score for hit in (*hits, *retrieval.rest)]
    asked = understand(question)
    return {
        "best_similarity": max(similarities),
        "best_sentence_similarity": max(max(hit.sentence_scores, default=hit.cosine) for hit in hits),
        "mean_similarity": sum(hit.similarity_score for hit in hits) / len(hits),
        "margin": max(similarities) - min(similarities),
        "best_joint_sentence": max(_joint(hits, words, terms)),
        "words_in_chunk": max(terms.share(passage.distinct) for passage in words),
        "pairs_in_chunk": max(terms.pair_share(passage.all, passage.distinct) for passage in words),
        "unknown_words": _unknown(terms),
        "rank_agreement": _rank_agreement(hits[0]),
        "sentence_fit": _fit(asked, hits),
        "question_words": min(len(terms.stems), 20) / 20,
        "contrary": _contrary(question, best, language),
    }


def reading(question: str, best: Sequence[Window], *, reader: Reader) -> float:
    """Return the probability, 0..1, that the best of a few passages answers the question; 0 without any.

    As a probability and not as log-odds: a reader that is surer than it should be, on a kind of text that it was not
    trained on, then moves the confidence by no more than one that is rightly sure.

    Args:
        question: The question.
        best: The best few sentences of the hits (`rag.confidence.windows`).
        reader: Judges them.

    Raises:
        EmbedderUnavailable: The reader cannot be run.
    """
    return max(reader.read(question, [window.passage for window in best]), default=0.0)


def _fit(asked: Asked, hits: Sequence[RetrievedChunk]) -> float:
    """Return how well the best sentence has what is asked for; where the form asks for no kind, that says nothing."""
    if not asked.asks_for_a_kind:
        return NO_KIND
    return max(asked.fit(text) for hit in hits for text in hit.sentence_texts or (hit.content,))


def _contrary(question: str, best: Sequence[Window], language: str) -> float:
    """Return 1 where the best few sentences say the contrary of a word of the question about the same thing, else 0."""
    return float(any(contrasts(question, window.text, language=language) for window in best[:1]))


def _unknown(terms: QuestionTerms) -> float:
    """Return the idf-weighted share of the question's words that occur nowhere in the index."""
    unknown = sum(idf for idf, frequency in zip(terms.idf, terms.frequencies, strict=True) if frequency == 0)
    return unknown / terms.total if terms.total else 1.0


def _rank_agreement(hit: RetrievedChunk) -> float:
    """Return how near the top both searches put the best hit: mean of 1 / rank, 0 where one did not find it."""
    return sum(1 / rank for rank in (hit.dense_rank, hit.bm25_rank) if rank) / 2


def _joint(hits: Sequence[RetrievedChunk], words: Sequence[PassageTerms], terms: QuestionTerms) -> Iterator[float]:
    """Yield for each sentence the mean of its cosine and its share of the question's words: both in one place."""
    for hit, passage in zip(hits, words, strict=True):
        scores = hit.sentence_scores or (hit.cosine,) * len(passage.sentences)
        for score, sentence in zip(scores, passage.sentences, strict=False):
            yield (max(score, 0.0) + terms.share(sentence)) / 2
