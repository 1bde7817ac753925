"""One document into store and catalogue, so that readers see the old version or the new, never a mix.

    begin -> store.upsert -> commit -> store.delete(keep=new) -> finish

The new version is hidden until `commit`, the old one from then on. The file's copy is kept before `commit`, and older
copies go after it. Whatever is interrupted is put right by one rule: the store holds exactly the committed version.
What another process is writing at that moment is left alone.
"""

import logging
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from time import perf_counter
from typing import Final

from rag.errors import CandorError, InvalidDocument
from rag.ingest.incoming import Incoming
from rag.ingest.originals import Originals
from rag.ingest.report import FileOutcome
from rag.ingest.threads import Check, beating
from rag.models import Chunk, Document, DocumentRecord
from rag.protocols import Catalogue, IndexedChunk, VectorStore

NO_SOURCE = "it must be ingested again: no copy was kept, and its file has moved or changed"
WRITTEN_AT_ONCE = 1024  # chunks of one document that are held in memory before they are written

OPTIMIZE_FROM: Final = 2_000  # chunks of one ingest from which the store is optimised, due or not: many may be deleted
_log = logging.getLogger(__name__)


@dataclass(eq=False)
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
    ingestion: str = ""  # version of the ingestion that read it
    is_given_up: bool = False  # another process has the document: nothing more of this one is written

    @property
    def is_embedded(self) -> bool:
        """Whether no chunk is missing."""
        return self.written + len(self.ready) == len(self.chunks)

    def record(self) -> DocumentRecord:
        """Return what the catalogue is to remember."""
        document, incoming = self.document, self.incoming
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
            path=incoming.source,
            link=incoming.link,
            ingested_at=datetime.now(UTC),
            ingestion=self.ingestion,
            notes=document.notes,
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
            notes=self.document.notes,
        )

    def _remark(self) -> str | None:
        """Return why a document is replaced, where that is not simply another content."""
        before, path = self.previous, self.incoming.source
        if before is None:
            return None
        if before.hash == self.document.hash:
            is_current = before.ingestion == self.ingestion
            return None if is_current else "its content is unchanged, but an older version of Candor had read it"
        if path is None or before.path is None:
            return "it replaces the document of the same name that was indexed before"
        is_moved = before.path != path
        return f"it replaces the file of the same name that was read from {before.path!r}" if is_moved else None


@dataclass
class Writer:
    """The only one in its process who changes store and catalogue; not for use by two threads at once."""

    store: VectorStore
    catalogue: Catalogue
    originals: Originals
    alone: bool = False  # no other process has the store open: open work of others is what a crash left

    def write(self, work: Work) -> FileOutcome | None:
        """Write what is ready of a document; once that is all, make it the document.

        Returns the outcome, once it is known: also that another process has the document, and this one gives it up.
        """
        try:
            return self._written(work)
        except InvalidDocument as error:
            self._give_up(work)
            name, source = work.document.name, work.incoming.source
            return FileOutcome(document=name, outcome="failed", reason=error.message, path=source)

    def _written(self, work: Work) -> FileOutcome | None:
        started, name, version = perf_counter(), work.document.name, work.document.hash
        if work.written:
            self.catalogue.check_held(name, version)
        else:
            self.catalogue.begin(name, version)
            if self._committed(name) == version:
                self.store.delete(name, version=version)
        self.store.upsert(work.ready)
        work.written += len(work.ready)
        work.terms.update(term for indexed in work.ready for term in indexed.sparse.indices)
        work.ready = []
        if work.is_embedded:
            self._commit(work)
        work.seconds += perf_counter() - started
        return work.outcome() if work.is_embedded else None

    def remove(self, record: DocumentRecord, reason: str) -> FileOutcome:
        """Remove a document and every chunk of it; readers see none from the first step on.

        Raises:
            InvalidDocument: Another process is writing or removing it.
            StoreUnavailable: Store or catalogue failed.
        """
        name, started = record.document, perf_counter()
        with beating(self.catalogue.renew):
            version = self.catalogue.begin_removal(name)
            if version is not None:  # else another process has removed it meanwhile
                self.store.delete(name)
                self.originals.remove_version(name, version)
                self.catalogue.finish(name)
        seconds = perf_counter() - started
        return FileOutcome(document=name, outcome="removed", reason=reason, seconds=seconds, path=record.path)

    def remove_if_free(self, record: DocumentRecord, reason: str) -> FileOutcome:
        """Remove one document of several; one that another process is writing is reported and stays."""
        try:
            return self.remove(record, reason)
        except InvalidDocument as error:
            return left(record, error.message)

    def settle(self) -> dict[str, bool]:
        """Undo or complete what was interrupted; what another process that lives has begun is left to it.

        Returns the documents concerned, and whether each must be written again: those of which the committed version
        itself was being written anew.
        """
        entries = self.catalogue.take_over(alone=self.alone)
        again = {name for name, writing, committed in entries if committed and writing == committed}
        others = {name: committed for name, _, committed in entries if name not in again}
        if others:
            with beating(self.catalogue.renew):
                for document in sorted(others):
                    self._settle(document, others[document])
        return {name: name in again for name, _, _ in entries}

    def _settle(self, document: str, committed: str | None) -> None:
        self.store.delete(document, keep=committed)
        self.originals.remove(document, keep=committed)
        self.catalogue.finish(document)

    def _commit(self, work: Work) -> None:
        name, version = work.document.name, work.document.hash
        self.originals.keep(work.incoming, version)
        replaced = self.catalogue.commit(work.record(), dict(work.terms))
        if replaced not in (None, version):
            self.store.delete(name, keep=version)
            self.originals.remove_version(name, str(replaced))
        self.catalogue.finish(name)

    def _give_up(self, work: Work) -> None:
        """Leave a document to the process that has it, and take out what this one wrote of it unseen."""
        name, version = work.document.name, work.document.hash
        work.ready, work.is_given_up = [], True
        others = {each for each, writing, _ in self.catalogue.unfinished() if writing == version}
        if work.written == 0 or name in others or self._committed(name) == version:
            return  # nothing was written, or the same chunks are those of somebody else
        with suppress(InvalidDocument):
            self.catalogue.begin(name, version)
            self._settle(name, self._committed(name))
            return
        self.store.delete(name, version=version)  # another version is being written
        self.originals.remove_version(name, version)

    def _committed(self, name: str) -> str | None:
        record = self.catalogue.get(name)
        return record.hash if record else None


def left(record: DocumentRecord, reason: str = NO_SOURCE) -> FileOutcome:
    """Return what is told of a document that stays as it is, though it should not."""
    name, chunks = record.document, record.chunks
    return FileOutcome(document=name, outcome="failed", reason=reason, chunks=chunks, path=record.path)


def optimize_if_due(store: VectorStore, written: int, check: Check | None = None) -> None:
    """Optimise a store after an ingest that wrote so many chunks; most ingests are small and nothing happens.

    Where it fails, what was ingested is in the index and found, only slower: that is logged, and the next ingest tries
    again. So it is where `check` raises meanwhile: it breaks off the optimising, but the ingest has succeeded.
    """
    try:
        if written >= OPTIMIZE_FROM or store.due():
            store.optimize(is_wanted=partial(_passes, check) if check else None)
    except CandorError as error:
        _log.warning("All is indexed, but the index was not optimised. A later ingest tries again. %s", error.message)


def _passes(check: Check) -> bool:
    """Return whether a check raises nothing; what ends the program goes on."""
    try:
        check()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:
        return False
    return True
