"""Questions and windows with labels: what there is to train on.

Windows are those that the product would read: its own retrieval, and `rag.confidence.windows`.
"""

import logging
import pickle
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rag.confidence.windows import WINDOW_WORDS, Window, grow, place, windows
from rag.evaluation.datasets import Question
from rag.language.stated import lengths, stretch
from rag.language.text import stems
from rag.models import Chunk

log = logging.getLogger("training")
RANKS = 3
RUN = 50
"""Characters that a window and a gold passage share at least."""
GOLD = -1
"""Rank of a window that was cut around the gold answer because retrieval did not bring it; for training only."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A question (by index) and a window; `label` is 1, 0 or -1 (unknown), the answer is `text[start:end]`."""

    question: int
    rank: int
    text: str
    label: int
    start: int = -1
    end: int = -1


@dataclass(frozen=True, slots=True)
class Found:
    """What is trained on: questions, for each the group that stays in one fold, and their pairs."""

    name: str
    questions: list[Question]
    groups: list[str]
    pairs: list[Pair]


def collect(folder: Path, work: Path) -> Found:
    """Return questions, groups and pairs of one data set, from its own index under `work`."""
    kept = work / f"{folder.name}.pairs.pickle"
    if kept.is_file():
        return pickle.loads(kept.read_bytes())  # noqa: S301 (written by this script)
    from rag.candor import Candor
    from rag.evaluation.datasets import load_dataset
    from rag.protocols import SearchScope
    from rag.settings import load_settings

    dataset = load_dataset(folder)
    questions = [question for question in dataset.questions if question.answerable is not None]
    found = Found(folder.name, questions, [], [])
    home = load_settings(data_dir=work / f"{folder.name}.index", record_answers=False, reader_model="none")
    with Candor.open(home) as candor:
        candor.ingest(dataset.documents)
        chunks = list(candor.wiring.store.scroll(SearchScope()))
        for index, question in enumerate(questions):
            hits = candor.retrieve(question.question).retrieval.hits
            document = question.gold[0].document if question.gold else hits[0].document if hits else ""
            found.groups.append(f"{folder.name}/{document}")
            found.pairs.extend(label(index, question, windows(question.question, hits, limit=RANKS), chunks))
    log.info("%s: %d questions", folder.name, len(questions))
    kept.write_bytes(pickle.dumps(found))
    return found


def joined(parts: Sequence[Found], name: str) -> Found:
    """Return several data sets as one."""
    every = Found(name, [], [], [])
    for part in parts:
        every.pairs.extend(replace(pair, question=pair.question + len(every.questions)) for pair in part.pairs)
        every.questions.extend(part.questions)
        every.groups.extend(part.groups)
    return every


def label(index: int, question: Question, read: Sequence[Window], chunks: Sequence[Chunk]) -> list[Pair]:
    """Return the windows of a question, each below its place, with labels; one around the answer if none has it."""
    gold = question.gold[0].text or "" if question.gold else ""
    pairs = [_labelled(index, rank, window, question, gold) for rank, window in enumerate(read)]
    if question.answerable and gold and not any(pair.label == 1 for pair in pairs):
        pairs += _around_answer(index, question, gold, chunks)
    return pairs


def _labelled(index: int, rank: int, window: Window, question: Question, gold: str) -> Pair:
    text = window.text
    if not question.answerable:
        return Pair(index, rank, window.passage, 0)
    if not gold:
        return Pair(index, rank, window.passage, -1)
    answers = [answer for answer in question.answers if answer in text]
    if not answers:
        return Pair(index, rank, window.passage, 0)
    if not overlap(text, gold):
        return Pair(index, rank, window.passage, -1)
    answer = max(answers, key=question.answers.count)
    start = text.find(answer) + len(window.place)
    return Pair(index, rank, window.passage, 1, start, start + len(answer))


def overlap(text: str, gold: str) -> bool:
    """Return whether a text and a gold passage are about the same lines; a table row is where all its cells are.

    >>> overlap("| A | 12 kg |", "| A | 12 kg |  "), overlap("A weighs 12 kg.", "B weighs 12 kg.")
    (True, False)
    """
    one, other = (" ".join(each.split()) for each in (text, gold))
    if other.startswith("|"):
        return all(cell.strip() in one for cell in other.strip("|").split("|"))
    runs = (other[start : start + RUN] for start in range(0, len(other) - RUN, 10))
    return one in other or other in one or any(run in one for run in runs)


def _around_answer(index: int, question: Question, gold: str, chunks: Sequence[Chunk]) -> list[Pair]:
    """Return the window around the sentence of the gold passage that holds an answer and most of the question."""
    wanted = set(stems(question.question))
    inside = [one for one in chunks if one.document == question.gold[0].document and overlap(one.content, gold)]
    holding = [
        (len(wanted & set(stems(sentence))), -number, order, answer)
        for number, chunk in enumerate(inside)
        for order, sentence in enumerate(chunk.sentence_texts)
        for answer in question.answers
        if answer in sentence
    ]
    if not holding:
        return []
    _, number, order, answer = max(holding)
    chunk = inside[-number]
    first, last = grow(lengths(chunk), order, WINDOW_WORDS)
    ahead = place(chunk)
    text = ahead + stretch(chunk, first, last)
    begin = len(ahead) + (len(stretch(chunk, first, order - 1)) if order > first else 0)
    start = text.find(answer, begin)
    return [Pair(index, GOLD, text, 1, start, start + len(answer))] if start >= 0 else []
