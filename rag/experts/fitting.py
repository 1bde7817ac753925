"""What the reader learns from judged questions, and what that is worth for questions that it did not learn from.

The lesson is a small head beside the reader's own (`rag.reader.head`). All figures are cross-fitted: each question is
read with a head that saw nothing of its document (or section, where the documents are few), and the gate in force
decides. Before and after are counted on the same questions and the same windows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from rag.confidence.calibrated import GateFit
from rag.confidence.signals import signals
from rag.errors import ConfigurationError
from rag.evaluation.intervals import BoundedRate, Estimate, Rate, bounded_rate, rate
from rag.evaluation.selective import auroc
from rag.experts.examples import Example
from rag.models import Value
from rag.read import in_order
from rag.reader.head import FOLDS, Head, fit
from rag.text.counted import several

FEWEST: Final = 20  # judged questions below which nothing is learned

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """A judged question, and what the reader that came with Candor makes of its windows.

    Attributes:
        example: The question and its windows.
        logits: The logit that each window answers: shape `(windows,)`.
        pooled: The vectors that a head judges by: shape `(windows, 1536)`.
    """

    example: Example
    logits: Floats
    pooled: Floats


class Figures(Value):
    """What a reader is worth on judged questions, with the gate in force."""

    choice: Rate = Field(description="The window put first answers / answerable, of which one that answers was read.")
    auroc: Estimate = Field(description="Of the gate's confidence, answerable against unanswerable.")
    right: Rate = Field(description="Answered, the window put first answers / answerable, where the place is known.")
    false_answers: BoundedRate = Field(description="Answered / unanswerable.")


class Comparison(Value):
    """A head, and what it changes for questions that it did not learn from."""

    questions: int = Field(description="Judged questions.")
    answerable: int = Field(description="Of them those that the documents answer.")
    unseen: int = Field(description="Of these those of which no window that answers was read.")
    windows: int = Field(description="Windows that were learned from.")
    answering: int = Field(description="Of them those that answer.")
    groups: int = Field(description="Documents, sections or questions that were held out whole.")
    threshold: float = Field(description="Of confidence, from which questions are answered.")
    before: Figures = Field(description="With the reader that came with Candor.")
    after: Figures = Field(description="With heads that saw nothing of a question's group.")

    @property
    def is_better(self) -> bool:
        """Whether more is right, or more put first, nothing of both less, and no more is answered falsely."""
        before, after = self.before, self.after
        gains = (after.right.numerator - before.right.numerator, after.choice.numerator - before.choice.numerator)
        spared = before.false_answers.numerator - after.false_answers.numerator
        return min(*gains, spared) >= 0 and max(*gains, spared) > 0


def learned(lessons: Sequence[Lesson], *, reader: str) -> Head:
    """Return the head that all lessons teach.

    On average the best window of a question keeps its logit: most windows that are read do not answer, and a head that
    learned how rare an answer is would only lower every confidence below the gate's thresholds.

    `ConfigurationError`: all belong together, or no window answers.
    """
    groups = _groups([lesson.example for lesson in lessons])
    known = [
        (number, index)
        for number, lesson in enumerate(lessons)
        for index, label in enumerate(lesson.example.labels)
        if label is not None
    ]
    try:
        head = fit(
            np.array([lessons[number].pooled[index] for number, index in known]),
            np.array([lessons[number].logits[index] for number, index in known]),
            [bool(lessons[number].example.labels[index]) for number, index in known],
            [groups[number] for number, _ in known],
            reader=reader,
        ).head
    except ValueError as error:
        raise ConfigurationError(
            "Nothing can be learned: the judged questions must be about at least two documents or sections, and a "
            "passage that was read must answer one of them. Judge more questions, and mark the passages that answer."
        ) from error
    raised = [(one.logits + head.logits(one.pooled)).max() - one.logits.max() for one in lessons if len(one.logits)]
    return Head(head.weights, head.bias - float(np.mean(raised)), reader)


def compared(lessons: Sequence[Lesson], *, gate: GateFit, threshold: float | None = None) -> Comparison:
    """Return what the reader is worth before and after learning, each question by a head that did not see its group.

    Args:
        lessons: Judged questions, `FEWEST` or more.
        gate: Turns readings into a confidence.
        threshold: From which confidence on is answered; None: the gate's own.

    Raises:
        ConfigurationError: Too few questions, all of one group, or nothing to learn from.
    """
    count = len(lessons)
    if count < FEWEST:
        raise ConfigurationError(
            f"Too few labels to learn from: {several(count, 'judged question')}, and it takes {FEWEST}. Judge "
            f"{several(FEWEST - count, 'more question')} on the page Inspect, or name a folder with questions.jsonl.",
            details={"questions": count, "needed": FEWEST},
        )
    examples = [lesson.example for lesson in lessons]
    limit = gate.threshold if threshold is None else threshold
    known = [label for example in examples for label in example.labels if label is not None]
    answerable = [example for example in examples if example.answerable]
    return Comparison(
        questions=len(examples),
        answerable=len(answerable),
        unseen=sum(not example.is_found for example in answerable),
        windows=len(known),
        answering=sum(known),
        groups=len(set(_groups(examples))),
        threshold=limit,
        before=figures_of(examples, [lesson.logits for lesson in lessons], gate=gate, threshold=limit),
        after=figures_of(examples, cross_fitted(lessons), gate=gate, threshold=limit),
    )


def cross_fitted(lessons: Sequence[Lesson]) -> list[Floats]:
    """Return for each question the logits of its windows by a head that saw nothing of its group."""
    groups = _groups([lesson.example for lesson in lessons])
    names = sorted(set(groups))
    order = np.random.default_rng(0).permutation(len(names))
    fold_of = {name: int(place) % FOLDS for name, place in zip(names, order, strict=True)}
    found: list[Floats] = [lesson.logits for lesson in lessons]
    for fold in sorted(set(fold_of.values())):
        inside = [lesson for lesson, group in zip(lessons, groups, strict=True) if fold_of[group] != fold]
        head = learned(inside, reader="")
        for number, group in enumerate(groups):
            if fold_of[group] == fold:
                found[number] = lessons[number].logits + head.logits(lessons[number].pooled)
    return found


def figures_of(examples: Sequence[Example], logits: Sequence[Floats], *, gate: GateFit, threshold: float) -> Figures:
    """Return what readings are worth, by the gate's confidence and what stands first."""
    confidences = [_confidence(one, each, gate) for one, each in zip(examples, logits, strict=True)]
    first = [_first_answers(one, each) for one, each in zip(examples, logits, strict=True)]
    rows = list(zip(examples, confidences, first, strict=True))
    placed = [row for row in rows if row[0].answerable and any(label is not None for label in row[0].labels)]
    choices = [right for example, _, right in placed if example.is_found]
    false = [confidence >= threshold for example, confidence, _ in rows if not example.answerable]
    return Figures(
        choice=rate(sum(choices), len(choices)),
        auroc=auroc(confidences, [example.answerable for example in examples]),
        right=rate(sum(right and confidence >= threshold for _, confidence, right in placed), len(placed)),
        false_answers=bounded_rate(sum(false), len(false)),
    )


def _confidence(example: Example, logits: Floats, gate: GateFit) -> float:
    """Return the gate's confidence in a question whose windows are read so, its passages put in order anew."""
    if not example.retrieval.hits:
        return 0.0
    hits = [*example.retrieval.hits, *example.retrieval.rest]
    readings = [list(hit.window_readings) for hit in hits]
    for (place, window), logit in zip(example.places, logits, strict=True):
        readings[place][window] = float(1 / (1 + np.exp(-np.clip(logit, -30, 30))))
    read = [hit.model_copy(update={"window_readings": tuple(one)}) for hit, one in zip(hits, readings, strict=True)]
    return gate.confidence(signals(in_order(example.retrieval, read, top_k=len(example.retrieval.hits)).hits))


def _first_answers(example: Example, logits: Floats) -> bool:
    """Return whether the window put first answers; those of which nobody knows it are passed over."""
    known = [pair for pair in zip(logits, example.labels, strict=True) if pair[1] is not None]
    return bool(max(known, default=(0.0, False), key=lambda pair: float(pair[0]))[1])


def _groups(examples: Sequence[Example]) -> list[str]:
    """Return for each question what is held out with it: its document; its section where documents are few; else it."""
    names: list[str] = []
    for depth in (2, 3):
        names = ["/".join(example.group[:depth]) for example in examples]
        if len(set(names)) >= FOLDS:
            return names
    return [f"{name}/{example.asked.casefold()}" for name, example in zip(names, examples, strict=True)]
