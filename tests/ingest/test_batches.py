"""Passages in batches across documents: how many are embedded at once, and what waits meanwhile."""

import threading

import pytest
from indexes import NEW, OLD, Index, text_of
from killed import MadeUpEmbedder

from rag.adapters.embedding import OpenVinoEmbedder
from rag.ingest import embedding
from rag.ingest import indexer as module
from rag.ingest.indexer import Indexer
from rag.ingest.report import Progress
from rag.protocols import Matrix


@pytest.mark.parametrize("before", [None, OLD])
def test_an_upload_that_is_cancelled_between_two_batches_leaves_the_document_as_it_was(
    index: Index, monkeypatch: pytest.MonkeyPatch, before: str | None
) -> None:
    monkeypatch.setattr(embedding, "WRITTEN_AT_ONCE", 4)
    monkeypatch.setattr(module, "EMBEDDED_AT_ONCE", 3)
    if before:
        index.indexer.ingest_bytes("manual.md", text_of(before, 20).encode())
    chunks = index.stored()
    seen: list[int] = []

    class Cancelled(BaseException):
        pass

    def cancel_at_the_third(progress: Progress) -> None:
        if not progress.chunks_done:
            return  # it is still being read
        seen.append(progress.chunks_done)
        if len(seen) == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        index.indexer.ingest_bytes("manual.md", text_of(NEW, 150).encode(), progress=cancel_at_the_third)
    assert seen == [3, 6, 9]
    assert (index.stored(), index.catalogue.hidden_versions(), index.catalogue.unfinished()) == (chunks, (), [])
    assert index.visible().count("Monday") == (20 if before else 0)
    assert index.indexer.ingest_bytes("manual.md", text_of(NEW, 150).encode()).outcome == (
        "replaced" if before else "added"
    )


class Overlapping:
    """Notes when a call to embed begins; the store's writes note the same."""

    def __init__(self, inner: OpenVinoEmbedder) -> None:
        self.inner, self.begun = inner, [threading.Event() for _ in range(3)]

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)

    def embed(self, texts: list[str]) -> Matrix:
        next(event for event in self.begun if not event.is_set()).set()
        return self.inner.embed(texts)


@pytest.mark.parametrize(("workers", "sizes"), [(1, [4, 4, 4, 1]), (3, [12, 1])])
def test_each_worker_of_an_embedder_gets_a_full_batch(
    index: Index, monkeypatch: pytest.MonkeyPatch, workers: int, sizes: list[int]
) -> None:
    monkeypatch.setattr(module, "EMBEDDED_AT_ONCE", 4)
    seen: list[int] = []

    class Counting(MadeUpEmbedder):
        def embed(self, texts: list[str]) -> Matrix:
            seen.append(len(texts))
            return super().embed(texts)

    for number in range(13):
        index.write(f"{number:02}.md", OLD)
    Indexer(index.store, index.catalogue, Counting("one"), workers=workers).ingest([index.files])
    assert seen == sizes


def test_the_next_passages_are_embedded_while_those_before_are_written(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "EMBEDDED_AT_ONCE", 1)
    embedder, seen = Overlapping(index.embedder), []
    upsert = index.store.upsert
    monkeypatch.setattr(
        index.store, "upsert", lambda chunks: seen.append(embedder.begun[len(seen) + 1].wait(60)) or upsert(chunks)
    )
    for name in ("a.txt", "b.txt", "c.txt"):
        index.write(name, f"{OLD} {name}")
    embedder.begun.append(threading.Event())
    embedder.begun[-1].set()  # Nothing is embedded beside the last write.
    Indexer(index.store, index.catalogue, embedder).ingest([index.files])

    assert seen == [True, True, True]
