"""When a graph is due, whoever wrote the index; a copy with a graph that cannot be opened loses nothing."""

import os
import resource
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from store_samples import ALL, DIMENSION, indexed, terms, unit
from test_edge_store import start

from rag.adapters import edge_index, edge_optimizer
from rag.adapters.edge_store import EdgeStore
from rag.adapters.vector_layout import QuantizationChoice
from rag.errors import IndexNotReady, StoreUnavailable
from rag.protocols import IndexedChunk


def opened(path: Path, *, quantization: QuantizationChoice = "none", seal_every: int = 10_000) -> EdgeStore:
    return EdgeStore(path, dimension=DIMENSION, exact_up_to=500, quantization=quantization, seal_every=seal_every)


def chunks(first: int, end: int) -> list[IndexedChunk]:
    """Chunks by number, fifty to a document."""
    return [indexed(f"c{i}", unit(1, i, i % 7, 1), terms(t1=1.0), document=f"{i // 50}.md") for i in range(first, end)]


def sealed_segments(path: Path) -> list[Path]:
    return [marker.parent for marker in (path / "segments").glob("*/id_tracker.i2e")]


def test_many_small_ingests_in_as_many_processes_are_due_once_they_reach_the_bound(tmp_path: Path) -> None:
    due = []
    for first in range(0, 500, 100):
        store = opened(tmp_path / "index")
        store.upsert(chunks(first, first + 100))
        due.append(store.due())
        store.close()
    assert due == [False, False, False, False, True]


def test_once_there_is_a_graph_as_many_chunks_again_make_the_next_due(tmp_path: Path) -> None:
    store = opened(tmp_path / "index")
    store.upsert(chunks(0, 600))
    assert store.due()
    store.optimize()
    assert not store.due()
    store.upsert(chunks(600, 1_099))
    assert not store.due()  # 499 in no graph
    store.upsert(chunks(1_099, 1_100))
    assert store.due()
    store.close()


@pytest.mark.parametrize("missing", ["segment.json", "id_tracker.deleted"])
def test_what_a_killed_merge_leaves_of_a_segment_does_not_keep_the_index_from_opening(
    tmp_path: Path, missing: str
) -> None:
    store = opened(tmp_path / "index", quantization="auto", seal_every=400)
    store.upsert(chunks(0, 400))
    store.close()
    (sealed,) = sealed_segments(tmp_path / "index")
    left = sealed.with_name(f"{sealed.name}abc.deleted")
    shutil.copytree(sealed, left)
    (left / missing).unlink()
    again = opened(tmp_path / "index", quantization="auto")
    assert again.count(ALL) == 400
    again.close()


def test_optimising_that_failed_is_tried_again_after_more_chunks_or_by_the_next_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edge_index, "RETRY_AFTER", 50)
    store = opened(tmp_path / "index")
    store.upsert(chunks(0, 600))
    with monkeypatch.context() as broken:
        broken.setattr("rag.adapters.edge_optimizer._SCRIPT", "raise SystemExit('no space left on device')")
        with pytest.raises(StoreUnavailable, match=r"ended with 1: no space left.*Check the disk"):
            store.optimize()
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    assert (store.due(), store.count(ALL)) == (False, 600)
    store.upsert(chunks(600, 649))
    assert not store.due()
    store.upsert(chunks(649, 650))
    assert store.due()
    store.close()
    again = opened(tmp_path / "index")
    assert again.due()
    again.optimize()
    assert not again.due()
    again.close()


# --- the open segment is counted over restarts -------------------------------------------------------------------


def test_what_earlier_processes_wrote_counts_towards_closing_the_segment(tmp_path: Path) -> None:
    # 80 a day, closed at 100: on days 2, 3, 4 and 5 the count goes 80 + 20, 60 + 40, 40 + 60, 20 + 80.
    closed = []
    for day in range(6):
        store = opened(tmp_path / "index", seal_every=100)
        for first in range(day * 80, day * 80 + 80, 20):
            store.upsert(chunks(first, first + 20))
        store.close()
        closed.append(len(sealed_segments(tmp_path / "index")))
    assert closed == [0, 1, 2, 3, 4, 4]


def test_what_a_killed_process_wrote_counts_too(tmp_path: Path) -> None:
    script = """
        import os, sys
        from store_samples import indexed
        from rag.adapters.edge_store import EdgeStore
        store = EdgeStore(sys.argv[1], dimension=4)
        store.upsert([indexed(f"before{i}") for i in range(90)])
        os._exit(0)
    """
    with start(script, str(tmp_path / "index")) as killed:
        killed.wait(timeout=60)
    store = opened(tmp_path / "index", seal_every=100)
    store.upsert(chunks(0, 10))
    assert len(sealed_segments(tmp_path / "index")) == 1
    store.close()


# --- an optimised copy that takes the place of the index and cannot be opened ---

CHUNKS = 600
counts_files = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc to count open files")


@pytest.fixture
def usual_files() -> Iterator[None]:
    """As many open files as before."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def filled(path: Path) -> EdgeStore:
    """An index that wants a graph."""
    store = opened(path)
    store.upsert(chunks(0, CHUNKS))
    return store


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


@counts_files
@pytest.mark.usefixtures("usual_files")
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


@counts_files
@pytest.mark.usefixtures("usual_files")
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

    def overtaken(copy: Path, index: Path) -> None:
        take_place(copy, index)
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
