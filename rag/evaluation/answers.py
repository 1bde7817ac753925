"""What a person gets of a question: whether a shown answer is the labelled one and cites the right place.

All of it is counted on words, so that anyone can count again. Words cannot see an answer that reuses the right words
and says something else: what a language model wrote is also read one by one.
"""

import re
import string
import unicodedata
from collections.abc import Sequence
from typing import Literal

from rag.evaluation.datasets import Gold, Question
from rag.evaluation.lines import EvaluationLine
from rag.evaluation.relevance import is_relevant, on_gold_page
from rag.text.words import STOPWORDS

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_MARKER = re.compile(r"\[\d+(?:\s*[,;–-]\s*\d+)*\]")


def normalise(text: str) -> str:
    """Return a text with case, punctuation, articles and white space folded; citation markers do not count.

    Rajpurkar et al. 2016, "SQuAD: 100,000+ questions for machine comprehension of text", EMNLP, with the punctuation
    of all scripts.

    >>> normalise("The  lid, [1] at 1,500 ml!")
    'lid at 1500 ml'
    """
    unmarked = _MARKER.sub(" ", unicodedata.normalize("NFKC", text).casefold())
    plain = "".join(
        character
        for character in unmarked
        if character not in string.punctuation and not unicodedata.category(character).startswith("P")
    )
    return " ".join(_ARTICLES.sub(" ", plain).split())


def contains_gold(answer: str, golds: Sequence[str]) -> bool | None:
    """Return whether a normalised gold answer stands, as whole words, in the normalised answer.

    None where no gold answer has a word to look for.
    """
    wanted = [folded for folded in map(normalise, golds) if folded]
    shown = f" {normalise(answer)} "
    return any(f" {folded} " in shown for folded in wanted) if wanted else None


def answer_recall(answer: str, golds: Sequence[str]) -> float | None:
    """Return the share of a gold answer's content words that stand in the answer, for the best gold answer.

    |words(gold) ∩ words(answer)| / |words(gold)| over distinct normalised words, function words left out; a gold answer
    of function words alone keeps them. The recall half of the F1 of Rajpurkar et al. 2016. None where no gold answer
    has a word.
    """
    shown = set(normalise(answer).split())
    wanted = [words - STOPWORDS or words for gold in golds if (words := set(normalise(gold).split()))]
    return max(len(content & shown) / len(content) for content in wanted) if wanted else None


def citation_precision(line: EvaluationLine, gold: Sequence[Gold]) -> tuple[int, int]:
    """Return how many of the citations cite a relevant chunk, and how many there are.

    The chunk is looked up among those retrieved; a citation of none of them is not relevant.
    """
    chunks = {chunk.chunk_id: chunk for chunk in line.retrieved}
    cited = [chunks.get(citation.chunk_id) for citation in line.citations]
    hits = sum(chunk is not None and any(is_relevant(chunk, place) for place in gold) for chunk in cited)
    return hits, len(cited)


def page_accuracy(line: EvaluationLine, gold: Sequence[Gold]) -> tuple[int, int]:
    """Return how many of the citations name document and page of a gold page, and how many there are.

    Only where the label names a page; else none of none.
    """
    paged = [place for place in gold if place.page is not None]
    if not paged:
        return 0, 0
    return sum(on_gold_page(citation, paged) for citation in line.citations), len(line.citations)


Got = Literal["right", "wrong", "unsure", "refused"]
ANSWER_WORDS = 150
"""How many words of an answer are read: what stands behind them does not help."""
GOLD_SHARE = 0.6
"""The share of a gold sentence's content words that an answer must hold."""
ANSWER_SHARE = 0.7
"""The share of a gold answer's content words that an answer must hold, besides all of its numbers."""
FIRST = 3
"""How many passages a person is expected to look at."""
NEAR_CHARACTERS = 60
"""How much of a gold sentence, from its beginning, a passage must hold to hold the sentence."""
WHOLE_KINDS = ("multi", "comparison")
"""Kinds of questions that need every gold sentence."""
_LIGHT = frozenset(
    """
    a an the of to in on at for and or is are was were be been it its this that these those with by as from you your i
    we our they their he she his her not no do does did can may must will would should have has had if when what which
    who how there here so than then into out up about
    """.split()  # noqa: SIM905
)
"""Words that do not count as content."""
_WORD = re.compile(r"[a-z0-9]+(?:[.,:]\d+)*")
_ENDING = re.compile(r"(?:ing|ed|es|s)$")


def got(question: Question, line: EvaluationLine) -> Got:
    """Return what came of an answerable question."""
    if line.decision != "answered":
        return line.decision
    return "right" if is_right(question, line) else "wrong"


def is_right(question: Question, line: EvaluationLine) -> bool:
    """Return whether a shown answer is right.

    The first 150 words of the answer (excerpts of the sources do not count) hold at least 60% of the content words of a
    gold sentence, whose document is cited; for the kinds `multi` and `comparison` those of every gold sentence. Or they
    hold at least 70% of a gold answer's content words and all of its numbers. Content words are lower-cased runs of
    letters and digits without function words, and without the endings -ing, -ed, -es and -s.
    """
    shown = set(content_words(" ".join((line.answer or "").split()[:ANSWER_WORDS])))
    cited = {citation.document for citation in line.citations}
    places = [place for place in question.gold if place.document in cited or not cited]
    held = [_share(content_words(place.sentence), shown) >= GOLD_SHARE for place in places]
    if question.kind in WHOLE_KINDS:
        shows_gold = bool(held) and all(held) and len(held) == len(question.gold)
    else:
        shows_gold = any(held)
    return shows_gold or any(_says(content_words(answer), shown) for answer in question.answers)


def has_gold_first(question: Question, line: EvaluationLine) -> bool:
    """Return whether one of the first passages holds a gold sentence: its document, and its first 60 characters."""
    wanted = [(place.document, _flat(place.sentence)[:NEAR_CHARACTERS]) for place in question.gold]
    return any(
        chunk.document == document and sentence.strip() and sentence in _flat(chunk.content)
        for chunk in line.retrieved[:FIRST]
        for document, sentence in wanted
    )


def content_words(text: str) -> list[str]:
    """Return the content words of a text, in order.

    >>> content_words("The valves closed at 1.5 bar.")
    ['valv', 'clos', '1.5', 'bar']
    """
    return [_ENDING.sub("", word) for word in _WORD.findall(text.lower()) if word not in _LIGHT]


def _share(wanted: Sequence[str], shown: set[str]) -> float:
    return sum(word in shown for word in wanted) / len(wanted) if wanted else 0.0


def _says(wanted: Sequence[str], shown: set[str]) -> bool:
    """Return whether what is shown has enough of a gold answer's words, and all of its numbers."""
    numbers_are_there = all(word in shown for word in wanted if word[:1].isdigit())
    return _share(wanted, shown) >= ANSWER_SHARE and numbers_are_there


def _flat(text: str) -> str:
    return re.sub(r"\W+", " ", text).lower()
