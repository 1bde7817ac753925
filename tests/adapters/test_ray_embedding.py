"""Embedding by Ray workers on this machine: the same vectors, in order; what happens when they fail."""

import importlib.util
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from library import MODEL_CACHE, quiet_settings

from rag.errors import ConfigurationError
from rag.wiring import Wiring

ROOT = Path(__file__).parents[2]
needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed: extra 'scale'")


def run(script: str) -> str:
    """Run a script in a process of its own: Ray starts others, and warns of its own accord."""
    own = {"PYTHONPATH": str(ROOT), "CANDOR_CACHE_DIR": str(MODEL_CACHE), "RAY_USAGE_STATS_ENABLED": "0"}
    command = [sys.executable, "-c", textwrap.dedent(script)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **own}, timeout=240)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@needs_ray
@pytest.mark.slow
def test_two_workers_give_the_vectors_of_one_process_in_order_and_ingest_a_folder(tmp_path: Path) -> None:
    out = run(f"""
        import numpy as np
        from pathlib import Path
        from rag import Candor
        from rag.settings import Settings

        def settings(name, **more):
            return Settings(data_dir=Path({str(tmp_path)!r}) / name, qdrant_url=None, database_url=None, **more)

        texts = [f"Glove number {{n}}. Close the sash. " * (1 + n % 3) for n in range(11)]
        with Candor.open(settings("here")) as one, Candor.open(settings("there", embedding_workers=2)) as two:
            mine, theirs = one.wiring.embedder, two.wiring.embedder
            print(float((mine.embed(texts) * theirs.embed(texts)).sum(axis=1).min()) > 0.9999)
            print(len(theirs.__dict__["_actors"]))
            print(theirs.embed([]).shape, theirs.fingerprint == mine.fingerprint)
            print(theirs.backend == mine.backend + ", 2 Ray workers")
            print(two.ingest([Path({str(ROOT)!r}) / "samples" / "textbook.md"]).chunks > 10)
            answer = two.ask("When has firn become glacier ice?", no_llm=True)
            print(answer.answer is not None)
            theirs.close()
    """)
    assert out.split("\n")[:6] == ["True", "2", "(0, 384) True", "True", "True", "True"]


@needs_ray
@pytest.mark.slow
def test_a_worker_that_cannot_load_the_model_is_an_unavailable_embedder() -> None:
    out = run("""
        from functools import partial
        from rag.adapters.embedders import made_embedder
        from rag.adapters.ray_embedding import RayEmbedder
        from rag.errors import EmbedderUnavailable

        embedder = RayEmbedder(partial(made_embedder, "/no/such/model", "torch", None), workers=1)
        try:
            embedder.embed(["Wear gloves."] * 8)
        except EmbedderUnavailable as error:
            print(error.message, error.__cause__ is not None)
        embedder.close()
    """)
    assert "The embedding workers failed" in out
    assert "CANDOR_EMBEDDING_WORKERS=0" in out
    assert out.strip().endswith("True")


@needs_ray
@pytest.mark.slow
def test_more_workers_than_cores_are_refused_and_busy_cores_are_not_waited_for_without_end() -> None:
    out = run("""
        import ray
        from rag.adapters import ray_embedding
        from rag.adapters.ray_embedding import RayEmbedder
        from rag.errors import ConfigurationError, EmbedderUnavailable

        class Model:
            dimension = 1

            def embed(self, texts):
                return [[int(text)] for text in texts]

        texts = [str(number) for number in range(9)]

        ray.init(num_cpus=2, log_to_driver=False, include_dashboard=False)
        for workers in (3, 2):
            try:
                embedder = RayEmbedder(Model, workers=workers)
                print(len(embedder.embed(texts)), "accepted")
                embedder._end(embedder.__dict__.pop("_actors"))
            except ConfigurationError as error:
                print(error.message)
        busy = ray.remote(num_cpus=1)(Model).remote()
        ray.get(busy.embed.remote([]))
        ray_embedding.STARTED_WITHIN_S = 30
        embedder = RayEmbedder(Model, workers=2)
        try:
            embedder.embed(texts)
        except EmbedderUnavailable as error:
            print(error.message)
        ray.kill(busy)
        print(embedder.embed(texts).ravel().astype(int).tolist())
        embedder.close()
        ray.shutdown()
    """)
    refused, accepted, waited, embedded = out.strip().split("\n")
    assert refused.startswith("CANDOR_EMBEDDING_WORKERS=3 takes 3 cores, and the Ray cluster at 'this machine' has 2.")
    assert waited.startswith("1 of 2 embedding workers did not start within 30 s. Each needs 1 cores")
    assert (accepted, embedded) == ("9 accepted", str(list(range(9))))


@needs_ray
def test_whoever_only_asks_starts_no_ray_and_a_worker_takes_one_thread(tmp_path: Path) -> None:
    out = run(f"""
        import sys
        from pathlib import Path
        from rag.settings import Settings
        from rag.wiring import Wiring

        chosen = Settings(data_dir=Path({str(tmp_path)!r}), qdrant_url=None, database_url=None, embedding_workers=2,
                          threads=None)
        wiring = Wiring(chosen)
        embedder = wiring.embedder
        print(embedder.embed(["Which gloves are worn?"] * 7).shape, "ray" in sys.modules)
        worker = embedder._make
        print(worker.args[2].keywords["threads"], worker.keywords["threads"], embedder._local_make.keywords["threads"])
        embedder.close()
        wiring.close()
    """)
    assert out.split("\n")[:2] == ["(7, 384) False", "1 1 None"]


def test_without_ray_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigurationError, match=r"CANDOR_EMBEDDING_WORKERS=2 needs Ray.*candor-rag\[scale\]"):
        Wiring(quiet_settings(tmp_path, embedding_workers=2)).embedder  # noqa: B018
