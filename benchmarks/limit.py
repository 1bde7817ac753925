"""How near embedding is to what the processor can multiply: `python -m benchmarks.limit`.

Times a chain of bare matrix products of the feed-forward layer's shape in the precision in use, and the encoder as
ingestion runs it, both through OpenVINO in this process. Operations are counted as multiplications and additions: 2 for
every weight of the twelve square matrices of a layer, and 4 * pieces * width for both products of attention; softmax,
normalisation, GELU and embedding tables are not counted, which is what the encoder loses against the bare products.
"""

from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.figures import machine
from rag.adapters.bert_encoder import BertEncoder
from rag.adapters.openvino_graphs import compile_model
from rag.adapters.packaged_model import packaged_model

LAYERS, WIDTH, INNER = 6, 384, 1536
PIECES, PASSAGES, BATCHES = 174, 23, 40
"""Word pieces of a usual chunk, passages in a batch of about 4,000 pieces, and how many batches are timed."""
ROWS, CHAIN, REPEATS = 4_096, 8, 15


def main() -> None:
    """Print both rates and what share of the bare one the encoder reaches."""
    encoder = BertEncoder(packaged_model())
    rate = encoder_pieces(encoder)
    bare = bare_products(encoder.precision)
    used = rate * operations_per_piece(PIECES) / 1e9
    print(f"{encoder.precision}; {machine()}")
    print(f"bare matrix products: {bare:.0f} GFLOP/s")
    print(f"encoder: {rate:,.0f} pieces/s, {rate / PIECES:.0f} passages/s of {PIECES} pieces: {used:.0f} GFLOP/s")
    print(f"share: {used / bare:.2f}")


def operations_per_piece(pieces: int) -> int:
    """Return the multiplications and additions in matrix products for one piece of a text of so many."""
    return LAYERS * (2 * 12 * WIDTH * WIDTH + 4 * pieces * WIDTH)


def encoder_pieces(encoder: BertEncoder) -> float:
    """Return how many word pieces a second are embedded, one batch on each core; the best of two rounds."""
    (encoded,) = encoder.pieces.encode(["water " * (PIECES - 2)])
    batch = [encoded] * PASSAGES
    with ThreadPoolExecutor(encoder.streams) as pool:

        def embedded(batches: int) -> float:
            begun = perf_counter()
            list(pool.map(lambda _: encoder.one_of_many(batch).shape, range(batches)))
            return batches * PASSAGES * len(encoded.ids) / (perf_counter() - begun)

        embedded(4)
        return max(embedded(BATCHES) for _ in range(2))


def bare_products(precision: str) -> float:
    """Return the best rate, in GFLOP/s, of a chain of products that widen to the inner width and back."""
    request = compile_model(_chain(), precision=precision).create_infer_request()
    rows = np.random.default_rng(0).standard_normal((ROWS, WIDTH), dtype=np.float32)
    times = []
    for _ in range(REPEATS):
        begun = perf_counter()
        request.infer([rows], share_inputs=True, share_outputs=True)
        times.append(perf_counter() - begun)
    return 2 * 2 * ROWS * WIDTH * INNER * CHAIN / min(times) / 1e9


def _chain() -> Any:
    from openvino import Model, Type
    from openvino import opset13 as ops

    generator = np.random.default_rng(1)
    given = ops.parameter([ROWS, WIDTH], Type.f32)
    value = given
    for _ in range(CHAIN):
        for shape in ((INNER, WIDTH), (WIDTH, INNER)):
            weights = (generator.standard_normal(shape) * 0.02).astype(np.float32)
            value = ops.matmul(value, ops.constant(weights), False, True)
    return Model([ops.result(value)], [given], "chain")


if __name__ == "__main__":
    main()
