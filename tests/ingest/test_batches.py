"""Passages in batches across documents: how many are embedded at once, and what waits meanwhile."""

from threading import Event

import pytest
from indexes import NEW, OLD, text_of
from standins import MadeUpEmbedder

from rag.ingest import indexer as module
from rag.ingest.report import Progress
from rag.protocols import Matrix


class Cancelled(BaseException):
    pass


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("before", [None, OLD])
def test_an_upload_that_is_cancelled_between_two_batches_leaves_the_document_as_it_was(index, before):
    if before:
        index.indexer.ingest_bytes("manual.md", text_of(before, 20).encode())
    chunks = index.stored()
    seen: list[int] = []

    def cancel_at_the_third(progress: Progress) -> None:
        seen.extend([progress.chunks_done] if progress.chunks_done else [])  # 0: it is still being read
        if len(seen) == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        index.indexer.ingest_bytes("manual.md", text_of(NEW, 150).encode(), progress=cancel_at_the_third)
    assert seen == [3, 6, 9]
    assert (index.stored(), index.catalogue.hidden_versions(), index.catalogue.unfinished()) == (chunks, (), [])
    assert index.visible().count("Monday") == (20 if before else 0)
    outcome = index.indexer.ingest_bytes("manual.md", text_of(NEW, 150).encode()).outcome
    assert outcome == ("replaced" if before else "added")


class Counting(MadeUpEmbedder):
    """Notes how many texts each call has; an event for each call is set when it begins."""

    def __init__(self) -> None:
        super().__init__("one")
        self.sizes, self.begun = list[int](), [Event() for _ in range(13)]

    def embed(self, texts: list[str]) -> Matrix:
        self.begun[len(self.sizes)].set()
        self.sizes.append(len(texts))
        return super().embed(texts)


@pytest.mark.parametrize(("workers", "sizes"), [(1, [4, 4, 4, 1]), (3, [12, 1])])
def test_each_worker_of_an_embedder_gets_a_full_batch(index, monkeypatch, workers, sizes):
    monkeypatch.setattr(module, "EMBEDDED_AT_ONCE", 4)
    embedder = Counting()
    for number in range(13):
        index.write(f"{number:02}.md", OLD)
    index.another(embedder, workers=workers).ingest([index.files])
    assert embedder.sizes == sizes


def test_the_next_passages_are_embedded_while_those_before_are_written(index, monkeypatch):
    monkeypatch.setattr(module, "EMBEDDED_AT_ONCE", 1)
    embedder, seen, upsert = Counting(), list[bool](), index.store.upsert
    for name in "abc":
        index.write(f"{name}.txt", f"{OLD} {name}")
    embedder.begun[3].set()  # nothing is embedded beside the last write

    def when_the_next_has_begun(chunks: object) -> None:
        seen.append(embedder.begun[len(seen) + 1].wait(60))
        upsert(chunks)

    monkeypatch.setattr(index.store, "upsert", when_the_next_has_begun)
    index.another(embedder).ingest([index.files])
    assert seen == [True, True, True]
