"""Questions that experts judged, with the windows that the product reads for them, each labelled: does it answer?

They were judged in the dashboard, over recorded answers, or are in data sets.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from rag.errors import InvalidQuery
from rag.evaluation.agreement import that_count
from rag.evaluation.datasets import Gold, Question
from rag.evaluation.labelled import once
from rag.evaluation.relevance import overlaps, same_section
from rag.events import Found
from rag.models import Answer, Citation, Filters, Mode, Retrieval, RetrievedChunk
from rag.protocols import ReadingText
from rag.reader.windows import read_text
from rag.text.words import fold
from rag.workspace.values import Aspect, Label


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
    """
    counted = that_count(labels)
    answerable = _majority(counted, "answerable", "yes", by=lambda label: label.target)
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


def _majority(labels: Iterable[Label], aspect: Aspect, yes: str, *, by: Callable[[Label], str]) -> dict[str, bool]:
    """Return whether most labels say `yes` of each thing; a tie is left out."""
    votes: Counter[str] = Counter()
    for label in labels:
        if label.aspect == aspect:
            votes[by(label)] += 1 if label.verdict == yes else -1
    return {thing: vote > 0 for thing, vote in votes.items() if vote}


def _gold(answer: Answer, labels: Sequence[Label]) -> tuple[Gold, ...]:
    """Return where an answer stands: what a right answer cites, else the passages that were judged relevant."""
    said = [label.verdict for label in labels if label.aspect == "answer"]
    if answer.citations and said and 2 * said.count("correct") > len(said):
        places: list[tuple[Citation | RetrievedChunk, str]] = [(one, one.excerpt) for one in answer.citations]
    else:
        relevant = _majority(labels, "chunk", "relevant", by=lambda label: label.item)
        places = [(one, one.content) for one in answer.retrieved if relevant.get(one.chunk_id)]
    return tuple(Gold(document=one.document, page=one.page, section=one.section, text=text) for one, text in places)


Find = Callable[[Judged], Found]  # retrieves and reads for a question


@dataclass(frozen=True, slots=True)
class Example:
    """A judged question and the windows that were read for it.

    Attributes:
        asked: The question as it was read.
        group: What a fold holds whole: the data set, document and section that it is about.
        retrieval: The passages with the readings of the reader that came with Candor.
        places: Passage and window, by place, of each window read.
        texts: The windows as the reader gets them.
        labels: For each window whether it answers; None: nobody knows, and it is left out.
    """

    asked: str
    group: tuple[str, str, str]
    answerable: bool
    retrieval: Retrieval
    places: tuple[tuple[int, int], ...]
    texts: tuple[ReadingText, ...]
    labels: tuple[bool | None, ...]

    @property
    def is_found(self) -> bool:
        """Whether a window that answers was read."""
        return True in self.labels


def examples_of(
    judged: Sequence[Judged], find: Find, *, name: str, progress: Callable[[int, int], None] | None = None
) -> list[Example]:
    """Return the questions with the windows that were read for them; invalid questions are left out."""
    found = []
    for number, one in enumerate(judged, start=1):
        try:
            found.append(example_of(one, find(one), name=name))
        except InvalidQuery:
            continue
        finally:
            if progress is not None:
                progress(number, len(judged))
    return found


def example_of(judged: Judged, found: Found, *, name: str) -> Example:
    """Return a question with the windows that were read for it."""
    hits = (*found.retrieval.hits, *found.retrieval.rest)
    places = tuple(
        (place, window)
        for place, hit in enumerate(hits)
        for window, reading in enumerate(hit.window_readings)
        if reading is not None
    )
    about = judged.gold[0] if judged.gold else hits[0] if hits else None
    return Example(
        asked=(found.asked or found.query).question,
        group=(name, about.document, about.section or "") if about else (name, "", ""),
        answerable=judged.answerable,
        retrieval=found.retrieval,
        places=places,
        texts=tuple(read_text(hits[place], hits[place].windows[window])[0] for place, window in places),
        labels=_labels(judged, hits, places),
    )


def _labels(
    judged: Judged, hits: Sequence[RetrievedChunk], places: Sequence[tuple[int, int]]
) -> tuple[bool | None, ...]:
    """Return whether each window answers; where none holds the whole text of a place, the one put first of it does."""
    if not judged.answerable:
        return (False,) * len(places)
    if not judged.gold:
        return (None,) * len(places)
    windows = [
        (hit, hit.content[slice(*hit.windows[window])], hit.window_readings[window] or 0.0)
        for hit, window in ((hits[place], window) for place, window in places)
    ]
    labels: list[bool | None] = [False] * len(places)
    for gold in judged.gold:
        near = [index for index, (hit, text, _) in enumerate(windows) if _is_of(hit, text, gold)]
        whole = [index for index in near if _holds(windows[index][1], gold)]
        first = max(near, key=lambda index: windows[index][2], default=None)
        for index in near:
            right = index in whole if whole else index == first
            labels[index] = True if right or labels[index] else (labels[index] if whole else None)
    return tuple(labels)


def _is_of(hit: RetrievedChunk, window: str, gold: Gold) -> bool:
    """Return whether a window is a part of a gold place, or overlaps with it."""
    if hit.document != gold.document:
        return False
    if (gold.text or "").strip():
        return overlaps(window, gold.text or "")
    is_there = not (gold.section or "").strip() or same_section(hit.section, gold.section)
    return is_there and (gold.page is None or hit.page == gold.page)


def _holds(window: str, gold: Gold) -> bool:
    text = fold(gold.text or "")
    return bool(text) and text in fold(window)
