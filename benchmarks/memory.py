"""Memory while many chunks are ingested: `python -m benchmarks.memory [--chunks 30000] [--home FOLDER]`.

Writes a folder of text, ingests it in this process as `candor ingest` does, and prints what the kernel counts every few
thousand chunks: the most that was ever resident, what the process holds by itself, and mapped files, which the kernel
takes back when it needs them. A curve that is flat behind its beginning goes on being flat. Segments are closed and
graphs built by a process of its own; the most that one took stands in the last line.
"""

import argparse
import shutil
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks import corpus
from benchmarks.figures import Children, Memory, machine, table
from benchmarks.options import at_least
from benchmarks.standin import stand_in
from rag import Candor
from rag.ingest.report import Progress
from rag.settings import Settings


def main() -> None:
    """Ingest and print the curve."""
    options = _options()
    home = Path(options.home or tempfile.mkdtemp(prefix="candor-memory-"))
    try:
        characters = corpus.write(home / "documents", options.chunks)
        print(f"about {options.chunks:,} chunks, {characters:,} characters; {machine()}", flush=True)
        _ingest(home, options)
    finally:
        if not options.home:
            shutil.rmtree(home)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=__doc__)
    parser.add_argument("--chunks", type=at_least(1), default=30_000)
    parser.add_argument("--every", type=at_least(1), default=2_000, help="chunks between two lines of the table")
    parser.add_argument("--stand-in", action="store_true", help="make the vectors up; the model is loaded all the same")
    parser.add_argument("--home", help="a data folder to use and keep; default: a new one that is removed")
    return parser.parse_args()


def _ingest(home: Path, options: argparse.Namespace) -> None:
    seen: list[tuple[int, Memory]] = []
    begun = perf_counter()

    def watch(progress: Progress) -> None:
        if progress.chunks_done >= (seen[-1][0] if seen else 0) + options.every:
            seen.append((progress.chunks_done, Memory.now()))
            print(f"{progress.chunks_done:,} chunks after {perf_counter() - begun:.0f} s: {seen[-1][1]}", flush=True)

    settings = Settings(data_dir=home / "data", qdrant_url=None, database_url=None, record_answers=False)
    with Candor.open(settings) as candor, Children() as children:
        if options.stand_in:
            stand_in(candor)
        print(f"before: {Memory.now()}", flush=True)
        report = candor.ingest([home / "documents"], progress=watch)
        print(f"{report.chunks:,} chunks in {report.seconds:.0f} s; at the end {Memory.now()}; {machine()}\n")
    rows = [[f"{n:,}", f"{one.peak:,.0f}", f"{one.own:,.0f}", f"{one.files:,.0f}"] for n, one in seen]
    print(table(["chunks", "peak MB", "own MB", "mapped files MB"], rows))
    print(_slope(seen))
    print(children)


def _slope(seen: list[tuple[int, Memory]]) -> str:
    """Return by how much own memory grows over the second half of the curve."""
    half = seen[len(seen) // 2 :]
    if len(half) < 3:
        return "too few points for a slope"
    slope, _ = np.polyfit([n / 1000 for n, _ in half], [one.own for _, one in half], 1)
    return f"second half: own memory grows by {slope:.2f} MB for every 1,000 chunks"


if __name__ == "__main__":
    main()
