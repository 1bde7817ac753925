"""Store and catalogue of one index: what does not belong together answers nothing, and nothing of it is mixed."""

import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest
from indexes import Index
from standins import MadeUpEmbedder

from rag.adapters.qdrant_store import QdrantStore
from rag.errors import IndexNotReady, StoreUnavailable
from rag.ingest.identity import apart
from rag.protocols import INDEX_ID, SearchScope

ALL = SearchScope()
PUMP, VALVE = "# Rules\n\nThe pump code is 4711.\n", "# Valves\n\nThe valve code is 12.\n"


@contextmanager
def opened(home: Path, **parts: object) -> Iterator[Index]:
    with closing(Index(home, MadeUpEmbedder("one"), **parts)) as index:
        index.indexer.recover()
        yield index


def add(index: Index, name: str, text: str) -> dict[str, str]:
    return index.outcomes(index.write(name, text))


def codes(index: Index) -> list[str]:
    return sorted(chunk.content.split()[-1] for chunk in index.store.scroll(ALL))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with opened(tmp_path / "data") as index:
        add(index, "rules.md", PUMP)
        add(index, "valves.md", VALVE)
    return tmp_path / "data"


def refusal(index: Index) -> str:
    """What questions and ingests are told; both are refused."""
    with pytest.raises(IndexNotReady) as asked:
        index.indexer.check()
    with pytest.raises(IndexNotReady) as ingested:
        add(index, "rules.md", PUMP)
    assert asked.value.message == ingested.value.message
    return asked.value.message


def test_a_new_index_has_one_id_in_both_and_keeps_it_through_a_rebuild_and_a_crash(home):
    with opened(home) as index:
        noted = index.catalogue.get_meta(INDEX_ID)
        assert len(noted) == 32
        index.indexer.rebuild()
        assert index.store.index_id() == index.catalogue.get_meta(INDEX_ID) == noted
        index.indexer.check()
        assert apart(index.store, index.catalogue) is None
        index.catalogue.begin("new.md", "f" * 64)  # a crash that left work open is not taken for another index
        [one] = index.store.fetch(index.catalogue.get("rules.md").chunk_ids)
        other = {"chunk_id": "00000000-0000-4000-8000-000000000001", "document": "new.md", "document_hash": "f" * 64}
        index.store.upsert([replace(one, chunk=one.chunk.model_copy(update=other))])
        assert index.store.count(ALL) == 3
    with opened(home) as index:
        index.indexer.check()


@pytest.mark.parametrize(
    ("is_older", "why", "texts"),
    [
        (False, "2 chunks of another index than the catalogue, which lists 2", ["12.", "4711."]),
        (True, "holds 2 chunks, and the catalogue lists 1", ["4711."]),
    ],
)
def test_a_store_that_is_not_the_catalogues_is_refused_until_a_rebuild_fills_it_from_the_copies(
    home, is_older, why, texts
):
    kept = home.with_name("kept")
    if is_older:
        shutil.copytree(home, kept)
        with opened(home) as index:
            index.indexer.forget("valves.md")
    else:
        with opened(kept) as other:
            for name in ("a.md", "b.md"):
                add(other, name, f"# {name}\n\nThe gate code is 1.\n")
    shutil.rmtree(home / "index")
    shutil.copytree(kept / "index", home / "index")
    with opened(home) as index:
        message = refusal(index)
        assert why in message
        assert "`candor ingest --rebuild`" in message
        if not is_older:
            with pytest.raises(IndexNotReady, match="another index"):
                index.indexer.forget("rules.md")
        shutil.rmtree(home / "in")
        index.indexer.rebuild()
        index.indexer.check()
        assert codes(index) == texts
        assert index.store.index_id() == index.catalogue.get_meta(INDEX_ID)


def test_after_the_catalogue_was_deleted_the_first_ingest_clears_the_store_and_nothing_old_is_cited(home):
    (home / "catalogue.db").unlink()
    (home / "none").mkdir()
    with opened(home) as index:
        index.indexer.check()
        index.indexer.ingest([home / "none"])
        assert codes(index) == ["12.", "4711."]  # without a file to write nothing is cleared
        assert add(index, "rules.md", PUMP.replace("4711", "9999")) == {"rules.md": "added"}
        assert codes(index) == ["9999."]
        index.indexer.check()


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[QdrantStore]:
    """A store that one index fills, and keeps."""
    with closing(QdrantStore.in_memory()) as store, opened(tmp_path / "one", store=store) as first:
        add(first, "rules.md", PUMP)
        yield store
        assert codes(first) == ["4711."]
        first.indexer.check()


def test_a_shared_store_is_not_cleared_for_another_catalogue_whether_it_lists_nothing_or_is_rebuilt(shared, tmp_path):
    with opened(tmp_path / "two", store=shared) as second:
        second.write("valves.md", VALVE)
        with pytest.raises(IndexNotReady, match="holds 1 chunks, and the catalogue lists none"):
            second.indexer.check()
        with pytest.raises(IndexNotReady, match="CANDOR_DATABASE_URL"):
            second.indexer.ingest([second.files], force=True)
    with opened(tmp_path / "three", store=QdrantStore.in_memory()) as own:
        add(own, "valves.md", VALVE)
    with opened(tmp_path / "three", store=shared) as third, pytest.raises(IndexNotReady, match="CANDOR_COLLECTION"):
        third.indexer.rebuild()


def test_a_store_that_can_only_be_read_answers_all_the_same(tmp_path, monkeypatch):
    store = QdrantStore.in_memory()
    monkeypatch.setattr(store, "set_index_id", Mock(side_effect=StoreUnavailable("Qdrant answered 403: forbidden.")))
    with opened(tmp_path, store=store) as index:
        add(index, "rules.md", PUMP)
        index.indexer.check()
        assert store.index_id() is None
