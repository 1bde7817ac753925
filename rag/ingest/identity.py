"""Whether a store, a catalogue and what is configured belong to one index.

Store and catalogue carry the same id and hold the same number of chunks. Either can be lost, restored from a copy, or
named by a setting of its own without the other: what the catalogue lists would then not be found, and what it knows
nothing of would be cited. The catalogue notes the embedding model, the language and the version that made the index.
"""

from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from uuid import uuid4

from rag.errors import IndexNotReady, StoreUnavailable
from rag.ingest.version import ingestion_version
from rag.protocols import INDEX_ID, INGESTION, Catalogue, Embedder, SearchScope, VectorStore

_EVERYWHERE = SearchScope()
_SETTINGS = "CANDOR_DATA_DIR, CANDOR_DATABASE_URL, QDRANT_URL and CANDOR_COLLECTION"

EMBEDDING, LANGUAGE = "embedding", "language"
"""The properties that all of an index must share, as the catalogue's meta names them."""
UNFINISHED = "an unfinished rebuild"


class Identity:
    """Compares the id of a store with that of a catalogue, and gives one id to those that belong together.

    An index of an earlier Candor has no id: it gets one where both hold the same number of chunks.

    Args:
        store: Where the chunks are.
        catalogue: What is indexed.
        alone: No other process can have the store open. Chunks of which an empty catalogue knows nothing are then
            cleared away by the next ingest; in a store that others share they may be somebody else's.
    """

    def __init__(self, store: VectorStore, catalogue: Catalogue, *, alone: bool = False) -> None:
        self._store, self._catalogue, self._alone = store, catalogue, alone
        self._accepted: tuple[str | None, str | None] | None = None
        self._comparing = Lock()
        self.problem: str | None = None
        """Why nothing may answer and nothing be added; None: as far as is known, both belong together."""
        self.is_foreign = False
        """Whether the store holds chunks that may be another index's."""
        self.has_strays = False
        """Whether the store holds chunks though nothing is indexed, and may be cleared."""

    def check(self) -> None:
        """Check that store and catalogue belong together; cheap where that was found before.

        Raises:
            IndexNotReady: They do not; the message says what each has.
            StoreUnavailable: One of them does not answer.
        """
        found, noted = self._store.index_id(), self._catalogue.get_meta(INDEX_ID)
        is_known = noted is not None and (found == noted or (found, noted) == self._accepted)
        if self.problem or not is_known:
            self.settle()
        if self.problem:
            raise IndexNotReady(self.problem, details={"property": INDEX_ID})

    def check_own(self) -> None:
        """Check that removing something from the store cannot remove what is another index's.

        Raises:
            IndexNotReady: It could.
        """
        if self.is_foreign:
            raise IndexNotReady(str(self.problem), details={"property": INDEX_ID})

    def settle(self) -> None:
        """Compare, and give the id of the catalogue to a store that belongs to it and has none.

        Raises:
            IndexNotReady: The store holds vectors of another length.
            StoreUnavailable: Store or catalogue does not answer.
        """
        with self._comparing:
            self.problem, self.is_foreign, self.has_strays = None, False, False
            found, noted = self._store.index_id(), self._catalogue.get_meta(INDEX_ID)
            if noted is None or found not in (None, noted):  # what is kept in memory may be a second old
                noted = self._catalogue.note_once(INDEX_ID, self._proposed(found))
            if found == noted and not self._alone:
                return
            if found in (None, noted) and self._catalogue.unfinished():
                return  # the numbers say nothing while a document is being written
            self._compare(found, noted)

    def renew(self) -> None:
        """Give the catalogue's id to the store, which has just been cleared."""
        self._store.set_index_id(self._catalogue.note_once(INDEX_ID, uuid4().hex))
        self.problem, self.is_foreign, self.has_strays = None, False, False

    def _proposed(self, found: str | None) -> str:
        """Return the id for a catalogue that has none: that of a store with just as many chunks, or a new one."""
        is_whole = found is not None and self._store.count(_EVERYWHERE) == self._catalogue.chunk_count() > 0
        return found if found and is_whole else uuid4().hex

    def _compare(self, found: str | None, noted: str) -> None:
        """Hold the numbers against each other, given the ids of store and catalogue."""
        stored, listed = self._store.count(_EVERYWHERE), self._catalogue.chunk_count()
        if stored and not listed and self._alone:
            self.has_strays = True
        elif stored and (found not in (None, noted) or not listed):
            self.is_foreign = True
            self.problem = self._foreign(stored, listed) if listed else _unlisted(stored)
        elif stored != listed:
            self.problem = _different(stored, listed)
        elif found != noted:
            try:
                self._store.set_index_id(noted)
            except StoreUnavailable:  # a store that can only be read answers all the same
                self._accepted = (found, noted)

    def _foreign(self, stored: int, listed: int) -> str:
        way = (
            "rebuild the index of this catalogue with `candor ingest --rebuild`, which clears the store first"
            if self._alone
            else "set CANDOR_COLLECTION to a name that is not taken"
        )
        return (
            f"The store holds {stored} chunks of another index than the catalogue, which lists {listed}. Correct "
            f"{_SETTINGS}, so that both belong to one index; or {way}."
        )


def _unlisted(stored: int) -> str:
    return (
        f"The store holds {stored} chunks, and the catalogue lists none. Set CANDOR_DATABASE_URL to the database that "
        "belongs to the store, or CANDOR_COLLECTION to a name that is not taken."
    )


def _different(stored: int, listed: int) -> str:
    return (
        f"The store holds {stored} chunks, and the catalogue lists {listed}: one of them was lost, restored or "
        f"exchanged without the other. Correct {_SETTINGS} if they name two different indexes; else rebuild the index "
        "from the stored copies with `candor ingest --rebuild`, which clears the store first."
    )


def apart(store: VectorStore, catalogue: Catalogue) -> str | None:
    """Return in words that store and catalogue are of two indexes, or None; nothing is written and little asked."""
    listed = catalogue.chunk_count()
    found, noted = store.index_id(), catalogue.get_meta(INDEX_ID)
    if not listed or (found is not None and found == noted):
        return None
    if found is not None and noted is not None:
        return "the store is of another index than the catalogue: `candor ask` says what to do"
    is_lost = noted is not None and store.count(_EVERYWHERE) == 0
    return (
        f"the store is empty, and the catalogue lists {listed} chunks: `candor ingest --rebuild`" if is_lost else None
    )


@dataclass
class Makers:
    """Compares what made an index with what is configured now, and notes it."""

    catalogue: Catalogue
    embedder: Embedder
    language: str
    """The Snowball stemmer that is configured."""
    given_version: str | None = None
    """Version of the ingestion; None: that of this program."""

    @cached_property
    def version(self) -> str:
        """The version of the ingestion."""
        return self.given_version or ingestion_version()

    def check(self) -> None:
        """Check that this embedding model and language are those of the index.

        Raises:
            IndexNotReady: They are not; the message names both.
        """
        mismatch = self.mismatch()
        if mismatch:
            name, stored, now = mismatch
            raise IndexNotReady(
                f"The index was built with the {name} {stored!r}, and now {now!r} is configured. Rebuild it with "
                "`candor ingest --rebuild`, or configure the former one again.",
                details={"property": name, "index": stored, "configured": now},
            )

    def mismatch(self) -> tuple[str, str, str] | None:
        """Return the property in which index and configuration differ, with both values; an empty index fits any."""
        if self.catalogue.chunk_count() == 0:
            return None
        for name, now in self._properties().items():
            stored = self.catalogue.get_meta(name)
            if stored not in (None, now):
                return name, str(stored), now
        return None

    def is_outdated(self) -> bool:
        """Return whether another version of Candor read some of the documents; looking takes 0.1 s the first time."""
        return self.catalogue.chunk_count() > 0 and self.catalogue.get_meta(INGESTION) != self.version

    def begin_rebuild(self) -> None:
        """Note that from now on nothing may answer until the index is whole again."""
        self.catalogue.set_meta(EMBEDDING, UNFINISHED)

    def claim(self) -> None:
        """Note with which model, language and version the index is built, unless that stands there."""
        is_mixed = self.is_outdated()
        noted = {**self._properties(), INGESTION: f"{self.version} and older" if is_mixed else self.version}
        for name, value in noted.items():
            if self.catalogue.get_meta(name) != value:
                self.catalogue.set_meta(name, value)

    def settle_version(self) -> None:
        """Note the version once all documents are of it."""
        if self.is_outdated() and all(each.ingestion == self.version for each in self.catalogue.documents()):
            self.catalogue.set_meta(INGESTION, self.version)

    def _properties(self) -> dict[str, str]:
        return {EMBEDDING: self.embedder.fingerprint, LANGUAGE: self.language}
