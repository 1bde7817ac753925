"""A chunk as one point with a row for each window, or each window a point: `python -m benchmarks.window_points`.

Both are written through the adapter that ships, optimised and searched with the same made-up vectors
(`benchmarks.synthetic`). Where each window is a point, twice as many are asked for, and of each chunk the best is kept.
Recall is against the true neighbours, as in `benchmarks.million`.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from uuid import UUID

import numpy as np

from benchmarks import synthetic
from benchmarks.figures import Memory, machine, size_mb, table, timed
from benchmarks.million import CANDIDATES, QUESTIONS, TOP, nearest
from benchmarks.options import at_least
from rag.adapters.edge_store import EdgeStore
from rag.adapters.points import NO_SPARSE
from rag.protocols import IndexedChunk, SearchScope

_WINDOW = 1 << 64
"""What a window's number adds to the id of its chunk."""


def main() -> None:
    """Write, optimise and search both; print one row each."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.window_points", description=__doc__)
    parser.add_argument("--chunks", type=at_least(1000), default=100_000)
    count = parser.parse_args().chunks
    world = synthetic.World.of(count)
    asked = synthetic.questions(world, QUESTIONS)
    vectors = np.concatenate([np.stack([one.vectors for one in part]) for part in synthetic.chunks(world, count)])
    truth = nearest(vectors, asked)
    kinds = (("a point for each chunk", iter, _of_chunks), ("a point for each window", _split, _of_windows))
    rows = []
    for name, cut, search in kinds:
        parts = ([*cut(part)] for part in synthetic.chunks(world, count))
        rows.append([name, *_measured(parts, search, asked, truth)])
    heads = ["kept as", "written", "graph built", "on disk", "p50 / p95", f"recall@{TOP}", "memory"]
    print(f"{count:,} chunks of {synthetic.WINDOWS} windows; {machine()}\n\n{table(heads, rows)}")


def _measured(
    parts: Iterator[list[IndexedChunk]],
    search: Callable[[EdgeStore, synthetic.Question], list[str]],
    asked: Sequence[synthetic.Question],
    truth: Sequence[set[str]],
) -> list[str]:
    """Return the row of one kind: seconds, megabytes, milliseconds, recall."""
    with tempfile.TemporaryDirectory() as home:
        store = EdgeStore(Path(home) / "index")
        written = 0.0
        for part in parts:
            begun = perf_counter()
            store.upsert(part)
            written += perf_counter() - begun
        begun = perf_counter()
        store.optimize()
        built = perf_counter() - begun
        durations = timed(partial(search, store), asked)
        hits = [len(near & {*search(store, one)[:TOP]}) for one, near in zip(asked, truth, strict=True)]
        row = [
            f"{written:.0f} s",
            f"{built:.0f} s",
            f"{size_mb(Path(home) / 'index'):,.0f} MB",
            f"{durations.p50:.2f} / {durations.p95:.2f} ms",
            f"{sum(hits) / len(hits) / TOP:.4f}",
            str(Memory.now()),
        ]
        store.close()
    return row


def _split(part: list[IndexedChunk]) -> Iterator[IndexedChunk]:
    """Yield a point for each window; the text and the words stand with the first."""
    for one in part:
        short = one.chunk.model_copy(update={"content": "", "sentences": (), "windows": ()})
        for number, row in enumerate(one.vectors):
            own = UUID(int=UUID(one.chunk.chunk_id).int + number * _WINDOW)
            chunk = (short if number else one.chunk).model_copy(update={"chunk_id": str(own)})
            yield IndexedChunk(chunk, row[None], NO_SPARSE if number else one.sparse)


def _of_chunks(store: EdgeStore, one: synthetic.Question) -> list[str]:
    return [hit.chunk_id for hit in store.search_dense(one.vector, limit=CANDIDATES, scope=SearchScope())]


def _of_windows(store: EdgeStore, one: synthetic.Question) -> list[str]:
    found = store.search_dense(one.vector, limit=CANDIDATES * synthetic.WINDOWS, scope=SearchScope())
    return [*dict.fromkeys(_chunk_of(hit.chunk_id) for hit in found)][:CANDIDATES]


def _chunk_of(window: str) -> str:
    number = UUID(window).int
    first = UUID(synthetic.chunk_id(0)).int
    return str(UUID(int=first + (number - first) % _WINDOW))


if __name__ == "__main__":
    main()
