"""The reader's own small network: from two texts with their states to whether one answers the other.

Decomposable attention (Parikh et al. 2016) over frozen states: every piece of the question is compared with what it
aligns to in the passage, every piece of the passage with what it aligns to in the question; convolutions over the
passage point at a span (as in SQuAD 2.0 readers: Rajpurkar et al. 2018), which is what teaches the network what an
answer looks like. Its output is added to that of a logistic regression over `reader_features`. Trained by
`python -m training`; run here in numpy, so that nothing else is needed.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rag.adapters.reader_features import LAYERS, Floats, ReadText, pair_features, rarity

CLIP = 4.0
"""Standardised features are cut here."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Log-odds that the passage answers the question, and by how much the best span beats "no span"."""

    answers: float
    span: float


class Judge:
    """A trained network with its logistic regression.

    Args:
        weights: Tensors by name, as `python -m training` writes them; networks are numbered from 0.
    """

    def __init__(self, weights: Mapping[str, Floats]) -> None:
        self._weights = {name: np.asarray(value, dtype=np.float32) for name, value in weights.items()}
        self._networks = sorted({name.split(".")[0] for name in weights if name.startswith("network")})

    def probability(self, question: ReadText, passage: ReadText) -> float:
        """Return the probability, 0..1, that the passage answers the question."""
        found = self.judge(question, passage)
        scale_answers, scale_span, intercept = self._weights["calibration"]
        odds = scale_answers * found.answers + scale_span * found.span + intercept
        return float(1 / (1 + np.exp(-np.clip(odds, -30, 30))))

    def judge(self, question: ReadText, passage: ReadText) -> Judgement:
        """Return the mean judgement of the networks; nothing speaks for an empty passage."""
        if not len(question.ids) or not len(passage.ids):
            return Judgement(-CLIP, -CLIP)
        stored = self._weights
        features = np.clip((pair_features(question, passage) - stored["mean"]) / stored["scale"], -CLIP, CLIP)
        base = float(features @ stored["base.weight"]) + stored["base.bias"].item()
        aligned = _align(question, passage)
        found = [_Network(name, stored).judge(question, passage, aligned, features) for name in self._networks]
        return Judgement(
            base + sum(one.answers for one in found) / len(found), sum(one.span for one in found) / len(found)
        )


def _align(question: ReadText, passage: ReadText) -> Floats:
    """Return the cosine of every pair of pieces in every layer: shape `(question, passage, layers)`."""
    return np.stack([question.states[layer] @ passage.states[layer].T for layer in LAYERS], axis=-1)


class _Network:
    """One network: the tensors under its name."""

    def __init__(self, name: str, weights: Mapping[str, Floats]) -> None:
        self._name, self._weights = name, weights

    def _get(self, name: str) -> Floats:
        return self._weights[f"{self._name}.{name}"]

    def _linear(self, name: str, value: Floats) -> Floats:
        return value @ self._get(f"{name}.weight").T + self._get(f"{name}.bias")

    def _convolve(self, name: str, value: Floats) -> Floats:
        """Return a convolution over pieces, kernel 5, zeros outside: shape `(pieces, width)`."""
        kernel = self._get(f"{name}.weight")
        width = kernel.shape[2]
        padded = np.pad(value, ((width // 2, width // 2), (0, 0)))
        pieces = len(value)
        summed = sum(padded[shift : shift + pieces] @ kernel[:, :, shift].T for shift in range(width))
        result: Floats = summed + self._get(f"{name}.bias")
        return result

    def judge(self, question: ReadText, passage: ReadText, aligned: Floats, features: Floats) -> Judgement:
        """Return what this network makes of the pair."""
        attention = (aligned * self._get("layer_weight")).sum(axis=-1)
        asked, said = self._project(question), self._project(passage)
        pooled, strongest = self._compare(question, asked, _softmax(attention, 1) @ said, aligned.max(axis=1))
        states = self._read(passage, said, _softmax(attention, 0).T @ asked, aligned.max(axis=0), pooled)
        logits = self._linear("span", states)
        chance = _softmax(logits, 0)
        ends = [chance[:, side] @ states for side in (0, 1)]
        joined = np.concatenate([pooled, strongest, *ends, features])
        answers = self._linear("head.3", _gelu(self._linear("head.0", joined)))
        span = (logits.max(axis=0) - self._linear("null", pooled)).sum()
        return Judgement(float(answers[0]), float(span))

    def _project(self, text: ReadText) -> Floats:
        return self._linear("project", np.concatenate([text.raw[layer] for layer in LAYERS[1:]], axis=1))

    def _compare(self, question: ReadText, asked: Floats, matched: Floats, best: Floats) -> tuple[Floats, Floats]:
        """Return the question's pieces compared with their matches: weighted mean and maximum."""
        value = _joined(asked, matched, best, rarity(question.ids))
        value = _gelu(self._linear("compare.3", _gelu(self._linear("compare.0", value))))
        weight = _softmax(self._linear("attend", value), 0)
        return (weight * value).sum(axis=0), value.max(axis=0)

    def _read(self, passage: ReadText, said: Floats, matched: Floats, best: Floats, pooled: Floats) -> Floats:
        """Return the passage's pieces, each with its match, its neighbours and the whole question."""
        value = _joined(said, matched, best, rarity(passage.ids))
        value = _gelu(self._linear("read", value) + self._linear("context", pooled))
        for name in ("near", "far"):
            value = value + _gelu(self._convolve(name, value))
        return value


def _joined(one: Floats, other: Floats, best: Floats, rare: Floats) -> Floats:
    """Return pieces beside their matches, with difference, product, best cosines and rarity."""
    return np.concatenate([one, other, np.abs(one - other), one * other, best, rare[:, None]], axis=1)


def _softmax(value: Floats, axis: int) -> Floats:
    raised = np.exp(value - value.max(axis=axis, keepdims=True))
    result: Floats = raised / raised.sum(axis=axis, keepdims=True)
    return result


def _gelu(value: Floats) -> Floats:
    """Return the GELU in its tanh form (Hendrycks and Gimpel 2016)."""
    inner = value * (np.float32(0.7978846) + np.float32(0.0356774) * value * value)  # value ** 3 is ten times slower
    result: Floats = np.float32(0.5) * value * (1 + np.tanh(inner))
    return result
