"""Examples dealt to steps, and steps to batches of word pieces with labels."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from tokenizers import Tokenizer
from torch import Tensor

from training.examples import Example, Text

MAX_PIECES = 176
QUESTION_PIECES = 64
PASS, END, PAD = 0, 2, 1
"""Ids of MPNet's special pieces `<s>`, `</s>` and `<pad>`."""
WORTH = {
    "boolq-dev": 1.5, "conditionalqa": 1.0, "sharc": 0.5, "squadshifts-wiki": 2.5, "selqa": 1.0, "tatqa": 0.6,
    "timesensitiveqa": 0.8, "wikitablequestions": 0.5, "fetaqa": 0.2, "temptabqa": 0.2, "aitqa": 0.2, "medquad": 0.4,
    "obliqa": 0.4, "cuad": 0.5, "qamr": 0.3,
}  # fmt: skip
"""How often a public source is drawn from, relative to the others."""


@dataclass(frozen=True, slots=True)
class Row:
    """One text of a step: the list it belongs to, its label, whether the list has a right text."""

    question: str
    text: Text
    right: bool
    list_number: int


def steps(everyday: Sequence[Example], public: Sequence[Example], own: Sequence[Example], seed: int) -> Iterator[list[Row]]:
    """Yield rows of one optimiser step after the other, without end: 5 everyday questions, 2 public, 1 or 2 own."""
    chance = random.Random(seed)  # noqa: S311
    sources: dict[str, list[Example]] = {}
    for one in public:
        sources.setdefault(one.source, []).append(one)
    names = [name for name in sources if WORTH.get(name, 0)]
    weights = [WORTH[name] for name in names]
    queue: list[Example] = []
    while True:
        chosen: list[tuple[Example, int]] = []
        for _ in range(5):
            if not queue:
                queue = list(everyday)
                chance.shuffle(queue)
            chosen.append((queue.pop(), 4))
        for name in chance.choices(names, weights, k=2):
            chosen.append((chance.choice(sources[name]), 3))
        chosen.append((chance.choice(own), 3))
        yield [row for number, (one, size) in enumerate(chosen) for row in _rows(one, size, number, chance)]


def _rows(one: Example, size: int, number: int, chance: random.Random) -> Iterator[Row]:
    question = chance.choice(one.questions)
    if one.right:
        yield Row(question, chance.choice(one.right), True, number)
        size -= 1
    near = list(one.near)
    chance.shuffle(near)
    pool = near[:2] + list(one.same[: 2 if one.right else 3])
    if one.other and chance.random() < 0.6:
        pool.insert(chance.randrange(min(2, len(pool)) + 1), chance.choice(one.other))
    if chance.random() < 0.3 and len(one.same) > 3:
        pool.insert(0, chance.choice(one.same[3:]))
    for text in pool[:size]:
        yield Row(question, text, False, number)


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

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        tokenizer.no_truncation()
        tokenizer.no_padding()

    def batches(self, rows: Sequence[Row], size: int = 8) -> Iterator[Batch]:
        """Yield rows in batches of similar length, lengths in multiples of 16."""
        asked = self.tokenizer.encode_batch([row.question for row in rows], add_special_tokens=False)
        read = self.tokenizer.encode_batch([row.text.passage for row in rows], add_special_tokens=False)
        whole = []
        for row, q, t in zip(rows, asked, read, strict=True):
            question = q.ids[:QUESTION_PIECES]
            room = MAX_PIECES - len(question) - 4
            ids = [PASS, *question, END, END, *t.ids[:room], END]
            marks = [-1.0] * len(ids)
            if row.right and row.text.spans:
                first = len(question) + 3
                for at, (a, b) in enumerate(t.offsets[:room]):
                    marks[first + at] = float(any(a < end and b > start for start, end in row.text.spans))
            whole.append((ids, marks))
        order = sorted(range(len(rows)), key=lambda i: len(whole[i][0]))
        for at in range(0, len(order), size):
            chosen = order[at : at + size]
            length = -(-max(len(whole[i][0]) for i in chosen) // 16) * 16
            ids = torch.full((len(chosen), length), PAD)
            marks = torch.full((len(chosen), length), -1.0)
            for line, i in enumerate(chosen):
                ids[line, : len(whole[i][0])] = torch.tensor(whole[i][0])
                marks[line, : len(whole[i][1])] = torch.tensor(whole[i][1])
            labels = torch.tensor([float(rows[i].right) for i in chosen])
            yield Batch(chosen, ids, (ids != PAD).long(), labels, marks)


def grouped(rows: Sequence[Row]) -> Mapping[int, list[int]]:
    """Return the rows of each list that has a right text and others, the right one first."""
    lists: dict[int, list[int]] = {}
    for index, row in enumerate(rows):
        lists.setdefault(row.list_number, []).append(index)
    return {n: found for n, found in lists.items() if rows[found[0]].right and len(found) > 1}
