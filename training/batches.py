"""Examples dealt to steps, and steps to batches of word pieces with labels."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from rag.reader.pieces import Pair, PieceReader, pad, pair
from training.examples import Example, Text

WORTH = {
    "boolq-dev": 1.5,
    "conditionalqa": 1.0,
    "sharc": 0.5,
    "squadshifts-wiki": 2.5,
    "selqa": 1.0,
    "tatqa": 0.6,
    "timesensitiveqa": 0.8,
    "wikitablequestions": 0.5,
    "fetaqa": 0.2,
    "temptabqa": 0.2,
    "aitqa": 0.2,
    "medquad": 0.4,
    "obliqa": 0.4,
    "cuad": 0.5,
    "qamr": 0.3,
}
"""How often a public source is drawn from, relative to the others."""
EVERYDAY, PUBLIC, OWN = 6, 3, 1
"""Questions of each kind in a step."""
TWINS = {"own": 3, "public": 3}
"""Twins of each kind in a step."""
EVERYDAY_TEXTS, OTHER_TEXTS = 4, 3
"""Texts of a question in a step."""
ALIKE = 0.4
"""How alike the questions of twins are, at least."""
EXCHANGED = 0.35
"""How often a text that answers is read for its question with one word exchanged, too: a near miss by a name."""
BATCH = 8
_WORD = re.compile(r"[^\W\d_]{4,}")


@dataclass(frozen=True, slots=True)
class Row:
    """One text of a step: the list it belongs to, its label."""

    question: str
    text: Text
    right: bool
    list_number: int


class Twin(NamedTuple):
    """Two questions that are nearly the same, of which the document answers the first alone."""

    answered: Example
    missed: Example


def twins(examples: Sequence[Example]) -> list[Twin]:
    """Return questions without an answer, each beside the answered one of its document that shares most words with it.

    Likeness is Jaccard's index of their words; those that are less than `ALIKE` have no twin.
    """
    answered: dict[str, list[tuple[frozenset[str], Example]]] = {}
    for one in examples:
        if one.right:
            answered.setdefault(one.group, []).append((_words(one.questions[0]), one))
    found = []
    for missed in examples:
        if not missed.right and (others := answered.get(missed.group)):
            asked = _words(missed.questions[0])
            words, other = max(others, key=lambda pair: _alike(asked, pair[0]))
            if _alike(asked, words) >= ALIKE:
                found.append(Twin(other, missed))
    return found


def steps(
    everyday: Sequence[Example], public: Sequence[Example], own: Sequence[Example], seed: int
) -> Iterator[list[Row]]:
    """Yield the rows of one optimiser step after the other, without end.

    Everyday questions are gone through from first to last in an order drawn anew each time; the others are drawn.
    """
    chance = random.Random(seed)  # noqa: S311 (no secret)
    sources: dict[str, list[Example]] = {}
    for one in public:
        sources.setdefault(one.source, []).append(one)
    names = [name for name in sources if WORTH.get(name, 0)]
    weights = [WORTH[name] for name in names]
    pairs = {"public": twins(public), "own": twins(own)}
    queue: list[Example] = []
    while True:
        chosen: list[tuple[Example, int]] = []
        for _ in range(EVERYDAY):
            if not queue:
                queue = list(everyday)
                chance.shuffle(queue)
            chosen.append((queue.pop(), EVERYDAY_TEXTS))
        for name in chance.choices(names, weights, k=PUBLIC):
            chosen.append((chance.choice(sources[name]), OTHER_TEXTS))
        chosen.extend((chance.choice(own), OTHER_TEXTS) for _ in range(OWN))
        rows = [row for number, (one, size) in enumerate(chosen) for row in _rows(one, size, number, chance)]
        drawn = [twin for kind, size in TWINS.items() if pairs[kind] for twin in chance.choices(pairs[kind], k=size)]
        beside = [row for number, twin in enumerate(drawn, len(chosen)) for row in _twin_rows(twin, number, chance)]
        yield rows + _near_misses(rows, chance) + beside


def _rows(one: Example, size: int, number: int, chance: random.Random) -> Iterator[Row]:
    """Yield one right text, where there is one, and the hardest others, now and then an easier one among them."""
    question = chance.choice(one.questions)
    if one.right:
        yield Row(question, chance.choice(one.right), True, number)
        size -= 1
    near = list(one.near)
    chance.shuffle(near)
    pool = near[:2] + list(one.same[: 2 if one.right else 3])
    if one.other and chance.random() < 0.75:
        pool.insert(chance.randrange(min(2, len(pool)) + 1), chance.choice(one.other))
    if chance.random() < 0.3 and len(one.same) > 3:
        pool.insert(0, chance.choice(one.same[3:]))
    for text in pool[:size]:
        yield Row(question, text, False, number)


def _twin_rows(twin: Twin, number: int, chance: random.Random) -> Iterator[Row]:
    """Yield a text with the question that it answers, and with the one that it does not."""
    text = chance.choice(twin.answered.right)
    yield Row(twin.answered.questions[0], text, True, number)
    yield Row(twin.missed.questions[0], Text(text.passage), False, number)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.casefold()))


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(len(one | other), 1)


def _near_misses(rows: Sequence[Row], chance: random.Random) -> list[Row]:
    """Return some of the texts that answer, each with a question that it does not answer."""
    found = []
    for row in rows:
        if row.right and chance.random() < EXCHANGED:
            other = chance.choice(rows).question
            question = exchanged(row.question, row.text.passage, other)
            found += [Row(question, row.text, False, row.list_number)] if question else []
    return found


def exchanged(question: str, passage: str, other: str) -> str | None:
    """Return a question with its last word that its passage has exchanged for one that this lacks; None without either.

    Args:
        question: A question that the passage answers.
        passage: The passage.
        other: Another question, whose longest word that will do is the new one.

    >>> exchanged("Which gloves for acetone?", "Acetone: butyl gloves.", "Is toluene sold?")
    'Which gloves for toluene?'
    """
    said = {word.casefold() for word in _WORD.findall(passage)}
    own = [match for match in _WORD.finditer(question) if match[0].casefold() in said]
    new = [word for word in _WORD.findall(other) if word.casefold() not in said and word not in question]
    if not own or not new:
        return None
    return question[: own[-1].start()] + max(new, key=len) + question[own[-1].end() :]


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows as word pieces: ids and mask `(n, length)`, labels `(n,)`; of right rows which pieces answer, else -1."""

    rows: list[int]
    ids: Tensor
    mask: Tensor
    labels: Tensor
    marks: Tensor


class Encoder:
    """Turns rows into batches."""

    def __init__(self, pieces: PieceReader) -> None:
        self._pieces = pieces

    def batches(self, rows: Sequence[Row], size: int = BATCH) -> Iterator[Batch]:
        """Yield rows in batches of similar length."""
        asked = self._pieces.read([row.question for row in rows])
        read = self._pieces.read([row.text.passage for row in rows])
        pairs = [pair(question, text) for question, text in zip(asked, read, strict=True)]
        order = sorted(range(len(rows)), key=lambda place: len(pairs[place].ids))
        for at in range(0, len(order), size):
            chosen = order[at : at + size]
            ids, mask = pad([pairs[place] for place in chosen])
            marks = torch.full(ids.shape, -1.0)
            for line, place in enumerate(chosen):
                _mark(marks[line], rows[place], pairs[place])
            labels = torch.tensor([float(rows[place].right) for place in chosen])
            yield Batch(chosen, torch.from_numpy(ids), torch.from_numpy(mask), labels, marks)


def _mark(marks: Tensor, row: Row, pieces: Pair) -> None:
    """Set 1 for each piece of a right text that is part of the answer, and 0 for its others."""
    if row.right and row.text.spans:
        for place, (a, b) in enumerate(pieces.spans, start=pieces.first):
            marks[place] = float(any(a < end and b > start for start, end in row.text.spans))


def grouped(rows: Sequence[Row]) -> Mapping[int, list[int]]:
    """Return the rows of each list that has a right text and others, the right one first."""
    lists: dict[int, list[int]] = {}
    for index, row in enumerate(rows):
        lists.setdefault(row.list_number, []).append(index)
    return {n: found for n, found in lists.items() if rows[found[0]].right and len(found) > 1}
