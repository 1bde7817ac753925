"""The network that comes with Candor: all-mpnet-base-v2 as a cross-encoder with three heads, run by OpenVINO.

Reader and entailment are two uses of it: `training/` trained it for both (docs/decisions/0009-reader.md and
0007-grounding.md, and the model card `rag/weights/READER.md`).
"""

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag.adapters.mpnet_openvino import build_reader
from rag.adapters.packaged_model import packaged_model
from rag.adapters.pair_network import Check, PairNetwork, sigmoid
from rag.adapters.reader_weights import Described, describe, load_weights
from rag.reader.pieces import MAX_PIECES, Pair, PieceReader, pair

SHIPPED: Final = Path(__file__).parent.parent / "weights"


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

    Args:
        folder: Holds `reader.json` and the files that it names, as `python -m training.export` writes them.
        vocabulary: The `tokenizer.json` of the packaged embedding model; None: found where that is installed.
        precision: `auto`, `float32`, `bfloat16` or `int8`; auto: what this processor computes fastest.
        threads: Threads of an inference; None: all cores.
        cache: Where it is kept how fast this processor is in which precision; None: nowhere.
    """

    def __init__(
        self,
        folder: Path = SHIPPED,
        *,
        vocabulary: Path | None = None,
        precision: str = "auto",
        threads: int | None = None,
        cache: Path | None = None,
    ) -> None:
        self._folder, self._vocabulary = folder, vocabulary
        self._network = PairNetwork(
            "reader", self._graph, self._checks, self._chances, precision=precision, threads=threads, cache=cache
        )

    @cached_property
    def described(self) -> Described:
        """What is said of the weights.

        Raises:
            ConfigurationError: `reader.json` is missing or damaged.
        """
        return describe(self._folder)

    @property
    def precision(self) -> str:
        """In what the network computes: `float32`, `bfloat16` or `int8`."""
        return self._network.precision

    def cut(self, asked: Sequence[str], texts: Sequence[str]) -> list[Pair]:
        """Return the word pieces of each question or claim with its text, whose end is cut (176 in all)."""
        pieces = self._tokenizer.read([*asked, *texts])
        return [pair(one, text) for one, text in zip(pieces[: len(asked)], pieces[len(asked) :], strict=True)]

    def run(self, pairs: Sequence[Pair]) -> Iterator[Found]:
        """Yield what the network says, of pairs of similar length together.

        Raises:
            ConfigurationError: The weights are missing or damaged.
            EmbedderUnavailable: The network cannot be loaded or run.
        """
        for places, (answers, marks, entails, pooled) in self._network.run(pairs):
            yield Found(places, answers[:, 0], marks[:, :, 0], entails / self.described.temperature, pooled)

    @cached_property
    def _tokenizer(self) -> PieceReader:
        return PieceReader(self._vocabulary or packaged_model() / "tokenizer.json")

    def _graph(self, eight_bits: bool) -> Any:
        weights = load_weights(self._folder, self.described)
        return build_reader(weights, self.described.shape, longest=MAX_PIECES, eight_bits=eight_bits)

    def _checks(self) -> list[Check]:
        """Return a few pairs with what torch said of them when the weights were exported."""
        probes = self.described.probes
        pairs = self.cut([one.asked for one in probes], [one.text for one in probes])
        said = [self._both(np.array([one.logit]), np.array(one.entails)) for one in probes]
        return [Check(two, chances.tolist()) for two, chances in zip(pairs, said, strict=True)]

    def _chances(self, outputs: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        """Return four probabilities of one pair: that it answers, and those of entailment."""
        answers, _, entails, _ = outputs
        return self._both(answers, entails)

    def _both(self, answers: NDArray[Any], entails: NDArray[Any]) -> NDArray[np.float32]:
        return np.concatenate([sigmoid(answers), softmax(entails / self.described.temperature)])


def softmax(logits: NDArray[Any]) -> NDArray[np.float32]:
    """Return e^x of each, divided by the sum of a row."""
    odds = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=-1, keepdims=True), dtype=np.float32)


@lru_cache(maxsize=2)
def shipped_pairs(*, precision: str = "auto", threads: int | None = None, cache: Path | None = None) -> MpnetPairs:
    """Return the shipped network; whoever runs it alike in this process shares one, and its memory."""
    return MpnetPairs(precision=precision, threads=threads, cache=cache)
