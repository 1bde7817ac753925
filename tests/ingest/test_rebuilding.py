"""An index made with another embedding model, language or length of vectors, or by an older Candor; and its rebuild."""

import logging
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from indexes import NEW, OLD, Index, found_by, text_of
from library import quiet_settings
from older_layout import make_older
from qdrant_client import QdrantClient, models
from standins import Interrupting, OtherModel, fails

from rag import Candor
from rag.adapters.edge_config import indexed_dimension
from rag.adapters.edge_older import is_older
from rag.adapters.edge_store import EdgeStore
from rag.adapters.qdrant_store import QdrantStore
from rag.adapters.torch_embedding import SentenceTransformersEmbedder
from rag.errors import EmbedderUnavailable, IndexNotReady
from rag.ingest import rebuilding as module
from rag.ingest.identity import UNFINISHED
from rag.ingest.indexer import Indexer
from rag.language.bm25 import encode_query
from rag.protocols import IndexedChunk, Scored, SearchScope
from rag.serving import check_index

ALL = SearchScope()
WORDS = encode_query("inspected Friday")


def test_another_embedding_model_or_language_is_refused_by_name_until_a_rebuild(index: Index) -> None:
    index.write("manual.md", text_of(OLD))
    index.outcomes()
    other = index.another(OtherModel(index.embedder))
    with pytest.raises(IndexNotReady, match="--rebuild") as caught:
        other.ingest([index.files])
    assert index.embedder.fingerprint in caught.value.message
    assert "another-model@1" in caught.value.message
    assert [file.outcome for file in other.ingest([index.files], force=True).files] == ["replaced"]
    other.check()
    with pytest.raises(IndexNotReady):
        index.indexer.check()
    with pytest.raises(IndexNotReady, match=r"'english'.*'german'"):
        index.another(OtherModel(index.embedder), language="german").ingest([index.files])


def test_a_rebuild_takes_along_the_documents_that_were_not_named(index: Index) -> None:
    index.outcomes(index.write("a.md", text_of(OLD)), index.write("b.md", text_of(OLD)), index.write("c.md", OLD))
    (index.files / "b.md").unlink()
    (index.files / "c.md").unlink()
    shutil.rmtree(index.folder / "files" / index.catalogue.get("c.md").hash)
    other = index.another(OtherModel(index.embedder))
    report = other.ingest([index.files / "a.md"], force=True)
    assert {file.document: file.outcome for file in report.files} == {
        "a.md": "replaced",
        "b.md": "replaced",
        "c.md": "removed",
    }
    assert index.visible("b.md").count("Monday") == 60
    assert index.catalogue.get("b.md").path == str((index.files / "b.md").resolve())


def test_a_rebuild_takes_an_index_over_to_vectors_of_another_length(
    index: Index, small_model: SentenceTransformersEmbedder
) -> None:
    index.write("manual.md", text_of(OLD))
    index.outcomes()
    indexer = index.another(small_model)
    with pytest.raises(IndexNotReady, match="--rebuild"):
        indexer.ingest([index.files])
    assert index.store.dimension == 384
    assert [file.outcome for file in indexer.rebuild().files] == ["replaced"]
    indexer.check()
    assert (index.store.dimension, index.visible().count("Monday")) == (64, 60)
    assert found_by(index, small_model) == index.stored() == index.catalogue.chunk_count()
    indexer.forget("manual.md")
    assert index.outcomes() == {"manual.md": "added"}  # an empty index takes vectors of any length
    assert index.store.dimension == 384


def test_an_interrupted_rebuild_to_another_length_answers_nothing_and_is_completed_by_the_next(
    index: Index, small_model: SentenceTransformersEmbedder
) -> None:
    index.outcomes(index.write("a.md", text_of(OLD)), index.write("b.md", text_of(NEW)))
    interrupted = index.another(small_model, store=Interrupting(index.store, 2))
    with pytest.raises(KeyboardInterrupt):
        interrupted.rebuild()
    for indexer in (index.indexer, index.another(small_model)):
        with pytest.raises(IndexNotReady, match="unfinished rebuild"):
            indexer.check()
    index.store.close()
    index.store = EdgeStore(index.folder / "vectors", dimension=indexed_dimension(index.folder / "vectors"))
    report = index.another(small_model).rebuild()
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
    index.another(small_model).rebuild()
    assert found_by(index, small_model) == index.catalogue.chunk_count() > 0


@dataclass
class Before:
    """An index that has become an older one and is closed; what it held; no file can be read again."""

    index: Index
    chunks: list[IndexedChunk]
    found: list[Scored]

    def opened(self) -> Index:
        return Index(self.index.folder, self.index.embedder)

    def ids(self) -> list[str]:
        return [each.chunk.chunk_id for each in self.chunks]


@pytest.fixture
def before(index: Index) -> Before:
    index.write("manual.md", text_of(OLD))
    index.write("notes.txt", NEW)
    index.outcomes()
    ids = [chunk_id for record in index.catalogue.documents() for chunk_id in record.chunk_ids]
    made = Before(index, index.store.fetch(ids), index.store.search_sparse(WORDS, limit=20, scope=ALL))
    index.close()
    make_older(index.folder / "vectors")
    shutil.rmtree(index.folder / "files")
    shutil.rmtree(index.files)
    return made


def test_an_older_index_is_made_anew_from_the_text_in_it(before: Before, caplog: pytest.LogCaptureFixture) -> None:
    assert is_older(before.index.folder / "vectors")
    again = before.opened()
    with caplog.at_level(logging.WARNING):
        again.indexer.recover()
    again.indexer.check()
    found = again.store.fetch(before.ids())
    assert [each.chunk for each in found] == [each.chunk for each in before.chunks]
    for ours, theirs in zip(found, before.chunks, strict=True):
        np.testing.assert_allclose(ours.vectors, theirs.vectors, atol=1e-3)
    assert len(before.found) == len(before.chunks)
    assert again.store.search_sparse(WORDS, limit=20, scope=ALL) == before.found
    assert f"Its {len(found)} chunks are embedded anew" in caplog.text
    assert f"The index is ready: {len(found)} chunks" in caplog.text
    assert sorted(path.name for path in before.index.folder.glob("vectors*")) == ["vectors"]
    assert not is_older(before.index.folder / "vectors")
    again.close()


def test_one_that_is_interrupted_goes_on_where_it_was(before: Before, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BATCH", 2)
    again = before.opened()
    turns, embed = [0], again.embedder.embed

    class FailsTheSecondTime(OtherModel):
        fingerprint = again.embedder.fingerprint

        def __init__(self) -> None:
            super().__init__(again.embedder)
            self.embed = self._embed

        def _embed(self, texts: list[str]) -> object:
            turns[0] += 1
            return fails(texts) if turns[0] == 2 else embed(texts)

    with pytest.raises(EmbedderUnavailable):
        Indexer(again.store, again.catalogue, FailsTheSecondTime(), alone=True).recover()
    assert again.stored() == 2
    again.close()

    resumed = before.opened()
    assert is_older(before.index.folder / "vectors")
    resumed.indexer.recover()
    resumed.indexer.check()
    assert resumed.stored() == len(before.chunks)
    assert [each.chunk for each in resumed.store.fetch(before.ids())] == [each.chunk for each in before.chunks]
    resumed.close()


def test_chunks_of_documents_that_are_not_listed_stay_out(before: Before) -> None:
    again = before.opened()
    again.catalogue.begin_removal("notes.txt")
    again.catalogue.finish("notes.txt")
    again.indexer.recover()
    again.indexer.check()
    assert {chunk.document for chunk in again.store.scroll(ALL)} == {"manual.md"}
    again.close()


def test_an_older_index_of_another_embedding_model_is_left_to_a_rebuild(before: Before) -> None:
    again = before.opened()
    other = Indexer(again.store, again.catalogue, OtherModel(again.embedder), alone=True)
    other.recover()
    with pytest.raises(IndexNotReady, match="was built with the embedding"):
        other.check()
    assert again.stored() == 0
    again.indexer.recover()  # the former model is configured again
    again.indexer.check()
    assert again.stored() == len(before.chunks)
    again.close()


def test_a_collection_of_an_older_candor_says_what_to_do_and_a_rebuild_makes_it_anew(index: Index) -> None:
    client = QdrantClient(location=":memory:")
    store = QdrantStore(client, "candor")
    indexer = Indexer(store, index.catalogue, index.embedder, files_dir=index.folder / "files")
    indexer.ingest([index.write("notes.txt", NEW)])
    client.delete_collection("candor")
    older = {"text": models.VectorParams(size=384, distance=models.Distance.COSINE)}
    client.create_collection("candor", older, sparse_vectors_config={"bm25": models.SparseVectorParams()})

    store = QdrantStore(client, "candor")
    indexer = Indexer(store, index.catalogue, index.embedder, files_dir=index.folder / "files")
    indexer.recover()
    for refused in (indexer.check, lambda: indexer.ingest([index.files]), lambda: store.count(ALL)):
        with pytest.raises(IndexNotReady, match=r"made by an older version of Candor.*`candor ingest --rebuild`"):
            refused()
    assert (store.dimension, store.older) == (0, None)

    assert [file.outcome for file in indexer.rebuild().files] == ["replaced"]
    indexer.check()
    assert store.count(ALL) == index.catalogue.chunk_count() == 1
    assert len(store.search_dense(index.embedder.embed(["hood"])[0], limit=5, scope=ALL)) == 1
    store.close()


@pytest.mark.parametrize("served", [True, False])
def test_whoever_serves_or_uses_an_older_index_finds_all_in_it(tmp_path: Path, served: bool) -> None:
    settings = quiet_settings(tmp_path / "data")
    file = tmp_path / "notes.txt"
    file.write_text(NEW)
    with Candor.open(settings) as candor:
        candor.ingest(file)
    assert make_older(settings.data_dir / "index") == 1
    if served:
        check_index(settings)
        assert not is_older(settings.data_dir / "index")
    with Candor.open(settings) as candor:
        question = candor.wiring.embedder.embed(["Who inspects the fume hood?"])[0]
        [hit] = candor.wiring.fitting_store.search_dense(question, limit=5, scope=ALL)
    assert hit.score > 0.5
    assert not is_older(settings.data_dir / "index")
