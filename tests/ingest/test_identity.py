"""Store and catalogue of one index: what does not belong together answers nothing, and nothing of it is mixed."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from killed import MadeUpEmbedder

from rag.adapters.catalogue import SqlCatalogue
from rag.adapters.edge_store import EdgeStore
from rag.adapters.qdrant_store import QdrantStore
from rag.adapters.sql import sqlite_url
from rag.errors import IndexNotReady, StoreUnavailable
from rag.ingest.identity import apart
from rag.ingest.indexer import Indexer
from rag.protocols import INDEX_ID, SearchScope

ALL = SearchScope()
PUMP, VALVE = "# Rules\n\nThe pump code is 4711.\n", "# Valves\n\nThe valve code is 12.\n"


class Index:
    """Store and catalogue, each in a folder of its own, so that one can be lost or exchanged without the other."""

    def __init__(self, home: Path, *, store: QdrantStore | None = None, catalogue: Path | None = None) -> None:
        self.home, self.papers = home, home / "papers"
        self.papers.mkdir(parents=True, exist_ok=True)
        self.store = store or EdgeStore(home / "index")
        self.catalogue = SqlCatalogue(sqlite_url(catalogue or home / "catalogue.db"))
        self.indexer = Indexer(
            self.store, self.catalogue, MadeUpEmbedder("one"), files_dir=home / "files", alone=store is None
        )
        self.indexer.recover()

    def add(self, name: str, text: str) -> str:
        (self.papers / name).write_text(text, encoding="utf-8")
        return self.indexer.ingest([self.papers / name]).files[0].outcome

    def texts(self) -> list[str]:
        return sorted(chunk.content.split()[-1] for chunk in self.store.scroll(ALL))

    def forget_ids(self) -> None:
        """Make it an index of a Candor that knew no ids."""
        with self.catalogue._transaction() as connection:
            connection.exec_driver_sql(f"DELETE FROM catalogue_meta WHERE name = '{INDEX_ID}'")
        (self.home / "index" / "candor_index_id").unlink()


@contextmanager
def opened(home: Path, **parts: object) -> Iterator[Index]:
    index = Index(home, **parts)
    yield index
    if "store" not in parts:
        index.store.close()
    index.catalogue.close()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with opened(tmp_path / "data") as index:
        assert (index.add("rules.md", PUMP), index.add("valves.md", VALVE)) == ("added", "added")
    return tmp_path / "data"


def refusal(index: Index) -> str:
    """What questions and ingests are told; both are refused."""
    with pytest.raises(IndexNotReady) as asked:
        index.indexer.check()
    with pytest.raises(IndexNotReady) as ingested:
        index.add("rules.md", PUMP)
    assert asked.value.message == ingested.value.message
    return asked.value.message


def test_a_new_index_has_one_id_in_both_and_keeps_it(home: Path) -> None:
    with opened(home) as index:
        noted = index.catalogue.get_meta(INDEX_ID)
        assert noted is not None
        assert len(noted) == 32
        assert index.store.index_id() == noted
        index.indexer.rebuild()
        assert index.store.index_id() == index.catalogue.get_meta(INDEX_ID) == noted
        index.indexer.check()
        assert apart(index.store, index.catalogue) is None


def test_an_index_from_before_there_were_ids_gets_one_where_the_numbers_agree(home: Path) -> None:
    with opened(home) as index:
        index.forget_ids()
    with opened(home) as index:
        assert index.store.index_id() == index.catalogue.get_meta(INDEX_ID) is not None
        assert index.add("rules.md", PUMP) == "unchanged"
        index.indexer.check()


# --- what does not belong together ----------------------------------------------------------------------------------


def without_ids(home: Path) -> None:
    """It is from before there were ids, and its numbers differ."""
    with opened(home) as index:
        index.forget_ids()
        index.store.delete("valves.md")


def deleted(home: Path) -> None:
    shutil.rmtree(home / "index")


def exchanged(home: Path) -> None:
    with opened(home.with_name("other")) as other:
        other.add("a.md", "# A\n\nThe gate code is 1.\n")
        other.add("b.md", "# B\n\nThe gate code is 2.\n")
    shutil.rmtree(home / "index")
    shutil.copytree(other.home / "index", home / "index")


def restored(home: Path) -> None:
    """The store is an older copy of its own."""
    shutil.copytree(home / "index", home / "kept")
    with opened(home) as index:
        index.indexer.forget("valves.md")
    shutil.rmtree(home / "index")
    (home / "kept").rename(home / "index")


@pytest.mark.parametrize(
    ("damage", "why", "texts"),
    [
        (without_ids, "holds 1 chunks, and the catalogue lists 2", ["12.", "4711."]),
        (deleted, "holds 0 chunks, and the catalogue lists 2", ["12.", "4711."]),
        (exchanged, "2 chunks of another index than the catalogue, which lists 2", ["12.", "4711."]),
        (restored, "holds 2 chunks, and the catalogue lists 1", ["4711."]),
    ],
)
def test_a_store_that_is_not_the_catalogues_is_refused_until_a_rebuild_fills_it_from_the_copies(
    home: Path, damage: Callable[[Path], None], why: str, texts: list[str]
) -> None:
    damage(home)
    with opened(home) as index:
        message = refusal(index)
        assert why in message
        assert "`candor ingest --rebuild`" in message
        if "another index" in message:
            with pytest.raises(IndexNotReady, match="another index"):
                index.indexer.forget("rules.md")
        shutil.rmtree(home / "papers")
        index.indexer.rebuild()
        index.indexer.check()
        assert index.texts() == texts
        assert index.store.index_id() == index.catalogue.get_meta(INDEX_ID)


def test_after_the_catalogue_was_deleted_the_first_ingest_clears_the_store_and_nothing_old_is_cited(home: Path) -> None:
    (home / "catalogue.db").unlink()
    (home / "none").mkdir()
    with opened(home) as index:
        index.indexer.check()
        index.indexer.ingest([home / "none"])
        assert index.texts() == ["12.", "4711."]  # without a file to write nothing is cleared
        assert index.add("rules.md", PUMP.replace("4711", "9999")) == "added"
        assert index.texts() == ["9999."]
        index.indexer.check()


def test_two_data_folders_with_stores_of_their_own_do_not_share_a_catalogue(home: Path, tmp_path: Path) -> None:
    with opened(tmp_path / "second", catalogue=home / "catalogue.db") as index:
        assert "holds 0 chunks, and the catalogue lists 2" in refusal(index)
    with opened(home) as first:
        first.indexer.check()


def test_a_crash_that_left_work_open_is_not_taken_for_another_index(home: Path) -> None:
    with opened(home) as index:
        index.catalogue.begin("new.md", "f" * 64)
        [one] = index.store.fetch(index.catalogue.get("rules.md").chunk_ids)
        other = {"chunk_id": "00000000-0000-4000-8000-000000000001", "document": "new.md", "document_hash": "f" * 64}
        index.store.upsert([replace(one, chunk=one.chunk.model_copy(update=other))])
        assert index.store.count(ALL) == 3
    with opened(home) as index:
        index.indexer.check()


# --- a store that others share --------------------------------------------------------------------------------------


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[QdrantStore]:
    """A store that one index fills."""
    store = QdrantStore.in_memory()
    with opened(tmp_path / "one", store=store) as first:
        first.add("rules.md", PUMP)
        yield store
        assert first.texts() == ["4711."]
        first.indexer.check()
    store.close()


def test_a_shared_store_is_not_cleared_for_a_catalogue_that_lists_nothing(shared: QdrantStore, tmp_path: Path) -> None:
    with opened(tmp_path / "two", store=shared) as second:
        (second.papers / "valves.md").write_text(VALVE, encoding="utf-8")
        with pytest.raises(IndexNotReady, match="holds 1 chunks, and the catalogue lists none"):
            second.indexer.check()
        with pytest.raises(IndexNotReady, match="CANDOR_DATABASE_URL"):
            second.indexer.ingest([second.papers], force=True)


def test_a_shared_store_of_another_index_is_not_cleared_by_a_rebuild(shared: QdrantStore, tmp_path: Path) -> None:
    with opened(tmp_path / "two", store=QdrantStore.in_memory()) as own:
        own.add("valves.md", VALVE)
    with opened(tmp_path / "two", store=shared) as second, pytest.raises(IndexNotReady, match="CANDOR_COLLECTION"):
        second.indexer.rebuild()


def test_a_shared_store_that_was_lost_while_a_server_ran_is_noticed_and_filled_again(tmp_path: Path) -> None:
    store = QdrantStore.in_memory()
    with opened(tmp_path / "one", store=store) as index:
        index.add("rules.md", PUMP)
        store._client.delete_collection("candor")
        with pytest.raises(StoreUnavailable):
            store.count(ALL)
        store._ready, store._index_id = False, None  # as after the 404 of a server
        assert "holds 0 chunks, and the catalogue lists 1" in refusal(index)
        index.indexer.rebuild()
        index.indexer.check()
        assert index.texts() == ["4711."]


def test_two_servers_that_begin_at_once_agree_on_one_id(tmp_path: Path) -> None:
    store, catalogue = QdrantStore.in_memory(), tmp_path / "catalogue.db"
    first, second = (Index(tmp_path / name, store=store, catalogue=catalogue) for name in ("one", "two"))
    assert (first.add("rules.md", PUMP), second.add("valves.md", VALVE)) == ("added", "added")
    for index in (first, second):
        index.indexer.check()
        assert index.catalogue.note_once(INDEX_ID, "never") == store.index_id()
        index.catalogue.close()


def test_a_store_that_can_only_be_read_answers_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: str) -> None:
        raise StoreUnavailable("Qdrant answered 403: forbidden.")

    store = QdrantStore.in_memory()
    monkeypatch.setattr(store, "set_index_id", refused)
    with opened(tmp_path, store=store) as index:
        index.add("rules.md", PUMP)
        index.indexer.check()
        assert store.index_id() is None
