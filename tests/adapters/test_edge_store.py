"""What only the embedded store must do: one process, reopening, crashes, damaged files."""

import math
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from store_samples import ALL, DIMENSION, NEW, id_of, indexed, terms, unit

from rag.adapters.edge_store import EdgeStore
from rag.adapters.vector_layout import QuantizationChoice
from rag.errors import CandorError, IndexNotReady
from rag.models import Filters
from rag.protocols import SearchScope

ROOT = Path(__file__).parents[2]


def start(script: str, *arguments: str) -> subprocess.Popen[str]:
    """Run a script in another process that can import the tests' samples."""
    path = os.pathsep.join([str(ROOT), str(Path(__file__).parent)])
    command = [sys.executable, "-u", "-c", textwrap.dedent(script), *arguments]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path}
    )


def test_optimising_and_reopening_change_no_result(tmp_path: Path) -> None:
    store = EdgeStore(tmp_path, dimension=DIMENSION)
    store.upsert([indexed(f"c{i}", unit(1, i, 0, 0), terms(t1=1.0 + i), document=f"{i % 3}.md") for i in range(90)])
    store.delete("0.md")
    before = store.search_hybrid(unit(1, 3, 0, 0), terms(t1=1.0), limit=20, scope=ALL)
    store.optimize()
    assert store.search_hybrid(unit(1, 3, 0, 0), terms(t1=1.0), limit=20, scope=ALL) == before
    assert store.count(ALL) == 60
    store.upsert([indexed("c1", unit(1, 1, 0, 0), document="1.md"), indexed("new", document="1.md")])
    store.delete("2.md")
    assert store.count(ALL) == store.count(SearchScope(hidden_versions=(("none", "none"),))) == 31
    assert sum(1 for _ in store.scroll(ALL)) == 31
    at_last = store.search_hybrid(unit(1, 3, 0, 0), terms(t1=1.0), limit=20, scope=ALL)
    store.close()
    again = EdgeStore(tmp_path, dimension=DIMENSION)
    assert again.search_hybrid(unit(1, 3, 0, 0), terms(t1=1.0), limit=20, scope=ALL) == at_last
    again.close()


@pytest.mark.parametrize("quantization", ["none", "int8", "int4", "auto"])
def test_a_graph_above_the_threshold_finds_what_comparing_all_finds(
    tmp_path: Path, quantization: QuantizationChoice
) -> None:
    store = EdgeStore(tmp_path, dimension=32, exact_up_to=1_000, quantization=quantization)
    rng = np.random.default_rng(3)
    windows = [np.stack([unit(*rng.normal(size=32)) for _ in range(2)]) for _ in range(2_000)]
    store.upsert([indexed(f"c{i}", rows) for i, rows in enumerate(windows)])
    asked = [windows[i][i % 2] for i in range(20)]
    exact = [store.search_dense(vector, limit=10, scope=ALL) for vector in asked]
    store.optimize()
    assert any((tmp_path / "segments").glob("*/vector_index-windows/graph*"))
    found = [store.search_dense(vector, limit=10, scope=ALL) for vector in asked]
    scores = {hit.chunk_id: hit.score for hit in exact[0]}
    assert all(scores.get(hit.chunk_id, hit.score) == pytest.approx(hit.score, abs=2e-6) for hit in found[0])
    hits = sum(
        len({one.chunk_id for one in a} & {one.chunk_id for one in b}) for a, b in zip(exact, found, strict=True)
    )
    assert hits >= 180  # of 200
    store.close()


def test_a_second_process_is_told_that_the_index_is_in_use(tmp_path: Path) -> None:
    store = EdgeStore(tmp_path, dimension=DIMENSION)
    script = """
        import sys
        from rag.adapters.edge_store import EdgeStore
        from rag.errors import IndexNotReady
        try:
            EdgeStore(sys.argv[1], dimension=4)
        except IndexNotReady as error:
            print(error.message, error.exit_code, error.__cause__ is not None)
    """
    with start(script, str(tmp_path)) as other:
        output, _ = other.communicate(timeout=60)
    assert f"The index in {str(tmp_path)!r} is in use by another process" in output
    assert "QDRANT_URL" in output
    assert output.strip().endswith("1 True")
    store.upsert([indexed("a")])  # the refused opening did no harm
    assert store.count(ALL) == 1
    store.close()


def test_nothing_acknowledged_is_lost_when_the_process_is_killed_while_writing(tmp_path: Path) -> None:
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
    with start(script, str(tmp_path)) as writer:
        acknowledged = [int(writer.stdout.readline()) for _ in range(25)]
        writer.send_signal(signal.SIGKILL)
        acknowledged += [int(line) for line in writer.stdout if line.endswith("\n")]
    assert writer.returncode == -signal.SIGKILL
    store = EdgeStore(tmp_path, dimension=DIMENSION)
    expected = [id_of(f"{turn}-{i}") for turn in acknowledged for i in range(20)]
    assert len(expected) >= 500
    assert [one.chunk.chunk_id for one in store.fetch(expected)] == expected
    assert store.count(SearchScope(Filters(source="doomed.md"))) == 0
    assert len(store.search_sparse(terms(t1=1.0), limit=len(expected), scope=ALL)) == len(expected)
    store.close()


@pytest.fixture
def closed_index(tmp_path: Path) -> Path:
    store = EdgeStore(tmp_path, dimension=DIMENSION)
    store.upsert([indexed(f"c{i}") for i in range(20)])
    store.close()
    return tmp_path


def test_an_index_of_another_dimension_is_refused_with_both_numbers_and_stays_usable(closed_index: Path) -> None:
    with pytest.raises(IndexNotReady, match=r"holds vectors of 4 dimensions.*gives 768"):
        EdgeStore(closed_index, dimension=768)
    again = EdgeStore(closed_index, dimension=DIMENSION)
    assert again.count(ALL) == 20
    again.close()


@pytest.mark.parametrize(
    "pattern", ["edge_config.json", "wal/open-*", "segments/*/segment.json", "segments/*/mutable_id_tracker.mappings"]
)
def test_damaged_files_are_reported_with_what_to_do(closed_index: Path, pattern: str) -> None:
    for file in closed_index.glob(pattern):
        file.write_bytes(b"\xff garbage")
    with pytest.raises(IndexNotReady, match=r"cannot be opened.*candor ingest --rebuild") as caught:
        EdgeStore(closed_index, dimension=DIMENSION)
    assert str(closed_index) in caught.value.message
    assert caught.value.__cause__ is not None


def test_a_panic_of_the_engine_is_translated(closed_index: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for file in closed_index.glob("segments/*/payload_storage/tracker.dat"):
        file.write_bytes(b"\xff garbage" * 7)
        file.with_name("tracker_journal.dat").unlink()  # with its journals, the engine mends itself
    shutil.rmtree(closed_index / "wal")
    with pytest.raises(CandorError, match=r"candor ingest --rebuild") as caught:
        list(EdgeStore(closed_index, dimension=DIMENSION).scroll(ALL))
    assert type(caught.value.__cause__).__name__ == "PanicException"
    assert "panicked" in capfd.readouterr().err


@pytest.mark.parametrize("hidden", [(), (("manual.pdf", NEW),)])
def test_words_counted_elsewhere_give_the_scores_that_the_engine_counts(
    tmp_path: Path, hidden: tuple[tuple[str, str], ...]
) -> None:
    # Term 1 stands in all 20 visible chunks, term 2 in 10, term 3 in 4; the 5 hidden ones have every term.
    visible = [
        indexed(f"c{i}", sparse=terms(t1=1.0, **{"t2": 0.5 + i / 40} if i % 2 else {}, **{"t3": 2.0} if i > 15 else {}))
        for i in range(20)
    ]
    unseen = [indexed(f"n{i}", sparse=terms(t1=2.0, t2=2.0, t3=2.0), version=NEW) for i in range(5)] if hidden else []
    counted = EdgeStore(tmp_path / "a", dimension=DIMENSION, word_counts=lambda asked: (20, {1: 20, 2: 10, 3: 4}))
    counting = EdgeStore(tmp_path / "b", dimension=DIMENSION)
    scope, asked = SearchScope(hidden_versions=hidden), terms(t1=1.0, t2=1.0, t3=1.0, t4=1.0)
    for store in (counted, counting):
        store.upsert([*visible, *unseen])
        store.delete("nobody")
    one, two = (store.search_sparse(asked, limit=20, scope=scope) for store in (counted, counting))
    assert [hit.chunk_id for hit in one] == [hit.chunk_id for hit in two]
    assert [hit.score for hit in one] == pytest.approx([hit.score for hit in two], rel=1e-5)
    # by hand: c19 has t1 (in 20 of 20), t2 at 0.5 + 19/40 (10 of 20) and t3 at 2 (4 of 20)
    best = math.log(1 + 0.5 / 20.5) + 0.975 * math.log(1 + 10.5 / 10.5) + 2 * math.log(1 + 16.5 / 4.5)
    assert (one[0].chunk_id, one[0].score) == (id_of("c19"), pytest.approx(best, rel=1e-5))
    assert counted.search_hybrid(unit(1, 0, 0, 0), asked, limit=20, scope=scope)[1] == one
    scores = counted.score_sparse(asked, [id_of("c19"), id_of("c0")], scope=scope)
    assert scores == {hit.chunk_id: hit.score for hit in one if hit.chunk_id in (id_of("c19"), id_of("c0"))}
    for store in (counted, counting):
        store.close()


def graph_sized(path: Path) -> EdgeStore:
    """A store that has enough chunks for a graph."""
    store = EdgeStore(path, dimension=DIMENSION, exact_up_to=500)
    store.upsert([indexed(f"c{i}", unit(1, i, i % 7, 1), terms(t1=1.0)) for i in range(1_000)])
    return store


def test_questions_are_answered_while_a_graph_is_built(tmp_path: Path) -> None:
    store = graph_sized(tmp_path / "index")
    before = store.search_hybrid(unit(1, 3, 0, 0), terms(t1=1.0), limit=5, scope=ALL)
    worker = Thread(target=store.optimize)
    worker.start()
    answered = 0
    while worker.is_alive():
        if any(tmp_path.glob("index.optimizing.*")):
            assert store.search_hybrid(unit(1, 3, 0, 0), terms(t1=1.0), limit=5, scope=ALL) == before
            answered += worker.is_alive()
    assert answered > 0
    assert any((tmp_path / "index" / "segments").glob("*/vector_index-windows/graph*"))
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    store.upsert([indexed("new")])
    store.close()
    again = EdgeStore(tmp_path / "index", dimension=DIMENSION, exact_up_to=500)
    assert again.count(ALL) == 1_001
    again.close()


def test_a_crash_between_the_two_renames_loses_nothing(tmp_path: Path) -> None:
    store = graph_sized(tmp_path / "index")
    store.close()
    (tmp_path / "index").rename(tmp_path / "index.before")
    (tmp_path / "index.optimizing.1").mkdir()
    again = EdgeStore(tmp_path / "index", dimension=DIMENSION, exact_up_to=500)
    assert again.count(ALL) == 1_000
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    again.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_what_optimises_ends_with_the_process_that_waits_for_it_and_its_copy_is_nobodys(tmp_path: Path) -> None:
    graph_sized(tmp_path / "index").close()
    waiting = start(
        """
        import sys
        from pathlib import Path
        from rag.adapters import edge_optimizer
        edge_optimizer._SCRIPT = (
            "import os, sys, time; from pathlib import Path; "
            "Path(sys.argv[1]).with_name('pid').write_text(str(os.getpid())); time.sleep(120)"
        )
        edge_optimizer.optimized_copy(Path(sys.argv[1]), {})
        """,
        str(tmp_path / "index"),
    )
    child = tmp_path / "pid"
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
    again = EdgeStore(tmp_path / "index", dimension=DIMENSION, exact_up_to=500)
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    again.close()
