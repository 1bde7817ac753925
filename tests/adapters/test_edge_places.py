"""An optimised copy that takes the place of the index and cannot be opened: the index stays, and loses nothing."""

import os
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest
from store_samples import DIMENSION, indexed, terms, unit
from test_edge_store import start

from rag.adapters import edge_optimizer
from rag.adapters.edge_store import EdgeStore
from rag.errors import IndexNotReady, StoreUnavailable
from rag.protocols import SearchScope

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc to count open files")
ALL = SearchScope()
CHUNKS = 600


@pytest.fixture(autouse=True)
def usual_files() -> Iterator[None]:
    """As many open files as before."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def filled(path: Path) -> EdgeStore:
    """An index that wants a graph."""
    store = opened(path)
    store.upsert([indexed(f"c{i}", unit(1, i, i % 7, 1), terms(t1=1.0)) for i in range(CHUNKS)])
    return store


def opened(path: Path) -> EdgeStore:
    return EdgeStore(path, dimension=DIMENSION, exact_up_to=500, seal_every=10_000)


def few_files_open_after_the_exchange(monkeypatch: pytest.MonkeyPatch, spare: int = 0) -> None:
    """Let the process open so few more files once the copy stands where the index was that its opening fails."""
    take_place = edge_optimizer.take_place

    def exhausted(copy: Path, index: Path) -> None:
        take_place(copy, index)
        limit, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        taken = {int(name) for name in os.listdir("/proc/self/fd")}  # noqa: PTH208
        free = [number for number in range(limit) if number not in taken]
        resource.setrlimit(resource.RLIMIT_NOFILE, (free[spare], most))

    monkeypatch.setattr(edge_optimizer, "take_place", exhausted)


@pytest.mark.parametrize("spare", [0, 1])
def test_what_is_written_after_an_optimised_copy_could_not_be_opened_is_there_after_reopening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spare: int
) -> None:
    store, limits = filled(tmp_path / "index"), resource.getrlimit(resource.RLIMIT_NOFILE)
    with monkeypatch.context() as broken:
        few_files_open_after_the_exchange(broken, spare)
        with pytest.raises(StoreUnavailable) as failed:
            store.optimize()
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert "Too many open files" in failed.value.message or "os error 24" in failed.value.message
    store.upsert([indexed("after")])
    store.delete("nobody")
    assert store.count(ALL) == CHUNKS + 1
    store.close()
    again = opened(tmp_path / "index")
    assert again.count(ALL) == CHUNKS + 1
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    again.optimize()
    assert again.count(ALL) == CHUNKS + 1
    again.close()


def test_questions_are_answered_while_the_copy_cannot_be_opened_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, limits = filled(tmp_path / "index"), resource.getrlimit(resource.RLIMIT_NOFILE)
    before = store.search_hybrid(unit(1, 40, 3, 1), terms(t1=1.0), limit=10, scope=ALL)
    few_files_open_after_the_exchange(monkeypatch)
    with pytest.raises(StoreUnavailable):
        store.optimize()
    assert store.search_hybrid(unit(1, 40, 3, 1), terms(t1=1.0), limit=10, scope=ALL) == before
    with pytest.raises(StoreUnavailable):
        store.upsert([indexed("refused")])
    store.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    again = opened(tmp_path / "index")
    assert again.count(ALL) == CHUNKS
    again.close()


def test_a_process_that_opens_the_index_between_exchange_and_opening_has_it_and_this_one_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_place = edge_optimizer.take_place
    quicker = start(
        """
        import sys
        from store_samples import indexed
        from rag.adapters.edge_store import EdgeStore
        sys.stdin.readline()
        store = EdgeStore(sys.argv[1], dimension=4, exact_up_to=500)
        store.upsert([indexed("theirs")])
        print("open")
        sys.stdin.readline()
        store.close()
        """,
        str(tmp_path / "index"),
    )
    assert quicker.stdin
    assert quicker.stdout

    def overtaken(copy: Path, index: Path) -> None:
        take_place(copy, index)
        assert quicker.stdin
        assert quicker.stdout
        quicker.stdin.write("\n")
        quicker.stdin.flush()
        assert quicker.stdout.readline() == "open\n"

    store = filled(tmp_path / "index")
    with monkeypatch.context() as context:
        context.setattr(edge_optimizer, "take_place", overtaken)
        with pytest.raises(IndexNotReady, match="in use by another process"):
            store.optimize()
    with pytest.raises(IndexNotReady, match="in use by another process"):
        store.upsert([indexed("ours")])
    quicker.communicate("\n", timeout=60)
    store.upsert([indexed("ours")])
    store.close()
    again = opened(tmp_path / "index")
    assert again.count(ALL) == CHUNKS + 2
    again.close()
