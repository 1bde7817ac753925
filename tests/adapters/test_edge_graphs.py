"""When a graph is due: by what the index holds, whichever ingests and processes wrote it."""

import shutil
from pathlib import Path

import pytest
from store_samples import DIMENSION, indexed, terms, unit
from test_edge_store import start

from rag.adapters import edge_index
from rag.adapters.edge_store import EdgeStore
from rag.adapters.vector_layout import QuantizationChoice
from rag.errors import StoreUnavailable
from rag.protocols import IndexedChunk, SearchScope

GRAPH_FROM = 500


def opened(path: Path, *, quantization: QuantizationChoice = "none", seal_every: int = 10_000) -> EdgeStore:
    return EdgeStore(
        path, dimension=DIMENSION, exact_up_to=GRAPH_FROM, quantization=quantization, seal_every=seal_every
    )


def chunks(first: int, end: int) -> list[IndexedChunk]:
    """Chunks by number, fifty to a document."""
    return [indexed(f"c{i}", unit(1, i, i % 7, 1), terms(t1=1.0), document=f"{i // 50}.md") for i in range(first, end)]


def closed_segments(path: Path) -> int:
    return len(list((path / "segments").glob("*/id_tracker.i2e")))


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
    (sealed,) = (marker.parent for marker in (tmp_path / "index" / "segments").glob("*/id_tracker.i2e"))
    left = sealed.with_name(f"{sealed.name}abc.deleted")
    shutil.copytree(sealed, left)
    (left / missing).unlink()
    again = opened(tmp_path / "index", quantization="auto")
    assert again.count(SearchScope()) == 400
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
    assert (store.due(), store.count(SearchScope())) == (False, 600)
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
        closed.append(closed_segments(tmp_path / "index"))
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
    assert closed_segments(tmp_path / "index") == 1
    store.close()
