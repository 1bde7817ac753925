"""What the outside world must offer us. Adapters implement these; stages know nothing else.

`Embedder` and `PieceCounter` stand for the embedding model, `VectorStore` for the engine that holds the chunks,
`Catalogue` for what is indexed and how often words occur, `Generator` for whoever writes the draft,
`GroundingCheck` and `Reader` for models that read a sentence against a passage.
"""

from collections.abc import Generator as Stream
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from rag.models import Chunk, DocumentRecord, Filters, PromptContext, ServiceStatus

Vector: TypeAlias = NDArray[np.float32]
"""One embedding: shape `(384,)`, float32, length 1."""
Matrix: TypeAlias = NDArray[np.float32]
"""Embeddings in rows: shape `(n, 384)`, float32, each of length 1."""
Pulse = TypeVar("Pulse")
Span: TypeAlias = tuple[int, int]
"""Start, and end exclusive, in characters."""


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Term ids and their weights, as BM25 needs them; ids are unique and ascending."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """What is embedded for one chunk: `prefix` and `text` joined by a line feed; sentences are spans of `text`."""

    prefix: str
    text: str
    sentences: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class PassageVectors:
    """A chunk's embedding and, from the same forward pass, one vector for each of its sentences."""

    vector: Vector
    sentences: Matrix


@dataclass(frozen=True, slots=True, eq=False)
class IndexedChunk:
    """A chunk with all that the store keeps for it."""

    chunk: Chunk
    vector: Vector
    sparse: SparseVector
    sentence_vectors: Matrix
    stems: tuple[tuple[str, ...], ...] = ()
    """The stems of each sentence (`rag.language.lexical.stemmed`); empty where they were not kept."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A chunk id with one raw score: cosine or BM25."""

    chunk_id: str
    score: float


@dataclass(frozen=True, slots=True)
class SearchScope:
    """Where to search: only chunks that match `filters`, never one of the hidden document versions.

    `hidden_versions` are document hashes of versions being written or removed, so that a reader never sees a mix.
    """

    filters: Filters = field(default_factory=Filters)
    hidden_versions: tuple[str, ...] = ()


class PieceCounter(Protocol):
    """The embedding model's own tokenizer."""

    def spans(self, text: str) -> list[Span]:
        """Return the character span of every word piece of `text`, special pieces not counted."""
        ...


class Embedder(Protocol):
    """Turns text into vectors."""

    @property
    def fingerprint(self) -> str:
        """Model, weights and numeric precision; index and question must agree on it."""
        ...

    @property
    def backend(self) -> str:
        """What runs the model, and in which precision."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    @property
    def max_pieces(self) -> int:
        """The most word pieces the model reads, special pieces included."""
        ...

    @property
    def pieces(self) -> PieceCounter:
        """The model's tokenizer."""
        ...

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return a unit vector for each text.

        Raises:
            EmbedderUnavailable: The model cannot be loaded or run.
        """
        ...

    def embed_passages(self, passages: Sequence[Passage]) -> list[PassageVectors]:
        """Return vectors for passages and their sentences, in the order given.

        Raises:
            EmbedderUnavailable: The model cannot be loaded or run.
        """
        ...


class VectorStore(Protocol):
    """Holds chunks with a dense and a sparse vector. Every method may raise `StoreUnavailable` or `IndexNotReady`."""

    @property
    def dimension(self) -> int:
        """Length of the vectors that it holds, or will hold where it is empty."""
        ...

    def clear(self, dimension: int) -> None:
        """Remove every chunk and the index id; from now on vectors have this length.

        A crash leaves what was there, or nothing.
        """
        ...

    def index_id(self) -> str | None:
        """Return the id that `set_index_id` gave this index, or None. Cheap: called for every question."""
        ...

    def set_index_id(self, index_id: str) -> None:
        """Keep the id of the index beside its chunks, in place of another. Durable on return."""
        ...

    def upsert(self, chunks: Sequence[IndexedChunk]) -> None:
        """Write chunks; one that has the same id is replaced. Durable on return."""
        ...

    def delete(self, document: str, *, version: str | None = None, keep: str | None = None) -> None:
        """Remove a document's chunks: all, only those of one `version`, or all but the version to `keep`."""
        ...

    def search_dense(self, vector: Vector, *, limit: int, scope: SearchScope) -> list[Scored]:
        """Return the nearest chunks by cosine, best first, equal scores ordered by chunk id."""
        ...

    def search_sparse(self, sparse: SparseVector, *, limit: int, scope: SearchScope) -> list[Scored]:
        """Return the best chunks by BM25 (the store applies the idf), best first, none with score 0."""
        ...

    def search_hybrid(
        self, vector: Vector, sparse: SparseVector, *, limit: int, scope: SearchScope
    ) -> tuple[list[Scored], list[Scored]]:
        """Return what `search_dense` and `search_sparse` return, from one request where the engine can."""
        ...

    def score_sparse(
        self, sparse: SparseVector, chunk_ids: Sequence[str], *, scope: SearchScope = SearchScope()
    ) -> dict[str, float]:
        """Return the BM25 score of the given chunks, idf over the scope; one with none of the words may be missing."""
        ...

    def fetch(self, chunk_ids: Sequence[str]) -> list[IndexedChunk]:
        """Return chunks with their vectors, in the order asked for; unknown ids are left out.

        The sparse vector of a returned chunk may be empty: readers score through `score_sparse`.
        """
        ...

    def count(self, scope: SearchScope) -> int:
        """Return how many chunks the scope holds."""
        ...

    def scroll(self, scope: SearchScope, *, batch: int = 256) -> Iterator[Chunk]:
        """Yield every chunk of the scope, ordered by nothing in particular."""
        ...

    def facets(self, field: str, scope: SearchScope) -> dict[str, int]:
        """Return each value of a metadata field (`document`, `chapter`, `section`, `module`, `page`) and its count."""
        ...

    def optimize(self) -> None:
        """Merge segments and build indexes; call after a large ingest, or where it is `due`."""
        ...

    def due(self) -> bool:
        """Return whether `optimize` has an index to build. Cheap: called after every ingest."""
        ...

    def check(self) -> ServiceStatus:
        """Probe the engine; never raises."""
        ...

    def close(self) -> None:
        """Flush and release; the store cannot be used afterwards."""
        ...


INGESTION = "ingestion"
"""The catalogue's note of the version of ingestion that made all of an index."""
INDEX_ID = "index_id"
"""The catalogue's note of the id that the store of the same index carries too."""


class Catalogue(Protocol):
    """What is indexed: document versions, the journal that makes replacing one atomic, and document frequencies.

    Replacing a document: `begin` -> the store's `upsert` -> `commit` -> the store's `delete(keep=...)` -> `finish`.
    `unfinished` says what is open; after a crash `take_over` returns what to undo (not committed) or complete
    (committed). Several processes may write: what another one that lives has begun is left to it, and `begin` and
    `begin_removal` raise `InvalidDocument` for it.
    """

    def documents(self) -> list[DocumentRecord]:
        """Return the indexed documents, by name."""
        ...

    def get(self, document: str) -> DocumentRecord | None:
        """Return one document, or None where it is not indexed."""
        ...

    def begin(self, document: str, version: str) -> None:
        """Note that a version of a document is about to be written; it stays hidden until `commit`."""
        ...

    def commit(self, record: DocumentRecord, term_counts: dict[int, int]) -> str | None:
        """Make this version the document, in one transaction; return the version that it replaced.

        `term_counts`: for each term id, in how many of its chunks it occurs. Raises `InvalidDocument` where another
        process has taken over what `begin` noted.
        """
        ...

    def begin_removal(self, document: str) -> str | None:
        """Take a document out of the catalogue in one transaction, its chunks hidden; return the version it had."""
        ...

    def finish(self, document: str) -> None:
        """Note that the store holds exactly the committed version, or nothing."""
        ...

    def unfinished(self) -> list[tuple[str, str | None, str | None]]:
        """Return (document, version being written and not committed, committed version) of all open work."""
        ...

    def take_over(self, *, alone: bool = False) -> list[tuple[str, str | None, str | None]]:
        """Become the owner of interrupted work and return it as `unfinished` does.

        Work of other processes that live is left to them, but where `alone` says that there are none.
        """
        ...

    def release(self, document: str) -> None:
        """Leave interrupted work on a document, still hidden, to whichever process takes it over next."""
        ...

    def renew(self) -> None:
        """Note that this process lives, so that nobody takes over what it has begun."""
        ...

    def check_held(self, document: str, version: str) -> None:
        """Check that nobody has taken over a version that is being written; raises `InvalidDocument`."""
        ...

    def held_elsewhere(self) -> dict[str, str]:
        """Return the documents that other processes are writing or removing now, and which process each is."""
        ...

    def hidden_versions(self) -> tuple[str, ...]:
        """Return the document hashes that readers must not see now. Cheap: called for every question."""
        ...

    def document_frequencies(self, terms: Sequence[int]) -> dict[int, int]:
        """Return in how many chunks each term occurs; terms that occur nowhere are missing."""
        ...

    def versions(self) -> list[tuple[str, str]]:
        """Return name and hash of every indexed document, by name."""
        ...

    def terms(self, document: str) -> frozenset[int]:
        """Return the ids of the terms that occur in a document; none where it is not indexed."""
        ...

    def chunk_count(self) -> int:
        """Return how many chunks all documents have."""
        ...

    def fingerprint(self) -> str:
        """Return a hash over all documents and versions, and the version of ingestion where one is noted."""
        ...

    def get_meta(self, key: str) -> str | None:
        """Return a stored property of the index, as its embedding fingerprint."""
        ...

    def set_meta(self, key: str, value: str) -> None:
        """Store a property of the index."""
        ...

    def note_once(self, key: str, value: str) -> str:
        """Store a property unless there is one; return what stands there, the same in all processes."""
        ...


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What a model server says of the model it would use."""

    name: str
    context_length: int | None


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """How a stream of text ended; the value that the generator function behind a stream returns."""

    finish_reason: Literal["stop", "length"] = "stop"
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Generator(Protocol):
    """Writes a draft as a stream of text. Closing the iterator cancels the model."""

    def model(self) -> ModelInfo | None:
        """Return the model that would speak, or None where no server answers. Bounded in time, never raises."""
        ...

    def find_model(self, *, pulse: Pulse) -> Stream[Pulse, None, ModelInfo | None]:
        """Return what `model` returns, and yield `pulse` while a server is silent; closing it ends the asking."""
        ...

    def stream(
        self, prompt: PromptContext, *, max_tokens: int, temperature: float, seed: int | None = None
    ) -> Iterator[str]:
        """Yield pieces of the draft as they are written; an empty one where none came for a while.

        The empty pieces let whoever reads stop a model that is silent.

        Raises:
            GeneratorUnavailable: Connection refused, model missing, time out, server error, garbage.
        """
        ...

    def check(self) -> ServiceStatus:
        """Probe the server; never raises."""
        ...


class GroundingCheck(Protocol):
    """Judges one sentence against the text that it cites."""

    @property
    def name(self) -> str:
        """Name and version of the check, recorded with every answer."""
        ...

    def support(self, claim: str, evidence: str) -> float:
        """Return how strongly the evidence carries the claim: 0..1, supported from 0.5."""
        ...


class Reader(Protocol):
    """Reads passages for a question and says how likely each answers it."""

    @property
    def name(self) -> str:
        """Name and version of the weights."""
        ...

    def read(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return for each passage the probability, 0..1, that it answers the question."""
        ...
