"""An index that an older Candor made, with one vector for a chunk: made anew from what is in it."""

import logging
import shutil
from dataclasses import dataclass

import numpy as np
import pytest
from indexes import NEW, OLD, Index, text_of
from library import quiet_settings
from older_layout import make_older
from standins import OtherModel, fails

from rag import Candor
from rag.adapters.edge_older import is_older
from rag.errors import EmbedderUnavailable, IndexNotReady
from rag.ingest import rebuilding as module
from rag.ingest.indexer import Indexer
from rag.protocols import IndexedChunk, Scored, SearchScope
from rag.serving import check_index
from rag.text.bm25 import encode_query

ALL = SearchScope()
WORDS = encode_query("inspected Friday")


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
def before(index):
    index.write("manual.md", text_of(OLD))
    index.write("notes.txt", NEW)
    index.outcomes()
    ids = [chunk_id for record in index.catalogue.documents() for chunk_id in record.chunk_ids]
    made = Before(index, index.store.fetch(ids), index.store.search_sparse(WORDS, limit=20, scope=ALL))
    index.close()
    make_older(index.folder / "index")
    shutil.rmtree(index.folder / "files")
    shutil.rmtree(index.files)
    return made


def test_an_older_index_is_made_anew_from_the_text_in_it(before, caplog):
    assert is_older(before.index.folder / "index")
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
    assert sorted(path.name for path in before.index.folder.glob("index*")) == ["index"]
    assert not is_older(before.index.folder / "index")
    again.close()


def test_one_that_is_interrupted_goes_on_where_it_was(before, monkeypatch):
    monkeypatch.setattr(module, "_BATCH", 2)
    again = before.opened()
    turns, embed = [0], again.embedder.embed

    class FailsTheSecondTime(OtherModel):
        def __init__(self) -> None:
            super().__init__(again.embedder, again.embedder.fingerprint)
            self.embed = self._embed

        def _embed(self, texts: list[str]) -> object:
            turns[0] += 1
            return fails(texts) if turns[0] == 2 else embed(texts)

    with pytest.raises(EmbedderUnavailable):
        Indexer(again.store, again.catalogue, FailsTheSecondTime(), alone=True).recover()
    assert again.stored() == 2
    again.close()

    resumed = before.opened()
    assert is_older(before.index.folder / "index")
    resumed.indexer.recover()
    resumed.indexer.check()
    assert resumed.stored() == len(before.chunks)
    assert [each.chunk for each in resumed.store.fetch(before.ids())] == [each.chunk for each in before.chunks]
    resumed.close()


def test_chunks_of_documents_that_are_not_listed_stay_out(before):
    again = before.opened()
    again.catalogue.begin_removal("notes.txt")
    again.catalogue.finish("notes.txt")
    again.indexer.recover()
    again.indexer.check()
    assert {chunk.document for chunk in again.store.scroll(ALL)} == {"manual.md"}
    again.close()


def test_an_older_index_of_another_embedding_model_is_left_to_a_rebuild(before):
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


@pytest.mark.parametrize("served", [True, False])
def test_whoever_serves_or_uses_an_older_index_finds_all_in_it(tmp_path, served):
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
