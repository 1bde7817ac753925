"""One document into store and catalogue, so that readers see the old version or the new, never a mix.

    begin -> store.upsert -> commit -> store.delete(keep=new) -> finish

The new version is hidden until `commit`, the old one from then on. The file's copy is kept before `commit`, and older
copies go after it. Whatever is interrupted is put right by one rule: the store holds exactly the committed version.
"""

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import perf_counter

from rag.ingest.incoming import Incoming
from rag.ingest.originals import Originals
from rag.ingest.report import FileOutcome
from rag.models import Chunk, Document, DocumentRecord
from rag.protocols import Catalogue, IndexedChunk, VectorStore

WRITTEN_AT_ONCE = 1024
"""Chunks of one document that are held in memory before they are written."""


@dataclass
class Work:
    """A document on its way into the index, filled while its chunks are embedded."""

    incoming: Incoming
    document: Document
    chunks: list[Chunk]
    previous: DocumentRecord | None
    seconds: float
    ready: list[IndexedChunk] = field(default_factory=list)
    written: int = 0
    terms: Counter[int] = field(default_factory=Counter)
    ingestion: str = ""
    """Version of the ingestion that read it."""

    @property
    def is_embedded(self) -> bool:
        """Whether no chunk is missing."""
        return self.written + len(self.ready) == len(self.chunks)

    def record(self) -> DocumentRecord:
        """Return what the catalogue is to remember."""
        document = self.document
        return DocumentRecord(
            document=document.name,
            title=document.metadata.title,
            pages=len(document.pages) or None,
            chunks=len(self.chunks),
            chunk_ids=tuple(each.chunk_id for each in self.chunks),
            hash=document.hash,
            size_bytes=document.size_bytes,
            media_type=document.media_type,
            characters=len(document.text),
            url=document.metadata.url,
            path=self.incoming.source,
            ingested_at=datetime.now(UTC),
            ingestion=self.ingestion,
        )

    def outcome(self) -> FileOutcome:
        """Return what is reported once it is written."""
        return FileOutcome(
            document=self.document.name,
            outcome="replaced" if self.previous else "added",
            reason=self._remark(),
            chunks=len(self.chunks),
            seconds=self.seconds,
            path=self.incoming.source,
        )

    def _remark(self) -> str | None:
        """Return why a document is replaced, where that is not simply another content."""
        before, path = self.previous, self.incoming.source
        if before is None:
            return None
        if before.hash == self.document.hash:
            is_outdated = before.ingestion != self.ingestion
            return "its content is unchanged, but an older version of Candor had read it" if is_outdated else None
        if path is None or before.path is None:
            return "it replaces the document of the same name that was indexed before"
        is_same = before.path == path
        return None if is_same else f"it replaces the file of the same name that was read from {before.path!r}"


class Writer:
    """The only one who changes store and catalogue; not for use by two threads at once."""

    def __init__(self, store: VectorStore, catalogue: Catalogue, originals: Originals) -> None:
        self._store, self._catalogue, self._originals = store, catalogue, originals

    def write(self, work: Work) -> FileOutcome | None:
        """Write what is ready of a document; once that is all, make it the document and return the outcome."""
        started = perf_counter()
        if work.written == 0:
            self._begin(work)
        self._store.upsert(work.ready)
        work.written += len(work.ready)
        work.terms.update(term for indexed in work.ready for term in indexed.sparse.indices)
        work.ready = []
        is_whole = work.written == len(work.chunks)
        if is_whole:
            self._commit(work)
        work.seconds += perf_counter() - started
        return work.outcome() if is_whole else None

    def remove(self, record: DocumentRecord) -> None:
        """Remove a document and every chunk of it; readers see none from the first step on."""
        self._catalogue.begin_removal(record.document)
        self._store.delete(record.document)
        self._originals.remove_version(record.document, record.hash)
        self._catalogue.finish(record.document)

    def settle(self) -> list[str]:
        """Undo or complete what was interrupted; return the documents that must be written again.

        Those are the ones of which the committed version itself was being written anew.
        """
        again: list[str] = []
        for document, committed in {(name, committed) for name, _, committed in self._catalogue.unfinished()}:
            if committed is not None and (document, committed, committed) in self._catalogue.unfinished():
                again.append(document)
                continue
            self._store.delete(document, keep=committed)
            self._originals.remove(document, keep=committed)
            self._catalogue.finish(document)
        return sorted(again)

    def _begin(self, work: Work) -> None:
        version = work.document.hash
        self._catalogue.begin(work.document.name, version)
        if work.previous and work.previous.hash == version:
            self._store.delete(work.document.name, version=version)

    def _commit(self, work: Work) -> None:
        name, version, previous = work.document.name, work.document.hash, work.previous
        self._originals.keep(work.incoming, version)
        self._catalogue.commit(work.record(), dict(work.terms))
        if previous and previous.hash != version:
            self._store.delete(name, keep=version)
            self._originals.remove_version(name, previous.hash)
        self._catalogue.finish(name)
