"""The store on a Qdrant server or cluster by URL, and the client's in-memory mode: the same chunks, the same results.

Whatever the client raises becomes `StoreUnavailable`, in the words of `qdrant_errors`.

The idf is Qdrant's, `ln((N - n + 0.5) / (n + 0.5) + 1)`, over the chunks that are visible now. In-memory mode computes
the same from live counts (within 1e-4: it adds in float64, the engine in float32). A server too old to know
`IdfCorpusParams` (1.19 knows it) would count deleted chunks until it has merged its segments.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from math import ceil
from threading import Lock
from time import perf_counter
from typing import Final, Self, TypeVar
from warnings import catch_warnings, simplefilter

import httpx
from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import UnexpectedResponse

from rag.adapters import points
from rag.adapters.qdrant_cluster import Cluster, ShardSize
from rag.adapters.qdrant_errors import NOT_FOUND, checked_address, what_happened
from rag.adapters.qdrant_format import filter_of, point_of, scope_filter, sparse_query, vector_of
from rag.errors import CandorError, IndexNotReady, StoreUnavailable
from rag.models import Chunk, ServiceStatus
from rag.protocols import IndexedChunk, Scored, SearchScope, SparseVector, Vector

_CONFLICT: Final = (400, 409)
_INDEX_ID: Final = "candor_index_id"
"""The key of the collection's metadata under which the id of the index is kept."""
Result = TypeVar("Result")


class QdrantStore:
    """A `VectorStore` on a Qdrant server, or in memory.

    The collection is looked up, and made where it is missing, at the first use: a server that is down when the program
    starts may come up later. Threads may read and write at once; in-memory mode cannot, so one lock guards it.

    Args:
        client: A client over HTTP, or one made with `":memory:"`.
        collection: Name of the collection.
        dimension: Length of the dense vectors.
        url: Address for messages, without a login. None for in-memory mode.
        timeout_s: What the client waits, for messages.
        secret: Cut out of every message, should a server repeat it.
        cluster: Shards, copies and quantization of a collection that is made, and how it is searched.
    """

    def __init__(
        self,
        client: QdrantClient,
        collection: str,
        *,
        dimension: int = 384,
        url: str | None = None,
        timeout_s: float = 5.0,
        secret: str | None = None,
        cluster: Cluster = Cluster(),
    ) -> None:
        self._client = client
        self._collection = collection
        self._dimension = dimension
        self._url = url or "memory"
        self._timeout_s = timeout_s
        self._secret = secret
        self._cluster = cluster
        self._remote = url is not None
        self._size = ShardSize()
        self._index_id: str | None = None
        self._ready = False
        self._setup = Lock()
        self._turn: AbstractContextManager[object] = nullcontext() if self._remote else Lock()

    @classmethod
    def connect(
        cls,
        url: str,
        api_key: str | None = None,
        timeout_s: float = 5.0,
        collection: str = "candor",
        dimension: int = 384,
        *,
        cluster: Cluster = Cluster(),
        transport: httpx.BaseTransport | None = None,
    ) -> Self:
        """Return a store on a server; nothing is sent yet.

        Args:
            url: As in `https://qdrant.example.org:6333`; without a port, 6333.
            api_key: Sent as the header `api-key`; use it with `https` only.
            timeout_s: Longest wait for an answer; whole seconds, rounded up.
            collection: Name of the collection.
            dimension: Length of the dense vectors.
            cluster: Shards, copies and quantization of a collection that is made, and how it is searched.
            transport: Another way to the server, as a proxy's.

        Raises:
            ConfigurationError: The URL is malformed.
        """
        address = checked_address(url)
        with catch_warnings():
            simplefilter("ignore", UserWarning)  # a key over http: `check` says it where people look
            client = QdrantClient(
                url=url, api_key=api_key, timeout=ceil(timeout_s), check_compatibility=False, transport=transport
            )
        return cls(
            client,
            collection,
            dimension=dimension,
            url=address,
            timeout_s=ceil(timeout_s),
            secret=api_key,
            cluster=cluster,
        )

    @classmethod
    def in_memory(cls, dimension: int = 384) -> Self:
        """Return an empty store in memory; it is gone with the process."""
        return cls(QdrantClient(location=":memory:"), "candor", dimension=dimension)

    @property
    def dimension(self) -> int:
        """Length of the vectors in the collection; where there is none yet, of those that are to come.

        Raises:
            StoreUnavailable: The server did not answer in time, or with an error.
        """
        with self._border(), self._turn:
            if not self._client.collection_exists(self._collection):
                return self._dimension
            vectors = self._client.get_collection(self._collection).config.params.vectors
        params = vectors.get(points.DENSE) if isinstance(vectors, dict) else None
        return int(params.size) if params else self._dimension

    def clear(self, dimension: int) -> None:
        """Delete the collection; it is made again, for vectors of another length, at the next use.

        Raises:
            StoreUnavailable: The server did not answer in time, or with an error.
        """
        with self._border(), self._setup, self._turn:
            self._client.delete_collection(self._collection)
            self._dimension, self._ready, self._index_id = dimension, False, None

    def index_id(self) -> str | None:
        """Return the id that was given to this index, or None; one that is known is not asked for again.

        Raises:
            IndexNotReady: The collection has vectors of another length, or was not made by Candor.
            StoreUnavailable: The server did not answer in time, or with an error.
        """
        if not self._ready or self._index_id is None:
            self._note_id(self._ask(lambda client, name: client.get_collection(name)))
        return self._index_id

    def set_index_id(self, index_id: str) -> None:
        """Keep the id of the index in the metadata of the collection. A server older than 1.16 does not keep it.

        Raises:
            StoreUnavailable: The server did not answer in time, or with an error.
        """
        self._ask(lambda client, name: client.update_collection(name, metadata={_INDEX_ID: index_id}))
        self._index_id = index_id

    def upsert(self, chunks: Sequence[IndexedChunk]) -> None:
        """Write chunks; one that has the same id is replaced. Acknowledged by the server on return.

        Raises:
            IndexNotReady: A vector is of another dimension; nothing is written.
            StoreUnavailable: The server did not answer in time, or with an error.
        """
        for indexed in chunks:
            points.require_dimension(indexed.vector, self._dimension)
        for group in points.in_batches(chunks):
            written = [point_of(indexed) for indexed in group]
            self._ask(lambda client, name, written=written: client.upsert(name, written, wait=True))  # type: ignore[misc]

    def delete(self, document: str, *, version: str | None = None, keep: str | None = None) -> None:
        """Remove a document's chunks: all, only those of one `version`, or all but the version to `keep`."""
        equal: list[tuple[str, str | int]] = [("document", document)]
        if version is not None:
            equal.append(("version", version))
        where = filter_of(points.Conditions(tuple(equal), () if keep is None else (keep,)))
        self._ask(lambda client, name: client.delete(name, models.FilterSelector(filter=where), wait=True))

    def search_dense(self, vector: Vector, *, limit: int, scope: SearchScope) -> list[Scored]:
        """Return the nearest chunks by cosine, best first, equal scores ordered by chunk id."""
        points.require_dimension(vector, self._dimension)
        numbers: list[float] = vector.tolist()
        return points.ranked(lambda most: self._query([self._dense(numbers, most, scope)])[0], limit)

    def search_sparse(self, sparse: SparseVector, *, limit: int, scope: SearchScope) -> list[Scored]:
        """Return the best chunks by BM25, best first, none with score 0; the idf is that of all visible chunks."""
        if not sparse.indices:
            return []
        return points.ranked(lambda most: self._query([sparse_query(sparse, most, scope)])[0], limit)

    def search_hybrid(
        self, vector: Vector, sparse: SparseVector, *, limit: int, scope: SearchScope
    ) -> tuple[list[Scored], list[Scored]]:
        """Return what `search_dense` and `search_sparse` return, in one request."""
        if not sparse.indices or limit < 1:
            return self.search_dense(vector, limit=limit, scope=scope), []
        points.require_dimension(vector, self._dimension)
        numbers: list[float] = vector.tolist()
        most = points.with_ties(limit)
        near, worded = self._query([self._dense(numbers, most, scope), sparse_query(sparse, most, scope)])
        return (
            points.ranked(lambda most: self._query([self._dense(numbers, most, scope)])[0], limit, near),
            points.ranked(lambda most: self._query([sparse_query(sparse, most, scope)])[0], limit, worded),
        )

    def score_sparse(
        self, sparse: SparseVector, chunk_ids: Sequence[str], *, scope: SearchScope = SearchScope()
    ) -> dict[str, float]:
        """Return the BM25 score of the given chunks; one that has none of the words is missing.

        `scope` decides only over which chunks the idf is taken (its hidden versions do not count), so that scores equal
        those of `search_sparse` with the same scope.
        """
        ids = points.point_ids(chunk_ids)
        if not sparse.indices or not ids:
            return {}
        only = models.Filter(must=[models.HasIdCondition(has_id=list(ids))])
        found = self._query([sparse_query(sparse, len(ids), scope, only=only)])[0]
        return {chunk_id: round(score, 6) for chunk_id, score in found}

    def fetch(self, chunk_ids: Sequence[str]) -> list[IndexedChunk]:
        """Return chunks with their vectors, in the order asked for; unknown ids are left out."""
        ids = points.point_ids(chunk_ids)
        if not ids:
            return []
        payload = list(points.CHUNK_KEYS)
        records = self._ask(lambda client, name: client.retrieve(name, list(ids), payload, [points.DENSE]))
        by_id = {str(record.id): record for record in records}
        found = [record for record in map(by_id.get, ids) if record is not None]
        return points.indexed_of([record.payload for record in found], [vector_of(record) for record in found])

    def count(self, scope: SearchScope) -> int:
        """Return how many chunks the scope holds."""
        where = scope_filter(scope)
        return self._ask(lambda client, name: client.count(name, count_filter=where, exact=True)).count

    def scroll(self, scope: SearchScope, *, batch: int = 256) -> Iterator[Chunk]:
        """Yield every chunk of the scope, read `batch` at a time, ordered by chunk id."""
        where, offset = scope_filter(scope), None
        while True:
            records, offset = self._ask(
                lambda client, name, start=offset: client.scroll(  # type: ignore[misc]
                    name, scroll_filter=where, limit=batch, offset=start, with_payload=["chunk"]
                )
            )
            yield from (points.chunk_of((record.payload or {}).get("chunk")) for record in records)
            if offset is None:
                return

    def facets(self, field: str, scope: SearchScope) -> dict[str, int]:
        """Return each value of a metadata field and in how many chunks it occurs; a chunk counts on all its pages."""
        key, where, most = points.facet_key(field), scope_filter(scope), points.MOST_FACETS
        answer = self._ask(lambda client, name: client.facet(name, key, facet_filter=where, limit=most, exact=True))
        return points.ordered_facets((hit.value, hit.count) for hit in answer.hits)

    def optimize(self) -> None:
        """Do nothing: a server merges and indexes by itself, in-memory mode has nothing to merge."""

    def due(self) -> bool:
        """Return False: `optimize` does nothing."""
        return False

    def check(self) -> ServiceStatus:
        """Probe the server with one request, bounded by the timeout; never raises."""
        start = perf_counter()
        try:
            with self._border(), self._turn:
                exists = self._client.collection_exists(self._collection)
        except CandorError as error:
            return ServiceStatus(state="disconnected", latency_ms=None, detail=error.message)
        where = f"Qdrant at {self._url}, collection {self._collection!r}" if self._remote else "Qdrant in memory"
        made = "" if exists else " (made at the first use)"
        clear = self._secret and self._url.startswith("http://")
        warning = ". The API key is sent unencrypted: use an https address" if clear else ""
        return ServiceStatus(
            state="connected", latency_ms=(perf_counter() - start) * 1000, detail=f"{where}{made}{warning}"
        )

    def close(self) -> None:
        """Release the connections; every write is already acknowledged. Calling it again does nothing."""
        with self._border(), self._turn:
            self._client.close()

    def _query(self, requests: list[models.QueryRequest]) -> list[points.Found]:
        answers = self._ask(lambda client, name: client.query_batch_points(name, requests))
        return [[(str(hit.id), hit.score) for hit in answer.points] for answer in answers]

    def _ask(self, call: Callable[[QdrantClient, str], Result]) -> Result:
        """Make one call on the collection, which is there from now on."""
        with self._border():
            if not self._ready:
                self._open_collection()
            with self._turn:
                return call(self._client, self._collection)

    def _open_collection(self) -> None:
        """Find or make the collection, with its payload indexes, and compare dimensions."""
        with self._setup, self._turn:
            if not self._client.collection_exists(self._collection):
                self._create_collection()
            described = self._client.get_collection(self._collection)
            vectors = described.config.params.vectors
            params = vectors.get(points.DENSE) if isinstance(vectors, dict) else None
            if params is None:
                raise IndexNotReady(
                    f"The collection {self._collection!r} at {self._url} was not made by Candor: it has no vector "
                    f"{points.DENSE!r}. Set CANDOR_COLLECTION to another name."
                )
            if params.size != self._dimension:
                raise points.wrong_dimension(self._dimension, params.size)
            self._size.note(described)
            self._create_indexes(described.payload_schema)
            self._note_id(described)
            self._ready = True

    def _note_id(self, described: models.CollectionInfo) -> None:
        kept = (described.config.metadata or {}).get(_INDEX_ID)
        self._index_id = str(kept) if kept else self._index_id

    def _create_collection(self) -> None:
        try:
            self._client.create_collection(self._collection, **self._cluster.layout(self._dimension))
        except UnexpectedResponse as error:
            if error.status_code not in _CONFLICT or not self._client.collection_exists(self._collection):
                raise  # another process may have made it in between; anything else is a failure

    def _create_indexes(self, present: Mapping[str, object]) -> None:
        """Index the keys that are not indexed: whoever made the collection may have ended before it had made them."""
        if not self._remote:
            return
        keyword, integer = models.PayloadSchemaType.KEYWORD, models.PayloadSchemaType.INTEGER
        kinds = dict.fromkeys(points.KEYWORD_KEYS, keyword) | dict.fromkeys(points.INTEGER_KEYS, integer)
        for key, kind in kinds.items():
            if key not in present:
                self._client.create_payload_index(self._collection, key, kind, wait=True)

    def _dense(self, numbers: list[float], limit: int, scope: SearchScope) -> models.QueryRequest:
        return models.QueryRequest(
            query=models.NearestQuery(nearest=numbers),
            using=points.DENSE,
            filter=scope_filter(scope),
            params=self._search_params() if self._remote else None,  # in memory all vectors are compared
            limit=limit,
            with_payload=False,
        )

    def _search_params(self) -> models.SearchParams:
        """Return how to search shards of the size that they last had, which is asked for every ten minutes."""
        with self._border():
            if not self._ready:
                self._open_collection()
        if self._size.is_old():
            with suppress(StoreUnavailable):  # the search itself will say so, or does without
                self._size.note(self._ask(lambda client, name: client.get_collection(name)))
        return self._cluster.search_params(self._size.vectors)

    @contextmanager
    def _border(self) -> Iterator[None]:
        """Translate whatever the client raises."""
        try:
            yield
        except CandorError:
            raise
        except Exception as error:
            if isinstance(error, UnexpectedResponse) and error.status_code == NOT_FOUND:
                self._ready, self._index_id = False, None
            happened = what_happened(error, self._collection, self._timeout_s)
            message = f"Qdrant at {self._url} {happened}".replace(self._secret or "\0", "***")
            status = getattr(error, "status_code", None)
            raise StoreUnavailable(message, details={"url": self._url, "status": status}) from error
