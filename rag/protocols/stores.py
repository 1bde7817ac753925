"""The engine that holds the chunks, and what is asked of it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from rag.models import Chunk, Filters, ServiceStatus
from rag.protocols.catalogue import DocumentVersion
from rag.protocols.vectors import Matrix, SparseVector, Vector


@dataclass(frozen=True, slots=True, eq=False)
class IndexedChunk:
    """A chunk with all that the store keeps for it: `vectors` has a row for each of its windows.

    `vectors` has no rows, and `sparse` no terms, where they were not read.
    """

    chunk: Chunk
    vectors: Matrix
    sparse: SparseVector


class Scored(NamedTuple):
    """A chunk id with one raw score: cosine or BM25."""

    chunk_id: str
    score: float


@dataclass(frozen=True, slots=True)
class SearchScope:
    """Where to search: only chunks that match `filters`, never one of the hidden document versions.

    `hidden_versions` are versions being written or removed, so that a reader never sees a mix. Each is a name with a
    hash, since two documents of the same bytes have one hash. `without` are names of documents that are not searched;
    their chunks count in the idf all the same.
    """

    filters: Filters = field(default_factory=Filters)
    hidden_versions: tuple[DocumentVersion, ...] = ()
    without: tuple[str, ...] = ()


class VectorStore(Protocol):
    """Holds chunks with a vector for each window and a sparse one.

    Every method may raise `StoreUnavailable` or `IndexNotReady`.
    """

    @property
    def dimension(self) -> int:
        """Length of the vectors that it holds, or will hold where it is empty."""

    def clear(self, dimension: int) -> None:
        """Remove every chunk and the index id; from now on vectors have this length.

        A crash leaves what was there, or nothing.
        """

    @property
    def is_older(self) -> bool:
        """Whether all documents are to be ingested again, for a layout that is not searched any more. Cheap."""

    def index_id(self) -> str | None:
        """Return the id that `set_index_id` gave this index, or None. Cheap: called for every question."""

    def set_index_id(self, index_id: str) -> None:
        """Keep the id of the index beside its chunks, in place of another. Durable on return."""

    def upsert(self, chunks: Sequence[IndexedChunk]) -> None:
        """Write chunks; one that has the same id is replaced. Durable on return."""

    def delete(self, document: str, *, version: str | None = None, keep: str | None = None) -> None:
        """Remove a document's chunks: all, only those of one `version`, or all but the version to `keep`."""

    def search_dense(self, vector: Vector, *, limit: int, scope: SearchScope) -> list[Scored]:
        """Return the chunks whose best window is nearest by cosine, best first, equal scores ordered by chunk id."""

    def search_sparse(self, sparse: SparseVector, *, limit: int, scope: SearchScope) -> list[Scored]:
        """Return the best chunks by BM25 (the store applies the idf), best first, none with score 0."""

    def search_hybrid(
        self, vector: Vector, sparse: SparseVector, *, limit: int, scope: SearchScope
    ) -> tuple[list[Scored], list[Scored]]:
        """Return what `search_dense` and `search_sparse` return, from one request where the engine can."""

    def score_sparse(
        self, sparse: SparseVector, chunk_ids: Sequence[str], *, scope: SearchScope = SearchScope()
    ) -> dict[str, float]:
        """Return the BM25 score of the given chunks, idf over the scope; one with none of the words may be missing."""

    def fetch(self, chunk_ids: Sequence[str]) -> list[IndexedChunk]:
        """Return chunks with their vectors, in the order asked for; unknown ids are left out.

        The sparse vector of a returned chunk may be empty: readers score through `score_sparse`.
        """

    def count(self, scope: SearchScope) -> int:
        """Return how many chunks the scope holds."""

    def scroll(self, scope: SearchScope, *, batch: int = 256) -> Iterator[Chunk]:
        """Yield every chunk of the scope, ordered by nothing in particular."""

    def facets(self, field: str, scope: SearchScope) -> dict[str, int]:
        """Return each value of a metadata field (`document`, `chapter`, `section`, `module`, `page`) and its count."""

    def optimize(self, *, is_wanted: Callable[[], bool] | None = None) -> None:
        """Merge segments and build indexes; call after a large ingest, or where it is `due`.

        Where `is_wanted` says no meanwhile, it is broken off with `StoreUnavailable`: no chunk is lost.
        """

    def due(self) -> bool:
        """Return whether `optimize` has an index to build. Cheap: called after every ingest."""

    def check(self) -> ServiceStatus:
        """Probe the engine; never raises."""

    def close(self) -> None:
        """Flush and release; the store cannot be used afterwards."""
