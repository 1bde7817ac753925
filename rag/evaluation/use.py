"""What a person gets of a question: a right answer, a wrong one, passages that may answer, or a refusal.

All of it is counted on words, so that anyone can count again. Words cannot see an answer that reuses the right words
and says something else: what a language model wrote is also read one by one.
"""

import re
from collections.abc import Sequence
from typing import Literal

from rag.evaluation.datasets import Gold, Question
from rag.evaluation.lines import EvaluationLine

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


def has_gold_first(question: Question, line: EvaluationLine, *, first: int = FIRST) -> bool:
    """Return whether one of the first passages holds a gold sentence: its document, and its first 60 characters."""
    return any(
        chunk.document == place.document and _holds(chunk.content, place)
        for chunk in line.retrieved[:first]
        for place in question.gold
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


def _holds(content: str, place: Gold) -> bool:
    wanted = _flat(place.sentence)[:NEAR_CHARACTERS]
    return bool(wanted.strip()) and wanted in _flat(content)


def _flat(text: str) -> str:
    return re.sub(r"\W+", " ", text).lower()
