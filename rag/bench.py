"""`candor bench`: the figures that the README quotes, as ratios measured in one run on this machine.

The corpus is made of the sentences of the sample library, shuffled with a fixed seed, so that anybody can repeat it.
"""

import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

from pydantic import Field

from rag.candor import Candor
from rag.models import Value
from rag.settings import Settings

SENTENCES_PER_DOCUMENT = 300
BASELINE_TEXTS = 192
"""Chunks that the plain library embeds, for its rate: enough for a steady figure, few enough for its speed."""
QUESTIONS = 100
REPEATS = 3


class Figure(Value):
    """One measured figure."""

    name: str = Field(description="What was measured.")
    value: float = Field(description="The figure.")
    unit: str = Field(description="Its unit; `x` for a ratio within this run.")
    detail: str = Field("", description="What a ratio was made of.")


def run_benchmark(settings: Settings, samples: Path, *, chunks: int = 4000) -> list[Figure]:
    """Measure ingestion, one question, and cold starts; everything in a folder of its own that is removed again.

    Args:
        settings: Only how the embedding runs is taken from them.
        samples: Documents whose sentences make the corpus.
        chunks: About how many chunks to index.
    """
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        private = settings.model_copy(
            update={"data_dir": home / "data", "qdrant_url": None, "database_url": None, "ollama_host": "127.0.0.1:1"}
        )
        sentences = _write_corpus(home / "documents", samples, private, chunks)
        with Candor.open(private) as candor:
            figures = [*_ingestion(candor, home / "documents"), *_question(candor, sentences)]
        figures += _cold_starts(private.data_dir, sentences[0])
        return figures


def _write_corpus(folder: Path, samples: Path, settings: Settings, chunks: int) -> list[str]:
    """Write documents of shuffled sentences; return the sentences."""
    from rag.ingest.loaders import discover, load
    from rag.text import sentence_spans

    texts = [load(path).text for path in discover([samples])]
    sentences = [text[start:end] for text in texts for start, end in sentence_spans(text) if 40 < end - start < 300]
    generator = random.Random(20260121)  # noqa: S311  # a corpus, not a secret
    folder.mkdir(parents=True)
    documents = max(chunks * 8 // SENTENCES_PER_DOCUMENT, 1)
    for number in range(documents):
        chosen = [generator.choice(sentences) for _ in range(SENTENCES_PER_DOCUMENT)]
        body = "\n\n".join(" ".join(chosen[start : start + 6]) for start in range(0, len(chosen), 6))
        (folder / f"document_{number:04}.md").write_text(
            f"# {number + 1} Document {number}\n\n{body}\n", encoding="utf-8"
        )
    return sentences


def _ingestion(candor: Candor, documents: Path) -> list[Figure]:
    """Measure ingestion with everything included against the plain library embedding the same chunks."""
    candor.wiring.embedder.embed(["warm"])
    report = candor.ingest([documents])
    texts = _some_texts(candor)
    plain = _plain_rate(texts)
    begun = perf_counter()
    candor.wiring.embedder.embed(texts)
    own = len(texts) / (perf_counter() - begun)
    again = candor.ingest([documents])
    return [
        Figure(name="chunks indexed", value=report.chunks, unit="chunks"),
        Figure(name="ingestion, everything included", value=report.chunks_per_second, unit="chunks/s"),
        Figure(
            name="ingestion against plain SentenceTransformer.encode (float32)",
            value=report.chunks_per_second / plain,
            unit="x",
            detail=f"{plain:.1f} chunks/s",
        ),
        Figure(
            name="ingestion against this embedding alone",
            value=report.chunks_per_second / own,
            unit="x",
            detail=f"{own:.1f} chunks/s",
        ),
        Figure(name="ingesting the same files again", value=again.seconds, unit="s"),
    ]


def _some_texts(candor: Candor) -> list[str]:
    from rag.protocols import SearchScope

    found = []
    for chunk in candor.wiring.store.scroll(SearchScope()):
        found.append(f"{chunk.context}\n{chunk.content}")
        if len(found) == BASELINE_TEXTS:
            break
    return found


def _plain_rate(texts: Sequence[str]) -> float:
    """Return texts per second of sentence-transformers in its documented use, after a warm-up."""
    from rag.adapters.embedding import SentenceTransformersEmbedder, packaged_model

    plain = SentenceTransformersEmbedder(str(packaged_model()), local_files_only=True)
    plain.embed(list(texts[:8]))
    begun = perf_counter()
    plain.embed(list(texts))
    return len(texts) / (perf_counter() - begun)


def _question(candor: Candor, sentences: Sequence[str]) -> list[Figure]:
    """Measure a question from text to answer, without a model, against embedding that question alone."""
    questions = [f"What is known of this: {sentence[:80]}?" for sentence in sentences[:QUESTIONS]]
    for question in questions[:20]:
        candor.ask(question, no_llm=True)
    embedder = candor.wiring.embedder
    alone = _p50([lambda q=question: embedder.embed([q + " "]) for question in questions])  # type: ignore[misc]
    candor.pipeline.cache.clear()
    whole = _p50([lambda q=question: candor.ask(q, no_llm=True) for question in questions])  # type: ignore[misc]
    return [
        Figure(name="one question without a model, p50", value=whole, unit="ms"),
        Figure(name="the same against embedding it alone", value=whole / alone, unit="x", detail=f"{alone:.2f} ms"),
    ]


def _p50(calls: Sequence[Callable[[], object]]) -> float:
    """Return the median duration of calls, in milliseconds."""
    durations = []
    for call in calls:
        begun = perf_counter()
        call()
        durations.append((perf_counter() - begun) * 1000)
    return statistics.median(durations)


def _cold_starts(data_dir: Path, sentence: str) -> list[Figure]:
    """Measure whole processes: `candor --help`, and `candor ask` from start to answer."""
    commands = {
        "candor --help": ["--help"],
        "candor ask, cold start to answer": ["ask", f"What is known of this: {sentence[:80]}?", "--no-llm"],
    }
    return [
        Figure(name=name, value=min(_process_s(arguments, data_dir) for _ in range(REPEATS)), unit="s")
        for name, arguments in commands.items()
    ]


def _process_s(arguments: Sequence[str], data_dir: Path) -> float:
    command = [sys.executable, "-c", "from rag.cli import main; main()", *arguments]
    begun = perf_counter()
    subprocess.run(  # noqa: S603
        command, capture_output=True, check=False, env={**os.environ, "CANDOR_DATA_DIR": str(data_dir)}
    )
    return perf_counter() - begun
