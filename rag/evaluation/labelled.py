"""Labelled questions as the gate sees them: gathered once each, with the group that one fold holds whole."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import Field

from rag.confidence.signals import LOWEST, SIGNALS
from rag.errors import ConfigurationError, InvalidQuery
from rag.evaluation.datasets import DataSet, Gold, Question
from rag.evaluation.intervals import LEVEL
from rag.evaluation.risk import Horizon, labels_needed
from rag.events import Found
from rag.models import RetrievedChunk, Value
from rag.text.counted import several
from rag.text.words import fold

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
    signals: tuple[float, ...] = Field(
        min_length=len(SIGNALS),
        max_length=len(SIGNALS),
        description="One value for each name in `SIGNALS`. Where a question leaves the edition open: with the latest "
        "searched.",
    )
    otherwise: tuple[float, ...] = Field(
        (), description="The same with all editions searched, which decide where they say more; empty: no such choice."
    )

    @property
    def of(self) -> str:
        """Whose documents it is about: what weighs as much as another corpus in a fit."""
        return self.corpus or self.dataset


def collect(
    dataset: DataSet, find: Callable[[str], Found], *, progress: Callable[[int, int], None] | None = None
) -> Iterator[Labelled]:
    """Yield the signals of every labelled question of a data set, each as soon as it was asked.

    Questions whose `answerable` is null, and invalid ones, are left out, and so is what repeats another; what other
    data sets share with this one is for `without_known` to say.

    Args:
        dataset: The questions.
        find: Retrieval, reading and gate, with the calibrated estimator, over the data set's own documents.
        progress: Told how far it is.
    """
    labelled = once([question for question in dataset.questions if question.answerable is not None])
    for number, question in enumerate(labelled, start=1):
        try:
            found = find(question.question)
        except InvalidQuery:
            continue
        places: list[Gold | RetrievedChunk] = [*question.gold, *found.retrieval.hits]
        place = places[0] if places else None  # the gold one, else the nearest
        part = None if place is None else place.section if place.chapter is None else place.chapter
        decisions = [one for one in (found.decision, found.other) if one is not None]
        if found.editions_searched == "all":
            decisions.reverse()
        latest, *otherwise = [tuple(one.inputs.get(name, LOWEST[name]) for name in SIGNALS) for one in decisions]
        yield Labelled(
            dataset=dataset.name,
            group="" if place is None else place.document,
            chapter=str(part or ""),
            answerable=bool(question.answerable),
            signals=latest,
            otherwise=otherwise[0] if otherwise else (),
        )
        if progress is not None:
            progress(number, len(labelled))


def words_and_label(question: str, answerable: bool | None) -> tuple[str, bool | None]:
    """Return what makes a question the same as another: its words without case and white space, and its label.

    >>> words_and_label("Who  pays the FINE?", True)
    ('who pays the fine?', True)
    """
    return fold(question), answerable


def once(questions: Sequence[Question], known: set[tuple[str, bool | None]] | None = None) -> list[Question]:
    """Return the questions without those that repeat the words and the label of another: they prove nothing new.

    Args:
        questions: In any order; of several that are the same the first is kept.
        known: What counts as said already; it learns what is returned.
    """
    known = set() if known is None else known
    found = []
    for question in questions:
        if (said := words_and_label(question.question, question.answerable)) not in known:
            known.add(said)
            found.append(question)
    return found


def without_known(dataset: DataSet, known: set[tuple[str, bool | None]]) -> DataSet:
    """Return a data set without the questions that another has with the same label; `known` learns the others.

    A copy of a label proves nothing, and would be judged by a fit that saw it.
    """
    return dataset.model_copy(update={"questions": tuple(once(dataset.questions, known))})


def groups_of(rows: Sequence[Labelled]) -> list[str]:
    """Return for each question the group that one fold holds whole: its document, or its chapter where those are few.

    Questions of one chapter are alike, and so are those of one document: whichever is larger and still leaves a
    group for each fold.
    """
    documents: dict[str, set[str]] = {}
    for row in rows:
        documents.setdefault(row.of, set()).add(row.group)
    few = {name for name, found in documents.items() if len(found) < FOLDS}
    return ["/".join((row.of, row.group, *([row.chapter] if row.of in few else []))) for row in rows]


def require_enough(answerable: Sequence[bool], *, target: float = 0.05, horizon: Horizon = "as labelled") -> None:
    """Refuse to fit on too few labels.

    Args:
        answerable: The labels, each question once.
        target: The rate of false answers that a threshold is to keep, above 0 and below 1.
        horizon: About how many unanswerable questions to come; see `rag.evaluation.risk.threshold_for`.

    Raises:
        ConfigurationError: Fewer than `FEWEST` of a kind; the message says how many are missing.
    """
    yes = sum(answerable)
    no = len(answerable) - yes
    if min(yes, no) < FEWEST:
        needed = labels_needed(target=target, confidence=LEVEL, horizon=horizon)
        missing = {"answerable": FEWEST - yes, "unanswerable": FEWEST - no}
        more = " and ".join(f"{count} more {kind}" for kind, count in missing.items() if count > 0)
        raise ConfigurationError(
            f"Too few labels to fit the gate: {yes} answerable and {several(no, 'unanswerable question')}. "
            f"Label {more} {'one' if max(missing.values()) == 1 else 'ones'}: a fit takes {FEWEST} of each kind. "
            f"A guarantee of at most {100 * target:g}% false answers takes at least {needed} unanswerable ones, "
            "none of them answered.",
            details={"answerable": yes, "unanswerable": no, "needed": FEWEST},
        )


@dataclass(frozen=True, slots=True)
class Part:
    """A data set's questions as the gate sees them, and the documents that they were asked of."""

    rows: Sequence[Labelled]
    versions: Sequence[tuple[str, str]]
    """Name and hash of the content of every document."""


def of_corpora(parts: Sequence[Part]) -> list[Labelled]:
    """Return the questions of all data sets, in order; those of data sets that share a document are of one corpus.

    A document is known by its content: under another name it is the same one, and goes by the first name that it has.
    A corpus goes by the name of its first data set; a data set that shares nothing keeps its questions as they are.
    """
    found: dict[int, list[Labelled]] = {}
    for numbers in _sharing(parts):
        together = [parts[number] for number in numbers]
        first = {version: name for part in reversed(together) for name, version in reversed(part.versions)}
        corpus = next((row.dataset for part in together for row in part.rows), "") if len(together) > 1 else ""
        for number in numbers:
            versions = dict(parts[number].versions)
            found[number] = [
                row.model_copy(update={"corpus": corpus, "group": first.get(versions.get(row.group, ""), row.group)})
                for row in parts[number].rows
            ]
    return [row for number in sorted(found) for row in found[number]]


def _sharing(parts: Sequence[Part]) -> list[list[int]]:
    """Return the numbers of the data sets that share documents, each with another or by way of a third."""
    found: list[tuple[list[int], set[str]]] = []
    for number, part in enumerate(parts):
        hashes = {version for _, version in part.versions}
        near = [one for one in found if not one[1].isdisjoint(hashes)]
        found = [one for one in found if one[1].isdisjoint(hashes)]
        members = sorted(member for one in near for member in one[0])
        found.append(([*members, number], hashes.union(*(one[1] for one in near))))
    return [numbers for numbers, _ in found]
