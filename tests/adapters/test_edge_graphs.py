"""Segments: closed at intervals, and with a graph when one is due; whatever goes wrong meanwhile loses nothing."""

import logging
import os
import resource
import shutil
from pathlib import Path

import pytest
from store_samples import ALL, OLD, id_of, indexed, start, terms, unit

from rag.adapters import edge_files, edge_index, edge_optimizer
from rag.adapters.edge_config import indexed_dimension
from rag.errors import IndexNotReady, StoreUnavailable
from rag.models import Filters
from rag.protocols import SearchScope

CHUNKS = 600
BOUND = 500  # chunks from which a graph is due here
FAILS = "raise SystemExit('no space left on device')"


def chunks(first=0, end=CHUNKS):
    def words(i):
        return terms(t1=1.0 + i % 5, t2=0.5)

    numbers = range(first, end)
    return [indexed(f"c{i}", unit(1, i, i % 7, 1), words(i), document=f"{i % 3}.md", chapter=i % 4) for i in numbers]


def filled(store):
    """A store into which the chunks were written a hundred at a time."""
    for first in range(0, CHUNKS, 100):
        store.upsert(chunks(first, first + 100))
    return store


def closed(store):
    """How many segments are closed: all but the one that is written to."""
    return store._shard.info().segments_count - 1


def test_a_graph_is_due_once_many_small_ingests_of_as_many_processes_reach_the_bound_and_again_after_as_many(edge):
    due = []
    for first in range(0, 500, 100):
        store = edge(exact_up_to=BOUND)
        store.upsert(chunks(first, first + 100))
        due.append(store.due())
        store.close()
    assert due == [False, False, False, False, True]
    store = edge(exact_up_to=BOUND)
    store.optimize()
    due = [store.due()]
    for first, end in ((500, 999), (999, 1_000)):
        store.upsert(chunks(first, end))
        due.append(store.due())
    assert due == [False, False, True]


def test_optimising_that_failed_is_tried_again_after_more_chunks_or_by_the_next_process(tmp_path, edge, monkeypatch):
    monkeypatch.setattr(edge_index, "RETRY_AFTER", 50)
    store = filled(edge(exact_up_to=BOUND))
    with monkeypatch.context() as broken:
        broken.setattr(edge_optimizer, "_SCRIPT", FAILS)
        with pytest.raises(StoreUnavailable, match=r"ended with 1: no space left.*Check the disk"):
            store.optimize()
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    assert (store.due(), store.count(ALL)) == (False, 600)
    store.upsert(chunks(600, 649))
    assert not store.due()
    store.upsert(chunks(649, 650))
    assert store.due()
    store.close()
    again = edge(exact_up_to=BOUND)
    assert again.due()
    again.optimize()
    assert not again.due()


def test_what_earlier_processes_wrote_counts_towards_closing_the_segment_also_what_a_killed_one_wrote(tmp_path, edge):
    # 80 a day, closed at 100: on days 2, 3, 4 and 5 the count goes 80 + 20, 60 + 40, 40 + 60, 20 + 80.
    counts = []
    for day in range(6):
        store = edge(seal_every=100)
        for first in range(day * 80, day * 80 + 80, 20):
            store.upsert(chunks(first, first + 20))
        counts.append(closed(store))
        store.close()
    assert counts == [0, 1, 2, 3, 4, 4]
    script = """
        import os, sys
        from store_samples import indexed
        from rag.adapters.edge_store import EdgeStore
        store = EdgeStore(sys.argv[1], dimension=4)
        store.upsert([indexed(f"before{i}") for i in range(90)])
        os._exit(0)
    """
    with start(script, tmp_path / "killed") as killed:
        killed.wait(timeout=60)
    store = edge(tmp_path / "killed", seal_every=100)
    store.upsert(chunks(0, 10))
    assert closed(store) == 1


def test_closing_segments_changes_no_result(tmp_path, edge):
    one, many = filled(edge(tmp_path / "one")), filled(edge(tmp_path / "many", seal_every=400))
    assert (closed(one), closed(many)) == (0, 1)
    asked = unit(1, 40, 3, 1), terms(t1=1.0, t2=2.0)
    for scope in (ALL, SearchScope(Filters(chapter=2)), SearchScope(hidden_versions=(("1.md", OLD),))):
        assert many.search_hybrid(*asked, limit=40, scope=scope) == one.search_hybrid(*asked, limit=40, scope=scope)
        assert many.facets("chapter", scope) == one.facets("chapter", scope)
        assert many.count(scope) == one.count(scope)


def test_what_was_deleted_or_written_anew_after_closing_stays_so_through_the_next_one_and_a_restart(edge):
    store = filled(edge(seal_every=300))
    store.delete("0.md")
    store.upsert([indexed("c1", unit(0, 0, 0, 1), document="1.md", chapter=9)])
    store.upsert([indexed(f"more{i}", document="more.md") for i in range(300)])
    assert closed(store) == 3
    store.close()
    again = edge()
    assert again.facets("document", ALL) == {"1.md": 200, "2.md": 200, "more.md": 300}
    assert [item.chunk.chapter for item in again.fetch([id_of("c1"), id_of("c0")])] == [9]


def test_a_copy_is_the_index_byte_for_byte_and_keeps_its_holes(tmp_path, edge):
    store = filled(edge(seal_every=300))
    store.close()
    shutil.copytree(store.path, tmp_path / "copy", copy_function=edge_files.copied)
    files = [file.relative_to(store.path) for file in store.path.rglob("*") if file.is_file()]
    assert len(files) > 20
    assert [name for name in files if (store.path / name).samefile(tmp_path / "copy" / name)] == []
    same = ((store.path / name).read_bytes() == (tmp_path / "copy" / name).read_bytes() for name in files)
    assert all(same)
    room = sum(file.stat().st_size for file in store.path.rglob("*"))
    assert edge_files.used_bytes(tmp_path / "copy") < room / 4


@pytest.mark.parametrize("note", [None, b"", b"{", b'{"dimension": 4}', b"\xff", b"[1]"])
def test_an_index_whose_note_is_missing_or_damaged_opens_whole_and_is_optimised_once_more(edge, note):
    store = filled(edge(exact_up_to=BOUND))
    store.optimize()
    asked = unit(1, 40, 3, 1), terms(t1=1.0, t2=2.0)
    before = store.search_hybrid(*asked, limit=40, scope=ALL)
    assert not store.due()
    store.close()
    file = store.path / "candor_segments.json"
    file.unlink() if note is None else file.write_bytes(note)
    assert indexed_dimension(store.path) == 4
    again = edge(exact_up_to=BOUND)
    assert (again.search_hybrid(*asked, limit=40, scope=ALL), again.due()) == (before, True)
    again.optimize()
    assert (again.search_hybrid(*asked, limit=40, scope=ALL), again.due()) == (before, False)
    assert indexed_dimension(store.path) == 4  # as noted: the index is open


def test_where_segments_cannot_be_closed_or_there_is_little_room_writing_goes_on(tmp_path, edge, monkeypatch, caplog):
    with caplog.at_level(logging.WARNING), monkeypatch.context() as broken:
        broken.setattr(edge_optimizer, "_SCRIPT", FAILS)
        failing = filled(edge(seal_every=300))
    assert sum("stays in memory for now" in line for line in caplog.messages) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    monkeypatch.setattr(edge_index, "TO_SEAL", 1 << 60)
    for store in (failing, filled(edge(tmp_path / "full", seal_every=300))):
        assert (store.count(ALL), closed(store)) == (CHUNKS, 0)


def test_a_log_file_that_the_engine_renames_while_files_are_synced_is_no_failure_and_all_is_flushed(edge, monkeypatch):
    store, open_file, flushed = edge(), Path.open, []
    monkeypatch.setattr(store, "_flush", lambda: flushed.append("all"))
    store.upsert(chunks(0, 1))
    assert flushed == []

    def renamed(path, mode="r", *more, **given):
        if path.parent == store.path / "wal":
            raise FileNotFoundError(path)
        return open_file(path, mode, *more, **given)

    monkeypatch.setattr(Path, "open", renamed)
    store.upsert(chunks(1, 2))
    assert flushed == ["all"]


@pytest.fixture
def limits():
    """The limits of open files, which are put back."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield before
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc to count open files")
@pytest.mark.parametrize("spare", [0, 1])
def test_while_an_optimised_copy_cannot_be_opened_questions_are_answered_and_what_is_written_later_is_there(
    tmp_path, edge, monkeypatch, limits, spare
):
    store, take_place = filled(edge(exact_up_to=BOUND)), edge_optimizer.take_place
    before = store.search_hybrid(unit(1, 40, 3, 1), terms(t1=1.0), limit=10, scope=ALL)

    def with_few_files_left(copy, index):
        take_place(copy, index)
        taken = {int(name) for name in os.listdir("/proc/self/fd")}  # noqa: PTH208
        free = [number for number in range(limits[0]) if number not in taken]
        resource.setrlimit(resource.RLIMIT_NOFILE, (free[spare], limits[1]))

    with monkeypatch.context() as broken:
        broken.setattr(edge_optimizer, "take_place", with_few_files_left)
        with pytest.raises(StoreUnavailable, match=r"Too many open files|os error 24"):
            store.optimize()
    assert store.search_hybrid(unit(1, 40, 3, 1), terms(t1=1.0), limit=10, scope=ALL) == before
    with pytest.raises(StoreUnavailable):
        store.upsert([indexed("refused")])
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    store.upsert([indexed("after")])
    store.delete("nobody")
    assert store.count(ALL) == CHUNKS + 1
    store.close()
    again = edge(exact_up_to=BOUND)
    assert again.count(ALL) == CHUNKS + 1
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    again.optimize()
    assert again.count(ALL) == CHUNKS + 1


def test_who_opens_the_index_between_exchange_and_opening_has_it_and_this_writes_nothing(tmp_path, edge, monkeypatch):
    script = """
        import sys
        from store_samples import indexed
        from rag.adapters.edge_store import EdgeStore
        sys.stdin.readline()
        store = EdgeStore(sys.argv[1], dimension=4, exact_up_to=500)
        store.upsert([indexed("theirs")])
        print("open")
        sys.stdin.readline()
        store.close()
    """
    quicker, take_place = start(script, tmp_path / "index"), edge_optimizer.take_place

    def overtaken(copy, index):
        take_place(copy, index)
        quicker.stdin.write("\n")
        quicker.stdin.flush()
        assert quicker.stdout.readline() == "open\n"

    store, in_use = filled(edge(exact_up_to=BOUND)), "in use by another process.*QDRANT_URL"
    with monkeypatch.context() as context:
        context.setattr(edge_optimizer, "take_place", overtaken)
        with pytest.raises(IndexNotReady, match=in_use):
            store.optimize()
    with pytest.raises(IndexNotReady, match=in_use):
        store.upsert([indexed("ours")])
    quicker.communicate("\n", timeout=60)
    store.upsert([indexed("ours")])
    store.close()
    assert edge(exact_up_to=BOUND).count(ALL) == CHUNKS + 2
