"""Labelled questions as the gate sees them: gathered once each, with the group that one fold holds whole."""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

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
FEWEST = 20  # labelled questions of each kind below which nothing is fitted


class Labelled(Value):
    """One labelled question as the gate sees it."""

    dataset: str = Field(description="Name of its data set.")
    corpus: str = Field("", description="Whose documents it is about, where several data sets share them.")
    group: str = Field(description="The document it belongs to: a fold holds all questions of one.")
    chapter: str = Field("", description="Its chapter or section there: what a fold holds where documents are few.")
    answerable: bool = Field(description="Its label.")
    signals: tuple[float, ...] = Field(
        min_length=len(SIGNALS), max_length=len(SIGNALS),
        description="A value for each of `SIGNALS`; where a question leaves the edition open: by the latest.",
    )  # fmt: skip
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

    Questions whose `answerable` is null, and invalid ones, are left out, and so is what repeats another. `find` is
    retrieval, reading and gate, with the calibrated estimator, over the data set's own documents.
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
            dataset=dataset.name, group="" if place is None else place.document, chapter=str(part or ""),
            answerable=bool(question.answerable), signals=latest, otherwise=otherwise[0] if otherwise else (),
        )  # fmt: skip
        if progress is not None:
            progress(number, len(labelled))


def words_and_label(question: str, answerable: bool | None) -> tuple[str, bool | None]:
    """Return what makes a question the same as another: its words without case and white space, and its label.

    >>> words_and_label("Who  pays the FINE?", True)
    ('who pays the fine?', True)
    """
    return fold(question), answerable


def once(questions: Sequence[Question], known: set[tuple[str, bool | None]] | None = None) -> list[Question]:
    """Return the questions without those that repeat the words and the label of an earlier one: they prove nothing new.

    `known` is what counts as said already; it learns what is returned.
    """
    known = set() if known is None else known
    found = []
    for question in questions:
        if (said := words_and_label(question.question, question.answerable)) not in known:
            known.add(said)
            found.append(question)
    return found


def without_known(dataset: DataSet, known: set[tuple[str, bool | None]]) -> DataSet:
    """Return a data set without the questions that another has with the same label; `known` learns the others."""
    return dataset.model_copy(update={"questions": tuple(once(dataset.questions, known))})


def groups_of(rows: Sequence[Labelled]) -> list[str]:
    """Return for each question the group that one fold holds whole: its document, or chapter where those are few."""
    documents: dict[str, set[str]] = {}
    for row in rows:
        documents.setdefault(row.of, set()).add(row.group)
    few = {name for name, found in documents.items() if len(found) < FOLDS}
    return ["/".join((row.of, row.group, *([row.chapter] if row.of in few else []))) for row in rows]


def require_enough(answerable: Sequence[bool], *, target: float = 0.05, horizon: Horizon = "as labelled") -> None:
    """Refuse to fit on too few labels, each question once: raise `ConfigurationError` below `FEWEST` of a kind.

    `target` and `horizon` are those of `rag.evaluation.risk.threshold_for`; the message says how many it takes.
    """
    yes, no = sum(answerable), len(answerable) - sum(answerable)
    if min(yes, no) < FEWEST:
        needed = labels_needed(target=target, confidence=LEVEL, horizon=horizon)
        missing = {"answerable": FEWEST - yes, "unanswerable": FEWEST - no}
        more = " and ".join(f"{count} more {kind}" for kind, count in missing.items() if count > 0)
        raise ConfigurationError(
            f"Too few labels for a gate: {yes} answerable and {several(no, 'unanswerable question')}. Label {more}: "
            f"a fit takes {FEWEST} of each kind, and a guarantee of at most {100 * target:g}% false answers at least "
            f"{needed} unanswerable ones, none of them answered.",
            details={"answerable": yes, "unanswerable": no, "needed": FEWEST},
        )


class Part(NamedTuple):
    """A data set's questions as the gate sees them, and name and hash of each document that they were asked of."""

    rows: Sequence[Labelled]
    versions: Sequence[tuple[str, str]]


def of_corpora(parts: Sequence[Part]) -> list[Labelled]:
    """Return the questions of all data sets, in order; those of data sets that share a document are of one corpus.

    A document is known by its content, and goes by the first name that it has; a corpus by that of its first data set.
    """
    hashes = [{version for _, version in part.versions} for part in parts]
    corpus = [*range(len(parts))]  # the number of its first data set, of each; shared with another or by way of a third
    for one, other in combinations(range(len(parts)), 2):
        if not hashes[one].isdisjoint(hashes[other]):
            first, joined = sorted((corpus[one], corpus[other]))
            corpus = [first if number == joined else number for number in corpus]
    found: list[Labelled] = []
    for part, number in zip(parts, corpus, strict=True):
        together = [one for one, its in zip(parts, corpus, strict=True) if its == number]
        named = {version: name for one in reversed(together) for name, version in reversed(one.versions)}
        called = next((row.dataset for one in together for row in one.rows), "") if len(together) > 1 else ""
        versions = dict(part.versions)
        for row in part.rows:
            group = named.get(versions.get(row.group, ""), row.group)
            found.append(row.model_copy(update={"corpus": called, "group": group}))
    return found
