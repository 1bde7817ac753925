"""When a graph is due: by what the index holds, whichever ingests and processes wrote it."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from store_samples import DIMENSION, id_of, indexed, terms, unit
from test_edge_store import start

from rag.adapters import edge_files, edge_index
from rag.adapters.edge_store import EdgeStore
from rag.adapters.points import DENSE
from rag.adapters.vector_layout import Quantization, QuantizationChoice
from rag.errors import StoreUnavailable
from rag.protocols import IndexedChunk, SearchScope, Vector

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


def test_a_closed_segment_and_an_open_one_that_reach_the_bound_together_are_merged(tmp_path: Path) -> None:
    store = opened(tmp_path / "index", seal_every=400)
    store.upsert(chunks(0, 400))
    assert closed_segments(tmp_path / "index") == 1
    store.upsert(chunks(400, 500))
    assert store.due()
    store.optimize()
    assert not store.due()
    assert not edge_files.lacks_graph(tmp_path / "index", 500, GRAPH_FROM, "none")
    store.close()


@pytest.mark.parametrize(("before", "after"), [("none", "int8"), ("int8", "int4"), ("int4", "none")])
def test_another_quantization_is_due_until_the_graph_has_it(
    tmp_path: Path, before: Quantization, after: Quantization
) -> None:
    store = opened(tmp_path / "index", quantization=before)
    store.upsert(chunks(0, 600))
    store.optimize()
    store.close()
    again = opened(tmp_path / "index", quantization=after)
    assert again.due()
    again.optimize()
    assert not again.due()
    again.close()


def test_by_itself_small_vectors_have_four_bits_where_all_are_compared_and_eight_beside_a_graph(tmp_path: Path) -> None:
    kept = []
    for first, end in ((0, 200), (200, 600)):
        store = opened(tmp_path / "index", quantization="auto")
        store.upsert(chunks(first, end))
        store.optimize()
        store.close()
        found = (tmp_path / "index" / "segments").glob("*/segment.json")
        described = [json.loads(file.read_text())["config"]["vector_data"][DENSE] for file in found]
        kept.append({name for one in described for name in one.get("quantization_config") or {}})
    assert kept[0] == {"turbo"}
    assert "scalar" in kept[1]
    again = opened(tmp_path / "index", quantization="auto")
    assert not again.due()
    again.close()


def test_comparing_by_four_bits_first_finds_what_comparing_whole_vectors_finds(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    vectors = [unit(*rng.normal(size=DIMENSION)) for _ in range(400)]
    found = []
    for quantization in ("none", "auto"):
        store = opened(tmp_path / quantization, quantization=quantization)
        store.upsert([indexed(f"c{i}", vector) for i, vector in enumerate(vectors)])
        found.append([store.search_dense(vector, limit=10, scope=SearchScope()) for vector in vectors[:20]])
        store.close()
    assert found[0] == found[1]


def clusters(count: int, *, dimension: int = 384) -> list[Vector]:
    """Vectors in tens that are nearly alike."""
    rng = np.random.default_rng(6)
    return [
        unit(*(centre + 0.2 * rng.normal(size=dimension)))
        for centre in rng.normal(size=(count // 10, dimension))
        for _ in range(10)
    ]


@pytest.mark.parametrize("later", ["auto", "none", "int8", "int4"])
def test_scores_are_those_of_whole_vectors_whatever_is_set_later(tmp_path: Path, later: QuantizationChoice) -> None:
    vectors = clusters(600)
    for quantization in ("auto", later):
        store = EdgeStore(tmp_path / "index", quantization=quantization)
        if quantization == "auto" and not store.count(SearchScope()):
            store.upsert([indexed(f"c{i}", vector) for i, vector in enumerate(vectors)])
        found = [store.search_dense(vector, limit=20, scope=SearchScope()) for vector in vectors[:10]]
        store.close()
    numbers = {id_of(f"c{i}"): i for i in range(len(vectors))}
    for vector, hits in zip(vectors, found, strict=False):
        exact = sorted((float(vector @ other) for other in vectors), reverse=True)[:20]
        assert [hit.score for hit in hits] == pytest.approx(exact, abs=2e-6)
        own = [float(vector @ vectors[numbers[hit.chunk_id]]) for hit in hits]
        assert [hit.score for hit in hits] == pytest.approx(own, abs=2e-6)


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


def test_another_quantization_is_not_due_where_there_is_no_graph(tmp_path: Path) -> None:
    store = opened(tmp_path / "index", quantization="int8", seal_every=400)
    store.upsert(chunks(0, 400))
    assert closed_segments(tmp_path / "index") == 1
    store.close()
    again = opened(tmp_path / "index")
    assert not again.due()
    again.close()


@pytest.mark.parametrize(("documents", "due"), [(1, False), (3, True)])
def test_a_graph_of_which_so_much_is_deleted_that_all_is_compared_counts_no_more(
    tmp_path: Path, documents: int, due: bool
) -> None:
    store = opened(tmp_path / "index")
    store.upsert(chunks(0, 600))
    store.optimize()
    for number in range(documents):  # 550 or 450 are left in the graph
        store.delete(f"{number}.md")
    store.upsert(chunks(600, 900))
    store.close()
    again = opened(tmp_path / "index")
    assert again.due() == due
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


def test_chunks_that_were_deleted_count_for_they_stay_in_memory(tmp_path: Path) -> None:
    store = opened(tmp_path / "index", seal_every=100)
    store.upsert(chunks(0, 90))
    store.delete("0.md")
    store.delete("1.md")
    store.close()
    again = opened(tmp_path / "index", seal_every=100)
    again.upsert(chunks(100, 109))
    assert again._unsealed == 99
    again.upsert(chunks(109, 110))
    assert again._unsealed == 0
    again.close()


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
