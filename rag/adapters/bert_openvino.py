"""A BERT encoder as an OpenVINO graph, built straight from its weights.

Building it here instead of tracing it with torch keeps torch out of the process: the graph stands a few tenths
of a second after the weights are read.
Vaswani et al. 2017; Devlin et al. 2019.
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
_LOADING = Lock()


@dataclass(frozen=True, slots=True)
class BertShape:
    """The numbers that decide the architecture, as in a BERT `config.json`."""

    layers: int
    heads: int
    hidden: int
    epsilon: float = 1e-12


def build_encoder(weights: Weights, shape: BertShape) -> Any:
    """Return an `openvino.Model`: int64 `input_ids` and `attention_mask` (b, s) to `last_hidden_state` (b, s, hidden).

    Args:
        weights: Tensors under the names of `transformers.BertModel`, without a prefix.
        shape: Layers, heads and width.
    """
    from openvino import Model, Type
    from openvino import opset13 as ops

    mask = ops.parameter([-1, -1], Type.i64, name="attention_mask")
    read = ops.parameter([-1, -1], Type.i64, name="input_ids")
    builder = _Builder(ops, weights, shape)
    state = builder.embeddings(read)
    bias = builder.attention_bias(mask)
    for layer in range(shape.layers):
        state = builder.layer(f"encoder.layer.{layer}", state, bias)
    state.set_friendly_name("last_hidden_state")
    return Model([ops.result(state)], [read, mask], "bert")


class _Builder:
    """Adds nodes to one graph."""

    def __init__(self, ops: Any, weights: Weights, shape: BertShape) -> None:
        self._ops, self._weights, self._shape = ops, weights, shape

    def _constant(self, name: str) -> Any:
        return self._ops.constant(np.ascontiguousarray(self._weights[name], dtype=np.float32))

    def _linear(self, name: str, value: Any) -> Any:
        product = self._ops.matmul(value, self._constant(f"{name}.weight"), False, True)
        return self._ops.add(product, self._constant(f"{name}.bias"))

    def _norm(self, name: str, value: Any) -> Any:
        axes = self._ops.constant(np.array([-1], dtype=np.int64))
        scaled = self._ops.mvn(value, axes, True, self._shape.epsilon, "inside_sqrt")
        return self._ops.add(
            self._ops.multiply(scaled, self._constant(f"{name}.weight")), self._constant(f"{name}.bias")
        )

    def embeddings(self, ids: Any) -> Any:
        """Word, position and token type embeddings, summed and normalised; all pieces are of type 0."""
        ops = self._ops
        axis = ops.constant(np.int64(0))
        word = ops.gather(self._constant("embeddings.word_embeddings.weight"), ids, axis)
        length = ops.gather(ops.shape_of(ids), ops.constant(np.int64(1)), axis)
        positions = ops.range(ops.constant(np.int64(0)), length, ops.constant(np.int64(1)), "i64")
        position = ops.gather(self._constant("embeddings.position_embeddings.weight"), positions, axis)
        kinds = self._constant("embeddings.token_type_embeddings.weight")
        kind = ops.gather(kinds, ops.constant(np.int64(0)), axis)
        return self._norm("embeddings.LayerNorm", ops.add(ops.add(word, kind), position))

    def attention_bias(self, mask: Any) -> Any:
        """0 where a piece may be attended to, a large negative number where it is padding: shape (b, 1, 1, s)."""
        ops = self._ops
        axes = ops.constant(np.array([1, 2], dtype=np.int64))
        padded = ops.subtract(ops.constant(np.float32(1)), ops.convert(ops.unsqueeze(mask, axes), "f32"))
        return ops.multiply(padded, ops.constant(np.float32(-1e9)))

    def _heads(self, name: str, value: Any) -> Any:
        ops, shape = self._ops, self._shape
        split = ops.constant(np.array([0, 0, shape.heads, shape.hidden // shape.heads], dtype=np.int64))
        order = ops.constant(np.array([0, 2, 1, 3], dtype=np.int64))
        return ops.transpose(ops.reshape(self._linear(name, value), split, True), order)

    def layer(self, name: str, state: Any, bias: Any) -> Any:
        """One transformer layer: attention and feed-forward, each with residual and normalisation."""
        ops = self._ops
        own = f"{name}.attention.self"
        query, key, value = (self._heads(f"{own}.{part}", state) for part in ("query", "key", "value"))
        attended = ops.scaled_dot_product_attention(query, key, value, bias)
        order = ops.constant(np.array([0, 2, 1, 3], dtype=np.int64))
        merged = ops.reshape(
            ops.transpose(attended, order), ops.constant(np.array([0, 0, self._shape.hidden], dtype=np.int64)), True
        )
        state = self._norm(
            f"{name}.attention.output.LayerNorm",
            ops.add(self._linear(f"{name}.attention.output.dense", merged), state),
        )
        inner = ops.gelu(self._linear(f"{name}.intermediate.dense", state), "erf")
        return self._norm(f"{name}.output.LayerNorm", ops.add(self._linear(f"{name}.output.dense", inner), state))


def compile_model(model: Any, *, precision: str, threads: int | None = None, streams: int = 1) -> Any:
    """Return the graph compiled for this processor.

    Args:
        model: What `build_encoder` returned, or a graph around it.
        precision: `float32`, `bfloat16`, or `int8`: what enters a matrix of 8-bit integers is rounded to them, too.
        threads: Threads of all inferences together; None: all cores.
        streams: How many inferences run beside each other, each with its share of the threads.
    """
    options = compile_options(precision=precision, threads=threads, streams=streams)
    return core().compile_model(model, "CPU", options)


def infer(request: Any, inputs: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Return the outputs of a network for its inputs, in their order; valid until the request is used again.

    `InferRequest.infer(inputs)` does the same and asks for the inputs' shapes, which takes .15 ms.

    Args:
        request: Of the compiled network; nobody else uses it meanwhile.
        inputs: Contiguous arrays; they are not copied.

    Raises:
        RuntimeError: The network failed.
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
