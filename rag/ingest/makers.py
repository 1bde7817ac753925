"""What made an index: embedding model, language and version of ingestion, as its catalogue notes them."""

from functools import cached_property

from rag.errors import IndexNotReady
from rag.ingest.version import ingestion_version
from rag.protocols import INGESTION, Catalogue, Embedder

EMBEDDING, LANGUAGE = "embedding", "language"
"""The properties that all of an index must share, as the catalogue's meta names them."""
UNFINISHED = "an unfinished rebuild"


class Makers:
    """Compares what made an index with what is configured now, and notes it.

    Args:
        catalogue: Of the index.
        embedder: The embedding model that is configured.
        language: The Snowball stemmer that is configured.
        version: Version of the ingestion; None: that of this program.
    """

    def __init__(self, catalogue: Catalogue, embedder: Embedder, language: str, version: str | None = None) -> None:
        self._catalogue, self._embedder, self._language = catalogue, embedder, language
        self._given_version = version

    @cached_property
    def version(self) -> str:
        """The version of the ingestion."""
        return self._given_version or ingestion_version()

    def check(self) -> None:
        """Check that this embedding model and language are those of the index.

        Raises:
            IndexNotReady: They are not; the message names both.
        """
        mismatch = self.mismatch()
        if mismatch:
            name, stored, now = mismatch
            raise IndexNotReady(
                f"The index was built with the {name} {stored!r}, and now {now!r} is configured. Build it anew with "
                f"`candor ingest --rebuild`, or configure the former again.",
                details={"property": name, "index": stored, "configured": now},
            )

    def mismatch(self) -> tuple[str, str, str] | None:
        """Return the property in which index and configuration differ, with both values; an empty index fits any."""
        if self._catalogue.chunk_count() == 0:
            return None
        for name, now in self._properties().items():
            stored = self._catalogue.get_meta(name)
            if stored not in (None, now):
                return name, str(stored), now
        return None

    def is_outdated(self) -> bool:
        """Return whether another version of Candor read some of the documents; looking takes 0.1 s the first time."""
        return self._catalogue.chunk_count() > 0 and self._catalogue.get_meta(INGESTION) != self.version

    def begin_rebuild(self) -> None:
        """Note that from now on nothing may answer until the index is whole again."""
        self._catalogue.set_meta(EMBEDDING, UNFINISHED)

    def claim(self) -> None:
        """Note with which model, language and version the index is built, unless that stands there."""
        is_mixed = self.is_outdated()
        noted = {**self._properties(), INGESTION: f"{self.version} and older" if is_mixed else self.version}
        for name, value in noted.items():
            if self._catalogue.get_meta(name) != value:
                self._catalogue.set_meta(name, value)

    def settle_version(self) -> None:
        """Note the version once all documents are of it."""
        if self.is_outdated() and all(each.ingestion == self.version for each in self._catalogue.documents()):
            self._catalogue.set_meta(INGESTION, self.version)

    def _properties(self) -> dict[str, str]:
        return {EMBEDDING: self._embedder.fingerprint, LANGUAGE: self._language}
