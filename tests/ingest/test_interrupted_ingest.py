"""An ingest that is interrupted, fails or is killed: every document in its old version or its new one."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from indexes import NEW, OLD, Index, text_of
from library import ROOT
from standins import OtherModel, fails

from rag.adapters.bert_encoder import BertEncoder
from rag.adapters.edge_config import indexed_dimension
from rag.errors import EmbedderUnavailable
from rag.ingest.rebuilding import UNFINISHED
from rag.ingest.report import Progress


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("before", [None, OLD])
@pytest.mark.parametrize(("error", "at"), [(KeyboardInterrupt, 3), (GeneratorExit, 9)])
def test_an_upload_that_is_interrupted_or_cancelled_leaves_the_document_as_it_was(index, before, error, at):
    if before:
        index.indexer.ingest_bytes("manual.md", text_of(before, 20).encode())
    chunks = index.stored()

    def stop(progress: Progress) -> None:
        if progress.chunks_done == at:
            raise error

    with pytest.raises(error):
        index.indexer.ingest_bytes("manual.md", text_of(NEW, 150).encode(), progress=stop)
    assert (index.stored(), index.catalogue.hidden_versions(), index.catalogue.unfinished()) == (chunks, (), [])
    assert index.visible().count("Monday") == (20 if before else 0)
    outcome = index.indexer.ingest_bytes("manual.md", text_of(NEW, 150).encode()).outcome
    assert outcome == ("replaced" if before else "added")


def test_a_model_that_fails_midway_leaves_finished_documents_and_no_trace_of_others(index):
    index.outcomes(index.write("a.txt", OLD))
    index.write("b.txt", NEW)
    broken = OtherModel(index.embedder, index.embedder.fingerprint)
    broken.embed = fails
    with pytest.raises(EmbedderUnavailable):
        index.another(broken).ingest([index.files])
    assert [record.document for record in index.catalogue.documents()] == ["a.txt"]
    assert (index.stored(), index.catalogue.unfinished()) == (1, [])


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory, embedder: BertEncoder) -> Path:
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
    program = [sys.executable, str(Path(__file__).with_name("killed.py")), action, fingerprint]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(program, text=True, env=environment, **pipes) as process:
        step = steps = 0
        while step <= steps:
            folder = tmp_path / str(step)
            shutil.copytree(library, folder)
            if action == "ingest":
                (folder / "in" / "manual.md").write_text(text_of(NEW), encoding="utf-8")
            print(step, folder, file=process.stdin, flush=True)
            steps = int(process.stdout.readline()) or steps  # how many it took; 0 if it was killed
            yield folder
            shutil.rmtree(folder)
            step += 1
        process.stdin.close()
    assert (process.returncode, steps >= fewest) == (0, True)


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
