"""What other processes that share the index are doing to it: refused here before time is spent on it."""

from collections.abc import Sequence

from rag.errors import IndexNotReady, InvalidDocument
from rag.models import DocumentRecord
from rag.protocols import Catalogue


def check_free(catalogue: Catalogue, document: str) -> None:
    """Refuse a document that another process is writing or removing.

    Raises:
        InvalidDocument: One is; the message names it.
    """
    holder = catalogue.held_elsewhere().get(document)
    if holder:
        raise InvalidDocument(
            f"{document!r} was not ingested: {holder} is writing or removing it in the same index now. Wait until that "
            f"has ended, then ingest it again."
        )


def check_unshared(catalogue: Catalogue) -> None:
    """Refuse to begin an index anew while another process is writing to it.

    Raises:
        IndexNotReady: One is; the message names it and its document.
    """
    for document, holder in sorted(catalogue.held_elsewhere().items()):
        raise IndexNotReady(
            f"The index cannot be built anew now: {holder} is writing or removing {document!r}. Wait until that has "
            f"ended, then try again."
        )


def check_copies(lost: Sequence[DocumentRecord]) -> None:
    """Refuse to build a shared index anew where documents could not be read again from here.

    Raises:
        IndexNotReady: There are such documents; the message names the first.
    """
    if lost:
        names = ", ".join(repr(record.document) for record in lost[:3]) + (", ..." if len(lost) > 3 else "")
        raise IndexNotReady(
            f"The index cannot be built anew from here: of {len(lost)} documents ({names}) there is neither a copy nor "
            f"the file. Run `candor ingest --rebuild` on the machine that ingested them, name their files, or run "
            f"`candor forget` for each."
        )
