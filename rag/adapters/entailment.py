"""The entailment that comes with Candor: is a claim supported by a text, contradicted by it, or neither?

It reads with the reader's lowest layers and has upper ones of its own, which `training/entail.py` trained
(docs/decisions/0007-grounding.md, and the model card `rag/weights/ENTAILMENT.md`).
"""

import json
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag.adapters.mpnet_openvino import build_entailment
from rag.adapters.packaged_model import packaged_model, weights_digest
from rag.adapters.pair_network import Check, PairNetwork
from rag.adapters.reader import SHIPPED
from rag.adapters.reader_weights import describe, load_weights
from rag.errors import ConfigurationError
from rag.protocols import Verdict
from rag.reader.pieces import MAX_PIECES, Pair, PieceReader, pair

DESCRIBED: Final = "entailment.json"
FILE: Final = "entailment.safetensors"
VERSION: Final = 1


class _Described(NamedTuple):
    """What `entailment.json` says: the digest of its file, the reader it stands on, and what it must come near to."""

    sha256: str
    reader: str
    temperature: float
    probes: tuple[dict[str, Any], ...]


class MpnetEntailment:
    """Judges claims by the shipped weights. Loaded when first asked; safe for use by several threads.

    Args:
        folder: Holds the reader's weights and `entailment.json` with the file that it names.
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
            "entailment", self._graph, self._checks, self._chances, precision=precision, threads=threads, cache=cache
        )

    @cached_property
    def _described(self) -> _Described:
        path = self._folder / DESCRIBED
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            if found["version"] != VERSION:
                raise ValueError(f"version {found['version']!r}, {VERSION} is expected")
            return _Described(found["sha256"], found["reader"], found["temperature"], tuple(found["probes"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise _unreadable(path, error) from error

    @property
    def name(self) -> str:
        """Name and version of the weights.

        Raises:
            ConfigurationError: `entailment.json` is missing or damaged.
        """
        return f"mpnet-entailment@{self._described.sha256[:12]}"

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """Return one verdict for each claim and text, in the order given.

        Args:
            pairs: A claim, and the text that it is held against; the end of a long text is cut (176 word pieces).

        Raises:
            ConfigurationError: The weights are missing or damaged.
            EmbedderUnavailable: The network cannot be loaded or run.
        """
        cut = self._cut(pairs)
        verdicts: list[Verdict | None] = [None] * len(cut)
        for places, (logits,) in self._network.run(cut):
            for place, row in zip(places, logits, strict=True):
                supported, contradicted, _ = self._chances([row]).tolist()
                verdicts[place] = Verdict(supported, contradicted)
        return [one for one in verdicts if one is not None]

    def _cut(self, pairs: Sequence[tuple[str, str]]) -> list[Pair]:
        claims = self._tokenizer.read([claim for claim, _ in pairs])
        texts = self._tokenizer.read([text for _, text in pairs])
        return [pair(claim, text) for claim, text in zip(claims, texts, strict=True)]

    @cached_property
    def _tokenizer(self) -> PieceReader:
        return PieceReader(self._vocabulary or packaged_model() / "tokenizer.json")

    def _chances(self, outputs: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        """Return the softmax of three logits, divided by the temperature that was fitted (Guo et al. 2017)."""
        logits = outputs[0] / self._described.temperature
        odds = np.exp(logits - logits.max())
        return np.asarray(odds / odds.sum(), dtype=np.float32)

    def _graph(self, eight_bits: bool) -> Any:
        reader = describe(self._folder)
        weights = load_weights(self._folder, reader) | self._own(reader.name)
        return build_entailment(weights, reader.shape, longest=MAX_PIECES, eight_bits=eight_bits)

    def _own(self, reader: str) -> dict[str, NDArray[Any]]:
        """Return the tensors that are not the reader's."""
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        path = self._folder / FILE
        try:
            if self._described.reader != reader:
                raise ValueError(f"it stands on the reader {self._described.reader!r}, and this is {reader!r}")
            if (digest := weights_digest(path)) != self._described.sha256:
                raise ValueError(f"it has SHA-256 {digest}, {self._described.sha256} is expected: it is damaged")
            return dict(load_file(path))
        except (OSError, SafetensorError, ValueError) as error:
            raise _unreadable(path, error) from error

    def _checks(self) -> list[Check]:
        """Return a few claims with what torch said of them when the weights were exported."""
        return [
            Check(self._cut([(one["claim"], one["text"])])[0], self._chances([np.array(one["logits"])]).tolist())
            for one in self._described.probes
        ]


@lru_cache(maxsize=2)
def shipped_entailment(*, precision: str, threads: int | None, cache: Path | None) -> MpnetEntailment:
    """Return the shipped entailment; whoever runs it alike in this process shares one, and its memory."""
    return MpnetEntailment(precision=precision, threads=threads, cache=cache)


def _unreadable(path: Path, error: Exception) -> ConfigurationError:
    return ConfigurationError(f"The entailment's weights {str(path)!r} cannot be used: {error}. Reinstall Candor.")
