"""Networks as OpenVINO graphs, built straight from their weights: the BERT that embeds; MPNet with the reader's heads.

Building them here instead of tracing them with torch keeps torch out of the process: a graph stands a few tenths of a
second after the weights are read, and matrices can stay the 8-bit integers that they are shipped as.
Vaswani et al. 2017; Devlin et al. 2019. MPNet (Song et al. 2020) is BERT with a bias for the distance between two word
pieces, added to the attention of every layer (Raffel et al. 2020).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

Weights = Mapping[str, NDArray[Any]]
ROUNDED_TOGETHER = 384
"""How many numbers of a piece's state share what they are rounded by; 1,536 are more exact and take twice as long."""
FIRST_POSITION = 2  # MPNet counts positions from behind the id of its padding
_FARTHEST = 128  # distances from here on share a bias
_MASKED = -1e9
_LOADING = Lock()


@dataclass(frozen=True, slots=True)
class Shape:
    """The numbers that decide the architecture, as in a `config.json` of either kind."""

    layers: int
    heads: int
    hidden: int
    epsilon: float


def build_encoder(weights: Weights, shape: Shape) -> Any:
    """Return an `openvino.Model`: int64 `input_ids` and `attention_mask` (b, s) to `last_hidden_state` (b, s, hidden).

    `weights` are tensors under the names of `transformers.BertModel`, without a prefix.
    """
    from openvino import Model

    graph = _Graph(weights, shape, _BERT)
    state = graph.layers(graph.embeddings(), graph.padding_bias())
    state.set_friendly_name("last_hidden_state")
    return Model([graph.ops.result(state)], [graph.ids, graph.mask], "bert")


def build_reader(weights: Weights, shape: Shape, *, longest: int, eight_bits: bool) -> Any:
    """Return an `openvino.Model` from int64 `input_ids` and `attention_mask` (b, s) to what the heads say.

    Outputs are the logit that each text answers (b, 1), the logit of each piece that it is part of the answer
    (b, s, 1), the logits that the text supports, contradicts, does neither (b, 3), and the pooled vectors
    (b, 2 x hidden): the first state beside the mean of all.

    Args:
        weights: Tensors under the names of `transformers.MPNetModel`, `answers`, `marks` and `entails`; an int8 matrix
            has `NAME.scale` beside it, one number for each row.
        longest: The most pieces of an input.
        eight_bits: Whether matrices enter the graph as 8-bit integers, or as the float32 numbers that they stand for.
    """
    from openvino import Model

    graph = _Graph(weights, shape, _MPNET, eight_bits=eight_bits)
    state = graph.layers(graph.embeddings(FIRST_POSITION), graph.distance_bias(longest))
    pooled = graph.pooled(state)
    outputs = [graph.head("answers", pooled), graph.head("marks", state), graph.head("entails", pooled), pooled]
    return Model([graph.ops.result(value) for value in outputs], [graph.ids, graph.mask], "reader")


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


_BERT = ("self.query", "self.key", "self.value", "output.dense", "output.LayerNorm")
_MPNET = ("attn.q", "attn.k", "attn.v", "attn.o", "LayerNorm")
"""What query, key, value, output and norm of a layer's attention are called in the weights."""


class _Graph:
    """One graph that nodes are added to, with its two inputs."""

    def __init__(self, weights: Weights, shape: Shape, names: tuple[str, ...], *, eight_bits: bool = False) -> None:
        from openvino import Type, opset13

        self.ops: Any = opset13
        self.ids = opset13.parameter([-1, -1], Type.i64, name="input_ids")
        self.mask = opset13.parameter([-1, -1], Type.i64, name="attention_mask")
        self._weights, self._shape, self._names, self._eight_bits = weights, shape, names, eight_bits

    def layers(self, state: Any, bias: Any) -> Any:
        for layer in range(self._shape.layers):
            state = self._layer(f"encoder.layer.{layer}", state, bias)
        return state

    def embeddings(self, first: int = 0) -> Any:
        """Those of words, of token type 0 where there are types, and of positions from `first` on; a normalised sum."""
        ops, kinds, state = self.ops, "embeddings.token_type_embeddings.weight", self._words()
        if kinds in self._weights:
            state = ops.add(state, ops.gather(self._constant(kinds), self._integer(0), self._integer(0)))
        return self._norm("embeddings.LayerNorm", ops.add(state, self._positions(first)))

    def padding_bias(self) -> Any:
        """0 where a piece may be attended to, a large negative number where it is padding: shape (b, 1, 1, s)."""
        ops = self.ops
        open_ = ops.convert(ops.unsqueeze(self.mask, self._integers(1, 2)), "f32")
        return ops.multiply(ops.subtract(ops.constant(np.float32(1)), open_), ops.constant(np.float32(_MASKED)))

    def distance_bias(self, longest: int) -> Any:
        """What is added to the attention: by distance, and a large negative number to padding: (b, heads, s, s)."""
        ops = self.ops
        table = plain(self._weights, "encoder.relative_attention_bias.weight")
        every = np.ascontiguousarray(table[distance_buckets(longest, len(table))].transpose(2, 0, 1)[None])
        length = ops.unsqueeze(self._length(), self._integer(0))
        stop = ops.concat([length, length], 0)
        near = ops.slice(ops.constant(every), self._integers(0, 0), stop, self._integers(1, 1), self._integers(2, 3))
        return ops.add(near, self.padding_bias())

    def pooled(self, state: Any) -> Any:
        """The first state beside the mean of those that are no padding: (b, 2 x hidden)."""
        ops = self.ops
        first = ops.gather(state, self._integer(0), self._integer(1))
        weights = ops.convert(ops.unsqueeze(self.mask, self._integers(2)), "f32")
        total = ops.reduce_sum(ops.multiply(state, weights), self._integers(1), False)
        return ops.concat([first, ops.divide(total, ops.reduce_sum(weights, self._integers(1), False))], 1)

    def head(self, name: str, value: Any) -> Any:
        return self._affine(name, self._constant(f"{name}.weight"), value)

    def _layer(self, name: str, state: Any, bias: Any) -> Any:
        """One transformer layer: attention and feed-forward, each with residual and normalisation."""
        ops = self.ops
        *heads, output, norm = (f"{name}.attention.{part}" for part in self._names)
        query, key, value = (self._heads(part, state) for part in heads)
        attended = ops.scaled_dot_product_attention(query, key, value, bias)
        turned = ops.transpose(attended, self._integers(0, 2, 1, 3))
        merged = ops.reshape(turned, self._integers(0, 0, self._shape.hidden), True)
        state = self._norm(norm, ops.add(self._linear(output, merged), state))
        inner = ops.gelu(self._linear(f"{name}.intermediate.dense", state), "erf")
        return self._norm(f"{name}.output.LayerNorm", ops.add(self._linear(f"{name}.output.dense", inner), state))

    def _heads(self, name: str, value: Any) -> Any:
        ops, shape = self.ops, self._shape
        split = self._integers(0, 0, shape.heads, shape.hidden // shape.heads)
        return ops.transpose(ops.reshape(self._linear(name, value), split, True), self._integers(0, 2, 1, 3))

    def _linear(self, name: str, value: Any) -> Any:
        return self._affine(name, self._matrix(f"{name}.weight"), value)

    def _affine(self, name: str, matrix: Any, value: Any) -> Any:
        return self.ops.add(self.ops.matmul(value, matrix, False, True), self._constant(f"{name}.bias"))

    def _norm(self, name: str, value: Any) -> Any:
        ops = self.ops
        scaled = ops.mvn(value, self._integers(-1), True, self._shape.epsilon, "inside_sqrt")
        return ops.add(ops.multiply(scaled, self._constant(f"{name}.weight")), self._constant(f"{name}.bias"))

    def _positions(self, first: int) -> Any:
        """The embedding of each place of a row, counted from `first`."""
        ops = self.ops
        begin, one = self._integer(first), self._integer(1)
        places = ops.range(begin, ops.add(self._length(), begin), one, "i64")
        return ops.gather(self._constant("embeddings.position_embeddings.weight"), places, self._integer(0))

    def _length(self) -> Any:
        """The number of pieces of a row, padding included: shape `()`."""
        return self.ops.gather(self.ops.shape_of(self.ids), self._integer(1), self._integer(0))

    def _words(self) -> Any:
        """Word embeddings: only the rows that are looked up become float32."""
        ops, name, rows = self.ops, "embeddings.word_embeddings.weight", self._integer(0)
        scales = self._weights.get(f"{name}.scale")
        if scales is None:
            return ops.gather(self._constant(name), self.ids, rows)
        whole = ops.gather(ops.constant(np.ascontiguousarray(self._weights[name])), self.ids, rows)
        each = ops.gather(ops.constant(np.asarray(scales, dtype=np.float32)[:, None]), self.ids, rows)
        return ops.multiply(ops.convert(whole, "f32"), each)

    def _matrix(self, name: str) -> Any:
        scales = self._weights.get(f"{name}.scale")
        if scales is None or not self._eight_bits:
            return self._constant(name)
        ops = self.ops
        whole = ops.convert(ops.constant(np.ascontiguousarray(self._weights[name])), "f32")
        return ops.multiply(whole, ops.constant(np.asarray(scales, dtype=np.float32)[:, None]))

    def _constant(self, name: str) -> Any:
        return self.ops.constant(np.ascontiguousarray(plain(self._weights, name)))

    def _integer(self, value: int) -> Any:
        return self.ops.constant(np.int64(value))

    def _integers(self, *values: int) -> Any:
        return self.ops.constant(np.array(values, dtype=np.int64))


def compile_model(model: Any, *, precision: str, threads: int | None = None, streams: int = 1) -> Any:
    """Return the graph compiled for this processor.

    Args:
        model: A graph, or the path of one.
        precision: `float32`, `bfloat16`, or `int8`: what enters a matrix of 8-bit integers is rounded to them, too.
        threads: Threads of all inferences together; None: all cores.
        streams: How many inferences run beside each other, each with its share of the threads.
    """
    options = compile_options(precision=precision, threads=threads, streams=streams)
    return core().compile_model(model, "CPU", options)


def infer(request: Any, inputs: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Return the outputs of a network for its inputs, in their order; valid until the request is used again.

    `InferRequest.infer(inputs)` does the same and asks for the inputs' shapes, which takes .15 ms. The inputs are
    contiguous, and not copied. Raises `RuntimeError` where the network failed.
    """
    from openvino import Tensor

    for number, values in enumerate(inputs):
        request.set_input_tensor(number, Tensor(values, shared_memory=True))
    request.infer(share_outputs=True)
    return [request.get_output_tensor(number).data for number in range(len(request.model_outputs))]


def core() -> Any:
    """Return the one `openvino.Core` of the process; it is never let go.

    Where OpenVINO loads its CPU plugin, it gives that thread a signal stack of its own (for AMX), and frees it with the
    last network and core. Freed in another thread, the first one keeps it, and the next Ctrl-C kills the process.
    """
    with _LOADING:
        return _core()


@cache
def _core() -> Any:
    from openvino import Core

    return Core()


def compile_options(*, precision: str, threads: int | None = None, streams: int = 1) -> dict[str, Any]:
    """Return what OpenVINO is told: one inference soon, or many in all; the precision, the threads."""
    options: dict[str, Any] = {
        "PERFORMANCE_HINT": "LATENCY" if streams == 1 else "THROUGHPUT",
        "INFERENCE_PRECISION_HINT": "bf16" if precision == "bfloat16" else "f32",
    }
    if precision == "int8":
        options["DYNAMIC_QUANTIZATION_GROUP_SIZE"] = ROUNDED_TOGETHER
    if streams > 1:
        options["NUM_STREAMS"] = streams
    if threads:
        options["INFERENCE_NUM_THREADS"] = threads
    return options
