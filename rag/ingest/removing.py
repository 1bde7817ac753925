"""Documents out of the index, and what is told of those that have to stay."""

from time import perf_counter

from rag.errors import InvalidDocument
from rag.ingest.finding import Found
from rag.ingest.report import FileOutcome
from rag.ingest.writing import Writer
from rag.models import DocumentRecord
from rag.protocols import Catalogue

NO_SOURCE = "it must be ingested again: no copy was kept, and its file has moved or changed"


class Remover:
    """Takes documents out of the index.

    Args:
        catalogue: What is indexed.
        writer: Takes a document out of store and catalogue.
    """

    def __init__(self, catalogue: Catalogue, writer: Writer) -> None:
        self._catalogue, self._writer = catalogue, writer

    def remove(self, record: DocumentRecord, reason: str) -> FileOutcome:
        """Remove a document.

        Raises:
            InvalidDocument: Another process is writing it.
            StoreUnavailable: Store or catalogue failed.
        """
        started = perf_counter()
        self._writer.remove(record)
        seconds = perf_counter() - started
        return FileOutcome(
            document=record.document, outcome="removed", reason=reason, seconds=seconds, path=record.path
        )

    def remove_if_free(self, record: DocumentRecord, reason: str) -> FileOutcome:
        """Remove one document of several; one that another process is writing is reported and stays."""
        try:
            return self.remove(record, reason)
        except InvalidDocument as error:
            return left(record, error.message)

    def remove_gone(self, found: Found) -> list[FileOutcome]:
        """Remove the documents whose file stood in one of the folders and is gone."""
        gone = [record for record in self._catalogue.documents() if found.is_gone(record)]
        return [self.remove_if_free(record, "its file is gone") for record in gone]


def left(record: DocumentRecord, reason: str = NO_SOURCE) -> FileOutcome:
    """Return what is told of a document that stays as it is, though it should not."""
    return FileOutcome(
        document=record.document, outcome="failed", reason=reason, chunks=record.chunks, path=record.path
    )
