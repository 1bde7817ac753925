"""`candor bench`: the figures that the README quotes, each with its spread, ratios from one run on this machine.

The corpus is made of the sentences of the sample library, shuffled with a fixed seed, so that anybody can repeat it.
Everything happens in a folder of its own, with the shipped settings, whatever the environment says; only how the
embedding runs is taken over.
"""

import os
import random
import statistics
import tempfile
from collections.abc import Callable, Sequence
from operator import truediv
from pathlib import Path
from time import perf_counter
from typing import NamedTuple, ParamSpec, TypeVar

from pydantic import Field

from rag.bench.figures import Figure, of_durations, of_runs
from rag.bench.processes import EMBEDDING, cold_starts, server
from rag.candor import Candor
from rag.errors import ConfigurationError
from rag.models import Answer, Value
from rag.protocols import Embedder, SearchScope
from rag.settings import NO_READER, Settings

SEED = 20260121
SENTENCES_PER_DOCUMENT = 300
NOBODY = "http://127.0.0.1:1"  # an address at which no model server listens
BLOCKS = 5  # into how many blocks the questions are divided; the ratio is taken within each
STAGES = ("validate_", "embed", "retrieve", "read", "gate", "generate", "ground")
UNREAD = ", without reader"
"""Ends the name of a figure that was taken with `CANDOR_READER_MODEL=none` and the gate that needs no reader."""
AGAINST = "question against embedding it alone"
FOUND = "embedding and retrieval against embedding alone"
BASELINE = "plain SentenceTransformer.encode (float32)"
AGAINST_BASELINE = "question against SentenceTransformer.encode of it"
FOUND_AGAINST_BASELINE = "embedding and retrieval against SentenceTransformer.encode"
P = ParamSpec("P")
Result = TypeVar("Result")
Told = Callable[[str], None]  # is told what is measured next


class Effort(Value):
    """How often each thing is measured."""

    rounds: int = Field(3, ge=1, description="Times that the corpus is ingested into an empty index.")
    baseline: int = Field(512, ge=1, description="Chunks that the plain library embeds in a round, drawn at random.")
    questions: int = Field(100, ge=BLOCKS, description="Questions asked within the process.")
    warm_up: int = Field(20, ge=1, description="Questions asked before.")
    starts: int = Field(7, ge=1, description="Cold starts of each command.")
    requests: int = Field(60, ge=1, description="Questions asked through HTTP.")


def run_benchmark(
    settings: Settings, samples: Path, *, chunks: int = 4000, effort: Effort = Effort(), told: Told = lambda step: None
) -> list[Figure]:
    """Measure ingestion, questions, cold starts and a server, in a folder that is removed again.

    Args:
        settings: Only how the embedding runs is taken from them.
        samples: Documents whose sentences make the corpus.
        chunks: About how many chunks to index.
        effort: How often each thing is measured.
        told: Is told what is measured next: the whole takes some ten minutes on two cores.

    Raises:
        ConfigurationError: The samples have too few sentences, or a command that is measured failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        sentences = write_corpus(home / "documents", samples, chunks)
        questions = _questions(sentences, 2 * effort.questions + effort.warm_up)
        asked, others = questions[: effort.questions], questions[effort.questions : 2 * effort.questions]
        warm_up = questions[2 * effort.questions :]
        plain = _plain_library()
        figures = [_load("at the start"), *_ingestion(settings, home, plain, effort, told)]
        last = _shipped(settings, home / f"round{effort.rounds - 1}")
        told(f"asking {effort.questions} questions")
        with Candor.open(last) as candor:
            figures += _asking(candor, warm_up, asked, apart=others, plain=plain)
        told(f"asking {effort.questions} more without the reader")
        unread = last.model_copy(update={"reader_model": NO_READER, "estimator": "max_similarity"})
        with Candor.open(unread) as candor:
            # others, because a passage that was read before costs less
            for figure in _asking(candor, warm_up, others, apart=asked, plain=plain):
                if figure.name in (AGAINST, AGAINST_BASELINE) or figure.name.startswith("one question"):
                    figures.append(figure.model_copy(update={"name": figure.name + UNREAD}))
        told(f"starting `candor --help` and `candor ask` {effort.starts} times each")
        figures += cold_starts(last, questions[0], runs=effort.starts)
        told(f"asking a server {effort.requests} questions")
        figures += server(last, questions[: effort.requests])
        return [*figures, _load("at the end")]


def _shipped(settings: Settings, data_dir: Path) -> Settings:
    """Return the shipped settings, the embedding's apart."""
    kept = {name: getattr(settings, name) for name in EMBEDDING}
    return Settings.model_construct(**kept, data_dir=data_dir, ollama_host=NOBODY)


def _load(when: str) -> Figure:
    return Figure(name=f"load average {when}", value=os.getloadavg()[0], unit="", detail=f"{os.cpu_count()} processors")


def write_corpus(folder: Path, samples: Path, chunks: int) -> list[str]:
    """Write Markdown files of shuffled sentences that make about so many chunks; return the sentences, each once."""
    from rag.ingest.finding import find
    from rag.ingest.loaders import load
    from rag.text.words import sentence_spans

    texts = [load(path).text for path in find([samples]).files]
    spans = [text[start:end] for text in texts for start, end in sentence_spans(text) if 40 < end - start < 300]
    sentences = list(dict.fromkeys(spans))
    if not sentences:
        raise ConfigurationError(f"No sentence was found in {str(samples)!r}. Run `candor bench --samples FOLDER`.")
    chance = random.Random(SEED)  # noqa: S311  # a corpus, not a secret
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(max(chunks * 8 // SENTENCES_PER_DOCUMENT, 1)):
        chosen = [chance.choice(sentences) for _ in range(SENTENCES_PER_DOCUMENT)]
        body = "\n\n".join(" ".join(chosen[start : start + 6]) for start in range(0, len(chosen), 6))
        (folder / f"document_{number:04}.md").write_text(
            f"# {number + 1} Document {number}\n\n{body}\n", encoding="utf-8"
        )
    return sentences


def _questions(sentences: Sequence[str], count: int) -> list[str]:
    """Return so many different questions, each after a sentence drawn at random."""
    if len(sentences) < count:
        raise ConfigurationError(
            f"The samples have {len(sentences)} sentences, {count} are needed. Name more documents."
        )
    drawn = random.Random(SEED).sample(list(sentences), count)  # noqa: S311
    return [f"What is known of this: {sentence[:80]}?" for sentence in drawn]


class _Round(NamedTuple):
    """Chunks, and how many a second are ingested, embedded alone and, of some of them, by the plain library."""

    chunks: int
    ingested: float
    embedded: float
    plain: float
    again_s: float  # for ingesting the same files again


def _plain_library() -> Embedder:
    """Return the same weights as the plain library runs them, loaded."""
    from rag.adapters.packaged_model import packaged_model
    from rag.adapters.published import SentenceTransformersEmbedder

    plain = SentenceTransformersEmbedder(str(packaged_model()), local_files_only=True)
    plain.embed(["warm"] * 8)
    return plain


def _ingestion(settings: Settings, home: Path, plain: Embedder, effort: Effort, told: Told) -> list[Figure]:
    """Measure ingestion against embedding alone, in rounds; the plain library, which is slow, gets a sample in each."""
    done = []
    for turn in range(effort.rounds):
        told(f"ingesting and embedding, round {turn + 1} of {effort.rounds}")
        done.append(_round(_shipped(settings, home / f"round{turn}"), home / "documents", plain, turn, effort.baseline))
    (chunks, *_), ingested, embedded, by_library, again_s = zip(*done, strict=True)
    share, same = f"of {chunks} chunks", "of the same chunks, in the same run"
    drawn = f"{min(effort.baseline, chunks)} random chunks in each"
    return [
        Figure(name="chunks indexed", value=chunks, unit="chunks"),
        of_runs("ingestion, everything included", ingested, "chunks/s", share),
        of_runs(BASELINE, by_library, "chunks/s", drawn),
        of_runs(f"ingestion against {BASELINE}", [*map(truediv, ingested, by_library)], "x", same),
        of_runs("this embedding alone, as ingestion calls it", embedded, "chunks/s", share),
        of_runs("ingestion against this embedding alone", [*map(truediv, ingested, embedded)], "x", same),
        of_runs("ingesting the same files again", again_s, "s"),
    ]


def _round(settings: Settings, documents: Path, plain: Embedder, turn: int, baseline: int) -> _Round:
    """Ingest into an empty index, embed the same windows in as many calls, and a sample with the plain library."""
    from rag.ingest.embedding import window_vectors
    from rag.ingest.indexer import EMBEDDED_AT_ONCE

    with Candor.open(settings) as candor:
        embedder = candor.wiring.embedder
        embedder.embed(["warm"])
        ingest_ms, report = _timed(candor.ingest, [documents])
        if report.failed or not report.chunks:
            raise ConfigurationError(f"The benchmark's own documents could not be ingested: {report.failed}.")
        again_ms, _ = _timed(candor.ingest, [documents])
        chunks = list(candor.wiring.store.scroll(SearchScope()))
        parts = [chunks[start : start + EMBEDDED_AT_ONCE] for start in range(0, len(chunks), EMBEDDED_AT_ONCE)]
        embed_ms = sum(_timed(window_vectors, part, embedder)[0] for part in parts)
    drawn = random.Random(SEED + turn).sample(chunks, min(baseline, len(chunks)))  # noqa: S311
    plain_ms, _ = _timed(plain.embed, [f"{chunk.context}\n{chunk.content}" for chunk in drawn])
    return _Round(
        report.chunks, report.chunks / ingest_ms * 1000, len(chunks) / embed_ms * 1000, len(drawn) / plain_ms * 1000,
        again_ms / 1000,
    )  # fmt: skip


def _asking(
    candor: Candor, warm_up: Sequence[str], questions: Sequence[str], *, apart: Sequence[str], plain: Embedder
) -> list[Figure]:
    """Measure questions against embedding others, `apart`: what was read a moment ago is not read again."""
    candor.load()
    for question in warm_up:
        candor.ask(question, no_llm=True)
        plain.embed([question])
    answers: list[Answer] = []
    # milliseconds of each question, block by block; found: from its text to the chunks
    spent: dict[str, list[list[float]]] = {"whole": [], "found": [], "alone": [], "plain": []}
    for start in range(BLOCKS):
        others = apart[start::BLOCKS]
        spent["alone"].append([_timed(candor.wiring.embedder.embed, [question])[0] for question in others])
        spent["plain"].append([_timed(plain.embed, [question])[0] for question in others])
        asked = [_timed(candor.ask, question, no_llm=True) for question in questions[start::BLOCKS]]
        spent["whole"].append([milliseconds for milliseconds, _ in asked])
        found = [answer.timings_ms for _, answer in asked]
        spent["found"].append([(one.embed or 0.0) + (one.retrieve or 0.0) for one in found])
        answers += [answer for _, answer in asked]
    every = {name: [one for block in blocks for one in block] for name, blocks in spent.items()}
    p50 = {name: [*map(statistics.median, blocks)] for name, blocks in spent.items()}
    ratios = (
        (AGAINST, "whole", "alone"),
        (FOUND, "found", "alone"),
        (AGAINST_BASELINE, "whole", "plain"),
        (FOUND_AGAINST_BASELINE, "found", "plain"),
    )
    each = f"p50 of {len(questions) // BLOCKS} in each"
    answered = f"{sum(answer.answer is not None for answer in answers)} answered"
    return [
        *of_durations("one question without a model", every["whole"], answered),
        *of_durations("embedding a question alone", every["alone"]),
        *of_durations(f"{BASELINE} of a question", every["plain"]),
        *(of_runs(name, [*map(truediv, p50[one], p50[other])], "x", each) for name, one, other in ratios),
        *_stages(answers),
    ]


def _stages(answers: Sequence[Answer]) -> list[Figure]:
    """Return p50 and p95 of each stage that ran, and of what makes an answer trustworthy: gate and grounding."""
    figures: list[Figure] = []
    for stage in STAGES:
        spent = [value for answer in answers if (value := getattr(answer.timings_ms, stage)) is not None]
        if spent:
            figures += of_durations(f"stage {stage.rstrip('_')}", spent)
    trust = [(answer.timings_ms.gate or 0.0) + (answer.timings_ms.ground or 0.0) for answer in answers]
    return [*figures, *of_durations("gate and grounding together", trust)]


def _timed(call: Callable[P, Result], *arguments: P.args, **options: P.kwargs) -> tuple[float, Result]:
    begun = perf_counter()
    result = call(*arguments, **options)
    return (perf_counter() - begun) * 1000, result
