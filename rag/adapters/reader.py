"""The reader that the settings name; the one that comes with Candor reads the question together with each text.

It says how likely the text answers and which of its sentences do (docs/decisions/0009-reader.md).
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag.adapters import mpnet_pairs
from rag.adapters.mpnet_pairs import MpnetPairs, sigmoid, softmax
from rag.errors import ConfigurationError
from rag.process.data_folder import has_file
from rag.protocols import Judgement, Reader, ReadingText, Verdict
from rag.reader.head import Head, load_head
from rag.reader.pieces import Pair
from rag.settings import NO_READER, Settings

_log = logging.getLogger(__name__)


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

    Raises:
        ConfigurationError: The head, a correction learned from the labels of experts, was fitted on another reader.
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


class MpnetEntailment:
    """Is a claim supported by a text, contradicted by it, or neither? A head of the reader's own network.

    Raises what `MpnetPairs` raises (docs/decisions/0007-grounding.md). Safe for use by several threads.
    """

    def __init__(self, pairs: MpnetPairs) -> None:
        self._pairs = pairs

    @property
    def name(self) -> str:
        """Name and version of the weights."""
        return f"mpnet-entailment@{self._pairs.described.digest}"

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """Return one verdict for each claim and text, in the order given.

        Args:
            pairs: A claim, and the text that it is held against; the end of a long text is cut (176 word pieces).
        """
        verdicts: dict[int, Verdict] = {}
        for found in self._pairs.run(self._pairs.cut([claim for claim, _ in pairs], [text for _, text in pairs])):
            for place, (supported, contradicted, _) in zip(found.places, softmax(found.entails).tolist(), strict=True):
                verdicts[place] = Verdict(supported, contradicted)
        return [verdicts[place] for place in range(len(pairs))]


def made_reader(settings: Settings, **running: Any) -> Reader | None:
    """Return what reads the best windows; nothing is loaded yet.

    Raises:
        ConfigurationError: There is to be none, and the estimator goes by what a reader says.
    """
    if settings.reader_model is None:
        pairs = mpnet_pairs.shipped_pairs(**running)
        return MpnetReader(pairs, _head_for(pairs.described.name, settings.head_file))
    if settings.reader_model != NO_READER:
        from rag.adapters.published import CrossEncoderReader

        return CrossEncoderReader(settings.reader_model)
    if settings.estimator == "calibrated":
        raise ConfigurationError(
            "The estimator 'calibrated' needs the reader, but CANDOR_READER_MODEL is 'none'. Unset it, or set "
            "CANDOR_ESTIMATOR to mean_similarity or max_similarity."
        )
    return None


def _head_for(reader: str, path: Path) -> Head | None:
    """Return what the reader was taught by `candor train`; what another reader was taught is set aside."""
    head = load_head(path) if has_file(path) else None
    if head is not None and head.reader != reader:
        _log.warning("%s was made for the reader %s, not %s: set aside. Run `candor train`.", path, head.reader, reader)
        return None
    return head
