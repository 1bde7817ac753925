"""A trial: many questions put to a whole pipeline while somebody untrustworthy speaks, and what got through counted.

The count is `rag.evaluation.independent`, which shares no code with the grounding stage.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from rag.evaluation.datasets import Question
from rag.evaluation.independent import Finding, not_verbatim, unsupported_sentences
from rag.evaluation.lines import line_of
from rag.models import Answer
from rag.pipeline import Pipeline

TextOf = Callable[[str], str | None]


@dataclass
class Trial:
    """What came of the questions so far; `spoken` says how often the model was asked, `of_the_model` its sentences."""

    asked: int = 0
    spoken: int = 0
    answered: int = 0
    sentences: int = 0
    of_the_model: int = 0
    excerpts: int = 0
    unsupported: list[Finding] = field(default_factory=list)
    not_verbatim: list[Finding] = field(default_factory=list)
    shown: list[Answer] = field(default_factory=list)

    def add(self, question: Question, answer: Answer, text_of: TextOf) -> None:
        line = line_of(question, answer)
        self.asked += 1
        self.answered += answer.answer is not None
        self.sentences += len(answer.sentences)
        self.excerpts += len(answer.citations)
        self.spoken += answer.generator.model is not None
        self.of_the_model += len(answer.sentences) if answer.generator.name == "ollama" else 0
        self.unsupported += unsupported_sentences(line)
        self.not_verbatim += not_verbatim(line, text_of)
        self.shown.append(answer)


def put(questions: Iterable[Question], pipeline: Pipeline, text_of: TextOf, **options: object) -> Trial:
    """Ask every question and count."""
    trial = Trial()
    for question in questions:
        trial.add(question, pipeline.ask(pipeline.query(question.question, **options)), text_of)
    return trial
