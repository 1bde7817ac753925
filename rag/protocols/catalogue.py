"""What is indexed, and how often words occur."""

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from rag.models import DocumentRecord

INGESTION = "ingestion"  # the catalogue's note of the version of ingestion that made all of an index
INDEX_ID = "index_id"  # the catalogue's note of the id that the store of the same index carries too

DocumentVersion: TypeAlias = tuple[str, str]
"""A document's name and the hash of its file: a copy under another name has the same hash."""


class Catalogue(Protocol):
    """What is indexed: document versions, the journal that makes replacing one atomic, and document frequencies.

    Replacing a document: `begin` -> the store's `upsert` -> `commit` -> the store's `delete(keep=...)` -> `finish`.
    `unfinished` says what is open; after a crash `take_over` returns what to undo (not committed) or complete
    (committed). Several processes may write: what another one that lives has begun is left to it, and `begin` and
    `begin_removal` raise `InvalidDocument` for it.
    """

    def documents(self) -> list[DocumentRecord]:
        """Return the indexed documents, by name."""

    def get(self, document: str) -> DocumentRecord | None:
        """Return one document, or None where it is not indexed."""

    def begin(self, document: str, version: str) -> None:
        """Note that a version of a document is about to be written; it stays hidden until `commit`."""

    def commit(self, record: DocumentRecord, term_counts: dict[int, int]) -> str | None:
        """Make this version the document, in one transaction; return the version that it replaced.

        `term_counts`: for each term id, in how many of its chunks it occurs. Raises `InvalidDocument` where another
        process has taken over what `begin` noted.
        """

    def begin_removal(self, document: str) -> str | None:
        """Take a document out of the catalogue in one transaction, its chunks hidden; return the version it had."""

    def finish(self, document: str) -> None:
        """Note that the store holds exactly the committed version, or nothing."""

    def unfinished(self) -> list[tuple[str, str | None, str | None]]:
        """Return (document, version being written and not committed, committed version) of all open work."""

    def take_over(self, *, alone: bool = False) -> list[tuple[str, str | None, str | None]]:
        """Become the owner of interrupted work and return it as `unfinished` does.

        Work of other processes that live is left to them, but where `alone` says that there are none.
        """

    def release(self, document: str) -> None:
        """Leave interrupted work on a document, still hidden, to whichever process takes it over next."""

    def renew(self) -> None:
        """Note that this process lives, so that nobody takes over what it has begun."""

    def check_held(self, document: str, version: str) -> None:
        """Check that nobody has taken over a version that is being written; raises `InvalidDocument`."""

    def held_elsewhere(self) -> dict[str, str]:
        """Return the documents that other processes are writing or removing now, and which process each is."""

    def hidden_versions(self) -> tuple[DocumentVersion, ...]:
        """Return the documents' versions that readers must not see now. Cheap: called for every question."""

    def document_frequencies(self, terms: Sequence[int]) -> dict[int, int]:
        """Return in how many chunks each term occurs; terms that occur nowhere are missing."""

    def versions(self) -> list[tuple[str, str]]:
        """Return name and hash of every indexed document, by name."""

    def terms(self, document: str) -> frozenset[int]:
        """Return the ids of the terms that occur in a document; none where it is not indexed."""

    def chunk_count(self) -> int:
        """Return how many chunks all documents have."""

    def fingerprint(self) -> str:
        """Return a hash over all documents and versions, and the version of ingestion where one is noted."""

    def get_meta(self, key: str) -> str | None:
        """Return a stored property of the index, as its embedding fingerprint."""

    def set_meta(self, key: str, value: str) -> None:
        """Store a property of the index."""

    def note_once(self, key: str, value: str) -> str:
        """Store a property unless there is one; return what stands there, the same in all processes."""
