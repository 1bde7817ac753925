"""When an ingest optimises the store: after many chunks, or where the store says that it is due."""

import logging
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from unittest.mock import Mock

import pytest
from indexes import Index

from api.filing import Left
from rag.adapters.bert_encoder import BertEncoder
from rag.errors import ServiceUnavailable, StoreUnavailable
from rag.ingest.report import Progress
from rag.ingest.writing import OPTIMIZE_FROM, optimize_if_due


@pytest.mark.parametrize(
    ("written", "is_due", "optimized"), [(OPTIMIZE_FROM - 1, False, 0), (OPTIMIZE_FROM, False, 1), (0, True, 1)]
)
def test_a_store_is_optimised_after_many_chunks_or_where_it_is_due_and_a_failure_is_told(
    written, is_due, optimized, caplog
):
    store = Mock(due=lambda: is_due)
    store.optimize.side_effect = StoreUnavailable("The disk is full: 3.0 MB are left.")
    with caplog.at_level(logging.WARNING):
        optimize_if_due(store, written)
    assert store.optimize.call_count == len(caplog.messages) == optimized
    assert all("A later ingest tries again. The disk is full" in said for said in caplog.messages)


GRAPH_FROM = 10


@pytest.fixture
def index(tmp_path: Path, embedder: BertEncoder) -> Iterator[Index]:
    """An index that wants a graph from 10 chunks on."""
    with closing(Index(tmp_path, embedder, exact_up_to=GRAPH_FROM)) as opened:
        yield opened


def closed_segments(index: Index) -> int:
    return index.store._shard.info().segments_count - 1


def text_of(number: int) -> str:
    """A document of a few chunks."""
    sections = (f"## Pump {number}.{part}\n\nPump {number}.{part} stands in hall {part}." for part in range(8))
    return f"# Hall {number}\n\n" + "\n\n".join(sections)


OPTIMISES_FOR_LONG = """
import os, sys, time
pid = os.path.join(os.path.dirname(sys.argv[1]), "pid")
os.symlink(str(os.getpid()), pid)
time.sleep(60)
"""


@pytest.mark.parametrize("error", [ServiceUnavailable("The server is ending."), Left()])
def test_who_waits_no_longer_breaks_off_the_optimising_and_the_document_is_indexed(
    index, tmp_path, monkeypatch, caplog, error
):
    def check() -> None:
        if (tmp_path / "pid").is_symlink():
            raise error

    pages = b"\n\n".join(text_of(number).encode() for number in range(4))
    with monkeypatch.context() as slow, caplog.at_level(logging.WARNING):
        slow.setattr("rag.adapters.edge_optimizer._SCRIPT", OPTIMISES_FOR_LONG)
        outcome = index.indexer.ingest_bytes("halls.md", pages, check=check)
    assert (outcome.outcome, index.stored()) == ("added", outcome.chunks)
    assert outcome.chunks >= GRAPH_FROM
    assert "was stopped, because the request for it has ended" in caplog.text
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").readlink().name), 0)
    assert list(tmp_path.glob("index.*")) == []
    index.store.optimize()
    assert closed_segments(index) == 1


def test_small_uploads_get_a_graph_when_together_they_are_many_and_an_interrupted_ingest_when_it_is_resumed(index):
    for number in range(6):
        index.indexer.ingest_bytes(f"{number}.md", text_of(number).encode())
        assert bool(closed_segments(index)) is (index.stored() >= GRAPH_FROM)
    assert index.stored() >= 2 * GRAPH_FROM
    for number in range(6, 12):
        index.write(f"{number}.md", text_of(number))

    def stop(progress: Progress) -> None:
        if progress.files_done == 6:
            raise KeyboardInterrupt

    before = closed_segments(index)
    with pytest.raises(KeyboardInterrupt):
        index.outcomes(progress=stop)
    assert (index.store.due(), closed_segments(index)) == (True, before)
    assert set(index.outcomes().values()) <= {"unchanged", "added"}
    assert not index.store.due()
