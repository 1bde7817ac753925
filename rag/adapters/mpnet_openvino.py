"""The network of reader and entailment as an OpenVINO graph, built straight from its weights: MPNet and heads.

MPNet (Song et al. 2020) is BERT with a bias for the distance between two word pieces, added to the attention of every
layer (Raffel et al. 2020). Torch is not needed, and matrices can stay the 8-bit integers that they are shipped as.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Weights = Mapping[str, NDArray[Any]]
FIRST_POSITION = 2
"""MPNet counts positions from behind the id of its padding."""
_FARTHEST = 128
"""Distances from here on share a bias."""
_MASKED = -1e9


@dataclass(frozen=True, slots=True)
class MpnetShape:
    """The numbers that decide the architecture, as in a `config.json`."""

    layers: int
    heads: int
    hidden: int
    epsilon: float = 1e-5


def build_reader(weights: Weights, shape: MpnetShape, *, longest: int, eight_bits: bool) -> Any:
    """Return an `openvino.Model` from int64 `input_ids` and `attention_mask` (b, s) to what the heads say.

    Outputs are the logit that each text answers (b, 1), the logit of each piece that it is part of the answer
    (b, s, 1), the logits that the text supports, contradicts, does neither (b, 3), and the pooled vectors
    (b, 2 x hidden): the first state beside the mean of all.

    Args:
        weights: Tensors under the names of `transformers.MPNetModel`, `answers`, `marks` and `entails`; an int8 matrix
            has `NAME.scale` beside it, one number for each row.
        shape: Layers, heads and width.
        longest: The most pieces of an input.
        eight_bits: Whether matrices enter the graph as 8-bit integers, or as the float32 numbers that they stand for.
    """
    from openvino import Model, Type
    from openvino import opset13 as ops

    ids = ops.parameter([-1, -1], Type.i64, name="input_ids")
    mask = ops.parameter([-1, -1], Type.i64, name="attention_mask")
    build = _Builder(ops, weights, shape, eight_bits=eight_bits)
    state, bias = build.embeddings(ids), build.attention_bias(ids, mask, longest)
    for layer in range(shape.layers):
        state = build.layer(f"encoder.layer.{layer}", state, bias)
    pooled = build.pooled(state, mask)
    outputs = [build.head("answers", pooled), build.head("marks", state), build.head("entails", pooled), pooled]
    return Model([ops.result(value) for value in outputs], [ids, mask], "reader")


def distance_buckets(longest: int, count: int) -> NDArray[np.int64]:
    """Return the bucket of the distance from each piece to each other: shape `(longest, longest)`.

    Half of the buckets are for pieces behind; of each half the first half is for one distance each, the rest grow with
    the logarithm of the distance.

    >>> distance_buckets(3, 32).tolist()
    [[0, 17, 18], [1, 0, 17], [2, 1, 0]]
    """
    places = np.arange(longest)
    ahead = places[None, :] - places[:, None]
    half = count // 2
    exact = half // 2
    far = np.abs(ahead)
    # float32, as torch computes it: at the borders of buckets the rounding decides
    ratio = np.log(np.maximum(far, 1).astype(np.float32) / np.float32(exact)) / np.float32(np.log(_FARTHEST / exact))
    grown = np.minimum(exact + (ratio * np.float32(half - exact)).astype(np.int64), half - 1)
    buckets: NDArray[np.int64] = np.where(ahead > 0, half, 0) + np.where(far < exact, far, grown)
    return buckets


def plain(weights: Weights, name: str) -> NDArray[np.float32]:
    """Return a tensor in float32; one of 8-bit integers multiplied by what each row is to be multiplied by."""
    found = np.asarray(weights[name], dtype=np.float32)
    scales = weights.get(f"{name}.scale")
    return found if scales is None else found * np.asarray(scales, dtype=np.float32)[:, None]


class _Builder:
    """Adds nodes to one graph."""

    def __init__(self, ops: Any, weights: Weights, shape: MpnetShape, *, eight_bits: bool) -> None:
        self._ops, self._weights, self._shape, self._eight_bits = ops, weights, shape, eight_bits

    def _constant(self, name: str) -> Any:
        return self._ops.constant(np.ascontiguousarray(plain(self._weights, name)))

    def _matrix(self, name: str) -> Any:
        scales = self._weights.get(f"{name}.scale")
        if scales is None or not self._eight_bits:
            return self._constant(name)
        ops = self._ops
        whole = ops.convert(ops.constant(np.ascontiguousarray(self._weights[name])), "f32")
        return ops.multiply(whole, ops.constant(np.asarray(scales, dtype=np.float32)[:, None]))

    def _linear(self, name: str, value: Any) -> Any:
        product = self._ops.matmul(value, self._matrix(f"{name}.weight"), False, True)
        return self._ops.add(product, self._constant(f"{name}.bias"))

    def head(self, name: str, value: Any) -> Any:
        """One of the heads, in float32."""
        product = self._ops.matmul(value, self._constant(f"{name}.weight"), False, True)
        return self._ops.add(product, self._constant(f"{name}.bias"))

    def _norm(self, name: str, value: Any) -> Any:
        ops = self._ops
        scaled = ops.mvn(value, ops.constant(np.array([-1], dtype=np.int64)), True, self._shape.epsilon, "inside_sqrt")
        return ops.add(ops.multiply(scaled, self._constant(f"{name}.weight")), self._constant(f"{name}.bias"))

    def _length(self, ids: Any) -> Any:
        """The number of pieces of a row, padding included: shape `()`."""
        ops = self._ops
        return ops.gather(ops.shape_of(ids), ops.constant(np.int64(1)), ops.constant(np.int64(0)))

    def embeddings(self, ids: Any) -> Any:
        """Word and position embeddings, summed and normalised. A padded piece's position counts for nothing."""
        ops = self._ops
        first = ops.constant(np.int64(FIRST_POSITION))
        places = ops.range(first, ops.add(self._length(ids), first), ops.constant(np.int64(1)), "i64")
        position = ops.gather(
            self._constant("embeddings.position_embeddings.weight"), places, ops.constant(np.int64(0))
        )
        return self._norm("embeddings.LayerNorm", ops.add(self._words(ids), position))

    def _words(self, ids: Any) -> Any:
        """Word embeddings: only the rows that are looked up become float32."""
        ops, name, rows = self._ops, "embeddings.word_embeddings.weight", self._ops.constant(np.int64(0))
        scales = self._weights.get(f"{name}.scale")
        if scales is None:
            return ops.gather(self._constant(name), ids, rows)
        whole = ops.convert(ops.gather(ops.constant(np.ascontiguousarray(self._weights[name])), ids, rows), "f32")
        each = ops.gather(ops.constant(np.asarray(scales, dtype=np.float32)[:, None]), ids, rows)
        return ops.multiply(whole, each)

    def attention_bias(self, ids: Any, mask: Any, longest: int) -> Any:
        """What is added to the attention: by distance, and a large negative number to padding: (b, heads, s, s)."""
        ops = self._ops
        table = plain(self._weights, "encoder.relative_attention_bias.weight")
        every = table[distance_buckets(longest, len(table))].transpose(2, 0, 1)[None]
        length = ops.unsqueeze(self._length(ids), ops.constant(np.int64(0)))
        one, axes = ops.constant(np.array([1, 1], dtype=np.int64)), ops.constant(np.array([2, 3], dtype=np.int64))
        stop = ops.concat([length, length], 0)
        near = ops.slice(
            ops.constant(np.ascontiguousarray(every)), ops.constant(np.zeros(2, np.int64)), stop, one, axes
        )
        open_ = ops.convert(ops.unsqueeze(mask, ops.constant(np.array([1, 2], dtype=np.int64))), "f32")
        shut = ops.multiply(ops.subtract(ops.constant(np.float32(1)), open_), ops.constant(np.float32(_MASKED)))
        return ops.add(near, shut)

    def _heads(self, name: str, value: Any) -> Any:
        ops, shape = self._ops, self._shape
        split = ops.constant(np.array([0, 0, shape.heads, shape.hidden // shape.heads], dtype=np.int64))
        order = ops.constant(np.array([0, 2, 1, 3], dtype=np.int64))
        return ops.transpose(ops.reshape(self._linear(name, value), split, True), order)

    def layer(self, name: str, state: Any, bias: Any) -> Any:
        """One transformer layer: attention and feed-forward, each with residual and normalisation."""
        ops, own = self._ops, f"{name}.attention"
        query, key, value = (self._heads(f"{own}.attn.{part}", state) for part in "qkv")
        attended = ops.scaled_dot_product_attention(query, key, value, bias)
        order = ops.constant(np.array([0, 2, 1, 3], dtype=np.int64))
        whole = ops.constant(np.array([0, 0, self._shape.hidden], dtype=np.int64))
        merged = ops.reshape(ops.transpose(attended, order), whole, True)
        state = self._norm(f"{own}.LayerNorm", ops.add(self._linear(f"{own}.attn.o", merged), state))
        inner = ops.gelu(self._linear(f"{name}.intermediate.dense", state), "erf")
        return self._norm(f"{name}.output.LayerNorm", ops.add(self._linear(f"{name}.output.dense", inner), state))

    def pooled(self, state: Any, mask: Any) -> Any:
        """The first state beside the mean of those that are no padding: (b, 2 x hidden)."""
        ops = self._ops
        pieces = ops.constant(np.array([1], dtype=np.int64))
        first = ops.gather(state, ops.constant(np.int64(0)), ops.constant(np.int64(1)))
        weights = ops.convert(ops.unsqueeze(mask, ops.constant(np.array([2], dtype=np.int64))), "f32")
        total = ops.reduce_sum(ops.multiply(state, weights), pieces, False)
        return ops.concat([first, ops.divide(total, ops.reduce_sum(weights, pieces, False))], 1)
