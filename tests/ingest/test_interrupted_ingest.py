"""An ingest that is interrupted, fails or is killed: every document in its old version or its new one."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from indexes import NEW, OLD, Index, text_of
from library import ROOT
from standins import Interrupting, OtherModel, fails

from rag.adapters.edge_config import indexed_dimension
from rag.adapters.embedding import OpenVinoEmbedder
from rag.errors import EmbedderUnavailable
from rag.ingest import embedding
from rag.ingest import indexer as module
from rag.ingest.identity import UNFINISHED


@pytest.mark.parametrize("turn", [1, 3])
def test_an_interrupt_leaves_the_old_version_and_nothing_of_the_new(index, turn, monkeypatch):
    monkeypatch.setattr(embedding, "WRITTEN_AT_ONCE", 2)
    monkeypatch.setattr(module, "EMBEDDED_AT_ONCE", 2)
    index.outcomes(index.write("manual.md", text_of(OLD)))
    chunks = index.stored()
    index.write("manual.md", text_of(NEW))
    indexer = index.another(store=Interrupting(index.store, turn))
    with pytest.raises(KeyboardInterrupt):
        indexer.ingest([index.files])
    assert index.visible().count("Monday") == 60
    assert (index.stored(), index.catalogue.hidden_versions(), index.catalogue.unfinished()) == (chunks, (), [])
    assert index.outcomes() == {"manual.md": "replaced"}


def test_a_model_that_fails_midway_leaves_finished_documents_and_no_trace_of_others(index):
    index.outcomes(index.write("a.txt", OLD))
    index.write("b.txt", NEW)
    broken = OtherModel(index.embedder, index.embedder.fingerprint)
    broken.embed = fails
    with pytest.raises(EmbedderUnavailable):
        index.another(broken).ingest([index.files])
    assert [record.document for record in index.catalogue.documents()] == ["a.txt"]
    assert (index.stored(), index.catalogue.unfinished()) == (1, [])


@contextmanager
def killer(action: str, fingerprint: str) -> Iterator[Callable[[Path, int], int]]:
    """Run `killed.py`; yields what has it act on a folder and die at a step: how many steps it took, 0 if killed."""
    program = [sys.executable, str(Path(__file__).with_name("killed.py")), action, fingerprint]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(program, text=True, env=environment, **pipes) as process:

        def kill(folder: Path, step: int) -> int:
            print(step, folder, file=process.stdin, flush=True)
            return int(process.stdout.readline())

        yield kill
        process.stdin.close()
    assert process.returncode == 0


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory, embedder: OpenVinoEmbedder) -> Path:
    """An index of the old version, to be copied."""
    folder = tmp_path_factory.mktemp("library")
    with closing(Index(folder, embedder)) as index:
        index.write("manual.md", text_of(OLD))
        index.write("other.md", text_of("Gloves are worn at all times. "))
        index.outcomes()
    return folder


def killed_at_every_step(
    library: Path, tmp_path: Path, action: str, fingerprint: str, *, fewest: int
) -> Iterator[Path]:
    """Yield a copy of the library as a process left it that lived, then as each left it that was killed at a step."""
    with killer(action, fingerprint) as kill:
        step = steps = 0
        while step <= steps:
            folder = tmp_path / str(step)
            shutil.copytree(library, folder)
            if action == "ingest":
                (folder / "in" / "manual.md").write_text(text_of(NEW), encoding="utf-8")
            steps = kill(folder, step) or steps
            yield folder
            shutil.rmtree(folder)
            step += 1
    assert steps >= fewest


@pytest.mark.slow
@pytest.mark.parametrize(
    ("action", "versions", "fewest"),
    [("ingest", {"Monday", "Friday"}, 6), ("rebuild", {"Monday"}, 6), ("forget", {"Monday", None}, 4)],
)
def test_sigkill_at_any_step_leaves_the_old_version_or_the_new_whole(
    library, tmp_path, embedder, action, versions, fewest
):
    found: set[str | None] = set()
    for folder in killed_at_every_step(library, tmp_path, action, embedder.fingerprint, fewest=fewest):
        with closing(Index(folder, embedder)) as index:
            before = index.visible()
            assert action == "rebuild" or all(before.count(day) in (0, 60) for day in ("Monday", "Friday"))
            index.indexer.recover()
            text = index.visible()
            present = {day for day in ("Monday", "Friday") if day in text}
            assert len(present) <= 1
            assert not text or text.count(*present) == 60
            found.add(next(iter(present), None))
            assert (index.catalogue.unfinished(), index.catalogue.hidden_versions()) == ([], ())
            assert index.stored() == index.catalogue.chunk_count()
            assert index.visible("other.md").count("Gloves") == 60
            assert index.kept().keys() == {record.document for record in index.catalogue.documents()}
    assert found == versions


@pytest.mark.slow
def test_sigkill_at_any_step_of_a_rebuild_to_another_length_leaves_one_that_the_next_completes(
    library, tmp_path, small_model
):
    for folder in killed_at_every_step(library, tmp_path, "shorten", small_model.fingerprint, fewest=8):
        dimension = indexed_dimension(folder / "index") or 64
        with closing(Index(folder, small_model, dimension=dimension)) as index:
            noted = index.catalogue.get_meta("embedding")
            assert noted in (small_model.fingerprint, UNFINISHED) or index.store.dimension == 384
            index.indexer.recover()
            index.indexer.rebuild()
            index.indexer.check()
            assert index.store.dimension == 64
            assert (index.visible().count("Monday"), index.visible("other.md").count("Gloves")) == (60, 60)
            assert index.found_by(small_model) == index.stored() == index.catalogue.chunk_count()
            assert not (folder / "index.replaced").exists()
