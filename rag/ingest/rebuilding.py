"""What made an index, and an index built anew where nothing in it can be used.

The catalogue notes the embedding model, the language and the version of the ingestion that made the index.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rag.errors import IndexNotReady
from rag.ingest.identity import Identity
from rag.ingest.incoming import Incoming
from rag.ingest.report import FileOutcome, IngestReport
from rag.ingest.version import ingestion_version, is_outdated
from rag.ingest.writing import NO_SOURCE, Writer
from rag.protocols import INGESTION, Embedder

EMBEDDING, LANGUAGE = "embedding", "language"  # what all of an index must share, as the catalogue's meta names it
UNFINISHED = "an unfinished rebuild"


@dataclass(frozen=True, slots=True)
class Rebuilding:
    """Sees whether an index can be used with what is configured now, and builds it anew where it cannot."""

    embedder: Embedder
    language: str  # the Snowball stemmer that is configured
    identity: Identity
    writer: Writer

    def check(self) -> None:
        """Raise `IndexNotReady` unless this embedding model and language are those of the index."""
        if mismatch := self.mismatch():
            name, stored, now = mismatch
            raise IndexNotReady(
                f"The index was built with the {name} {stored!r}, and now {now!r} is configured. Rebuild it with "
                "`candor ingest --rebuild`, or configure the former one again.",
                details={"property": name, "index": stored, "configured": now},
            )

    def mismatch(self) -> tuple[str, str, str] | None:
        """Return the property in which index and configuration differ, with both values; an empty index fits any."""
        if self.writer.catalogue.chunk_count() == 0:
            return None
        for name, now in self._properties().items():
            if (stored := self.writer.catalogue.get_meta(name)) not in (None, now):
                return name, str(stored), now
        return None

    def claim(self) -> None:
        """Note with which model, language and version the index is built, unless that stands there."""
        catalogue, version = self.writer.catalogue, ingestion_version()
        noted = {**self._properties(), INGESTION: f"{version} and older" if is_outdated(catalogue) else version}
        for name, value in noted.items():
            if catalogue.get_meta(name) != value:
                catalogue.set_meta(name, value)

    def settle_version(self) -> None:
        """Note the version once all documents are of it."""
        catalogue, version = self.writer.catalogue, ingestion_version()
        if is_outdated(catalogue) and all(each.ingestion == version for each in catalogue.documents()):
            catalogue.set_meta(INGESTION, version)

    def _properties(self) -> dict[str, str]:
        return {EMBEDDING: self.embedder.fingerprint, LANGUAGE: self.language}

    def is_due(self) -> bool:
        """Return whether nothing that is in the store can be used."""
        return self.mismatch() is not None or self.identity.problem is not None

    def made_ready(
        self, files: Sequence[Incoming], *, force: bool
    ) -> tuple[Sequence[Incoming], list[FileOutcome], bool]:
        """Make the index ready for files: emptied where nothing in it can be used.

        Returns the files, with the kept copies of all other documents where the index is built anew; what became of
        documents of which no copy was kept; whether the index is built anew. Raises `IndexNotReady` where the store may
        not be cleared, or others share it and would lose documents.
        """
        store, dimension = self.writer.store, self.embedder.dimension
        has_other_length = store.dimension != dimension
        is_empty = self.writer.catalogue.chunk_count() == 0
        if not self.writer.alone:
            self.identity.check_own()  # what others share is theirs too
        is_lost = self.identity.problem is not None or (is_empty and self.identity.has_strays and len(files) > 0)
        is_rebuild = self.is_due() or (force and has_other_length and not is_empty)
        if is_rebuild or (has_other_length and is_empty):
            self._check_unshared()
        removed = list[FileOutcome]()
        if is_rebuild:
            files, removed = self._with_all_others(files)
            self.writer.catalogue.set_meta(EMBEDDING, UNFINISHED)  # nothing may answer until the index is whole again
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
        self.claim()
