"""The reader's networks as one OpenVINO graph, built straight from their weights; `reader_judge` says what it computes.

Networks that differ by their seed only stand side by side: the first axis of every weight, left out where there is one.
Two together take a third longer than one, because most of the time goes into the nodes and not into the numbers.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rag.adapters.reader_features import FEATURES, LAYERS, Floats

HEADS = 4
"""Parts in which the network's attention looks."""
EPSILON = 1e-5
"""What keeps a normalisation from dividing by 0."""
HIDDEN = -1e4
"""What is added to what must not be seen."""
_WIDTHS = {"raw": 768, "beside": len(LAYERS) + 1, "side": 2}
"""Numbers of a piece in each input."""


def build_network(weights: Mapping[str, Floats]) -> Any:
    """Return an `openvino.Model` over a batch of pairs, the pieces of question and passage in one row, float32.

    Inputs: `raw` (b, p, 768), the states of the pieces as they left the encoder; `beside` (b, p, 4), their best matches
    in the other text and their rarity; `side` (b, p, 2), 1 at the first for a piece of the question, at the second for
    one of the passage, nowhere for padding; `features` (b, len(FEATURES)), standardised. Output (b, 2), the mean of all
    networks: the log-odds that the passage answers, those of the regression not added, and by how much its best span
    beats "no span".
    """
    from openvino import Model, Type
    from openvino import opset13 as ops

    inputs = {name: ops.parameter([-1, -1, width], Type.f32, name=name) for name, width in _WIDTHS.items()}
    inputs["features"] = ops.parameter([-1, len(FEATURES)], Type.f32, name="features")
    return Model([ops.result(_Builder(ops, weights).network(**inputs))], list(inputs.values()), "reader")


class _Builder:
    """Adds nodes to one graph. Pieces are (n, b * p, width): n networks, b pairs of p pieces."""

    def __init__(self, ops: Any, weights: Mapping[str, Floats]) -> None:
        is_one = weights["side"].ndim == 2  # a single network is kept without the axis
        self._ops, self._weights = ops, {name: value[None] if is_one else value for name, value in weights.items()}
        self._depth = len({name.split(".")[2] for name in weights if name.startswith("blocks.")})
        self._count, _, self._width = self._weights["side"].shape

    def network(self, raw: Any, beside: Any, side: Any, features: Any) -> Any:
        """Return the two outputs of every pair."""
        ops = self._ops
        pieces = ops.gather(ops.shape_of(side), self._axes(1), ops.constant(np.int64(0)))
        asked, said = (self._part(side, number) for number in (0, 1))
        value = self._entered(ops.concat([raw, beside, side], 2))
        unseen = self._unseen(self._reshaped(ops.add(asked, said), (0, 1, 1, -1)))
        unseen = ops.concat([unseen] * self._count, 0)
        for number in range(self._depth):
            value = self._block(f"blocks.layers.{number}", value, unseen, pieces)
        logits = ops.add(self._by_pair(self._linear("span", value), pieces, 2), self._unseen(said))
        value = self._by_pair(value, pieces, self._width)
        pooled = ops.divide(
            ops.reduce_sum(ops.multiply(value, asked), self._axes(2), False),
            ops.reduce_sum(asked, self._axes(1), False),
        )
        ends = self._reshaped(ops.matmul(ops.softmax(logits, 2), value, True, False), (0, 0, 2 * self._width))
        given = ops.concat([self._reshaped(features, (1, -1, len(FEATURES)))] * self._count, 0)
        joined = ops.concat([pooled, ends, given], 2)
        answers = self._linear("head.3", ops.gelu(self._linear("head.0", joined), "tanh"))
        lead = ops.subtract(ops.reduce_max(logits, self._axes(2), False), self._linear("null", pooled))
        each = ops.concat([answers, ops.reduce_sum(lead, self._axes(2), True)], 2)
        return ops.reduce_mean(each, self._axes(0), False)

    def _block(self, name: str, value: Any, unseen: Any, pieces: Any) -> Any:
        """Return pieces after one layer of the transformer: attention, then two linear layers, each added to them."""
        ops, width = self._ops, self._width
        normal = self._norm(f"{name}.norm1", value)
        joint = self._linear(f"{name}.self_attn.in_proj", normal, joint="_")
        heads = ops.concat([self._axes(-1), pieces, self._axes(3 * HEADS, width // HEADS)], 0)
        parts = ops.transpose(ops.reshape(joint, heads, False), self._axes(0, 2, 1, 3))
        query, key, said = ops.split(parts, ops.constant(np.int64(1)), 3).outputs()
        attended = ops.scaled_dot_product_attention(query, key, said, unseen)
        merged = self._reshaped(ops.transpose(attended, self._axes(0, 2, 1, 3)), (self._count, -1, width))
        value = ops.add(value, self._linear(f"{name}.self_attn.out_proj", merged))
        inner = ops.gelu(self._linear(f"{name}.linear1", self._norm(f"{name}.norm2", value)), "tanh")
        return ops.add(value, self._linear(f"{name}.linear2", inner))

    def _entered(self, given: Any) -> Any:
        """Return what the pieces of all pairs are to every network, from one product for all that is known of them."""
        ops, own = self._ops, self._weights
        matrix = np.concatenate([own["enter.weight"], own["beside.weight"], own["side"].transpose(0, 2, 1)], axis=2)
        bias = (own["enter.bias"] + own["beside.bias"]).astype(np.float32)
        matrix = np.ascontiguousarray(matrix.reshape(-1, sum(_WIDTHS.values())), dtype=np.float32)
        product = ops.matmul(self._reshaped(given, (-1, sum(_WIDTHS.values()))), ops.constant(matrix), False, True)
        each = self._reshaped(product, (-1, self._count, self._width))
        return ops.add(ops.transpose(each, self._axes(1, 0, 2)), ops.constant(bias[:, None]))

    def _by_pair(self, value: Any, pieces: Any, width: int) -> Any:
        """Return `(n, b * p, width)` as `(n, b, p, width)`."""
        shape = self._ops.concat([self._axes(self._count, -1), pieces, self._axes(width)], 0)
        return self._ops.reshape(value, shape, False)

    def _constant(self, name: str) -> Any:
        """Return weights; those of one row get an axis for the pieces."""
        found = np.ascontiguousarray(self._weights[name], dtype=np.float32)
        return self._ops.constant(found[:, None] if found.ndim == 2 else found)

    def _axes(self, *axes: int) -> Any:
        return self._ops.constant(np.array(axes, dtype=np.int64))

    def _reshaped(self, value: Any, shape: tuple[int, ...]) -> Any:
        return self._ops.reshape(value, self._axes(*shape), True)

    def _part(self, side: Any, number: int) -> Any:
        """Return one of the two marks of every piece: shape `(b, p, 1)`."""
        return self._ops.gather(side, self._axes(number), self._ops.constant(np.int64(2)))

    def _unseen(self, mark: Any) -> Any:
        """Return 0 where a piece is marked, a large negative number elsewhere."""
        ops = self._ops
        return ops.multiply(ops.subtract(ops.constant(np.float32(1)), mark), ops.constant(np.float32(HIDDEN)))

    def _linear(self, name: str, value: Any, *, joint: str = ".") -> Any:
        product = self._ops.matmul(value, self._constant(f"{name}{joint}weight"), False, True)
        return self._ops.add(product, self._constant(f"{name}{joint}bias"))

    def _norm(self, name: str, value: Any) -> Any:
        scaled = self._ops.mvn(value, self._axes(-1), True, EPSILON, "inside_sqrt")
        return self._ops.add(
            self._ops.multiply(scaled, self._constant(f"{name}.weight")), self._constant(f"{name}.bias")
        )
