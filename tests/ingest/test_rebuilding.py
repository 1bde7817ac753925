"""An index made with another embedding model, language or length of vectors, and its rebuild."""

import shutil

import pytest
from indexes import NEW, OLD, Index, found_by, text_of
from standins import Interrupting, OtherModel, fails

from rag.adapters.edge_config import indexed_dimension
from rag.adapters.edge_store import EdgeStore
from rag.adapters.torch_embedding import SentenceTransformersEmbedder
from rag.errors import EmbedderUnavailable, IndexNotReady
from rag.ingest.identity import UNFINISHED
from rag.ingest.indexer import Indexer


def test_another_embedding_model_is_refused_by_name_until_a_rebuild(index: Index) -> None:
    index.write("manual.md", text_of(OLD))
    index.outcomes()
    other = Indexer(
        index.store, index.catalogue, OtherModel(index.embedder), files_dir=index.folder / "files", alone=True
    )
    with pytest.raises(IndexNotReady, match="--rebuild") as caught:
        other.ingest([index.files])
    assert index.embedder.fingerprint in caught.value.message
    assert "another-model@1" in caught.value.message
    assert [file.outcome for file in other.ingest([index.files], force=True).files] == ["replaced"]
    other.check()
    with pytest.raises(IndexNotReady):
        index.indexer.check()


def test_a_rebuild_takes_along_the_documents_that_were_not_named(index: Index) -> None:
    index.outcomes(index.write("a.md", text_of(OLD)), index.write("b.md", text_of(OLD)), index.write("c.md", OLD))
    (index.files / "b.md").unlink()
    (index.files / "c.md").unlink()
    shutil.rmtree(index.folder / "files" / index.catalogue.get("c.md").hash)
    other = Indexer(
        index.store, index.catalogue, OtherModel(index.embedder), files_dir=index.folder / "files", alone=True
    )
    report = other.ingest([index.files / "a.md"], force=True)
    assert {file.document: file.outcome for file in report.files} == {
        "a.md": "replaced",
        "b.md": "replaced",
        "c.md": "removed",
    }
    assert index.visible("b.md").count("Monday") == 60
    assert index.catalogue.get("b.md").path == str((index.files / "b.md").resolve())


def test_an_interrupted_rebuild_serves_neither_model(index: Index) -> None:
    index.write("manual.md", text_of(OLD))
    index.outcomes()
    broken = OtherModel(index.embedder)
    broken.embed = fails
    other = Indexer(index.store, index.catalogue, broken, files_dir=index.folder / "files", alone=True)
    with pytest.raises(EmbedderUnavailable):
        other.ingest([index.files], force=True)
    with pytest.raises(IndexNotReady, match="unfinished rebuild"):
        index.indexer.check()
    with pytest.raises(IndexNotReady, match="unfinished rebuild"):
        other.check()
    index.outcomes(force=True)
    index.indexer.check()


def test_another_language_is_refused(index: Index) -> None:
    index.outcomes(index.write("notes.txt", OLD))
    with pytest.raises(IndexNotReady, match=r"'english'.*'german'"):
        Indexer(index.store, index.catalogue, index.embedder, language="german").ingest([index.files])


def with_model(index: Index, embedder: SentenceTransformersEmbedder) -> Indexer:
    return Indexer(index.store, index.catalogue, embedder, files_dir=index.folder / "files", alone=True)


def test_a_rebuild_takes_an_index_over_to_vectors_of_another_length(
    index: Index, small_model: SentenceTransformersEmbedder
) -> None:
    index.write("manual.md", text_of(OLD))
    index.outcomes()
    indexer = with_model(index, small_model)
    with pytest.raises(IndexNotReady, match="--rebuild"):
        indexer.ingest([index.files])
    assert index.store.dimension == 384
    assert [file.outcome for file in indexer.rebuild().files] == ["replaced"]
    indexer.check()
    assert (index.store.dimension, index.visible().count("Monday")) == (64, 60)
    assert found_by(index, small_model) == index.stored() == index.catalogue.chunk_count()


def test_an_empty_index_takes_vectors_of_any_length(index: Index, small_model: SentenceTransformersEmbedder) -> None:
    index.outcomes(index.write("manual.md", text_of(OLD)))
    index.indexer.forget("manual.md")
    indexer = with_model(index, small_model)
    assert [file.outcome for file in indexer.ingest([index.files]).files] == ["added"]
    assert (index.store.dimension, index.visible().count("Monday")) == (64, 60)


def test_an_interrupted_rebuild_to_another_length_answers_nothing_and_is_completed_by_the_next(
    index: Index, small_model: SentenceTransformersEmbedder
) -> None:
    index.outcomes(index.write("a.md", text_of(OLD)), index.write("b.md", text_of(NEW)))
    interrupted = Indexer(
        Interrupting(index.store, 2), index.catalogue, small_model, files_dir=index.folder / "files", alone=True
    )  # fmt: skip
    with pytest.raises(KeyboardInterrupt):
        interrupted.rebuild()
    for indexer in (index.indexer, with_model(index, small_model)):
        with pytest.raises(IndexNotReady, match="unfinished rebuild"):
            indexer.check()
    index.store.close()
    index.store = EdgeStore(index.folder / "vectors", dimension=indexed_dimension(index.folder / "vectors"))
    report = with_model(index, small_model).rebuild()
    assert {file.document: file.outcome for file in report.files} == {"a.md": "replaced", "b.md": "replaced"}
    assert found_by(index, small_model) == index.stored() == index.catalogue.chunk_count()
    assert (index.visible("a.md").count("Monday"), index.visible("b.md").count("Friday")) == (60, 60)


def test_an_index_whose_files_were_put_aside_and_not_made_again_is_rebuilt(
    index: Index, small_model: SentenceTransformersEmbedder
) -> None:
    index.outcomes(index.write("a.md", text_of(OLD)))
    index.catalogue.set_meta("embedding", UNFINISHED)
    index.store.close()
    (index.folder / "vectors").rename(index.folder / "vectors.replaced")
    assert indexed_dimension(index.folder / "vectors") is None
    index.store = EdgeStore(index.folder / "vectors", dimension=64)
    assert not (index.folder / "vectors.replaced").exists()
    with_model(index, small_model).rebuild()
    assert found_by(index, small_model) == index.catalogue.chunk_count() > 0
