"""Where the time of a question goes: `python -m benchmarks.retrieval [--home FOLDER] [--chunks 10000]`.

Embeds questions alone, then embeds and retrieves them, and splits retrieval into the calls that it makes to the store
and the catalogue and the rest, which is Python. Gate and grounding are not part of it. FOLDER may be any data folder of
Candor's; where it is empty, the sample library's sentences are shuffled into as many chunks and embedded first, which
takes minutes. Made-up vectors would not do: what both searches find is read sooner.
"""

import argparse
import random
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks import corpus
from benchmarks.figures import Durations, machine, table, timed
from benchmarks.options import at_least
from rag import Candor
from rag.embed import embed_question
from rag.models import Query
from rag.protocols import SearchScope
from rag.retrieve import RetrievalRules, retrieve
from rag.settings import Settings

QUESTIONS = 200
CALLS = {
    "store": ("search_hybrid", "score_sparse", "fetch", "count", "facets"),
    "catalogue": ("fingerprint", "hidden_versions", "document_frequencies", "chunk_count"),
}


class Watched:
    """An object whose named methods note how long each call takes, under the question asked last."""

    def __init__(self, target: Any, names: Sequence[str], times: dict[str, list[float]]) -> None:
        self._target, self._names, self._times = target, names, times

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._target, name)
        return self._noting(name, found) if name in self._names else found

    def _noting(self, name: str, call: Any) -> Any:
        def noted(*arguments: Any, **named: Any) -> Any:
            begun = perf_counter()
            try:
                return call(*arguments, **named)
            finally:
                self._times[name][-1] += (perf_counter() - begun) * 1000

        return noted


def main() -> None:
    """Open or make an index, and print where the time of a question goes."""
    options = _options()
    home = Path(options.home or tempfile.mkdtemp(prefix="candor-retrieval-"))
    try:
        with Candor.open(Settings(data_dir=home, qdrant_url=None, database_url=None, record_answers=False)) as candor:
            if not candor.documents():
                _ingest(candor, home / "documents", options.chunks)
            _report(candor, _questions(candor))
    finally:
        if not options.home:
            shutil.rmtree(home)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval", description=__doc__)
    parser.add_argument("--home", help="a data folder to use and keep; default: a new one that is removed")
    parser.add_argument(
        "--chunks", type=at_least(1), default=10_000, help="about how many chunks to make where it is empty"
    )
    return parser.parse_args()


def _ingest(candor: Candor, folder: Path, chunks: int) -> None:
    corpus.write(folder, chunks)
    report = candor.ingest([folder])
    print(f"ingested {report.chunks:,} chunks, {report.chunks_per_second:.0f} chunks/s; {machine()}", flush=True)


def _questions(candor: Candor) -> list[Query]:
    """Return questions made of sentences of the index, no two alike."""
    chosen = random.Random(1)
    chunks = [item for item in candor.wiring.store.scroll(SearchScope()) if item.sentences]
    picked = chosen.sample(chunks, min(QUESTIONS, len(chunks)))
    sentences = [chosen.choice(item.sentence_texts) for item in picked]
    return [candor.query(f"What is known of this: {sentence[:80]} ({n})?") for n, sentence in enumerate(sentences)]


def _report(candor: Candor, asked: Sequence[Query]) -> None:
    wiring = candor.wiring
    embedder, rules = wiring.embedder, RetrievalRules()
    vectors = {query.query_id: embed_question(query, embedder=embedder) for query in asked}

    def search(query: Query, store: Any = wiring.store, catalogue: Any = wiring.catalogue) -> object:
        return retrieve(query, vectors[query.query_id], store=store, catalogue=catalogue, rules=rules)

    def both(query: Query) -> object:
        vector = embed_question(query, embedder=embedder)
        return retrieve(query, vector, store=wiring.store, catalogue=wiring.catalogue, rules=rules)

    cold = timed(search, asked)
    rounds = [[timed(call, asked) for call in (lambda q: embedder.embed([q.question]), search, both)] for _ in range(3)]
    alone, found, whole = (min(row, key=lambda one: one.p50) for row in zip(*rounds, strict=True))
    print(f"{wiring.catalogue.chunk_count():,} chunks, {len(asked)} questions; {embedder.backend}; {machine()}\n")
    print(_line("embedding alone", alone), _line("retrieval alone", found), sep="\n")
    print(_line("retrieval alone, passages not read before", cold))
    print(_line("embedding and retrieval", whole))
    print(f"embedding and retrieval against embedding alone: {whole.p50 / alone.p50:.2f} (p50)\n")
    print(_split(candor, asked, search))


def _line(name: str, durations: Durations) -> str:
    return f"{name}: {durations}"


def _split(candor: Candor, asked: Sequence[Query], search: Any) -> str:
    """Return what each call that retrieval makes takes, as a table of medians."""
    times: dict[str, list[float]] = defaultdict(list)
    wholes = []
    store = Watched(candor.wiring.store, CALLS["store"], times)
    catalogue = Watched(candor.wiring.catalogue, CALLS["catalogue"], times)
    for query in asked:
        for name in (*CALLS["store"], *CALLS["catalogue"]):
            times[name].append(0.0)
        begun = perf_counter()
        search(query, store, catalogue)
        wholes.append((perf_counter() - begun) * 1000)
    rest = [whole - sum(times[name][row] for name in times) for row, whole in enumerate(wholes)]
    rows = [[name, f"{median(values):.3f}"] for name, values in times.items() if max(values) > 0]
    return table(
        ["call", "p50 ms"], [*rows, ["Python besides", f"{median(rest):.3f}"], ["all", f"{median(wholes):.3f}"]]
    )


if __name__ == "__main__":
    main()
