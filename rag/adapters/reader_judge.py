"""The reader's own small networks: from two texts with their states to whether one answers the other.

Decomposable attention (Parikh et al. 2016) over frozen states: every piece of the question is compared with what it
aligns to in the passage, every piece of the passage with what it aligns to in the question; convolutions over the
passage point at a span (as in SQuAD 2.0 readers: Rajpurkar et al. 2018), which is what teaches a network what an
answer looks like. Its output is added to that of a logistic regression over `reader_features`. Trained by
`python -m training`; run here in numpy, so that nothing else is needed, all networks at once: every array below has
them along its first axis.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rag.adapters.reader_features import LAYERS, Floats, ReadText, pair_features, rarity

CLIP = 4.0
"""Standardised features are cut here."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Of each network, log-odds that the passage answers, and by how much its best span beats "no span"."""

    answers: Floats
    span: Floats


class Judge:
    """Trained networks of one shape, each with its own logistic regression and calibration.

    Args:
        weights: Tensors by name, as `python -m training` writes them: `network0.` and so on before each.

    Raises:
        KeyError: A tensor is missing.
    """

    def __init__(self, weights: Mapping[str, Floats]) -> None:
        networks = sorted({name.split(".")[0] for name in weights})
        names = {name.partition(".")[2] for name in weights}
        self._weights = {
            name: np.stack([np.asarray(weights[f"{network}.{name}"], dtype=np.float32) for network in networks])
            for name in names
        }
        self._networks = len(networks)
        self._layers = {name: _layer(value) for name, value in self._weights.items() if value.ndim > 2}

    def probability(self, question: ReadText, passage: ReadText) -> float:
        """Return the probability, 0..1, that the passage answers the question: the mean of the networks'."""
        found = self.judge(question, passage)
        scale_answers, scale_span, intercept = self._weights["calibration"].T
        odds = scale_answers * found.answers + scale_span * found.span + intercept
        return float((1 / (1 + np.exp(-np.clip(odds, -30, 30)))).mean())

    def judge(self, question: ReadText, passage: ReadText) -> Judgement:
        """Return what each network makes of the pair: shapes `(networks,)`; nothing speaks for an empty passage."""
        if not len(question.ids) or not len(passage.ids):
            none = np.full(self._networks, -CLIP, dtype=np.float32)
            return Judgement(none, none)
        stored = self._weights
        features = np.clip((pair_features(question, passage) - stored["mean"]) / stored["scale"], -CLIP, CLIP)
        base = (features * stored["base.weight"]).sum(axis=1) + stored["base.bias"]
        aligned = np.stack([question.states[layer] @ passage.states[layer].T for layer in LAYERS], axis=-1)
        attention = np.moveaxis(aligned @ stored["layer_weight"].T, -1, 0)
        asked, said = self._project(question), self._project(passage)
        pooled, strongest = self._compare(question, asked, _softmax(attention, 2) @ said, aligned.max(axis=1))
        back = _softmax(attention, 1).swapaxes(1, 2) @ asked
        states = self._read(passage, said, back, aligned.max(axis=0), pooled)
        logits = self._linear("span", states)
        ends = (_softmax(logits, 1).swapaxes(1, 2) @ states).reshape(self._networks, -1)
        joined = np.concatenate([pooled, strongest, ends, features], axis=1)[:, None]
        answers = self._linear("head.3", _gelu(self._linear("head.0", joined)))[:, 0, 0]
        none = self._linear("null", pooled[:, None])[:, 0]
        return Judgement(base + answers, (logits.max(axis=1) - none).sum(axis=1))

    def _linear(self, name: str, value: Floats) -> Floats:
        result: Floats = value @ self._layers[f"{name}.weight"]
        result += self._weights[f"{name}.bias"][:, None]
        return result

    def _convolve(self, name: str, value: Floats) -> Floats:
        """Return a convolution over pieces, kernel 5, zeros outside: shape `(networks, pieces, width)`."""
        width = self._weights[f"{name}.weight"].shape[3]
        networks, pieces, channels = value.shape
        around = np.zeros((networks, pieces, width, channels), dtype=np.float32)
        for at in range(width):
            shift = at - width // 2
            first, end = max(0, -shift), max(0, min(pieces, pieces - shift))
            around[:, first:end, at] = value[:, first + shift : end + shift]
        return self._linear(name, around.reshape(networks, pieces, width * channels))

    def _project(self, text: ReadText) -> Floats:
        return self._linear("project", np.concatenate([text.raw[layer] for layer in LAYERS[1:]], axis=1))

    def _compare(self, question: ReadText, asked: Floats, matched: Floats, best: Floats) -> tuple[Floats, Floats]:
        """Return the question's pieces compared with their matches: weighted mean and maximum."""
        value = _joined(asked, matched, best, rarity(question.ids))
        value = _gelu(self._linear("compare.3", _gelu(self._linear("compare.0", value))))
        weight = _softmax(self._linear("attend", value), 1)
        return (weight * value).sum(axis=1), value.max(axis=1)

    def _read(self, passage: ReadText, said: Floats, matched: Floats, best: Floats, pooled: Floats) -> Floats:
        """Return the passage's pieces, each with its match, its neighbours and the whole question."""
        value = _joined(said, matched, best, rarity(passage.ids))
        value = _gelu(self._linear("read", value) + self._linear("context", pooled[:, None]))
        for name in ("near", "far"):
            value = value + _gelu(self._convolve(name, value))
        return value


def _layer(weight: Floats) -> Floats:
    """Return the weights of a linear layer or a convolution of every network: shape `(networks, inputs, outputs)`.

    The inputs of a convolution are its neighbours, from left to right, each with all channels.
    """
    networks, outputs = weight.shape[:2]
    return np.ascontiguousarray(weight.swapaxes(2, -1).reshape(networks, outputs, -1).swapaxes(1, 2))


def _joined(one: Floats, other: Floats, best: Floats, rare: Floats) -> Floats:
    """Return pieces beside their matches, with difference, product, best cosines and rarity."""
    same = np.broadcast_to(np.concatenate([best, rare[:, None]], axis=1), (*one.shape[:2], best.shape[1] + 1))
    return np.concatenate([one, other, np.abs(one - other), one * other, same], axis=2)


def _softmax(value: Floats, axis: int) -> Floats:
    raised = np.exp(value - value.max(axis=axis, keepdims=True))
    result: Floats = raised / raised.sum(axis=axis, keepdims=True)
    return result


def _gelu(value: Floats) -> Floats:
    """Return the GELU in its tanh form (Hendrycks and Gimpel 2016)."""
    inner = value * (np.float32(0.7978846) + np.float32(0.0356774) * value * value)  # value ** 3 is ten times slower
    result: Floats = np.float32(0.5) * value * (1 + np.tanh(inner))
    return result
