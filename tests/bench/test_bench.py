"""`candor bench`: every figure with its spread, from the shipped settings, and loud when what it measures fails."""

from pathlib import Path

import pytest
from library import NOBODY, quiet_settings

from rag.bench import run as bench
from rag.bench.figures import Figure, of_durations, of_runs
from rag.bench.processes import child_environment, cold_starts
from rag.bench.run import Effort, run_benchmark
from rag.errors import ConfigurationError

SMALL = Effort(rounds=1, baseline=8, questions=5, warm_up=1, starts=1, requests=1)
NAMES = {
    "load average at the start", "chunks indexed", "ingestion, everything included", "ingesting the same files again",
    "this embedding alone, as ingestion calls it", "plain SentenceTransformer.encode (float32)",
    "one question without a model, p50", "one question without a model, p50, without reader",
    "question against SentenceTransformer.encode of it", "stage read, p50", "gate and grounding together, p50",
    "candor --help", "candor ask, cold start to answer", "candor serve, from start to ready",
    "memory of the server, peak", "one question through HTTP, p50",
}  # fmt: skip


def test_runs_give_their_median_and_are_all_kept_and_durations_p50_with_its_interval_and_p95() -> None:
    figure = of_runs("start", [5.0, 1.0, 2.0, 9.0, 3.0], "s", "cold")
    assert (figure.value, figure.low, figure.high) == (3.0, 1.0, 9.0)
    assert (figure.runs, figure.detail) == ((5.0, 1.0, 2.0, 9.0, 3.0), "median of 5 runs: 1.00 to 9.00; cold")
    assert of_runs("start", [2.0], "s").detail == "one run"
    p50, p95 = of_durations("ask", [float(number) for number in range(100, 0, -1)])
    # of 1..100 the median is 50.5; its 95% interval runs from rank 50 - 9.8 = 40 to rank 51 + 9.8 = 61
    assert (p50.value, p50.low, p50.high) == (50.5, 40.0, 61.0)
    assert (p95.value, p95.unit) == (95.0, "ms")


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


def test_a_command_that_fails_ends_the_benchmark_with_what_it_said(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigurationError, match=r"`candor ask` failed with exit code 1: .*Nothing is indexed yet.*first\. Nothing was"
    ):
        cold_starts(quiet_settings(tmp_path / "empty"), "Who wrote this?", runs=1)


def test_samples_without_enough_sentences_are_refused(tmp_path: Path) -> None:
    (tmp_path / "short.md").write_text("# One\n\nThere is one sentence of some length in here, and no other.\n")
    with pytest.raises(ConfigurationError, match="have 1 sentences, 11 are needed"):
        run_benchmark(quiet_settings(tmp_path / "data"), tmp_path, chunks=20, effort=SMALL)


@pytest.mark.slow
def test_every_figure_of_a_small_run_is_there_with_its_spread(samples: Path, tmp_path: Path) -> None:
    steps: list[str] = []
    found = run_benchmark(quiet_settings(tmp_path), samples, chunks=20, effort=SMALL, told=steps.append)
    figures: dict[str, Figure] = {figure.name: figure for figure in found}
    assert set(figures) >= NAMES
    assert len(figures) == len(found)
    assert all(figure.value > 0 for figure in found if figure.unit)
    assert (steps[0], steps[-1]) == ("ingesting and embedding, round 1 of 1", "asking a server 1 questions")
    whole = figures["ingestion, everything included"].runs
    alone = figures["this embedding alone, as ingestion calls it"].runs
    ratios = [one / other for one, other in zip(whole, alone, strict=True)]
    assert figures["ingestion against this embedding alone"].runs == pytest.approx(ratios)
    found, question = figures[bench.FOUND].runs, figures[bench.AGAINST].runs
    assert all(part < all_of_it for part, all_of_it in zip(found, question, strict=True))  # retrieval is a part of it
    assert len(question) == bench.BLOCKS
    assert not list(tmp_path.iterdir())
