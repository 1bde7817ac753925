"""Readers that go by a script, so that stages and pipeline are tested without the weights of the real one."""

import json
from collections.abc import Callable, Mapping, Sequence

from rag import Candor
from rag.confidence.calibrated import SHIPPED
from rag.protocols import Judgement, ReadingText

YES, NO = 0.97, 0.01
MARKED, UNMARKED = 0.95, 0.02


class ScriptedReader:
    """Judges each text by a function, and marks the sentences that another function names; `calls` has each batch."""

    name = json.loads(SHIPPED.read_text(encoding="utf-8"))["reader"] or "scripted"
    """That of the reader with which the shipped gate was fitted, so that this gate decides."""

    def __init__(
        self, probability: Callable[[str, str], float], marks: Callable[[str, str], bool] = lambda question, text: False
    ) -> None:
        self._probability, self._marks = probability, marks
        self.calls: list[tuple[str, tuple[ReadingText, ...]]] = []

    def read(self, question: str, texts: Sequence[ReadingText]) -> list[Judgement]:
        self.calls.append((question, tuple(texts)))
        return [Judgement(self._probability(question, one.text), self._marked(question, one)) for one in texts]

    def _marked(self, question: str, one: ReadingText) -> tuple[float, ...]:
        said = (one.text[start:end] for start, end in one.sentences)
        return tuple(MARKED if self._marks(question, sentence) else UNMARKED for sentence in said)


def read_by(candor: Candor, reader: ScriptedReader) -> None:
    """Let a Candor that was just opened read with this reader."""
    candor.wiring.__dict__["reader"] = reader


def about(*words: str) -> ScriptedReader:
    """Return a reader to which a text answers a question where one of the words stands in both."""

    def both(question: str, text: str) -> bool:
        return any(word in question and word in text for word in words)

    return ScriptedReader(lambda question, text: YES if both(question, text) else NO, both)


def knowing(answers: Mapping[str, str]) -> ScriptedReader:
    """Return a reader to which a text answers a question where it holds the words that `answers` gives for it."""

    def holds(question: str, text: str) -> bool:
        said = answers.get(question)
        return said is not None and said in " ".join(text.split())

    return ScriptedReader(lambda question, text: YES if holds(question, text) else NO, holds)
