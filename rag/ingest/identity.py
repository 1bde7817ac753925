"""Whether a store and a catalogue belong to one index.

They carry the same id and hold the same number of chunks. Either can be lost, restored from a copy, or named by a
setting of its own without the other: what the catalogue lists would then not be found, and what it knows nothing of
would be cited.
"""

from threading import Lock
from uuid import uuid4

from rag.errors import IndexNotReady, StoreUnavailable
from rag.protocols import INDEX_ID, Catalogue, SearchScope, VectorStore

_EVERYWHERE = SearchScope()
_SETTINGS = "CANDOR_DATA_DIR, CANDOR_DATABASE_URL, QDRANT_URL and CANDOR_COLLECTION"


class Identity:
    """Compares the id of a store with that of a catalogue, and gives one id to those that belong together.

    A store without an id gets one where both hold the same number of chunks. Chunks of which an empty catalogue knows
    nothing are cleared away by the next ingest where this process is `alone`; in a shared store they may be another's.
    """

    def __init__(self, store: VectorStore, catalogue: Catalogue, *, alone: bool = False) -> None:
        self._store, self._catalogue, self._alone = store, catalogue, alone
        self._accepted: tuple[str | None, str | None] | None = None
        self._comparing = Lock()
        self.problem: str | None = None  # why nothing may answer and nothing be added; None: both belong together
        self.is_foreign = False  # whether the store holds chunks that may be another index's
        self.has_strays = False  # whether the store holds chunks though nothing is indexed, and may be cleared

    def check(self) -> None:
        """Raise `IndexNotReady` unless store and catalogue belong together; cheap where that was found before."""
        found, noted = self._store.index_id(), self._catalogue.get_meta(INDEX_ID)
        is_known = noted is not None and (found == noted or (found, noted) == self._accepted)
        if self.problem or not is_known:
            self.settle()
        if self.problem:
            raise IndexNotReady(self.problem, details={"property": INDEX_ID})

    def check_own(self) -> None:
        """Raise `IndexNotReady` where removing something from the store could remove what is another index's."""
        if self.is_foreign:
            raise IndexNotReady(str(self.problem), details={"property": INDEX_ID})

    def settle(self) -> None:
        """Compare, and give the id of the catalogue to a store that belongs to it and has none."""
        with self._comparing:
            self.problem, self.is_foreign, self.has_strays = None, False, False
            found, noted = self._store.index_id(), self._catalogue.get_meta(INDEX_ID)
            if noted is None or found not in (None, noted):  # what is kept in memory may be a second old
                is_whole = found and self._store.count(_EVERYWHERE) == self._catalogue.chunk_count() > 0
                noted = self._catalogue.note_once(INDEX_ID, found if found and is_whole else uuid4().hex)
            is_open = found in (None, noted) and self._catalogue.unfinished()  # then the numbers say nothing
            if (found != noted or self._alone) and not is_open:
                self._compare(found, noted)

    def renew(self) -> None:
        """Give the catalogue's id to the store, which has just been cleared."""
        self._store.set_index_id(self._catalogue.note_once(INDEX_ID, uuid4().hex))
        self.problem, self.is_foreign, self.has_strays = None, False, False

    def _compare(self, found: str | None, noted: str) -> None:
        stored, listed = self._store.count(_EVERYWHERE), self._catalogue.chunk_count()
        if stored and not listed and self._alone:
            self.has_strays = True
        elif stored and not listed:
            self.is_foreign = True
            self.problem = (
                f"The store holds {stored} chunks, and the catalogue lists none. Set CANDOR_DATABASE_URL to the "
                "database that belongs to the store, or CANDOR_COLLECTION to a name that is not taken."
            )
        elif stored and found not in (None, noted):
            self.is_foreign = True
            way = "rebuild the index of this catalogue with `candor ingest --rebuild`, which clears the store first"
            self.problem = (
                f"The store holds {stored} chunks of another index than the catalogue, which lists {listed}. Correct "
                f"{_SETTINGS}, so that both belong to one index; or "
                f"{way if self._alone else 'set CANDOR_COLLECTION to a name that is not taken'}."
            )
        elif stored != listed:
            self.problem = (
                f"The store holds {stored} chunks, and the catalogue lists {listed}: one of them was lost, restored or "
                f"exchanged without the other. Correct {_SETTINGS} if they name two different indexes; else rebuild "
                "the index from the stored copies with `candor ingest --rebuild`, which clears the store first."
            )
        elif found != noted:
            try:
                self._store.set_index_id(noted)
            except StoreUnavailable:  # a store that can only be read answers all the same
                self._accepted = (found, noted)


def apart(store: VectorStore, catalogue: Catalogue) -> str | None:
    """Return in words that store and catalogue are of two indexes, or None; nothing is written and little asked."""
    listed = catalogue.chunk_count()
    found, noted = store.index_id(), catalogue.get_meta(INDEX_ID)
    if not listed or (found is not None and found == noted):
        return None
    if found is not None and noted is not None:
        return "the store is of another index than the catalogue: `candor ask` says what to do"
    if noted is not None and store.count(_EVERYWHERE) == 0:
        return f"the store is empty, and the catalogue lists {listed} chunks: `candor ingest --rebuild`"
    return None
