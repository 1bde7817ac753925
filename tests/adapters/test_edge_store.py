"""What only the embedded store must do: one process, reopening, crashes, damaged files."""

import math
import shutil
import signal
import sys
import time
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from store_samples import ALL, DIMENSION, NEW, id_of, indexed, start, terms, unit

from rag.adapters.edge_store import EdgeStore
from rag.errors import CandorError, IndexNotReady
from rag.models import Filters
from rag.protocols import SearchScope


def asked(store, limit=20):
    return store.search_hybrid(unit(1, 3, 0, 0), terms(t1=1.0), limit=limit, scope=ALL)


def test_optimising_and_reopening_change_no_result(edge):
    store = edge()
    store.upsert([indexed(f"c{i}", unit(1, i, 0, 0), terms(t1=1.0 + i), document=f"{i % 3}.md") for i in range(90)])
    store.delete("0.md")
    before = asked(store)
    store.optimize()
    assert (asked(store), store.count(ALL)) == (before, 60)
    store.upsert([indexed("c1", unit(1, 1, 0, 0), document="1.md"), indexed("new", document="1.md")])
    store.delete("2.md")
    assert store.count(ALL) == store.count(SearchScope(hidden_versions=(("none", "none"),))) == 31
    assert sum(1 for _ in store.scroll(ALL)) == 31
    at_last = asked(store)
    store.close()
    assert asked(edge()) == at_last


@pytest.mark.parametrize("quantization", ["none", "int8", "int4", "auto"])
def test_a_graph_above_the_threshold_finds_what_comparing_all_finds(edge, quantization):
    store = edge(dimension=32, exact_up_to=1_000, quantization=quantization)
    rng = np.random.default_rng(3)
    windows = [np.stack([unit(*rng.normal(size=32)) for _ in range(2)]) for _ in range(2_000)]
    store.upsert([indexed(f"c{i}", rows) for i, rows in enumerate(windows)])
    wanted = [windows[i][i % 2] for i in range(20)]
    exact = [store.search_dense(vector, limit=10, scope=ALL) for vector in wanted]
    store.optimize()
    assert store._shard.info().indexed_vectors_count == 2_000
    found = [store.search_dense(vector, limit=10, scope=ALL) for vector in wanted]
    scores = dict(exact[0])
    assert all(scores.get(hit.chunk_id, hit.score) == pytest.approx(hit.score, abs=2e-6) for hit in found[0])
    assert sum(len(dict(a).keys() & dict(b)) for a, b in zip(exact, found, strict=True)) >= 180  # of 200


def test_nothing_acknowledged_is_lost_when_the_process_is_killed_while_writing(tmp_path, edge):
    script = """
        import sys
        from store_samples import indexed, terms, unit
        from rag.adapters.edge_store import EdgeStore
        store = EdgeStore(sys.argv[1], dimension=4)
        store.upsert([indexed(f"doomed{i}", document="doomed.md") for i in range(20)])
        store.delete("doomed.md")
        for turn in range(100_000):
            store.upsert([indexed(f"{turn}-{i}", unit(1, turn, i, 0), terms(t1=1.0)) for i in range(20)])
            print(turn, flush=True)
    """
    with start(script, tmp_path / "index") as writer:
        acknowledged = [int(writer.stdout.readline()) for _ in range(25)]
        writer.send_signal(signal.SIGKILL)
        acknowledged += [int(line) for line in writer.stdout if line.endswith("\n")]
    assert writer.returncode == -signal.SIGKILL
    store = edge()
    expected = [id_of(f"{turn}-{i}") for turn in acknowledged for i in range(20)]
    assert len(expected) >= 500
    assert [one.chunk.chunk_id for one in store.fetch(expected)] == expected
    assert store.count(SearchScope(Filters(source="doomed.md"))) == 0
    assert len(store.search_sparse(terms(t1=1.0), limit=len(expected), scope=ALL)) == len(expected)


@pytest.fixture
def closed_index(tmp_path, edge):
    store = edge()
    store.upsert([indexed(f"c{i}") for i in range(20)])
    store.close()
    return tmp_path / "index"


@pytest.mark.parametrize(
    "pattern", ["edge_config.json", "wal/open-*", "segments/*/segment.json", "segments/*/mutable_id_tracker.mappings"]
)
def test_another_dimension_is_refused_without_harm_and_damaged_files_are_reported(closed_index, edge, pattern):
    with pytest.raises(IndexNotReady, match=r"holds vectors of 4 dimensions.*gives 768"):
        EdgeStore(closed_index, dimension=768)
    again = edge()
    assert again.count(ALL) == 20
    again.close()
    for file in closed_index.glob(pattern):
        file.write_bytes(b"\xff garbage")
    with pytest.raises(IndexNotReady, match=rf"{closed_index}.*cannot be opened.*candor ingest --rebuild") as caught:
        EdgeStore(closed_index, dimension=DIMENSION)
    assert caught.value.__cause__ is not None


def test_a_panic_of_the_engine_is_translated(closed_index, capfd):
    for file in closed_index.glob("segments/*/payload_storage/tracker.dat"):
        file.write_bytes(b"\xff garbage" * 7)
        file.with_name("tracker_journal.dat").unlink()  # with its journals, the engine mends itself
    shutil.rmtree(closed_index / "wal")
    with pytest.raises(CandorError, match=r"candor ingest --rebuild") as caught:
        list(EdgeStore(closed_index, dimension=DIMENSION).scroll(ALL))
    assert type(caught.value.__cause__).__name__ == "PanicException"
    assert "panicked" in capfd.readouterr().err


@pytest.mark.parametrize("hidden", [(), (("manual.pdf", NEW),)])
def test_words_counted_elsewhere_give_the_scores_that_the_engine_counts(tmp_path, edge, hidden):
    # Term 1 stands in all 20 visible chunks, term 2 in 10, term 3 in 4; the 5 hidden ones have every term.
    visible = [
        indexed(f"c{i}", sparse=terms(t1=1.0, **{"t2": 0.5 + i / 40} if i % 2 else {}, **{"t3": 2.0} if i > 15 else {}))
        for i in range(20)
    ]
    unseen = [indexed(f"n{i}", sparse=terms(t1=2.0, t2=2.0, t3=2.0), version=NEW) for i in range(5)] if hidden else []
    counted, counting = edge(word_counts=lambda asked: (20, {1: 20, 2: 10, 3: 4})), edge(tmp_path / "other")
    scope, words = SearchScope(hidden_versions=hidden), terms(t1=1.0, t2=1.0, t3=1.0, t4=1.0)
    for store in (counted, counting):
        store.upsert([*visible, *unseen])
        store.delete("nobody")
    one, two = (store.search_sparse(words, limit=20, scope=scope) for store in (counted, counting))
    assert list(dict(one)) == list(dict(two))
    assert dict(one) == pytest.approx(dict(two), rel=1e-5)
    # by hand: c19 has t1 (in 20 of 20), t2 at 0.5 + 19/40 (10 of 20) and t3 at 2 (4 of 20)
    best = math.log(1 + 0.5 / 20.5) + 0.975 * math.log(1 + 10.5 / 10.5) + 2 * math.log(1 + 16.5 / 4.5)
    assert (one[0].chunk_id, one[0].score) == (id_of("c19"), pytest.approx(best, rel=1e-5))
    assert counted.search_hybrid(unit(1, 0, 0, 0), words, limit=20, scope=scope)[1] == one
    few = [id_of("c19"), id_of("c0")]
    assert counted.score_sparse(words, few, scope=scope) == {name: dict(one)[name] for name in few}


@pytest.fixture
def graph_sized(edge):
    """A store that has enough chunks for a graph."""
    store = edge(exact_up_to=500)
    store.upsert([indexed(f"c{i}", unit(1, i, i % 7, 1), terms(t1=1.0)) for i in range(1_000)])
    return store


def test_questions_are_answered_while_a_graph_is_built(tmp_path, edge, graph_sized):
    before = asked(graph_sized, limit=5)
    worker = Thread(target=graph_sized.optimize)
    worker.start()
    answered = 0
    while worker.is_alive():
        if any(tmp_path.glob("index.optimizing.*")):
            assert asked(graph_sized, limit=5) == before
            answered += worker.is_alive()
    assert answered > 0
    assert graph_sized._shard.info().indexed_vectors_count == 2_000  # those of windows and those of words
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    graph_sized.upsert([indexed("new")])
    graph_sized.close()
    assert edge(exact_up_to=500).count(ALL) == 1_001


def test_a_crash_between_the_two_renames_loses_nothing(tmp_path, edge, graph_sized):
    graph_sized.close()
    (tmp_path / "index").rename(tmp_path / "index.before")
    (tmp_path / "index.optimizing.1").mkdir()
    assert edge(exact_up_to=500).count(ALL) == 1_000
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_what_optimises_ends_with_the_process_that_waits_for_it_and_its_copy_is_nobodys(tmp_path, edge, graph_sized):
    graph_sized.close()
    script = """
        import sys
        from pathlib import Path
        from rag.adapters import edge_optimizer
        from rag.adapters.edge_files import read_segments
        index = Path(sys.argv[1])
        edge_optimizer._SCRIPT = (
            "import os, sys, time; from pathlib import Path; "
            "Path(sys.argv[1]).with_name('pid').write_text(str(os.getpid())); time.sleep(120)"
        )
        edge_optimizer.optimized_copy(index, {}, read_segments(index))
    """
    waiting, child = start(script, tmp_path / "index"), tmp_path / "pid"
    while not (child.exists() and child.read_text()):
        assert waiting.poll() is None
        time.sleep(0.02)
    assert len(list(tmp_path.glob("index.optimizing.*"))) == 1
    waiting.kill()
    waiting.communicate()
    state = Path(f"/proc/{child.read_text()}/stat")
    until = time.monotonic() + 60
    while state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < until
        time.sleep(0.02)
    child.unlink()
    edge(exact_up_to=500)
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
