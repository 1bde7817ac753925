"""A network that reads two texts together, run by OpenVINO: compiled when first used, and checked before it is trusted.

The reader and the entailment are such networks (docs/decisions/0009-reader.md).
"""

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag.adapters.bert_openvino import compile_model, infer
from rag.adapters.precision import reading_precision
from rag.errors import EmbedderUnavailable
from rag.process.cores import cores
from rag.reader.pieces import Pair, pad

_log = logging.getLogger(__name__)

AGREEMENT: Final = 0.15
"""How far a probability may lie from the one that torch computed with weights that were not rounded."""
STEP: Final = 8
"""Inputs are padded to a multiple of this: a length that was not met before takes some milliseconds once."""
_ADVICE: Final = "Set CANDOR_EMBEDDING_PRECISION=float32, or name a published reader in CANDOR_READER_MODEL."


class Check(NamedTuple):
    """An input, and the probabilities that torch computed for it when the weights were exported."""

    pair: Pair
    expected: Sequence[float]


class PairNetwork:
    """Runs pairs of texts through a network. Loaded when first asked; safe for use by several threads.

    Args:
        what: What it is called in messages, as: `reader`.
        build: Makes the graph; its argument says whether matrices enter it as 8-bit integers.
        checks: What the network must come near to.
        chances: From the outputs for one row to its probabilities.
        precision: `auto`, `float32`, `bfloat16` or `int8`; auto: what this processor computes fastest.
        threads: Threads of an inference; None: all cores.
        cache: Where it is kept how fast this processor is in which precision; None: nowhere.
    """

    def __init__(
        self,
        what: str,
        build: Callable[[bool], Any],
        checks: Callable[[], Sequence[Check]],
        chances: Callable[[Sequence[NDArray[np.float32]]], NDArray[np.float32]],
        *,
        precision: str = "auto",
        threads: int | None = None,
        cache: Path | None = None,
    ) -> None:
        self._what, self._build, self._checks, self._chances = what, build, checks, chances
        self._wanted, self._threads, self._cache = precision, threads, cache
        self._lock, self._local = threading.RLock(), threading.local()

    @cached_property
    def precision(self) -> str:
        """In what the network computes: `float32`, `bfloat16` or `int8`."""
        return reading_precision(self._wanted, self._cache)

    def run(self, pairs: Sequence[Pair]) -> Iterator[tuple[list[int], list[NDArray[np.float32]]]]:
        """Yield the places of some pairs, those of similar length together, and the outputs for them.

        Raises:
            ConfigurationError: The weights are missing or damaged.
            EmbedderUnavailable: The network cannot be loaded or run.
        """
        order = sorted(range(len(pairs)), key=lambda place: len(pairs[place].ids))
        size = batch_size(self._threads or cores())
        for places in (order[at : at + size] for at in range(0, len(order), size)):
            yield places, self._infer([pairs[place] for place in places])

    def _infer(self, pairs: Sequence[Pair]) -> list[NDArray[np.float32]]:
        try:
            if not hasattr(self._local, "request"):
                self._local.request = self._network().create_infer_request()
            return infer(self._local.request, pad(pairs, step=STEP))
        except (RuntimeError, ImportError) as error:
            why = " ".join(str(error).split())
            raise EmbedderUnavailable(
                f"The {self._what} failed on {len(pairs)} texts: {why}. Free memory where it is short; else try "
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
            _log.warning("The %s computes in float32 on this processor, which is slower. %s", self._what, error)
            self.precision = "float32"
            return self._checked()

    def _checked(self) -> Any:
        """Return the network, once it computes on this processor and comes to what torch did.

        Raises:
            EmbedderUnavailable: It does not in this precision.
        """
        try:
            graph = self._build(self.precision == "int8")
            compiled = compile_model(graph, precision=self.precision, threads=self._threads)
            if self._agrees(compiled):
                return compiled
        except RuntimeError as error:
            why = " ".join(str(error).split())
            raise EmbedderUnavailable(f"The {self._what} fails in {self.precision}: {why}. {_ADVICE}") from error
        raise EmbedderUnavailable(f"The {self._what} gives wrong probabilities in {self.precision} here. {_ADVICE}")

    def _agrees(self, compiled: Any) -> bool:
        """Whether a few pairs are judged as torch judged them when the weights were exported."""
        request = compiled.create_infer_request()
        for one in self._checks():
            found = self._chances([output[0] for output in infer(request, pad([one.pair], step=STEP))])
            if not np.all(np.abs(found - np.asarray(one.expected)) <= AGREEMENT):  # not a number is no agreement
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


def sigmoid(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return 1 / (1 + e^-x) of each."""
    return (1 / (1 + np.exp(-np.clip(logits, -30, 30)))).astype(np.float32)
