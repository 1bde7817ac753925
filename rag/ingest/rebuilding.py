"""An index built anew: where nothing in it can be used, or where an older Candor wrote it."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Final

from rag.errors import IndexNotReady
from rag.ingest.embedding import window_vectors
from rag.ingest.identity import Identity, Makers
from rag.ingest.incoming import Incoming
from rag.ingest.report import FileOutcome, IngestReport
from rag.ingest.writing import NO_SOURCE, Writer
from rag.protocols import Catalogue, Embedder, IndexedChunk, OlderChunks, VectorStore
from rag.reader.windows import windows_of

_log = logging.getLogger(__name__)
_BATCH: Final = 256
_TOLD_EVERY_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Rebuilding:
    """Sees whether an index can be used as it is, and builds it anew where it cannot."""

    makers: Makers
    identity: Identity
    writer: Writer

    def is_due(self) -> bool:
        """Return whether nothing that is in the store can be used."""
        return self.makers.mismatch() is not None or self.identity.problem is not None

    def made_ready(
        self, files: Sequence[Incoming], *, force: bool
    ) -> tuple[Sequence[Incoming], list[FileOutcome], bool]:
        """Make the index ready for files: emptied where nothing in it can be used.

        Returns the files, with the kept copies of all other documents where the index is built anew; what became of
        documents of which no copy was kept; whether the index is built anew. Raises `IndexNotReady` where the store may
        not be cleared, or others share it and would lose documents.
        """
        store, dimension = self.writer.store, self.makers.embedder.dimension
        has_other_length = store.dimension != dimension
        is_empty = self.writer.catalogue.chunk_count() == 0
        if not self.writer.alone:
            self.identity.check_own()  # what others share is theirs too
        is_lost = self.identity.problem is not None or (is_empty and self.identity.has_strays and len(files) > 0)
        is_rebuild = self.is_due() or (force and has_other_length and not is_empty)
        if is_rebuild or (has_other_length and is_empty):
            self._check_unshared()
        removed: list[FileOutcome] = []
        if is_rebuild:
            files, removed = self._with_all_others(files)
            self.makers.begin_rebuild()
        if is_lost or (has_other_length and (is_rebuild or is_empty)):
            store.clear(dimension)
            self.identity.renew()
        return files, removed, is_rebuild

    def _check_unshared(self) -> None:
        for document, holder in sorted(self.writer.catalogue.held_elsewhere().items()):
            raise IndexNotReady(
                f"The index cannot be rebuilt now: {holder} is writing or removing {document!r}. Wait until it has "
                "finished, then try again."
            )

    def _with_all_others(self, files: Sequence[Incoming]) -> tuple[list[Incoming], list[FileOutcome]]:
        """Return files with the kept copies of all other documents; those without a copy are removed and told."""
        names = {file.name for file in files}
        others = [record for record in self.writer.catalogue.documents() if record.document not in names]
        kept, lost = self.writer.originals.read_again(others)
        if lost and not self.writer.alone:
            told = ", ".join(repr(record.document) for record in lost[:3]) + (", ..." if len(lost) > 3 else "")
            raise IndexNotReady(
                f"The index cannot be rebuilt here: {len(lost)} documents ({told}) have neither a copy nor a file. Run "
                "`candor ingest --rebuild` on the machine that ingested them, name their files, or run `candor forget` "
                "for each."
            )
        return [*files, *kept], [self.writer.remove_if_free(record, NO_SOURCE) for record in lost]

    def finish(self, report: IngestReport) -> None:
        """Remove what could not be read again: it has vectors of the former model."""
        written = {file.document for file in report.files if file.outcome in ("added", "replaced")}
        for failed in report.failed:
            record = self.writer.catalogue.get(failed.document)
            if record and failed.document not in written:
                self.writer.remove(record, NO_SOURCE)
        self.makers.claim()


def renew(older: OlderChunks, *, store: VectorStore, catalogue: Catalogue, embedder: Embedder) -> int:
    """Write all chunks anew that the catalogue lists, with a vector for each window; return how many that were.

    How far it is stands in the log. Where it is interrupted the next call goes on: chunks in the store are left alone.

    Raises:
        IndexNotReady: The old chunks cannot be read.
        StoreUnavailable: The store failed.
        EmbedderUnavailable: The embedding model failed.
    """
    listed = {chunk_id for record in catalogue.documents() for chunk_id in record.chunk_ids}
    total, seen, written, told_at = older.count(), 0, 0, monotonic()
    _log.warning(
        "An older version of Candor made this index. Its %d chunks are embedded anew, by windows; "
        "questions are answered after that.",
        total,
    )
    for batch in older.batches(_BATCH):
        wanted = [indexed for indexed in batch if indexed.chunk.chunk_id in listed]
        written += _write(wanted, store, embedder)
        seen += len(batch)
        if monotonic() - told_at > _TOLD_EVERY_S:
            told_at = monotonic()
            _log.warning("%d of %d chunks are embedded anew.", seen, total)
    older.drop()
    _log.warning("The index is ready: %d chunks were embedded anew.", written)
    return written


def _write(chunks: Sequence[IndexedChunk], store: VectorStore, embedder: Embedder) -> int:
    """Write those chunks that the store does not hold; return how many that were."""
    ids = [indexed.chunk.chunk_id for indexed in chunks]
    held = {one.chunk.chunk_id for one in store.fetch(ids)}
    new = [_with_windows(indexed) for indexed in chunks if indexed.chunk.chunk_id not in held]
    vectors = window_vectors([indexed.chunk for indexed in new], embedder)
    store.upsert([replace(indexed, vectors=rows) for indexed, rows in zip(new, vectors, strict=True)])
    return len(new)


def _with_windows(indexed: IndexedChunk) -> IndexedChunk:
    chunk = indexed.chunk
    windows = windows_of(chunk.content, chunk.sentences)
    return replace(indexed, chunk=chunk.model_copy(update={"windows": windows}))
