"""`candor bench`: every figure with its spread, from the shipped settings, and loud when what it measures fails."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from library import NOBODY, quiet_settings
from recorded import answered

from rag.bench import processes as benchprocess
from rag.bench import run as bench
from rag.bench.figures import Figure, median_interval, of_durations, of_runs, percentile
from rag.bench.processes import child_environment, cold_starts, server
from rag.bench.run import Effort, run_benchmark
from rag.commands.evaluating import bench as command
from rag.errors import ConfigurationError
from rag.models import Chunk, Timings
from rag.protocols import Embedder, Matrix

SMALL = Effort(rounds=2, baseline=32, questions=5, warm_up=2, starts=2, requests=3)
NAMES = {
    "load average at the start",
    "chunks indexed",
    "ingestion, everything included",
    "plain SentenceTransformer.encode (float32)",
    "ingestion against plain SentenceTransformer.encode (float32)",
    "this embedding alone, as ingestion calls it",
    "ingestion against this embedding alone",
    "ingesting the same files again",
    "one question without a model, p50",
    "one question without a model, p95",
    "embedding a question alone, p50",
    "question against embedding it alone",
    "question against SentenceTransformer.encode of it",
    "embedding and retrieval against SentenceTransformer.encode",
    "embedding and retrieval against embedding alone",
    "one question without a model, p50, without reader",
    "question against embedding it alone, without reader",
    "stage retrieve, p50",
    "stage read, p50",
    "stage gate, p95",
    "gate and grounding together, p50",
    "candor --help",
    "candor ask, cold start to answer",
    "candor serve, from start to ready",
    "memory of the server, peak",
    "one question through HTTP, p50",
    "load average at the end",
}


# --- figures -----------------------------------------------------------------------------------------------------


def test_runs_give_their_median_and_are_all_kept() -> None:
    figure = of_runs("start", [5.0, 1.0, 2.0, 9.0, 3.0], "s", "cold")
    assert (figure.value, figure.low, figure.high) == (3.0, 1.0, 9.0)
    assert figure.runs == (5.0, 1.0, 2.0, 9.0, 3.0)
    assert figure.detail == "median of 5 runs: 1.00 to 9.00; cold"
    assert of_runs("start", [2.0], "s").detail == "one run"


def test_durations_give_p50_with_its_interval_and_p95() -> None:
    p50, p95 = of_durations("ask", [float(number) for number in range(100, 0, -1)])
    # of 1..100 the median is 50.5; its 95% interval runs from rank 50 - 9.8 = 40 to rank 51 + 9.8 = 61
    assert (p50.value, p50.low, p50.high) == (50.5, 40.0, 61.0)
    assert (p95.value, p95.unit) == (95.0, "ms")


@pytest.mark.parametrize(("values", "interval"), [([7.0], (7.0, 7.0)), ([3.0, 1.0, 2.0], (1.0, 3.0))])
def test_few_values_give_their_whole_range(values: list[float], interval: tuple[float, float]) -> None:
    assert median_interval(values) == interval


def test_percentile_is_the_nearest_rank() -> None:
    assert percentile([10.0, 20.0, 30.0], 0.95) == 30.0
    assert percentile([10.0, 20.0, 30.0], 0.34) == 20.0
    assert percentile([10.0, 20.0, 30.0], 0.0) == 10.0


# --- what children see -------------------------------------------------------------------------------------------


def test_children_see_no_setting_but_the_benchmarks_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = quiet_settings(tmp_path, embedding_precision="float32", threads=1)
    for name in ("QDRANT_URL", "CANDOR_DATABASE_URL", "CANDOR_ESTIMATOR", "OLLAMA_MODELS", "PORT", "QDRANT_API_KEY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    seen = child_environment(settings)
    ours = {name: value for name, value in seen.items() if name.startswith(("CANDOR_", "QDRANT_", "OLLAMA_", "PORT"))}
    assert ours == {
        "CANDOR_DATA_DIR": str(tmp_path),
        "CANDOR_EMBEDDING_BACKEND": "auto",
        "CANDOR_EMBEDDING_PRECISION": "float32",
        "CANDOR_THREADS": "1",
        "OLLAMA_HOST": NOBODY,
    }


def test_the_process_itself_takes_the_shipped_settings(tmp_path: Path) -> None:
    odd = quiet_settings(tmp_path, qdrant_url="http://127.0.0.1:9", estimator="mean_similarity", top_k=20, threads=1)
    own = bench._shipped(odd, tmp_path / "own")
    assert (own.qdrant_url, own.estimator, own.top_k, own.threads) == (None, "calibrated", 5, 1)
    assert own.data_dir == tmp_path / "own"


# --- failures ----------------------------------------------------------------------------------------------------


def test_a_command_that_fails_ends_the_benchmark_with_what_it_said(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigurationError, match=r"`candor ask` failed with exit code 1: .*Nothing is indexed yet.*first\. Nothing was"
    ):
        cold_starts(quiet_settings(tmp_path / "empty"), "Who wrote this?", runs=1)


def test_a_server_that_does_not_start_ends_the_benchmark_with_what_it_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(ConfigurationError, match=r"`candor serve` failed with exit code \d"):
        server(quiet_settings(tmp_path / "file"), ["Who wrote this?"])


def test_samples_without_enough_sentences_are_refused(tmp_path: Path) -> None:
    (tmp_path / "short.md").write_text("# One\n\nThere is one sentence of some length in here, and no other.\n")
    with pytest.raises(ConfigurationError, match="have 1 sentences, 12 are needed"):
        run_benchmark(quiet_settings(tmp_path / "data"), tmp_path, chunks=20, effort=SMALL)


# --- the whole ---------------------------------------------------------------------------------------------------


class Embedding:
    """Notes how it is called."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> Matrix:
        self.calls.append(list(texts))
        return np.zeros((len(texts), 384), dtype=np.float32)


def test_the_embedding_alone_is_called_as_ingestion_calls_it() -> None:
    two = Chunk(chunk_id="", document="m.md", document_hash="", content="One. Two.", chunk_index=0, start=0, end=9,
                context="Manual", windows=((0, 4), (5, 9)))  # fmt: skip
    embedding = Embedding()
    assert bench._chunk_rate(cast(Embedder, embedding), [two] * 600) > 0
    assert [len(call) for call in embedding.calls] == [512, 512, 176]
    assert embedding.calls[0][:2] == ["Manual\nOne.", "Manual\nTwo."]


def test_retrieval_is_embedding_and_search() -> None:
    timings = Timings(validate=1.0, embed=3.0, retrieve=4.0, gate=20.0, total=30.0)
    block = bench._Block([], [], [], [answered().model_copy(update={"timings_ms": timings})])
    assert block.found == [7.0]


@pytest.mark.slow
def test_every_figure_of_a_small_run_is_there_with_its_spread(samples: Path, tmp_path: Path) -> None:
    steps: list[str] = []
    found = run_benchmark(quiet_settings(tmp_path), samples, chunks=60, effort=SMALL, told=steps.append)
    figures: dict[str, Figure] = {figure.name: figure for figure in found}
    assert set(figures) >= NAMES
    assert len(figures) == len(found)
    assert all(figure.value > 0 for figure in found if figure.unit)
    assert len(figures["candor --help"].runs) == 2
    assert steps[:2] == ["ingesting and embedding, round 1 of 2", "ingesting and embedding, round 2 of 2"]
    assert steps[-1] == "asking a server 3 questions"
    assert len(figures["question against embedding it alone"].runs) == bench.BLOCKS
    assert max(len(name) for name in figures) <= 66, "a longer name pushes its figure out of the column"
    whole = figures["ingestion, everything included"].runs
    alone = figures["this embedding alone, as ingestion calls it"].runs
    ratios = [one / other for one, other in zip(whole, alone, strict=True)]
    assert figures["ingestion against this embedding alone"].runs == pytest.approx(ratios)
    assert "3 questions" in figures["memory of the server, peak"].detail
    found, question = figures[bench.FOUND].runs, figures[bench.AGAINST].runs
    assert all(part < all_of_it for part, all_of_it in zip(found, question, strict=True))  # retrieval is a part of it
    assert not list(tmp_path.iterdir())


def test_where_the_kernel_tells_no_memory_none_is_claimed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchprocess, "STATUS", tmp_path / "nothing")
    assert server(quiet_settings(tmp_path), ["Who wrote this?"]) == []


def test_the_command_prints_one_json_object(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = [of_runs("start", [2.0], "s")]
    monkeypatch.setattr("rag.bench.run.run_benchmark", lambda *_, **__: figures)
    command(Path("samples"), as_json=True)

    assert json.loads(capsys.readouterr().out) == {"figures": [json.loads(figures[0].model_dump_json())]}
