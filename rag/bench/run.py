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
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from pydantic import Field

from rag.bench.figures import Figure, of_durations, of_runs
from rag.bench.processes import EMBEDDING, cold_starts, server
from rag.candor import Candor
from rag.errors import ConfigurationError
from rag.models import Answer, Chunk, Value
from rag.protocols import Embedder, SearchScope
from rag.settings import Settings
from rag.wiring import NO_READER

SEED = 20260121
SENTENCES_PER_DOCUMENT = 300
NOBODY = "http://127.0.0.1:1"
"""An address at which no model server listens."""
BLOCKS = 5
"""Into how many blocks the questions are divided; the ratio is taken within each."""
STAGES = ("validate_", "embed", "retrieve", "read", "gate", "generate", "ground")
UNREAD = ", without reader"
"""Ends the name of a figure that was taken with `CANDOR_READER_MODEL=none` and the gate that needs no reader."""
AGAINST = "question against embedding it alone"
FOUND = "embedding and retrieval against embedding alone"
BASELINE = "plain SentenceTransformer.encode (float32)"
AGAINST_BASELINE = "question against SentenceTransformer.encode of it"
FOUND_AGAINST_BASELINE = "embedding and retrieval against SentenceTransformer.encode"
Result = TypeVar("Result")
Told = Callable[[str], None]
"""Is told what is measured next."""


class Effort(Value):
    """How often each thing is measured."""

    rounds: int = Field(3, ge=1, description="Times that the corpus is ingested into an empty index.")
    baseline: int = Field(512, ge=1, description="Chunks that the plain library embeds in a round, drawn at random.")
    questions: int = Field(100, ge=BLOCKS, description="Questions asked within the process.")
    warm_up: int = Field(20, ge=1, description="Questions asked before.")
    starts: int = Field(7, ge=1, description="Cold starts of each command.")
    requests: int = Field(60, ge=1, description="Questions asked through HTTP.")


def run_benchmark(
    settings: Settings,
    samples: Path,
    *,
    chunks: int = 4000,
    effort: Effort = Effort(),
    told: Told = lambda step: None,
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
        sentences = _write_corpus(home / "documents", samples, chunks)
        questions = _questions(sentences, 2 * effort.questions + effort.warm_up)
        asked, others = questions[: effort.questions], questions[effort.questions : 2 * effort.questions]
        warm_up = questions[2 * effort.questions :]
        own = _shipped(settings, home / "data")
        plain = _plain_library()
        figures = [_load("at the start"), *_ingestion(own, home / "documents", plain, effort, told)]
        last = _shipped(settings, _folder(own, effort.rounds - 1))
        told(f"asking {effort.questions} questions")
        with Candor.open(last) as candor:
            figures += _asking(candor, warm_up, asked, apart=others, plain=plain)
        told(f"asking {effort.questions} more without the reader")
        unread = last.model_copy(update={"reader_model": NO_READER, "estimator": "max_similarity"})
        with Candor.open(unread) as candor:
            # others, because a passage that was read before costs less
            found = _asking(candor, warm_up, others, apart=asked, plain=plain)
            figures += [
                figure.model_copy(update={"name": figure.name + UNREAD}) for figure in found if _is_whole(figure)
            ]
        told(f"starting `candor --help` and `candor ask` {effort.starts} times each")
        figures += cold_starts(last, questions[0], runs=effort.starts)
        told(f"asking a server {effort.requests} questions")
        figures += server(last, questions[: effort.requests])
        return [*figures, _load("at the end")]


def _shipped(settings: Settings, data_dir: Path) -> Settings:
    """Return the shipped settings, the embedding's apart."""
    kept = {name: getattr(settings, name) for name in EMBEDDING}
    return Settings.model_construct(**kept, data_dir=data_dir, ollama_host=NOBODY)


def _folder(settings: Settings, number: int) -> Path:
    return settings.data_dir / f"round{number}"


def _load(when: str) -> Figure:
    """Return how busy the machine was in the last minute: processes that wanted to run."""
    return Figure(name=f"load average {when}", value=os.getloadavg()[0], unit="", detail=f"{os.cpu_count()} processors")


# --- the corpus --------------------------------------------------------------------------------------------------


def _write_corpus(folder: Path, samples: Path, chunks: int) -> list[str]:
    """Write documents of shuffled sentences; return the sentences, each once."""
    from rag.ingest.finding import find
    from rag.ingest.loaders import load
    from rag.language.text import sentence_spans

    texts = [load(path).text for path in find([samples]).files]
    spans = [text[start:end] for text in texts for start, end in sentence_spans(text) if 40 < end - start < 300]
    sentences = list(dict.fromkeys(spans))
    if not sentences:
        raise ConfigurationError(f"No sentence was found in {str(samples)!r}. Run `candor bench --samples FOLDER`.")
    chance = random.Random(SEED)  # noqa: S311  # a corpus, not a secret
    folder.mkdir(parents=True)
    for number in range(max(chunks * 8 // SENTENCES_PER_DOCUMENT, 1)):
        chosen = [chance.choice(sentences) for _ in range(SENTENCES_PER_DOCUMENT)]
        body = "\n\n".join(" ".join(chosen[start : start + 6]) for start in range(0, len(chosen), 6))
        (folder / f"document_{number:04}.md").write_text(
            f"# {number + 1} Document {number}\n\n{body}\n", encoding="utf-8"
        )
    return sentences


def _questions(sentences: Sequence[str], count: int) -> list[str]:
    """Return so many different questions, each after a sentence drawn at random.

    Raises:
        ConfigurationError: There are not so many sentences.
    """
    if len(sentences) < count:
        raise ConfigurationError(
            f"The samples have {len(sentences)} sentences, {count} are needed. Name more documents."
        )
    drawn = random.Random(SEED).sample(list(sentences), count)  # noqa: S311
    return [f"What is known of this: {sentence[:80]}?" for sentence in drawn]


# --- ingestion ---------------------------------------------------------------------------------------------------


class _Round(Value):
    """Chunks per second of one round: all of ingestion, the embedding alone, and the plain library."""

    chunks: int = Field(description="Chunks ingested.")
    ingested: float = Field(description="All of ingestion.")
    embedded: float = Field(description="The embedding alone, as ingestion calls it.")
    plain: float = Field(description="The plain library, on some of the chunks.")
    again_s: float = Field(description="Seconds for ingesting the same files again.")


def _plain_library() -> Embedder:
    """Return the same weights as the plain library runs them, loaded."""
    from rag.adapters.packaged_model import packaged_model
    from rag.adapters.torch_embedding import SentenceTransformersEmbedder

    plain = SentenceTransformersEmbedder(str(packaged_model()), local_files_only=True)
    plain.embed(["warm"] * 8)
    return plain


def _ingestion(settings: Settings, documents: Path, plain: Embedder, effort: Effort, told: Told) -> list[Figure]:
    """Measure ingestion with everything included against embedding the same chunks, in rounds.

    The plain library is the slowest: each round gives it other chunks, drawn at random, so that long and short ones are
    as frequent as among all.
    """
    done = []
    for turn in range(effort.rounds):
        told(f"ingesting and embedding, round {turn + 1} of {effort.rounds}")
        done.append(_round(_shipped(settings, _folder(settings, turn)), documents, plain, turn, effort.baseline))
    name, share = "ingestion, everything included", f"of {done[0].chunks} chunks"
    against_plain = [one.ingested / one.plain for one in done]
    against_own = [one.ingested / one.embedded for one in done]
    drawn = min(effort.baseline, done[0].chunks)
    return [
        Figure(name="chunks indexed", value=done[0].chunks, unit="chunks"),
        of_runs(name, [one.ingested for one in done], "chunks/s", share),
        of_runs(BASELINE, [one.plain for one in done], "chunks/s", f"{drawn} random chunks in each"),
        of_runs(f"ingestion against {BASELINE}", against_plain, "x", "of the same chunks, in the same run"),
        of_runs("this embedding alone, as ingestion calls it", [one.embedded for one in done], "chunks/s", share),
        of_runs("ingestion against this embedding alone", against_own, "x", "of the same chunks, in the same run"),
        of_runs("ingesting the same files again", [one.again_s for one in done], "s"),
    ]


def _round(settings: Settings, documents: Path, plain: Embedder, turn: int, baseline: int) -> _Round:
    """Ingest into an empty index, embed the same chunks alone, and a part of them with the plain library.

    Alone their windows are embedded as ingestion does it, so that the ratio says what the rest costs.
    """
    with Candor.open(settings) as candor:
        candor.wiring.embedder.embed(["warm"])
        begun = perf_counter()
        report = candor.ingest([documents])
        spent = perf_counter() - begun
        if report.failed or not report.chunks:
            raise ConfigurationError(f"The benchmark's own documents could not be ingested: {report.failed}.")
        begun = perf_counter()
        candor.ingest([documents])
        again = perf_counter() - begun
        chunks = list(candor.wiring.store.scroll(SearchScope()))
        embedded = _chunk_rate(candor.wiring.embedder, chunks)
    drawn = random.Random(SEED + turn).sample(chunks, min(baseline, len(chunks)))  # noqa: S311
    return _Round(
        chunks=report.chunks,
        ingested=report.chunks / spent,
        embedded=embedded,
        plain=_rate(plain.embed, [f"{chunk.context}\n{chunk.content}" for chunk in drawn]),
        again_s=again,
    )


def _chunk_rate(embedder: Embedder, chunks: Sequence[Chunk]) -> float:
    """Return chunks per second, their windows embedded in as many calls as an ingest makes."""
    from rag.ingest.embedding import window_vectors
    from rag.ingest.indexer import EMBEDDED_AT_ONCE

    begun = perf_counter()
    for start in range(0, len(chunks), EMBEDDED_AT_ONCE):
        window_vectors(chunks[start : start + EMBEDDED_AT_ONCE], embedder)
    return len(chunks) / (perf_counter() - begun)


def _rate(embed: Callable[[Sequence[str]], object], texts: Sequence[str]) -> float:
    """Return texts per second."""
    begun = perf_counter()
    embed(texts)
    return len(texts) / (perf_counter() - begun)


# --- questions ---------------------------------------------------------------------------------------------------


def _asking(
    candor: Candor, warm_up: Sequence[str], questions: Sequence[str], *, apart: Sequence[str], plain: Embedder
) -> list[Figure]:
    """Measure questions from text to answer, without a model, against embedding questions alone.

    Models are loaded first, as a server does. Questions that are only embedded, by this embedding and by
    the plain library, are others, `apart`: what was read a moment ago is not read again.
    """
    candor.load()
    for question in warm_up:
        candor.ask(question, no_llm=True)
        plain.embed([question])
    blocks = [_block(candor, questions[start::BLOCKS], apart[start::BLOCKS], plain=plain) for start in range(BLOCKS)]
    answers = [answer for block in blocks for answer in block.answers]
    in_each = f"p50 of {len(questions) // BLOCKS} in each"
    return [
        *of_durations(
            "one question without a model",
            [spent for block in blocks for spent in block.whole],
            f"{sum(map(_is_answered, answers))} answered",
        ),
        *of_durations("embedding a question alone", [spent for block in blocks for spent in block.alone]),
        *of_durations(f"{BASELINE} of a question", [spent for block in blocks for spent in block.plain]),
        of_runs(AGAINST, [_ratio(block.whole, block.alone) for block in blocks], "x", in_each),
        of_runs(FOUND, [_ratio(block.found, block.alone) for block in blocks], "x", in_each),
        of_runs(AGAINST_BASELINE, [_ratio(block.whole, block.plain) for block in blocks], "x", in_each),
        of_runs(FOUND_AGAINST_BASELINE, [_ratio(block.found, block.plain) for block in blocks], "x", in_each),
        *_stages(answers),
    ]


@dataclass(frozen=True, slots=True)
class _Block:
    """Milliseconds of each question of a block: embedded, by the plain library, answered; and what was answered."""

    alone: list[float]
    plain: list[float]
    whole: list[float]
    answers: list[Answer]

    @property
    def found(self) -> list[float]:
        """From the question's text to the chunks: embedding and search."""
        return [(answer.timings_ms.embed or 0.0) + (answer.timings_ms.retrieve or 0.0) for answer in self.answers]


def _block(candor: Candor, questions: Sequence[str], apart: Sequence[str], *, plain: Embedder) -> _Block:
    alone = [_timed(lambda q=q: candor.wiring.embedder.embed([q]))[0] for q in apart]  # type: ignore[misc]
    by_library = [_timed(lambda q=q: plain.embed([q]))[0] for q in apart]  # type: ignore[misc]
    asked = [_timed(lambda q=q: candor.ask(q, no_llm=True)) for q in questions]  # type: ignore[misc]
    return _Block(alone, by_library, [spent for spent, _ in asked], [answer for _, answer in asked])


def _ratio(spent: Sequence[float], floor: Sequence[float]) -> float:
    return statistics.median(spent) / statistics.median(floor)


def _is_answered(answer: Answer) -> bool:
    return answer.answer is not None


def _is_whole(figure: Figure) -> bool:
    """Return whether a figure is about the whole question and not about a part of it."""
    return figure.name in (AGAINST, AGAINST_BASELINE) or figure.name.startswith("one question")


def _stages(answers: Sequence[Answer]) -> list[Figure]:
    """Return p50 and p95 of each stage that ran, and of what makes an answer trustworthy: gate and grounding."""
    figures: list[Figure] = []
    for stage in STAGES:
        spent = [value for answer in answers if (value := getattr(answer.timings_ms, stage)) is not None]
        if spent:
            figures += of_durations(f"stage {stage.rstrip('_')}", spent)
    trust = [(answer.timings_ms.gate or 0.0) + (answer.timings_ms.ground or 0.0) for answer in answers]
    return [*figures, *of_durations("gate and grounding together", trust)]


def _timed(call: Callable[[], Result]) -> tuple[float, Result]:
    """Return the milliseconds of a call, and its result."""
    begun = perf_counter()
    result = call()
    return (perf_counter() - begun) * 1000, result
