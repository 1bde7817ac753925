"""Documents for a catalogue."""

from datetime import UTC, datetime

from rag.adapters.catalogue import SqlCatalogue
from rag.models import DocumentRecord

OLD, NEW = "a" * 64, "b" * 64


def record(document: str = "manual.pdf", version: str = OLD, chunks: int = 3) -> DocumentRecord:
    return DocumentRecord(
        document=document,
        chunks=chunks,
        chunk_ids=tuple(f"{document}-{index}" for index in range(chunks)),
        hash=version,
        size_bytes=10,
        media_type="application/pdf",
        characters=99,
        ingested_at=datetime(2026, 1, 2, tzinfo=UTC),
    )


def ingest(catalogue: SqlCatalogue, entry: DocumentRecord, terms: dict[int, int]) -> None:
    catalogue.begin(entry.document, entry.hash)
    catalogue.commit(entry, terms)
    catalogue.finish(entry.document)
