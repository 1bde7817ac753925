"""When an ingest optimises the store: after many chunks, or where the store says that it is due."""

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.filing import Left
from rag.adapters.catalogue import SqlCatalogue
from rag.adapters.edge_store import EdgeStore
from rag.adapters.embedding import OpenVinoEmbedder
from rag.adapters.sql import sqlite_url
from rag.errors import ServiceUnavailable, StoreUnavailable
from rag.ingest.indexer import Indexer
from rag.ingest.report import Progress
from rag.ingest.writing import OPTIMIZE_FROM, optimize_if_due
from rag.protocols import SearchScope


class Store:
    """Says whether it is due and counts how often it is optimised."""

    def __init__(self, *, is_due: bool, fails: bool = False) -> None:
        self.is_due, self.fails, self.optimized = is_due, fails, 0

    def due(self) -> bool:
        return self.is_due

    def optimize(self, **_: object) -> None:
        self.optimized += 1
        if self.fails:
            raise StoreUnavailable("The disk is full: 3.0 MB are left.")


@pytest.mark.parametrize(
    ("written", "is_due", "optimized"),
    [(0, False, 0), (OPTIMIZE_FROM - 1, False, 0), (OPTIMIZE_FROM, False, 1), (0, True, 1), (1, True, 1)],
)
def test_a_store_is_optimised_after_many_chunks_or_where_it_is_due(written: int, is_due: bool, optimized: int) -> None:
    store = Store(is_due=is_due)
    optimize_if_due(store, written)  # type: ignore[arg-type]
    assert store.optimized == optimized


def test_a_failure_to_optimise_is_told_and_takes_back_no_ingest(caplog: pytest.LogCaptureFixture) -> None:
    store = Store(is_due=True, fails=True)
    with caplog.at_level(logging.WARNING):
        optimize_if_due(store, 5)  # type: ignore[arg-type]
    assert store.optimized == 1
    assert caplog.messages == [
        "All is indexed, but the index was not optimised. A later ingest tries again. The disk is full: 3.0 MB are "
        "left."
    ]


# --- with the embedded engine ------------------------------------------------------------------------------------

GRAPH_FROM = 10


class Index:
    """An index that wants a graph from 10 chunks on."""

    def __init__(self, folder: Path, embedder: OpenVinoEmbedder) -> None:
        self.folder = folder
        self.store = EdgeStore(folder / "vectors", exact_up_to=GRAPH_FROM)
        self.catalogue = SqlCatalogue(sqlite_url(folder / "catalogue.db"))
        self.indexer = Indexer(self.store, self.catalogue, embedder, files_dir=folder / "files")

    def chunks(self) -> int:
        return self.store.count(SearchScope())

    def closed_segments(self) -> int:
        return len(list((self.folder / "vectors" / "segments").glob("*/id_tracker.i2e")))

    def close(self) -> None:
        self.store.close()
        self.catalogue.close()


@pytest.fixture
def index(tmp_path: Path, embedder: OpenVinoEmbedder) -> Iterator[Index]:
    opened = Index(tmp_path, embedder)
    yield opened
    opened.close()


def text_of(number: int) -> str:
    """A document of a few chunks."""
    sections = (f"## Pump {number}.{part}\n\nPump {number}.{part} stands in hall {part}." for part in range(8))
    return f"# Hall {number}\n\n" + "\n\n".join(sections)


def test_small_uploads_get_a_graph_when_together_they_are_many(index: Index) -> None:
    graphs = {}
    for number in range(6):
        index.indexer.ingest_bytes(f"{number}.md", text_of(number).encode())
        graphs[index.chunks()] = index.closed_segments()
    assert max(graphs) >= 2 * GRAPH_FROM
    assert {chunks: bool(closed) for chunks, closed in graphs.items()} == {
        chunks: chunks >= GRAPH_FROM for chunks in graphs
    }


OPTIMISES_FOR_LONG = """
import os, sys, time
from pathlib import Path
pid = Path(sys.argv[1]).with_name("pid")
pid.with_suffix(".part").write_text(str(os.getpid()))
pid.with_suffix(".part").rename(pid)
time.sleep(60)
"""


@pytest.mark.parametrize("error", [ServiceUnavailable("The server is ending."), Left()])
def test_who_waits_no_longer_breaks_off_the_optimising_and_the_document_is_indexed(
    index: Index,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: BaseException,
) -> None:
    def check() -> None:
        if (tmp_path / "pid").exists():
            raise error

    pages = b"\n\n".join(text_of(number).encode() for number in range(4))
    with monkeypatch.context() as slow, caplog.at_level(logging.WARNING):
        slow.setattr("rag.adapters.edge_optimizer._SCRIPT", OPTIMISES_FOR_LONG)
        outcome = index.indexer.ingest_bytes("halls.md", pages, check=check)
    assert (outcome.outcome, index.chunks()) == ("added", outcome.chunks)
    assert outcome.chunks >= GRAPH_FROM
    assert "was broken off, because nobody waits for it any more" in caplog.text
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
    assert list(tmp_path.glob("vectors.*")) == []
    index.store.optimize()
    assert index.closed_segments() == 1


def test_an_interrupted_ingest_gets_its_graph_when_it_is_resumed(index: Index, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(4):
        (folder / f"{number}.md").write_text(text_of(number), encoding="utf-8")

    def stop(progress: Progress) -> None:
        if progress.files_done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index.indexer.ingest([folder], progress=stop)
    assert (index.chunks() >= GRAPH_FROM, index.closed_segments()) == (True, 0)
    report = index.indexer.ingest([folder])
    assert {file.outcome for file in report.files} <= {"unchanged", "added"}
    assert index.closed_segments() == 1
    index.indexer.ingest([folder])
    assert not index.store.due()
