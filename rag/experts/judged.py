"""Questions that experts judged: in the dashboard, over recorded answers, or in data sets."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from rag.evaluation.agreement import that_count
from rag.evaluation.datasets import Gold, Question
from rag.evaluation.labelled import once
from rag.models import Answer, Filters, Mode
from rag.stored.values import Label


@dataclass(frozen=True, slots=True)
class Judged:
    """A question, whether the documents answer it, and where.

    Attributes:
        gold: Places that hold an answer; of an answerable question none where only that much was said.
        where: The filters that it was asked with.
    """

    question: str
    answerable: bool
    gold: tuple[Gold, ...] = ()
    where: Filters = field(default_factory=Filters)


def of_questions(questions: Sequence[Question]) -> list[Judged]:
    """Return the labelled questions of a data set, each wording once."""
    return [Judged(one.question, one.answerable, one.gold) for one in once(questions) if one.answerable is not None]


def of_labels(labels: Iterable[Label], read_answer: Callable[[str], Answer | None]) -> list[Judged]:
    """Return the recorded questions that people judged, in the order of their first judgement.

    What a selected text answers says nothing of the index and is left out, and so is what is no longer recorded, and
    what people disagree on without having settled it.

    Args:
        labels: Everybody's; a settled one counts before the others of the same thing.
        read_answer: Returns a recorded answer by its request id.
    """
    counted = that_count(labels)
    answerable = answerable_of(counted)
    found = []
    for target in dict.fromkeys(label.target for label in counted):
        if target not in answerable:
            continue
        answer = read_answer(target)
        if answer is None or answer.query.mode is Mode.SELECTED_TEXT_ONLY:
            continue
        own = [label for label in counted if label.target == target]
        gold = _gold(answer, own) if answerable[target] else ()
        asked = answer.asked or answer.query.question
        where = answer.query.filters.model_copy(update={"collection": None})  # its documents of then are named, too
        found.append(Judged(asked, answerable[target], gold, where))
    return found


def answerable_of(labels: Iterable[Label]) -> dict[str, bool]:
    """Return whether each question can be answered, by target, as most labels say; a tie is left out."""
    votes: dict[str, int] = {}
    for label in labels:
        if label.aspect == "answerable":
            votes[label.target] = votes.get(label.target, 0) + (1 if label.verdict == "yes" else -1)
    return {target: vote > 0 for target, vote in votes.items() if vote}


def _gold(answer: Answer, labels: Sequence[Label]) -> tuple[Gold, ...]:
    """Return where an answer stands: what a right answer cites, else the passages that were judged relevant."""
    said = [label.verdict for label in labels if label.aspect == "answer"]
    if answer.citations and said and 2 * said.count("correct") > len(said):
        return tuple(
            Gold(document=one.document, page=one.page, section=one.section, text=one.excerpt)
            for one in answer.citations
        )
    relevant = _relevant(labels)
    return tuple(
        Gold(document=one.document, page=one.page, section=one.section, text=one.content)
        for one in answer.retrieved
        if one.chunk_id in relevant
    )


def _relevant(labels: Sequence[Label]) -> set[str]:
    """Return the ids of the passages that most labels call relevant."""
    votes: dict[str, int] = {}
    for label in labels:
        if label.aspect == "chunk":
            votes[label.item] = votes.get(label.item, 0) + (1 if label.verdict == "relevant" else -1)
    return {item for item, vote in votes.items() if vote > 0}
