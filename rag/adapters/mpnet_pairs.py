"""The network that comes with Candor: all-mpnet-base-v2 as a cross-encoder with three heads, run by OpenVINO.

It is compiled when first used, and checked before it is trusted. Reader and entailment are two uses of it: `training/`
trained it for both (docs/decisions/0009-reader.md and 0007-grounding.md, and the model card `rag/weights/READER.md`).
"""

import logging
import threading
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag.adapters.openvino_graphs import build_reader, compile_model, infer
from rag.adapters.packaged_model import packaged_model
from rag.adapters.precision import reading_precision
from rag.adapters.reader_weights import Described, describe, load_weights
from rag.errors import EmbedderUnavailable
from rag.process.cores import cores
from rag.reader.pieces import MAX_PIECES, Pair, PieceReader, pad, pair

_log = logging.getLogger(__name__)

AGREEMENT: Final = 0.15
"""How far a probability may lie from the one that torch computed with weights that were not rounded."""
STEP: Final = 8
"""Inputs are padded to a multiple of this: a length that was not met before takes some milliseconds once."""
SHIPPED: Final = Path(__file__).parent.parent / "weights"
_ADVICE: Final = "Set CANDOR_EMBEDDING_PRECISION=float32, or name a published reader in CANDOR_READER_MODEL."


class Found(NamedTuple):
    """What the network says of some pairs of similar length.

    Attributes:
        places: Which of the pairs they are.
        answers: The logit that the text answers the question: shape `(n,)`.
        marks: The logit of each piece that it is part of the answer: `(n, pieces)`.
        entails: That the text supports the claim, contradicts it, does neither: `(n, 3)`; divided by the temperature.
        pooled: The first state beside the mean of all: `(n, 2 x width)`.
    """

    places: list[int]
    answers: NDArray[np.float32]
    marks: NDArray[np.float32]
    entails: NDArray[np.float32]
    pooled: NDArray[np.float32]


class MpnetPairs:
    """Reads questions or claims, each together with a text. Loaded when first asked; safe for use by several threads.

    What uses the weights may raise `ConfigurationError` (they are missing or damaged); `run` also `EmbedderUnavailable`
    (the network cannot be loaded or run).

    Args:
        folder: Holds `reader.json` and the files that it names, as `python -m training.export` writes them.
        precision: `auto`, `float32`, `bfloat16` or `int8`; auto: what this processor computes fastest.
        threads: Threads of an inference; None: all cores.
        cache: Where it is kept how fast this processor is in which precision; None: nowhere.
    """

    def __init__(
        self, folder: Path = SHIPPED, *, precision: str = "auto", threads: int | None = None, cache: Path | None = None
    ) -> None:
        self._folder, self._wanted, self._threads, self._cache = folder, precision, threads, cache
        self._lock, self._local = threading.RLock(), threading.local()

    @cached_property
    def described(self) -> Described:
        """What is said of the weights."""
        return describe(self._folder)

    @cached_property
    def precision(self) -> str:
        """In what the network computes: `float32`, `bfloat16` or `int8`."""
        return reading_precision(self._wanted, self._cache)

    def cut(self, asked: Sequence[str], texts: Sequence[str]) -> list[Pair]:
        """Return the word pieces of each question or claim with its text, whose end is cut (176 in all)."""
        pieces = self._tokenizer.read([*asked, *texts])
        return [pair(one, text) for one, text in zip(pieces[: len(asked)], pieces[len(asked) :], strict=True)]

    def run(self, pairs: Sequence[Pair]) -> Iterator[Found]:
        """Yield what the network says, of pairs of similar length together."""
        order = sorted(range(len(pairs)), key=lambda place: len(pairs[place].ids))
        size = batch_size(self._threads or cores())
        for places in (order[at : at + size] for at in range(0, len(order), size)):
            answers, marks, entails, pooled = self._infer([pairs[place] for place in places])
            yield Found(places, answers[:, 0], marks[:, :, 0], entails / self.described.temperature, pooled)

    @cached_property
    def _tokenizer(self) -> PieceReader:
        return PieceReader(packaged_model() / "tokenizer.json")

    def _infer(self, pairs: Sequence[Pair]) -> list[NDArray[np.float32]]:
        """Return the outputs for a batch, by a request of this thread's own; who comes first compiles the network."""
        try:
            if not hasattr(self._local, "request"):
                with self._lock:
                    network = self._compiled
                self._local.request = network.create_infer_request()
            return infer(self._local.request, pad(pairs, step=STEP))
        except (RuntimeError, ImportError) as error:
            raise EmbedderUnavailable(
                f"The reader failed on {len(pairs)} texts: {_on_one_line(error)}. Free some memory, or try "
                "CANDOR_EMBEDDING_PRECISION=float32."
            ) from error

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
        """Return the network, once it computes on this processor and comes to what torch did."""
        weights, is_int8 = load_weights(self._folder, self.described), self.precision == "int8"
        try:
            graph = build_reader(weights, self.described.shape, longest=MAX_PIECES, eight_bits=is_int8)
            compiled = compile_model(graph, precision=self.precision, threads=self._threads)
            if self._agrees(compiled):
                return compiled
        except RuntimeError as error:
            raise EmbedderUnavailable(
                f"The reader fails in {self.precision}: {_on_one_line(error)}. {_ADVICE}"
            ) from error
        raise EmbedderUnavailable(f"The reader gives wrong probabilities in {self.precision} here. {_ADVICE}")

    def _agrees(self, compiled: Any) -> bool:
        """Whether a few pairs are judged as torch judged them when the weights were exported."""
        request, probes = compiled.create_infer_request(), self.described.probes
        pairs = self.cut([one.asked for one in probes], [one.text for one in probes])
        for one, probe in zip(pairs, probes, strict=True):
            answers, _, entails, _ = (output[0] for output in infer(request, pad([one], step=STEP)))
            expected = self._chances(np.array([probe.logit]), np.array(probe.entails))
            if not np.all(np.abs(self._chances(answers, entails) - expected) <= AGREEMENT):  # NaN is no agreement
                return False
        return True

    def _chances(self, answers: NDArray[Any], entails: NDArray[Any]) -> NDArray[np.float32]:
        """Return four probabilities of one pair: that it answers, and those of entailment."""
        return np.concatenate([sigmoid(answers), softmax(entails / self.described.temperature)])


@lru_cache(maxsize=2)
def shipped_pairs(*, precision: str = "auto", threads: int | None = None, cache: Path | None = None) -> MpnetPairs:
    """Return the shipped network; whoever runs it alike in this process shares one, and its memory."""
    return MpnetPairs(precision=precision, threads=threads, cache=cache)


def batch_size(threads: int) -> int:
    """Return how many texts of similar length are read together.

    Short texts are padded to the longest beside them: with 16 texts of a question, by 20% in eights and by 6%
    in pairs. A pair keeps two cores busy; more cores need more.

    >>> batch_size(2), batch_size(16)
    (2, 8)
    """
    return max(2, threads // 2)


def sigmoid(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return 1 / (1 + e^-x) of each."""
    return (1 / (1 + np.exp(-np.clip(logits, -30, 30)))).astype(np.float32)


def softmax(logits: NDArray[Any]) -> NDArray[np.float32]:
    """Return e^x of each, divided by the sum of a row."""
    odds = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=-1, keepdims=True), dtype=np.float32)


def _on_one_line(error: Exception) -> str:
    return " ".join(str(error).split())
