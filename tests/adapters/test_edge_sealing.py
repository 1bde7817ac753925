"""The segment being written is closed at intervals: memory stays flat, nothing that is found changes."""

import hashlib
import logging
import os
import shutil
from pathlib import Path

import pytest
from store_samples import ALL, DIMENSION, OLD, id_of, indexed, terms, unit
from test_edge_graphs import sealed_segments

from rag.adapters import edge_index, edge_optimizer
from rag.adapters.edge_store import EdgeStore
from rag.models import Filters
from rag.protocols import IndexedChunk, SearchScope

CHUNKS = 600
WRITTEN_ONCE = (
    "chunk_0.mmap",
    "quantized.data",
    "inverted_index.dat",
    "indices_tracker.json",
    "page_0.dat",
    "point_to_values.bin",
    "values_to_points.bin",
)


def chunks() -> list[IndexedChunk]:
    return [
        indexed(f"c{i}", unit(1, i, i % 7, 1), terms(t1=1.0 + i % 5, t2=0.5), document=f"{i % 3}.md", chapter=i % 4)
        for i in range(CHUNKS)
    ]


def filled(path: Path, seal_every: int) -> EdgeStore:
    """A store into which the chunks were written a hundred at a time."""
    store = EdgeStore(path, dimension=DIMENSION, seal_every=seal_every)
    written = chunks()
    for start in range(0, CHUNKS, 100):
        store.upsert(written[start : start + 100])
    return store


def test_closing_segments_changes_no_result(tmp_path: Path) -> None:
    one, many = filled(tmp_path / "one", seal_every=10_000), filled(tmp_path / "many", seal_every=400)
    assert (len(sealed_segments(tmp_path / "one")), len(sealed_segments(tmp_path / "many"))) == (0, 1)
    asked = unit(1, 40, 3, 1), terms(t1=1.0, t2=2.0)
    for scope in (ALL, SearchScope(Filters(chapter=2)), SearchScope(hidden_versions=(("1.md", OLD),))):
        assert many.search_hybrid(*asked, limit=40, scope=scope) == one.search_hybrid(*asked, limit=40, scope=scope)
        assert many.facets("document", scope) == one.facets("document", scope)
        assert many.facets("chapter", scope) == one.facets("chapter", scope)
        assert many.count(scope) == one.count(scope)
    one.close()
    many.close()


def test_what_was_deleted_or_written_anew_after_closing_stays_so_through_the_next_one_and_a_restart(
    tmp_path: Path,
) -> None:
    store = filled(tmp_path / "index", seal_every=300)
    store.delete("0.md")
    store.upsert([indexed("c1", unit(0, 0, 0, 1), document="1.md", chapter=9)])
    store.upsert([indexed(f"more{i}", document="more.md") for i in range(300)])
    assert len(sealed_segments(tmp_path / "index")) == 3
    store.close()
    again = EdgeStore(tmp_path / "index", dimension=DIMENSION)
    assert again.facets("document", ALL) == {"1.md": 200, "2.md": 200, "more.md": 300}
    assert [item.chunk.chapter for item in again.fetch([id_of("c1")])] == [9]
    assert again.fetch([id_of("c0")]) == []
    again.close()


def test_files_that_a_copy_shares_are_never_written_to_and_not_copied_the_next_time(tmp_path: Path) -> None:
    store = filled(tmp_path / "index", seal_every=300)
    shared = {path: _hash(path) for path in (tmp_path / "index").rglob("*") if _is_shared(path)}
    assert {path.name for path in shared} == set(WRITTEN_ONCE) - {"quantized.data"}
    store.delete("0.md")
    store.upsert(chunks()[1:90:3])  # ids that stand in closed segments
    assert {path: _hash(path) for path in shared} == shared
    numbers = {path: path.stat().st_ino for path in shared}
    store.upsert([indexed(f"more{i}") for i in range(300)])
    assert len(sealed_segments(tmp_path / "index")) == 3
    assert {path: path.stat().st_ino for path in shared} == numbers
    assert {path: _hash(path) for path in shared} == shared
    store.close()


def _is_shared(path: Path) -> bool:
    segments = sealed_segments(next(above for above in path.parents if above.name == "index"))
    return path.name in WRITTEN_ONCE and any(segment in path.parents for segment in segments)


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_where_segments_cannot_be_closed_writing_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("rag.adapters.edge_optimizer._SCRIPT", "raise SystemExit('no space left on device')")
    with caplog.at_level(logging.WARNING):
        store = filled(tmp_path / "index", seal_every=300)
    assert store.count(ALL) == CHUNKS
    assert sealed_segments(tmp_path / "index") == []
    assert sum("stays in memory for now" in line for line in caplog.messages) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    store.close()


def test_of_an_engine_whose_files_are_not_known_nothing_is_shared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = filled(tmp_path / "index", seal_every=300)
    shared = {path.relative_to(tmp_path / "index") for path in (tmp_path / "index").rglob("*") if _is_shared(path)}
    monkeypatch.setattr(edge_optimizer, "_KNOWN_ENGINE", "0.10.0")
    edge_optimizer._is_known.cache_clear()
    shutil.copytree(tmp_path / "index", tmp_path / "copy", copy_function=edge_optimizer.copied)
    edge_optimizer._is_known.cache_clear()
    assert len(shared) > 5
    assert [path for path in shared if (tmp_path / "copy" / path).samefile(tmp_path / "index" / path)] == []
    store.close()


def test_with_little_room_on_the_disk_segments_are_left_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_index, "TO_SEAL", 1 << 60)
    store = filled(tmp_path / "index", seal_every=300)
    assert (store.count(ALL), sealed_segments(tmp_path / "index")) == (CHUNKS, [])
    store.close()


def test_a_log_file_that_the_engine_renames_while_files_are_synced_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("open-1", "tmp-open-2"):
        (tmp_path / name).write_bytes(b"")
    open_file, asked = os.open, []

    def renaming(path: Path, flags: int) -> int:
        if path.name == "tmp-open-2":
            path.rename(tmp_path / "open-2")
        asked.append(path.name)
        return open_file(path, flags)

    monkeypatch.setattr(edge_index.os, "open", renaming)
    edge_index._sync_files(tmp_path)
    assert {"open-1", "open-2"} <= set(asked)
