"""The reader that comes with Candor: all-mpnet-base-v2 as a cross-encoder, trained by `training/`, run by OpenVINO.

It reads the question together with each text, and says how likely the text answers and which of its sentences do
(docs/decisions/0009-reader.md, and the model card `rag/weights/READER.md`).
"""

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rag.adapters.bert_openvino import compile_model, infer
from rag.adapters.mpnet_openvino import build_reader
from rag.adapters.packaged_model import packaged_model
from rag.adapters.precision import reading_precision
from rag.adapters.reader_weights import Described, describe, load_weights
from rag.cores import cores
from rag.errors import ConfigurationError, EmbedderUnavailable
from rag.protocols import Judgement, ReadingText
from rag.reader.head import Head
from rag.reader.pieces import MAX_PIECES, Pair, PieceReader, pad, pair

_log = logging.getLogger(__name__)

SHIPPED: Final = Path(__file__).parent.parent / "weights"
AGREEMENT: Final = 0.15
"""How far a probability may lie from the one that torch computed with weights that were not rounded."""
_ADVICE: Final = "Set CANDOR_EMBEDDING_PRECISION=float32, or name a published reader in CANDOR_READER_MODEL."
STEP: Final = 8
"""Inputs are padded to a multiple of this: a length that was not met before takes some milliseconds once."""


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
    """The shipped reader. Loaded when first asked; safe for use by several threads.

    Args:
        folder: Holds `reader.json` and the files that it names, as `python -m training.export` writes them.
        vocabulary: The `tokenizer.json` of the packaged embedding model; None: found where that is installed.
        precision: `auto`, `float32`, `bfloat16` or `int8`; auto: what this processor computes fastest.
        threads: Threads of an inference; None: all cores.
        cache: Where it is kept how fast this processor is in which precision; None: nowhere.
        head: A correction learned from the labels of experts.

    Raises:
        ConfigurationError: The head was fitted on another reader.
    """

    def __init__(
        self,
        folder: Path = SHIPPED,
        *,
        vocabulary: Path | None = None,
        precision: str = "auto",
        threads: int | None = None,
        cache: Path | None = None,
        head: Head | None = None,
    ) -> None:
        self._folder, self._vocabulary, self._head = folder, vocabulary, head
        self._wanted, self._threads, self._cache = precision, threads, cache
        self._lock, self._local = threading.RLock(), threading.local()
        if head is not None and head.reader not in ("", self.base_name):
            raise ConfigurationError(
                f"The trained head was fitted on the reader {head.reader!r}, and this is {self.base_name!r}. Run "
                "'candor train' again, or undo it."
            )

    @cached_property
    def _described(self) -> Described:
        return describe(self._folder)

    @property
    def base_name(self) -> str:
        """Name and version of the shipped weights, whatever head is beside them.

        Raises:
            ConfigurationError: `reader.json` is missing or damaged.
        """
        return self._described.name

    @cached_property
    def name(self) -> str:
        """Name and version of the weights, and of the head where there is one.

        Raises:
            ConfigurationError: `reader.json` is missing or damaged.
        """
        return self.base_name if self._head is None else f"{self.base_name}+{self._head.digest[:8]}"

    @cached_property
    def precision(self) -> str:
        """In what the network computes: `float32`, `bfloat16` or `int8`."""
        return reading_precision(self._wanted, self._cache)

    def read(self, question: str, texts: Sequence[ReadingText]) -> list[Judgement]:
        """Return one judgement for each text, in the order given.

        A sentence's mark is the mean over its word pieces; one whose pieces were all cut off has 0.

        Raises:
            ConfigurationError: The weights are missing or damaged.
            EmbedderUnavailable: The network cannot be loaded or run.
        """
        pairs = self._pairs(question, [text.passage for text in texts])
        found = self._run(pairs)
        chances = _sigmoid(found.logits)
        return [
            Judgement(float(chance), _marks(text, one, _sigmoid(pieces)))
            for text, one, chance, pieces in zip(texts, pairs, chances, found.marks, strict=True)
        ]

    def pooled(self, question: str, texts: Sequence[ReadingText]) -> NDArray[np.float32]:
        """Return the vectors from which a head judges: shape `(n, 1536)`.

        Raises:
            ConfigurationError: The weights are missing or damaged.
            EmbedderUnavailable: The network cannot be loaded or run.
        """
        return self.reading(question, texts).pooled

    def reading(self, question: str, texts: Sequence[ReadingText]) -> Reading:
        """Return logits and pooled vectors of the texts, in the order given.

        Raises:
            ConfigurationError: The weights are missing or damaged.
            EmbedderUnavailable: The network cannot be loaded or run.
        """
        return self._run(self._pairs(question, [text.passage for text in texts]))

    def _pairs(self, question: str, passages: Sequence[str]) -> list[Pair]:
        asked, *read = self._tokenizer.read([question, *passages])
        return [pair(asked, one) for one in read]

    @cached_property
    def _tokenizer(self) -> PieceReader:
        return PieceReader(self._vocabulary or packaged_model() / "tokenizer.json")

    def _run(self, pairs: Sequence[Pair]) -> Reading:
        """Read all pairs, those of similar length together."""
        order = sorted(range(len(pairs)), key=lambda place: len(pairs[place].ids))
        logits = np.empty(len(pairs), dtype=np.float32)
        pooled = np.empty((len(pairs), 2 * self._described.shape.hidden), dtype=np.float32)
        marks: list[NDArray[np.float32]] = [np.empty(0, dtype=np.float32)] * len(pairs)
        size = batch_size(self._threads or cores())
        for places in (order[at : at + size] for at in range(0, len(order), size)):
            answers, pieces, vectors = self._infer([pairs[place] for place in places])
            logits[places], pooled[places] = answers[:, 0], vectors
            for row, place in enumerate(places):
                first = pairs[place].first
                marks[place] = pieces[row, first : first + len(pairs[place].spans), 0].copy()
        if self._head is not None:
            logits += self._head.logits(pooled).astype(np.float32)
        return Reading(logits, marks, pooled)

    def _infer(self, pairs: Sequence[Pair]) -> list[NDArray[np.float32]]:
        try:
            if not hasattr(self._local, "request"):
                self._local.request = self._network().create_infer_request()
            return infer(self._local.request, pad(pairs, step=STEP))
        except (RuntimeError, ImportError) as error:
            why = " ".join(str(error).split())
            raise EmbedderUnavailable(
                f"The reader failed on {len(pairs)} texts: {why}. Free memory where it is short; else try "
                f"CANDOR_EMBEDDING_PRECISION=float32."
            ) from error

    def _network(self) -> Any:
        """Return the compiled network; who comes first compiles it, and the others wait."""
        with self._lock:
            return self._compiled

    @cached_property
    def _compiled(self) -> Any:
        try:
            return self._checked()
        except EmbedderUnavailable as error:
            if self._wanted != "auto" or self.precision == "float32":
                raise
            _log.warning("The reader computes in float32 on this processor, which is slower. %s", error)
            self.precision = "float32"
            return self._checked()

    def _checked(self) -> Any:
        """Return the network, once it computes on this processor and comes to what torch did.

        Raises:
            EmbedderUnavailable: It does not in this precision.
        """
        try:
            compiled = self._compile()
            if self._agrees(compiled):
                return compiled
        except RuntimeError as error:
            why = " ".join(str(error).split())
            raise EmbedderUnavailable(f"The reader fails in {self.precision}: {why}. {_ADVICE}") from error
        raise EmbedderUnavailable(f"The reader gives wrong probabilities in {self.precision} here. {_ADVICE}")

    def _compile(self) -> Any:
        weights, eight_bits = load_weights(self._folder, self._described), self.precision == "int8"
        graph = build_reader(weights, self._described.shape, longest=MAX_PIECES, eight_bits=eight_bits)
        return compile_model(graph, precision=self.precision, threads=self._threads)

    def _agrees(self, compiled: Any) -> bool:
        """Whether a few questions are judged as torch judged them when the weights were exported."""
        request = compiled.create_infer_request()
        for probe in self._described.probes:
            answers = infer(request, pad(self._pairs(probe.question, [probe.text]), step=STEP))[0]
            found, expected = _sigmoid(np.array([answers[0, 0], probe.logit]))
            if not abs(found - expected) <= AGREEMENT:  # not a number is no agreement
                return False
        return True


def batch_size(threads: int) -> int:
    """Return how many texts of similar length are read together.

    Short texts are padded to the longest beside them: with 16 texts of a question, by 20% in eights and by 6%
    in pairs. A pair keeps two cores busy; more cores need more.

    >>> batch_size(2), batch_size(16)
    (2, 8)
    """
    return max(2, threads // 2)


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


def _sigmoid(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    return (1 / (1 + np.exp(-np.clip(logits, -30, 30)))).astype(np.float32)
