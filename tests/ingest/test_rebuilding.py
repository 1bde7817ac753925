"""An index made with another embedding model, language or length of vectors; and its rebuild."""

import pytest
from indexes import NEW, OLD, text_of
from qdrant_client import QdrantClient, models
from standins import OtherModel

from rag.adapters.edge_config import indexed_dimension
from rag.adapters.edge_store import EdgeStore
from rag.adapters.qdrant_store import QdrantStore
from rag.errors import IndexNotReady
from rag.ingest.report import Progress
from rag.protocols import SearchScope


def test_another_embedding_model_or_language_is_refused_until_a_rebuild_which_takes_along_what_was_not_named(index):
    first, *others = (index.write(f"{name}.md", text_of(name + OLD)) for name in "abc")
    index.outcomes(first, *others)
    other = index.another(OtherModel(index.embedder))
    with pytest.raises(IndexNotReady, match="--rebuild") as caught:
        other.ingest([index.files])
    assert index.embedder.fingerprint in caught.value.message
    assert "another-model@1" in caught.value.message
    for gone in (*others, index.kept()["c.md"]):
        gone.unlink()
    outcomes = {file.document: file.outcome for file in other.ingest([first], force=True).files}
    assert outcomes == {"a.md": "replaced", "b.md": "replaced", "c.md": "removed"}
    assert index.visible("b.md").count("Monday") == 60
    assert index.catalogue.get("b.md").path == str(others[0].resolve())
    other.check()
    with pytest.raises(IndexNotReady):
        index.indexer.check()
    with pytest.raises(IndexNotReady, match=r"'english'.*'german'"):
        index.another(OtherModel(index.embedder), language="german").ingest([index.files])


def test_a_rebuild_takes_an_index_over_to_vectors_of_another_length_and_one_interrupted_is_completed_by_the_next(
    index, small_model
):
    index.outcomes(index.write("a.md", text_of(OLD)), index.write("b.md", text_of(NEW)))
    with pytest.raises(IndexNotReady, match="--rebuild"):
        index.another(small_model).ingest([index.files])
    assert index.store.dimension == 384

    def stop(progress: Progress) -> None:
        if progress.files_done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index.another(small_model).rebuild(progress=stop)
    for indexer in (index.indexer, index.another(small_model)):
        with pytest.raises(IndexNotReady, match="unfinished rebuild"):
            indexer.check()
    index.store.close()
    index.store = EdgeStore(index.folder / "index", dimension=indexed_dimension(index.folder / "index"))
    indexer = index.another(small_model)
    assert indexer.rebuild().count("replaced") == 2
    indexer.check()
    assert index.store.dimension == 64
    assert index.found_by(small_model) == index.stored() == index.catalogue.chunk_count()
    assert (index.visible("a.md").count("Monday"), index.visible("b.md").count("Friday")) == (60, 60)
    for name in ("a.md", "b.md"):
        indexer.forget(name)
    assert index.another().ingest([index.files]).count("added") == 2  # an empty index takes vectors of any length
    assert index.store.dimension == 384


def test_a_collection_of_an_older_candor_says_what_to_do_and_a_rebuild_makes_it_anew(index):
    client = QdrantClient(location=":memory:")
    index.another(store=QdrantStore(client, "candor"), alone=False).ingest([index.write("notes.txt", NEW)])
    client.delete_collection("candor")
    older = {"text": models.VectorParams(size=384, distance=models.Distance.COSINE)}
    client.create_collection("candor", older, sparse_vectors_config={"bm25": models.SparseVectorParams()})

    store = QdrantStore(client, "candor")
    indexer = index.another(store=store, alone=False)
    indexer.recover()
    for refused in (indexer.check, lambda: indexer.ingest([index.files]), lambda: store.count(SearchScope())):
        with pytest.raises(IndexNotReady, match=r"made by an older version of Candor.*`candor ingest --rebuild`"):
            refused()
    assert [file.outcome for file in indexer.rebuild().files] == ["replaced"]
    indexer.check()
    assert len(store.search_dense(index.embedder.embed(["hood"])[0], limit=5, scope=SearchScope())) == 1
    store.close()
