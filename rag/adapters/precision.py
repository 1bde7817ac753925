"""In which precision this processor computes fastest: found out by computing, once, and kept beside the networks.

What a processor lists says what it can do, not how fast. AMD's Zen 4 multiplies in bfloat16 1.8 times as fast as in
float32; Intel processors without AMX have the same instructions, and the same passages take them 1.6 times as long
(`docs/performance.md`). So two products of the model's shape are timed in both, where there is a choice at all. What
counts is the time that the processor works on them, on one thread: an outcome is kept, and by the clock on the wall it
was the wrong one now and then, where others kept the processor busy (0015).
"""

import json
from contextlib import suppress
from pathlib import Path
from time import thread_time
from typing import Any, Final

import numpy as np

from rag.adapters.compiled_cache import cpuinfo, flags_of, keep, kept_as
from rag.adapters.openvino_graphs import compile_model, core

_BFLOAT16: Final = frozenset({"avx512_bf16", "amx_bf16", "bf16"})
"""How Linux names the instructions: x86 with AVX-512 or AMX, ARM."""
_EIGHT_BITS: Final = frozenset({"avx512_vnni", "avx_vnni", "amx_int8"})
"""The same for products of 8-bit integers; ARM's were not measured."""
_GAIN: Final = 1.15  # how much faster bfloat16 must be to be taken: it is the less exact one
_INTEGERS_GAIN: Final = 3.0
"""From this gain on bfloat16 is taken before 8-bit integers, which gain 2.9 on Zen 4, for texts of 90 words."""
_ROWS, _WIDTH, _INNER = 256, 384, 1536  # word pieces, and the two widths of a feed-forward layer
_TURNS: Final = 8  # how often each is timed, in turn; the quickest counts, for others share the caches


def chosen_precision(wanted: str, cache: Path | None = None) -> str:
    """Return `float32` or `bfloat16`: what was asked for, or for `auto` what this processor computes fastest.

    Args:
        wanted: `auto`, or what is returned.
        cache: Where the outcome is kept for the next start; None: nowhere.
    """
    if wanted != "auto":
        return wanted
    return "bfloat16" if _computed_gain(cache) >= _GAIN else "float32"


def reading_precision(wanted: str, cache: Path | None = None) -> str:
    """Return in what the reader computes: `float32`, `bfloat16`, or `int8` for products of 8-bit integers.

    Where the processor has both, bfloat16 is taken if it is about as fast: it is closer to the training.

    Args:
        wanted: `auto`, or what is returned.
        cache: Where what was timed is kept for the next start; None: nowhere.
    """
    if wanted != "auto":
        return wanted
    if not (flags_of(cpuinfo()) or frozenset()) & _EIGHT_BITS:
        return chosen_precision("auto", cache)
    return "bfloat16" if _computed_gain(cache) >= _INTEGERS_GAIN else "int8"


def _computed_gain(cache: Path | None) -> float:
    """Return how many times as fast bfloat16 is as float32; 0 where this processor does not compute in it."""
    offered, flags = "BF16" in core().get_property("CPU", "OPTIMIZATION_CAPABILITIES"), flags_of(cpuinfo())
    if not offered or (flags is not None and not flags & _BFLOAT16):
        return 0.0
    kept = kept_as(cache, "products", "thread time")
    if kept is not None:
        with suppress(OSError, ValueError, KeyError, TypeError):
            return float(json.loads(kept.read_bytes())["bfloat16_gain"])
    gain = _timed_gain()
    if kept is not None:
        with suppress(OSError):  # a full or read-only disk costs the next start a tenth of a second
            keep(json.dumps({"bfloat16_gain": round(gain, 3)}).encode(), kept)
    return gain


def _timed_gain() -> float:
    """Time the products of a feed-forward layer in both precisions, by the processor time of this thread."""
    rows = np.ones((_ROWS, _WIDTH), dtype=np.float32)
    requests = {
        precision: compile_model(_products(), precision=precision, threads=1).create_infer_request()
        for precision in ("float32", "bfloat16")
    }
    quickest = dict.fromkeys(requests, float("inf"))
    for _ in range(_TURNS):
        for precision, request in requests.items():
            begun = thread_time()
            request.infer([rows], share_inputs=True, share_outputs=True)
            quickest[precision] = min(quickest[precision], thread_time() - begun)
    return quickest["float32"] / quickest["bfloat16"]


def _products() -> Any:
    from openvino import Model, Type
    from openvino import opset13 as ops

    given = ops.parameter([_ROWS, _WIDTH], Type.f32)
    value = given
    for shape in ((_INNER, _WIDTH), (_WIDTH, _INNER)):
        value = ops.matmul(value, ops.constant(np.full(shape, 0.01, dtype=np.float32)), False, True)
    return Model([ops.result(value)], [given], "products")
