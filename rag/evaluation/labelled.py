"""Labelled questions as the gate sees them: gathered once each, with the group that one fold holds whole."""

from collections.abc import Callable, Sequence

from pydantic import Field

from rag.confidence.signals import READING, SIGNALS
from rag.errors import ConfigurationError, InvalidQuery
from rag.evaluation.datasets import DataSet, Question
from rag.events import Found
from rag.language.text import fold
from rag.models import RetrievedChunk, Value

FOLDS = 5
FEWEST = 20
"""Labelled questions of each kind below which nothing is fitted."""


class Labelled(Value):
    """One labelled question as the gate sees it."""

    dataset: str = Field(description="Name of its data set.")
    corpus: str = Field("", description="Whose documents it is about, where several data sets share them.")
    group: str = Field(description="The document it belongs to: a fold holds all questions of one.")
    chapter: str = Field("", description="Its chapter or section there: what a fold holds where documents are few.")
    answerable: bool = Field(description="Its label.")
    qid: str = Field("", description="Its name in the data set.")
    signals: tuple[float, ...] = Field(
        description="One value for each name in `SIGNALS`; one more, `READING`, where a reader read."
    )


def collect(
    dataset: DataSet, find: Callable[[str], Found], *, progress: Callable[[int, int], None] | None = None
) -> list[Labelled]:
    """Return the signals of every labelled question of a data set.

    Args:
        dataset: Questions whose `answerable` is null, and invalid ones, are left out, and so is what repeats another.
        find: Retrieval and gate, with the calibrated estimator, over the data set's own documents.
        progress: Told how far it is.
    """
    labelled = once([question for question in dataset.questions if question.answerable is not None])
    rows = []
    for number, question in enumerate(labelled, start=1):
        try:
            found = find(question.question)
        except InvalidQuery:
            continue
        group, chapter = _place(question, found.retrieval.hits)
        inputs = found.decision.inputs
        names = names_of(READING in inputs)
        rows.append(
            Labelled(
                dataset=dataset.name,
                group=group,
                chapter=chapter,
                answerable=bool(question.answerable),
                qid=question.qid,
                signals=tuple(inputs.get(name, 0.0) for name in names),
            )
        )
        if progress is not None:
            progress(number, len(labelled))
    return rows


def once(questions: Sequence[Question]) -> list[Question]:
    """Return the questions without those that repeat the words and the label of another: they prove nothing new."""
    first: dict[tuple[str, bool | None], Question] = {}
    for question in questions:
        first.setdefault(label_of(question), question)
    return list(first.values())


def label_of(question: Question) -> tuple[str, bool | None]:
    """Return what makes a question the same as another: its words without case and accents, and its label."""
    return fold(question.question), question.answerable


def _place(question: Question, hits: Sequence[RetrievedChunk]) -> tuple[str, str]:
    """Return the document and the chapter or section that a question belongs to: the gold one, else the nearest."""
    if not question.gold and not hits:
        return "", ""
    place = question.gold[0] if question.gold else hits[0]
    part = place.chapter if place.chapter is not None else place.section
    return place.document, str(part or "")


def names_of(reads: bool) -> tuple[str, ...]:
    """Return the names of the signals of a question, with or without a reader's."""
    return (*SIGNALS, READING) if reads else SIGNALS


def groups_of(rows: Sequence[Labelled]) -> list[str]:
    """Return for each question the group that one fold holds whole: its document, or its chapter where those are few.

    Questions of one chapter are alike, and so are those of one document: whichever is larger and still leaves a
    group for each fold.
    """
    documents: dict[str, set[str]] = {}
    for row in rows:
        documents.setdefault(corpus_of(row), set()).add(row.group)
    few = {name for name, found in documents.items() if len(found) < FOLDS}
    return ["/".join((corpus_of(row), row.group, *([row.chapter] * (corpus_of(row) in few)))) for row in rows]


def corpus_of(row: Labelled) -> str:
    """Return whose documents a question is about: what weighs as much as another corpus in a fit."""
    return row.corpus or row.dataset


def require_enough(answerable: Sequence[bool]) -> None:
    """Refuse to fit on too few labels.

    Raises:
        ConfigurationError: Fewer than `FEWEST` of a kind; the message says how many are missing.
    """
    yes = sum(answerable)
    no = len(answerable) - yes
    if min(yes, no) < FEWEST:
        raise ConfigurationError(
            f"Too few labels to fit the gate: {yes} answerable and {no} unanswerable questions. "
            f"Label {max(FEWEST - yes, 0)} more answerable and {max(FEWEST - no, 0)} more unanswerable ones.",
            details={"answerable": yes, "unanswerable": no, "needed": FEWEST},
        )
