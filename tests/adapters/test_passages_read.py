"""What the embedded store keeps of what it read, and that nobody ever reads what is no longer so."""

from pathlib import Path

import numpy as np
import pytest
from store_samples import DIMENSION, id_of, indexed, unit

from rag.adapters.edge_store import EdgeStore
from rag.adapters.passages_read import PassagesRead
from rag.errors import StoreUnavailable
from rag.protocols import IndexedChunk


@pytest.fixture
def store(tmp_path: Path) -> EdgeStore:
    made = EdgeStore(tmp_path, dimension=DIMENSION)
    made.upsert([indexed("a", unit(1, 0, 0, 0)), indexed("b", unit(0, 1, 0, 0), document="other.md")])
    return made


def count_reads(store: EdgeStore, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Note how many chunks each call to the engine reads."""
    reads: list[int] = []
    own = store._records

    def noted(ids: list[str], vectors: list[str] | None) -> object:
        reads.append(len(ids))
        return own(ids, vectors)

    monkeypatch.setattr(store, "_records", noted)
    return reads


def test_a_passage_is_read_from_the_index_once(store: EdgeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    reads = count_reads(store, monkeypatch)
    first, second = store.fetch([id_of("a"), id_of("b")]), store.fetch([id_of("b"), id_of("a")])
    assert sum(reads) == 2
    assert [one.chunk.chunk_id for one in second] == [id_of("b"), id_of("a")]
    assert second[1] is first[0]


def test_one_that_was_read_without_its_vectors_is_read_again_where_that_is_wanted(store: EdgeStore) -> None:
    (bare,) = store.fetch([id_of("a")], without_vector={id_of("a")})
    (whole,) = store.fetch([id_of("a")])
    (known,) = store.fetch([id_of("a")], without_vector={id_of("a")})
    assert not len(bare.vectors)
    np.testing.assert_allclose(whole.vectors[0], unit(1, 0, 0, 0), atol=1e-6)
    assert known is whole


def test_what_is_written_anew_is_read_anew(store: EdgeStore) -> None:
    store.fetch([id_of("a")])
    store.upsert([indexed("a", unit(0, 0, 1, 0), chapter=7)])
    (found,) = store.fetch([id_of("a")])
    assert found.chunk.chapter == 7
    np.testing.assert_allclose(found.vectors[0], unit(0, 0, 1, 0), atol=1e-6)


def test_a_deleted_document_is_not_read_from_memory(store: EdgeStore) -> None:
    store.fetch([id_of("a"), id_of("b")])
    store.delete("manual.pdf")
    assert [one.chunk.chunk_id for one in store.fetch([id_of("a"), id_of("b")])] == [id_of("b")]


def test_a_cleared_and_a_closed_store_have_nothing_in_memory(store: EdgeStore) -> None:
    store.fetch([id_of("a")])
    store.clear(DIMENSION)
    assert store.fetch([id_of("a")]) == []
    store.upsert([indexed("a")])
    store.fetch([id_of("a")])
    store.close()
    with pytest.raises(StoreUnavailable):
        store.fetch([id_of("a")])


def test_what_was_read_before_a_change_is_not_kept_after_it() -> None:
    passages, old = PassagesRead(), indexed("a")
    _, state = passages.known([id_of("a")], ())
    passages.forget([id_of("a")])  # written anew between the reading and its end
    passages.keep({id_of("a"): old}, state)
    assert passages.known([id_of("a")], {id_of("a")})[0] == {}


def test_the_passage_unused_for_longest_goes() -> None:
    passages = PassagesRead(size=2)
    state = passages.known([], ())[1]
    made: dict[str, IndexedChunk] = {name: indexed(name) for name in "abc"}
    passages.keep({"a": made["a"], "b": made["b"]}, state)
    passages.known(["a"], ())
    passages.keep({"c": made["c"]}, state)
    assert list(passages.known(["a", "b", "c"], ())[0]) == ["a", "c"]
