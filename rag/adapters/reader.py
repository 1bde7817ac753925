"""The reader that comes with Candor: it reads the question together with each text.

It says how likely the text answers and which of its sentences do (docs/decisions/0009-reader.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rag.adapters.mpnet_pairs import MpnetPairs, sigmoid
from rag.errors import ConfigurationError
from rag.protocols import Judgement, ReadingText
from rag.reader.head import Head
from rag.reader.pieces import Pair


@dataclass(frozen=True, slots=True)
class Reading:
    """What the network says of some texts.

    Attributes:
        logits: That each answers, the head's correction included: shape `(n,)`.
        marks: For each text the logit of each of its pieces, that it is part of the answer.
        pooled: What `candor train` learns from: shape `(n, 1536)`.
    """

    logits: NDArray[np.float32]
    marks: list[NDArray[np.float32]]
    pooled: NDArray[np.float32]


class MpnetReader:
    """The shipped reader. Safe for use by several threads.

    Every method may raise `ConfigurationError` (the weights are missing or damaged) or `EmbedderUnavailable` (the
    network cannot be loaded or run).

    Args:
        pairs: The network.
        head: A correction learned from the labels of experts.

    Raises:
        ConfigurationError: The head was fitted on another reader.
    """

    def __init__(self, pairs: MpnetPairs, head: Head | None = None) -> None:
        self._network, self._head = pairs, head
        if head is not None and head.reader not in ("", self.base_name):
            raise ConfigurationError(
                f"The trained head was fitted on the reader {head.reader!r}, and this is {self.base_name!r}. Run "
                "'candor train' again, or undo it."
            )

    @property
    def base_name(self) -> str:
        """Name and version of the shipped weights, whatever head is beside them."""
        return self._network.described.name

    @cached_property
    def name(self) -> str:
        """Name and version of the weights, and of the head where there is one."""
        return self.base_name if self._head is None else f"{self.base_name}+{self._head.digest[:8]}"

    @property
    def precision(self) -> str:
        """In what the network computes: `float32`, `bfloat16` or `int8`."""
        return self._network.precision

    def read(self, question: str, texts: Sequence[ReadingText]) -> list[Judgement]:
        """Return one judgement for each text, in the order given.

        A sentence's mark is the mean over its word pieces; one whose pieces were all cut off has 0.
        """
        pairs = self._pairs(question, [text.passage for text in texts])
        found = self._run(pairs)
        chances = sigmoid(found.logits)
        return [
            Judgement(float(chance), _marks(text, one, sigmoid(pieces)))
            for text, one, chance, pieces in zip(texts, pairs, chances, found.marks, strict=True)
        ]

    def pooled(self, question: str, texts: Sequence[ReadingText]) -> NDArray[np.float32]:
        """Return the vectors from which a head judges: shape `(n, 1536)`."""
        return self.reading(question, texts).pooled

    def reading(self, question: str, texts: Sequence[ReadingText]) -> Reading:
        """Return logits and pooled vectors of the texts, in the order given."""
        return self._run(self._pairs(question, [text.passage for text in texts]))

    def _pairs(self, question: str, passages: Sequence[str]) -> list[Pair]:
        return self._network.cut([question] * len(passages), passages)

    def _run(self, pairs: Sequence[Pair]) -> Reading:
        """Read all pairs; the head's correction is added to their logits."""
        logits = np.empty(len(pairs), dtype=np.float32)
        pooled = np.empty((len(pairs), 2 * self._network.described.shape.hidden), dtype=np.float32)
        marks: list[NDArray[np.float32]] = [np.empty(0, dtype=np.float32)] * len(pairs)
        for found in self._network.run(pairs):
            logits[found.places], pooled[found.places] = found.answers, found.pooled
            for row, place in enumerate(found.places):
                first = pairs[place].first
                marks[place] = found.marks[row, first : first + len(pairs[place].spans)].copy()
        if self._head is not None:
            logits += self._head.logits(pooled).astype(np.float32)
        return Reading(logits, marks, pooled)


def _marks(text: ReadingText, pieces: Pair, chances: NDArray[np.float32]) -> tuple[float, ...]:
    """Return for each sentence of a text the mean chance of its pieces."""
    before = len(text.passage) - len(text.text)
    starts = np.array([start for start, _ in pieces.spans]) - before
    ends = np.array([end for _, end in pieces.spans]) - before
    marks = []
    for start, end in text.sentences:
        inside = (starts < end) & (ends > start) if len(starts) else np.zeros(0, dtype=bool)
        marks.append(float(chances[inside].mean()) if inside.any() else 0.0)
    return tuple(marks)
