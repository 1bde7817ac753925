"""The reader's network as an OpenVINO graph, built straight from its weights; `reader_judge` says what it computes."""

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
    one of the passage, nowhere for padding; `features` (b, len(FEATURES)), standardised. Output (b, 2): the log-odds
    that the passage answers, those of the regression not added, and by how much its best span beats "no span".
    """
    from openvino import Model, Type
    from openvino import opset13 as ops

    inputs = {name: ops.parameter([-1, -1, width], Type.f32, name=name) for name, width in _WIDTHS.items()}
    inputs["features"] = ops.parameter([-1, len(FEATURES)], Type.f32, name="features")
    return Model([ops.result(_Builder(ops, weights).network(**inputs))], list(inputs.values()), "reader")


class _Builder:
    """Adds nodes to one graph."""

    def __init__(self, ops: Any, weights: Mapping[str, Floats]) -> None:
        self._ops, self._weights = ops, weights
        self._depth = len({name.split(".")[2] for name in weights if name.startswith("blocks.")})
        self._width = weights["side"].shape[1]

    def network(self, raw: Any, beside: Any, side: Any, features: Any) -> Any:
        """Return the two outputs of every pair."""
        ops = self._ops
        asked, said = (self._part(side, number) for number in (0, 1))
        seen = ops.add(asked, said)
        value = ops.add(self._linear("enter", raw), self._linear("beside", beside))
        value = ops.add(value, ops.matmul(side, self._constant("side"), False, False))
        bias = self._unseen(self._reshaped(seen, (0, 1, 1, -1)))
        for number in range(self._depth):
            value = self._block(f"blocks.layers.{number}", value, bias)
        pieces = ops.reduce_sum(asked, self._axes(1), False)
        pooled = ops.divide(ops.reduce_sum(ops.multiply(value, asked), self._axes(1), False), pieces)
        logits = ops.add(self._linear("span", value), self._unseen(said))
        ends = ops.matmul(ops.softmax(logits, 1), value, True, False)
        ends = self._reshaped(ends, (0, 2 * self._width))
        joined = ops.concat([pooled, ends, features], 1)
        answers = self._linear("head.3", ops.gelu(self._linear("head.0", joined), "tanh"))
        lead = ops.subtract(ops.reduce_max(logits, self._axes(1), False), self._linear("null", pooled))
        return ops.concat([answers, ops.reduce_sum(lead, self._axes(1), True)], 1)

    def _block(self, name: str, value: Any, bias: Any) -> Any:
        """Return pieces after one layer of the transformer: attention, then two linear layers, each added to them."""
        ops, width = self._ops, self._width
        normal = self._norm(f"{name}.norm1", value)
        joint = self._linear(f"{name}.self_attn.in_proj", normal, joint="_")
        parts = self._reshaped(joint, (0, 0, 3 * HEADS, width // HEADS))
        parts = ops.transpose(parts, ops.constant(np.array([0, 2, 1, 3], dtype=np.int64)))
        query, key, said = ops.split(parts, ops.constant(np.int64(1)), 3).outputs()
        attended = ops.scaled_dot_product_attention(query, key, said, bias)
        merged = ops.transpose(attended, ops.constant(np.array([0, 2, 1, 3], dtype=np.int64)))
        value = ops.add(value, self._linear(f"{name}.self_attn.out_proj", self._reshaped(merged, (0, 0, width))))
        inner = ops.gelu(self._linear(f"{name}.linear1", self._norm(f"{name}.norm2", value)), "tanh")
        return ops.add(value, self._linear(f"{name}.linear2", inner))

    def _constant(self, name: str) -> Any:
        return self._ops.constant(np.ascontiguousarray(self._weights[name], dtype=np.float32))

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
