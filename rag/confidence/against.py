"""What speaks against answering, in words: the calibrated gate's reasons, the weightiest first.

Each statement is a fact of the question, the index and the hits that a person can check; which ones are told, and in
which order, follows from how much each signal took from the confidence.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from rag.confidence.signals import READING
from rag.confidence.windows import windows
from rag.language.contrasts import contrasts
from rag.language.lexical import QuestionTerms, passage_terms
from rag.language.text import stems, words
from rag.models import RetrievedChunk

STATEMENTS = 3
WORDS_TOLD = 4
LEAST = 0.1
"""A signal that takes less than this from the log-odds is not told."""
_READ_WELL = 0.5
_COVERED = 0.85


def against(
    question: str,
    hits: Sequence[RetrievedChunk],
    terms: QuestionTerms,
    *,
    values: Mapping[str, float],
    usual: Mapping[str, float],
    taken: Mapping[str, float],
    language: str,
) -> tuple[str, ...]:
    """Return up to three statements of what speaks against answering, the weightiest first.

    Args:
        question: The question.
        hits: What was found, best first; nothing is said where nothing was.
        terms: The question's stems with how often each occurs in the index.
        values: The signals of this question.
        usual: The signals' means over the questions that the gate was fitted on, half of them answerable.
        taken: What each signal adds to the log-odds, negative where it speaks against.
        language: Snowball stemmer.
    """
    if not hits:
        return ()
    told = dict(_statements(question, hits, terms, values, usual, language))
    ordered = sorted(told, key=lambda name: taken.get(name, 0.0))
    return tuple(told[name] for name in ordered if taken.get(name, 0.0) < -LEAST)[:STATEMENTS]


def _statements(
    question: str,
    hits: Sequence[RetrievedChunk],
    terms: QuestionTerms,
    values: Mapping[str, float],
    usual: Mapping[str, float],
    language: str,
) -> Iterator[tuple[str, str]]:
    """Yield the statements that hold, each with the signal whose weight ranks it."""
    said = spoken(question, language=language)
    nowhere = [said.get(stem, stem) for stem, count in zip(terms.stems, terms.frequencies, strict=True) if not count]
    if nowhere:
        yield "unknown_words", f"The documents nowhere use {_listed(nowhere)}."
    lacking = [said.get(stem, stem) for stem in missing(hits, terms, language=language)]
    if lacking:
        yield "best_joint_sentence", f"The passage with most of the question's words lacks {_listed(lacking)}."
    if values.get("contrary"):
        one, other = _contrary(question, hits, language)
        yield "contrary", f"The question says “{one}”, and the best passage “{other}” about the same."
    chance = values.get(READING, 1.0)
    if chance < _READ_WELL:
        yield READING, f"Read closely, the best passage answers the question with a probability of {chance:.0%} only."
    best = values["best_sentence_similarity"]
    if best < usual.get("best_sentence_similarity", 0.0):
        yield (
            "best_sentence_similarity",
            f"No sentence is near the question in meaning: the nearest has a similarity of {best:.2f}, and "
            f"{usual['best_sentence_similarity']:.2f} is usual.",
        )


def _contrary(question: str, hits: Sequence[RetrievedChunk], language: str) -> tuple[str, str]:
    """Return the word of the question and that of the best few sentences that shut each other out."""
    (best,) = windows(question, hits, limit=1, language=language)
    return contrasts(question, best.text, language=language)[0]


def missing(hits: Sequence[RetrievedChunk], terms: QuestionTerms, *, language: str) -> list[str]:
    """Return the known stems that the hit with most of the question's words lacks, the rarest first.

    Empty where that hit has at least 85% of the question's words by weight.
    """
    found = [passage_terms(hit.content, hit.sentences, language).distinct for hit in hits]
    best = max(found, key=terms.share)
    if terms.share(best) >= _COVERED:
        return []
    weighed = zip(terms.stems, terms.idf, terms.frequencies, strict=True)
    lacking = [(weight, stem) for stem, weight, count in weighed if count and stem not in best]
    return [stem for _, stem in sorted(lacking, key=lambda item: -item[0])]


def spoken(question: str, *, language: str) -> dict[str, str]:
    """Return for each stem of a question the word that it stands for there, as it is written.

    >>> spoken("Which Gloves protect?", language="english")["glove"]
    'Gloves'
    """
    found: dict[str, str] = {}
    for word in words(question):
        written = re.search(rf"(?<!\w){re.escape(word)}", question, re.IGNORECASE)
        for stem in stems(word, language=language):
            found.setdefault(stem, written.group() if written else word)
    return found


def _listed(found: Sequence[str]) -> str:
    """Return words in quotation marks: the first few, and how many more there are."""
    quoted = [f"“{word}”" for word in found[:WORDS_TOLD]]
    more = len(found) - WORDS_TOLD
    return ", ".join(quoted) + (f" and {more} more" if more > 0 else "")
