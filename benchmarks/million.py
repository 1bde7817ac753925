"""Many chunks in the embedded engine: `python -m benchmarks.million [--chunks 1000000] [--quantization int8]`.

Writes made-up chunks (`benchmarks.synthetic`) through the adapter that ships, searches them as they were written (all
vectors compared), builds what `optimize` builds, opens the index again and searches once more. Recall is against the
true neighbours, computed here from the vectors: the chunks whose best window is nearest.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from benchmarks import synthetic
from benchmarks.figures import Children, Memory, kept_or_removed, machine, size_mb, table, timed
from benchmarks.options import at_least
from rag.adapters.edge_store import EdgeStore
from rag.models import Filters
from rag.protocols import Scored, SearchScope

QUESTIONS = 200
TOP = 10
CANDIDATES = 50
"""What retrieval asks of each search by default (`CANDOR_CANDIDATES`)."""
READ = 15
"""How many chunks retrieval reads in full (`rag.retrieve.READ`)."""
SHOWN_EVERY = 50_000
"""Chunks written between two looks at memory."""
SCOPES = {
    "no filter": SearchScope(),
    "chapter (5% of the chunks)": SearchScope(Filters(chapter=3)),
    "module (2%)": SearchScope(Filters(module="module 7")),
    "document (500 chunks)": SearchScope(Filters(source=synthetic.document(1500))),
    "no filter, a version hidden": SearchScope(
        hidden_versions=((synthetic.document(synthetic.CHUNKS_PER_DOCUMENT), f"{1:064x}"),)
    ),
}


def main() -> None:
    """Build, search, open again, search; print what was measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.million", description=__doc__)
    parser.add_argument("--chunks", type=at_least(100), default=1_000_000)
    parser.add_argument("--quantization", default="auto", choices=["auto", "none", "int8", "int4"])
    parser.add_argument("--exact-questions", type=at_least(1), default=40, help="asked before the graph is built")
    parser.add_argument("--home", type=Path, help="a folder to keep, used again where it has the chunks")
    options = parser.parse_args()
    with kept_or_removed(options.home) as home:
        _measure(home, options)


def _measure(home: Path, options: argparse.Namespace) -> None:
    world = synthetic.World.of(options.chunks)
    asked = synthetic.questions(world, QUESTIONS)
    store = _open(home, options, world)
    print(f"{options.chunks:,} chunks, quantization {options.quantization}; {machine()}", flush=True)
    if store.count(SearchScope()) < options.chunks:
        seconds = _write(store, world, options.chunks, home / "vectors.npy")
        print(f"written: {seconds:.0f} s, {options.chunks / seconds:,.0f} chunks/s; {Memory.now()}", flush=True)
    vectors = np.load(home / "vectors.npy", mmap_mode="r")
    truth = nearest(vectors, asked)
    sample = np.asarray(vectors[:: max(options.chunks // 4000, 1), 0][:4000])
    print(f"intrinsic dimension of 4,000 of the vectors: {synthetic.intrinsic_dimension(sample):.1f}", flush=True)
    del vectors
    _report(store, asked[: options.exact_questions], truth, "as written, all vectors compared")
    begun = perf_counter()
    with Children() as children:
        store.optimize()
    print(f"\noptimized: {perf_counter() - begun:.0f} s; {Memory.now()}; {children}; {machine()}", flush=True)
    store.close()
    begun = perf_counter()
    store = _open(home, options, world)
    print(f"opened again: {perf_counter() - begun:.2f} s; on disk {size_mb(home / 'index'):,.0f} MB", flush=True)
    _report(store, asked, truth, "optimized and opened again")
    store.close()


def _open(home: Path, options: argparse.Namespace, world: synthetic.World) -> EdgeStore:
    counts = partial(synthetic.word_counts, world, options.chunks)
    return EdgeStore(home / "index", quantization=options.quantization, word_counts=counts)


def _write(store: EdgeStore, world: synthetic.World, count: int, note: Path) -> float:
    """Write chunks and note the vectors of their windows in a file; return the seconds that the store took."""
    shape = (count, synthetic.WINDOWS, synthetic.DIMENSION)
    vectors = np.lib.format.open_memmap(note, "w+", np.float32, shape)
    seconds, at = 0.0, 0
    for part in synthetic.chunks(world, count):
        vectors[at : at + len(part)] = [item.vectors for item in part]
        at += len(part)
        begun = perf_counter()
        store.upsert(part)
        seconds += perf_counter() - begun
        if at // SHOWN_EVERY > (at - len(part)) // SHOWN_EVERY:
            print(f"{at:,} chunks after {seconds:.0f} s: {Memory.now()}", flush=True)
    vectors.flush()
    return seconds


def nearest(vectors: NDArray[np.float32], asked: Sequence[synthetic.Question], rows: int = 50_000) -> list[set[str]]:
    """Return the ids of the `TOP` chunks truly nearest to each question, compared block by block.

    Args:
        vectors: Those of the windows of each chunk: shape `(chunks, windows, 384)`.
        asked: The questions.
        rows: Chunks of a block.
    """
    wanted = np.vstack([question.vector for question in asked])
    scores = np.full((len(asked), TOP), -1.0, dtype=np.float32)
    numbers = np.zeros((len(asked), TOP), dtype=np.int64)
    for start in range(0, len(vectors), rows):
        found = np.max(np.asarray(vectors[start : start + rows]) @ wanted.T, axis=1).T
        both = np.hstack([scores, found])
        ids = np.hstack([numbers, np.broadcast_to(np.arange(start, start + found.shape[1]), found.shape)])
        best = np.argpartition(-both, TOP, axis=1)[:, :TOP]
        scores, numbers = np.take_along_axis(both, best, 1), np.take_along_axis(ids, best, 1)
    return [{synthetic.chunk_id(int(number)) for number in row} for row in numbers]


def _report(store: EdgeStore, asked: Sequence[synthetic.Question], truth: Sequence[set[str]], title: str) -> None:
    for question in asked[:10]:
        _hybrid(store, SearchScope(), question)
    rows = []
    for name, scope in SCOPES.items():
        durations = [timed(partial(search, store, scope), asked) for search in (_dense, _sparse, _hybrid, _whole)]
        rows.append([name, *(f"{one.p50:.2f} / {one.p95:.2f} / {one.cpu:.2f}" for one in durations)])
    print(f"\n{title}: recall@10 {_recall(store, asked, truth):.4f}; {Memory.now()}; {machine()}\n")
    print("Each cell: p50 / p95 / processor time, ms.\n")
    print(table(["scope", "dense", "BM25", "hybrid", "hybrid, BM25 of the rest, 15 read"], rows), flush=True)


def _recall(store: EdgeStore, asked: Sequence[synthetic.Question], truth: Sequence[set[str]]) -> float:
    """Return which share of the true `TOP` a dense search as retrieval does it has among its first `TOP`."""
    shares = [
        len(near & {hit.chunk_id for hit in _dense(store, SearchScope(), question)[:TOP]}) / TOP
        for question, near in zip(asked, truth, strict=False)
    ]
    return sum(shares) / len(shares)


def _dense(store: EdgeStore, scope: SearchScope, question: synthetic.Question) -> list[Scored]:
    return store.search_dense(question.vector, limit=CANDIDATES, scope=scope)


def _sparse(store: EdgeStore, scope: SearchScope, question: synthetic.Question) -> list[Scored]:
    return store.search_sparse(question.sparse, limit=CANDIDATES, scope=scope)


def _hybrid(store: EdgeStore, scope: SearchScope, question: synthetic.Question) -> tuple[list[Scored], list[Scored]]:
    return store.search_hybrid(question.vector, question.sparse, limit=CANDIDATES, scope=scope)


def _whole(store: EdgeStore, scope: SearchScope, question: synthetic.Question) -> object:
    """Ask everything that retrieval asks of a store for one question."""
    near, worded = _hybrid(store, scope, question)
    known = {hit.chunk_id for hit in worded}
    store.score_sparse(question.sparse, [hit.chunk_id for hit in near if hit.chunk_id not in known], scope=scope)
    return store.fetch([hit.chunk_id for hit in near[:READ]])


if __name__ == "__main__":
    main()
