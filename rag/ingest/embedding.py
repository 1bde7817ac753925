"""Chunks of the documents that are ready, embedded in one thread and written in another, across documents."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate, pairwise
from time import perf_counter
from typing import TypeAlias

from rag.ingest.identity import Makers
from rag.ingest.report import FileOutcome, Tracker
from rag.ingest.threads import Check, awaited
from rag.ingest.writing import WRITTEN_AT_ONCE, Work, Writer
from rag.language.bm25 import encode_passage
from rag.models import Chunk
from rag.protocols import Embedder, IndexedChunk, Matrix
from rag.reader.windows import embedded_text

Batch: TypeAlias = list[tuple[Work, Chunk]]
Embedded: TypeAlias = tuple[list[Matrix], float]
"""For each chunk a vector of each of its windows; and the seconds that took."""


@dataclass
class Embedding:
    """Gives the chunks of documents their vectors and words, and hands what is complete to the writer."""

    embedder: Embedder
    makers: Makers
    """Claim the index for this model before anything is written."""
    writer: Writer
    language: str
    """Snowball stemmer of the words that BM25 counts."""

    def run(
        self,
        prepared: Iterable[Work | FileOutcome],
        tracker: Tracker,
        *,
        at_once: int,
        claim: bool,
        check: Check | None,
    ) -> None:
        """Embed and write documents in batches that reach across them; one is embedded while another is written.

        Args:
            prepared: Documents cut in chunks, and what became of files that need no embedding.
            tracker: Told of both.
            at_once: Chunks of a batch.
            claim: Whether to note, before anything is written, that the index is this embedding model's.
            check: Raises what ends the run.
        """
        embedding = ThreadPoolExecutor(1, thread_name_prefix="passages")
        running: tuple[Batch, Future[Embedded]] | None = None
        try:
            for batch in self._batches(prepared, tracker, at_once, claim=claim):
                begun = embedding.submit(self._embedded, [each for _, each in batch])
                if running:
                    self._write(running[0], awaited(running[1], check), tracker)
                running = batch, begun
            if running:
                self._write(running[0], awaited(running[1], check), tracker)
        finally:
            embedding.shutdown(cancel_futures=True)  # what waits is not begun after an error or an interrupt

    def _batches(
        self, prepared: Iterable[Work | FileOutcome], tracker: Tracker, at_once: int, *, claim: bool
    ) -> Iterator[Batch]:
        """Yield chunks to embed at once; what needs no embedding is told at once."""
        waiting: Batch = []
        for item in prepared:
            if isinstance(item, FileOutcome):
                tracker.finished(item)
                continue
            if claim:
                self.makers.claim()
            waiting.extend((item, each) for each in item.chunks)
            while len(waiting) >= at_once:
                yield waiting[:at_once]
                del waiting[:at_once]
        if waiting:
            yield waiting

    def _embedded(self, chunks: Sequence[Chunk]) -> Embedded:
        """Return the vectors of the windows of each chunk, and the seconds that took."""
        started = perf_counter()
        return window_vectors(chunks, self.embedder), perf_counter() - started

    def _write(self, batch: Batch, embedded: Embedded, tracker: Tracker) -> None:
        """Write the documents that a batch completes or that have grown large."""
        vectors, seconds = embedded
        counts: dict[int, tuple[Work, int]] = {}
        for (work, each), found in zip(batch, vectors, strict=True):
            if work.is_given_up:
                continue
            sparse = encode_passage(each.content, context=each.context, language=self.language)
            work.ready.append(IndexedChunk(each, found, sparse))
            counts[id(work)] = work, counts.get(id(work), (work, 0))[1] + 1
        for work, count in counts.values():
            work.seconds += seconds * count / len(batch)
            tracker.embedded(work.document.name, chunks=count, of=len(work.chunks))
            if work.is_embedded or len(work.ready) >= WRITTEN_AT_ONCE:
                outcome = self.writer.write(work)
                if outcome:
                    tracker.finished(outcome)


def window_vectors(chunks: Sequence[Chunk], embedder: Embedder) -> list[Matrix]:
    """Return for each chunk the vectors of its windows, all embedded at once.

    Raises:
        EmbedderUnavailable: The model cannot be loaded or run.
    """
    vectors = embedder.embed([embedded_text(each, window) for each in chunks for window in each.windows])
    ends = accumulate((len(each.windows) for each in chunks), initial=0)
    return [vectors[start:end] for start, end in pairwise(ends)]
