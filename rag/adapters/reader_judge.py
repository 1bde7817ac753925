"""The reader's own small network: from two texts with their states to whether one answers the other.

The pieces of question and passage, as the frozen encoder left them, enter a small transformer together (Vaswani et al.
2017, normalised before each part: Xiong et al. 2020), each beside its best match in the other text. What leaves it
points at a span (as in SQuAD 2.0 readers: Rajpurkar et al. 2018), which is what teaches a network what an answer looks
like. Its output is added to that of a logistic regression over `reader_features`. Trained by `python -m training`; run
here by OpenVINO (`reader_network`), all passages in one batch.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rag.adapters.bert_openvino import infer
from rag.adapters.compiled_cache import compiled
from rag.adapters.reader_features import LAYERS, Floats, ReadText, alike, pair_features, rarity
from rag.adapters.reader_network import build_network

PRECISION = "float32"
"""The network is small, and bfloat16 would round what the calibration was fitted on."""
CLIP = 4.0
"""Standardised features are cut here."""
STEP = 8
"""Pairs are padded to a multiple of so many pieces: the first inference of a new length costs several times as much."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Of each passage, log-odds that it answers, and by how much its best span beats "no span": shapes `(n,)`."""

    answers: Floats
    span: Floats


class Judge:
    """A trained network with its logistic regression and its calibration. Safe for use by several threads.

    Args:
        weights: Tensors by name, as `python -m training` writes them.
        threads: Threads of an inference; None: all cores.
        kept: Where the network is kept once it is compiled; None: nowhere.

    Raises:
        KeyError: A tensor is missing.
        RuntimeError: The network cannot be compiled.
    """

    def __init__(self, weights: Mapping[str, Floats], *, threads: int | None = None, kept: Path | None = None) -> None:
        self._mean, self._scale, self._base = (weights[name] for name in ("mean", "scale", "base.weight"))
        self._bias, self._calibration = weights["base.bias"], weights["calibration"]
        self._compiled = compiled(partial(build_network, weights), kept, precision=PRECISION, threads=threads)
        self._local = threading.local()

    def probabilities(self, question: ReadText, passages: Sequence[ReadText]) -> list[float]:
        """Return for each passage the probability, 0..1, that it answers the question.

        Raises:
            RuntimeError: The network failed.
        """
        found = self.judge(question, passages)
        scale_answers, scale_span, intercept = self._calibration
        odds = scale_answers * found.answers + scale_span * found.span + intercept
        chances: list[float] = (1 / (1 + np.exp(-np.clip(odds, -30, 30)))).tolist()
        return chances

    def judge(self, question: ReadText, passages: Sequence[ReadText]) -> Judgement:
        """Return what the network makes of each passage; nothing speaks for an empty one.

        Raises:
            RuntimeError: The network failed.
        """
        found = np.full((len(passages), 2), -CLIP, dtype=np.float32)
        read = [row for row, passage in enumerate(passages) if len(question.ids) and len(passage.ids)]
        if read:
            chosen = [passages[row] for row in read]
            cosines = [alike(question, passage) for passage in chosen]
            features = np.stack([pair_features(question, *pair) for pair in zip(chosen, cosines, strict=True)])
            features = np.clip((features - self._mean) / self._scale, -CLIP, CLIP).astype(np.float32)
            found[read] = self._run(*_together(question, chosen, cosines), features)
            found[read, 0] += features @ self._base + self._bias
        return Judgement(found[:, 0], found[:, 1])

    def _run(self, *inputs: Floats) -> Floats:
        """Return the network's outputs; every thread has a request of its own."""
        if not hasattr(self._local, "request"):
            self._local.request = self._compiled.create_infer_request()
        request: Any = self._local.request
        return infer(request, inputs)[0]


def _together(
    question: ReadText, passages: Sequence[ReadText], cosines: Sequence[Mapping[int, Floats]]
) -> tuple[Floats, Floats, Floats]:
    """Return the pieces of question and passage in one row for each passage, as `build_network` takes them."""
    asked = len(question.ids)
    longest = asked + max(len(passage.ids) for passage in passages)
    shape = (len(passages), -(-longest // STEP) * STEP)
    raw = np.zeros((*shape, sum(question.raw[layer].shape[1] for layer in LAYERS[1:])), dtype=np.float32)
    beside = np.zeros((*shape, len(LAYERS) + 1), dtype=np.float32)
    side = np.zeros((*shape, 2), dtype=np.float32)
    raw[:, :asked], beside[:, :asked, -1], side[:, :asked, 0] = _raw(question), rarity(question.ids), 1
    for row, passage in enumerate(passages):
        end = asked + len(passage.ids)
        raw[row, asked:end], beside[row, asked:end, -1], side[row, asked:end, 1] = _raw(passage), rarity(passage.ids), 1
        for number, layer in enumerate(LAYERS):
            found = cosines[row][layer]
            beside[row, :asked, number], beside[row, asked:end, number] = found.max(axis=1), found.max(axis=0)
    return raw, beside, side


def _raw(text: ReadText) -> Floats:
    return np.concatenate([text.raw[layer] for layer in LAYERS[1:]], axis=1)
