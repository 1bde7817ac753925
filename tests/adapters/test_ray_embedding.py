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


def run(script: str) -> list[str]:
    """Run a script in a process of its own, for Ray starts others, and warns of its own accord; return its lines."""
    own = {"PYTHONPATH": str(ROOT), "CANDOR_CACHE_DIR": str(MODEL_CACHE), "RAY_USAGE_STATS_ENABLED": "0"}
    command = [sys.executable, "-c", textwrap.dedent(script)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **own}, timeout=240)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip().split("\n")


@needs_ray
@pytest.mark.slow
def test_two_workers_give_the_vectors_of_one_process_in_order_and_ingest_a_folder(tmp_path):
    out = run(f"""
        from pathlib import Path
        from rag import Candor
        from rag.settings import Settings

        def settings(name, **more):
            return Settings(data_dir=Path({str(tmp_path)!r}) / name, qdrant_url=None, database_url=None, **more)

        texts = [f"Glove number {{n}}. Close the sash. " * (1 + n % 3) for n in range(11)]
        with Candor.open(settings("here")) as one, Candor.open(settings("there", embedding_workers=2)) as two:
            mine, theirs = one.wiring.embedder, two.wiring.embedder
            print(float((mine.embed(texts) * theirs.embed(texts)).sum(axis=1).min()) > 0.9999)
            print(len(theirs.__dict__["_actors"]), theirs.embed([]).shape, theirs.fingerprint == mine.fingerprint)
            print(theirs.backend == mine.backend + ", 2 Ray workers")
            print(two.ingest([Path({str(ROOT)!r}) / "samples" / "textbook.md"]).chunks > 10)
            print(two.ask("When has firn become glacier ice?", no_llm=True).answer is not None)
            theirs.close()
    """)
    assert out == ["True", "2 (0, 384) True", "True", "True", "True"]


@needs_ray
@pytest.mark.slow
def test_workers_that_fail_are_told_too_many_refused_and_busy_cores_not_waited_for_without_end():
    out = run("""
        import ray
        from functools import partial
        from rag.adapters import ray_embedding
        from rag.adapters.embedders import made_embedder
        from rag.adapters.ray_embedding import RayEmbedder
        from rag.errors import CandorError

        class Model:
            dimension = max_pieces = 1
            pieces = None

            def embed(self, texts):
                return [[int(text)] for text in texts]

        def tried(make, workers):
            embedder = RayEmbedder(make, Model(), workers=workers)
            try:
                print("own:", embedder.embed(texts).ravel().astype(int).tolist())
            except CandorError as error:
                print("own:", type(error).__name__, *error.message.split())
            embedder._end(embedder.__dict__.pop("_actors", []))

        texts = [str(number) for number in range(9)]
        ray.init(num_cpus=2, log_to_driver=False, include_dashboard=False)
        tried(partial(made_embedder, "/no/such/model", "torch", None), 1)
        for workers in (3, 2):
            tried(Model, workers)
        busy = ray.remote(num_cpus=1)(Model).remote()
        ray.get(busy.embed.remote([]))
        ray_embedding.STARTED_WITHIN_S = 30
        tried(Model, 2)
        ray.kill(busy)
        tried(Model, 2)
        ray.shutdown()
    """)
    own = [line.removeprefix("own: ") for line in out if line.startswith("own: ")]  # Ray tells of failures in between
    broken, refused, accepted, waited, embedded = own
    assert broken.startswith("EmbedderUnavailable The embedding workers failed")
    assert "CANDOR_EMBEDDING_WORKERS=0" in broken
    assert "WORKERS=3 takes 3 cores, and the Ray cluster at 'this machine' has 2." in refused
    assert "1 of 2 embedding workers did not start within 30 s. Each needs 1 cores" in waited
    assert accepted == embedded == str(list(range(9)))


def test_without_ray_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigurationError, match=r"CANDOR_EMBEDDING_WORKERS=2 needs Ray.*candor-rag\[scale\]"):
        Wiring(quiet_settings(tmp_path, embedding_workers=2)).embedder  # noqa: B018
