"""A file on its way in, read and cut, or what became of it instead."""

from dataclasses import dataclass, field
from threading import Lock
from time import perf_counter
from typing import Final

from rag.errors import InvalidDocument
from rag.ingest.chunking import chunk
from rag.ingest.incoming import Incoming
from rag.ingest.loaders.source import Listener, listening, refuse
from rag.ingest.originals import Originals
from rag.ingest.report import FileOutcome
from rag.ingest.threads import Check
from rag.ingest.version import ingestion_version
from rag.ingest.writing import Work
from rag.models import Document, DocumentRecord
from rag.protocols import Catalogue, Embedder, PieceCounter, Span

READ_AGAIN: Final = 3  # how often a file is read that changes while it is read


@dataclass
class FileReader:
    """Reads one file at a time, whoever asks."""

    catalogue: Catalogue
    originals: Originals
    embedder: Embedder
    max_bytes: int  # size of the largest file to read
    _reading: Lock = field(default_factory=Lock)

    def read(self, file: Incoming, *, force: bool, check: Check | None, paged: Listener) -> Work | FileOutcome:
        """Return a file read and cut, or what became of it: failed, or unchanged unless `force` is set.

        `check` is called wherever this can be left: what it raises ends it. `paged` is told each page that is begun.

        Raises:
            StoreUnavailable: The catalogue does not answer, or no copy can be kept.
        """
        started, version, embedder = perf_counter(), ingestion_version(), self.embedder
        check = check or (lambda: None)
        try:
            file.check_name()
            previous = self.catalogue.get(file.name)
            if not force and previous and _is_current(previous, file, version):
                return FileOutcome(document=file.name, outcome="unchanged", chunks=previous.chunks, path=previous.path)
            if holder := self.catalogue.held_elsewhere().get(file.name):  # before time is spent on it
                advice = "Wait until it has finished, then ingest it again"
                raise refuse(file.name, f"{holder} is writing or removing it now", advice)
            with self._reading:  # one at a time, also where somebody has left one that goes on
                document = self._loaded(file, check, paged)
            pieces = _CheckedPieces(embedder.pieces, check)
            chunks = chunk(document, pieces=pieces, max_pieces=embedder.max_pieces)
        except InvalidDocument as error:
            return FileOutcome(document=file.label, outcome="failed", reason=error.message, path=file.source)
        return Work(file, document, chunks, previous, perf_counter() - started, ingestion=version)

    def _loaded(self, file: Incoming, check: Check, paged: Listener) -> Document:
        """Return a file, read, if that is still wanted now that its turn has come; a copy is made of what was read."""

        def page_begun(number: int, of: int) -> None:
            check()
            paged(number, of)

        for _ in range(READ_AGAIN):
            check()
            with listening(page_begun):
                document = file.load(max_bytes=self.max_bytes)
            if self.originals.stage(file, document.hash):
                return document
        reason = f"it changed while it was read, {READ_AGAIN} times"
        raise refuse(file.name, reason, "Ingest it again once nobody writes to it")


@dataclass(frozen=True, slots=True)
class _CheckedPieces:
    """A tokenizer that looks before each text whether the work is still wanted: cutting a document asks it often."""

    pieces: PieceCounter
    check: Check

    def spans(self, text: str) -> list[Span]:
        self.check()
        return self.pieces.spans(text)


def _is_current(record: DocumentRecord, file: Incoming, version: str) -> bool:
    """Return whether a document is this file, read by this version; the cheapest test comes first."""
    if record.link and file.source == record.path and not file.link:
        return False  # found by a link before, and now by its own path: read again, it outlives the link
    return record.size_bytes == file.size and record.ingestion == version and record.hash == file.hash()
