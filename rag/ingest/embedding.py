"""Chunks of the documents that are ready, embedded in one thread and written in another, across documents."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate, pairwise
from time import perf_counter
from typing import TypeAlias

from rag.ingest.report import FileOutcome, Tracker
from rag.ingest.threads import Check, awaited
from rag.ingest.writing import WRITTEN_AT_ONCE, Work, Writer
from rag.models import Chunk
from rag.protocols import Embedder, IndexedChunk, Matrix
from rag.reader.windows import embedded_text
from rag.text.bm25 import encode_passage

Batch: TypeAlias = list[tuple[Work, Chunk]]


@dataclass
class Embedding:
    """Gives the chunks of documents their vectors and words, and hands what is complete to the writer."""

    embedder: Embedder
    writer: Writer
    language: str  # Snowball stemmer of the words that BM25 counts

    def run(
        self,
        prepared: Iterable[Work | FileOutcome],
        tracker: Tracker,
        *,
        at_once: int,
        claim: Callable[[], None],
        check: Check | None,
    ) -> None:
        """Embed and write documents in batches that reach across them; one is embedded while another is written.

        `prepared` are documents cut in chunks, and what became of files that need no embedding. A batch has `at_once`
        chunks. `claim` is called before anything is written; what `check` raises ends the run.
        """
        embedding = ThreadPoolExecutor(1, thread_name_prefix="passages")
        running: tuple[Batch, Future[tuple[list[Matrix], float]]] | None = None
        try:
            for batch in self._batches(prepared, tracker, at_once, claim):
                begun = embedding.submit(self._embedded, batch)
                if running:
                    self._write(running[0], *awaited(running[1], check), tracker)
                running = batch, begun
            if running:
                self._write(running[0], *awaited(running[1], check), tracker)
        finally:
            embedding.shutdown(cancel_futures=True)  # what waits is not begun after an error or an interrupt

    def _batches(
        self, prepared: Iterable[Work | FileOutcome], tracker: Tracker, at_once: int, claim: Callable[[], None]
    ) -> Iterator[Batch]:
        """Yield chunks to embed at once; what needs no embedding is told at once."""
        waiting: Batch = []
        for item in prepared:
            if isinstance(item, FileOutcome):
                tracker.finished(item)
                continue
            claim()
            waiting.extend((item, each) for each in item.chunks)
            while len(waiting) >= at_once:
                yield waiting[:at_once]
                del waiting[:at_once]
        if waiting:
            yield waiting

    def _embedded(self, batch: Batch) -> tuple[list[Matrix], float]:
        started = perf_counter()
        return window_vectors([each for _, each in batch], self.embedder), perf_counter() - started

    def _write(self, batch: Batch, vectors: Sequence[Matrix], seconds: float, tracker: Tracker) -> None:
        counts: Counter[Work] = Counter()
        for (work, each), found in zip(batch, vectors, strict=True):
            if not work.is_given_up:
                sparse = encode_passage(each.content, context=each.context, language=self.language)
                work.ready.append(IndexedChunk(each, found, sparse))
                counts[work] += 1
        for work, count in counts.items():
            work.seconds += seconds * count / len(batch)
            tracker.embedded(work.document.name, chunks=count, of=len(work.chunks))
            is_due = work.is_embedded or len(work.ready) >= WRITTEN_AT_ONCE
            if is_due and (outcome := self.writer.write(work)):
                tracker.finished(outcome)


def window_vectors(chunks: Sequence[Chunk], embedder: Embedder) -> list[Matrix]:
    """Return for each chunk the vectors of its windows, all embedded at once. Raises `EmbedderUnavailable`."""
    vectors = embedder.embed([embedded_text(each, window) for each in chunks for window in each.windows])
    ends = accumulate((len(each.windows) for each in chunks), initial=0)
    return [vectors[start:end] for start, end in pairwise(ends)]
