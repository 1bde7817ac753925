"""An index that an older Candor made, with one vector for a chunk: its documents are ingested again by themselves."""

import logging
import shutil
from contextlib import closing

import numpy as np
import pytest
from indexes import NEW, OLD, Index, text_of
from library import quiet_settings
from older_layout import make_older
from standins import OtherModel

from rag import Candor
from rag.adapters.edge_older import is_older
from rag.errors import IndexNotReady
from rag.protocols import SearchScope
from rag.serving import check_index
from rag.text.bm25 import encode_query

ALL = SearchScope()
WORDS = encode_query("inspected Friday")


@pytest.fixture
def before(index):
    """What an index held that has become an older one."""
    index.outcomes(index.write("manual.md", text_of(OLD)), index.write("notes.txt", NEW))
    ids = [chunk_id for record in index.catalogue.documents() for chunk_id in record.chunk_ids]
    chunks, found = index.store.fetch(ids), index.store.search_sparse(WORDS, limit=20, scope=ALL)
    index.close()
    make_older(index.folder / "index")
    shutil.rmtree(index.files)
    return chunks, found


@pytest.fixture
def again(index, before):
    """That index, opened anew."""
    with closing(Index(index.folder, index.embedder)) as opened:
        yield opened


def test_an_older_index_of_another_model_is_left_alone_and_made_anew_for_its_own_from_the_kept_copies(
    again, before, caplog
):
    other, (chunks, hits) = again.another(OtherModel(again.embedder)), before
    other.recover()
    with pytest.raises(IndexNotReady, match="was built with the embedding"):
        other.check()
    assert again.stored() == 0
    with caplog.at_level(logging.WARNING):
        again.indexer.recover()
    again.indexer.check()
    found = again.store.fetch([each.chunk.chunk_id for each in chunks])
    assert [each.chunk for each in found] == [each.chunk for each in chunks]
    for ours, theirs in zip(found, chunks, strict=True):
        np.testing.assert_allclose(ours.vectors, theirs.vectors, atol=1e-3)
    assert again.stored() == len(hits) == len(chunks)
    assert again.store.search_sparse(WORDS, limit=20, scope=ALL) == hits
    assert "Its 2 documents are ingested again" in caplog.text
    assert sorted(path.name for path in again.folder.glob("index*")) == ["index"]
    assert not is_older(again.folder / "index")


def test_one_with_a_document_that_cannot_be_read_again_is_left_until_a_rebuild_is_asked_for(again, before):
    again.kept()["notes.txt"].unlink()
    again.indexer.recover()
    with pytest.raises(IndexNotReady, match=r"holds 0 chunks.*candor ingest --rebuild"):
        again.indexer.check()
    assert [record.document for record in again.catalogue.documents()] == ["manual.md", "notes.txt"]
    assert is_older(again.folder / "index")
    report = again.indexer.rebuild()
    assert {file.document: file.outcome for file in report.files} == {"manual.md": "replaced", "notes.txt": "removed"}
    again.indexer.check()
    assert {chunk.document for chunk in again.store.scroll(ALL)} == {"manual.md"}
    assert not is_older(again.folder / "index")


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
