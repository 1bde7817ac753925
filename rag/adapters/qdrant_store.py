"""The store on a Qdrant server or cluster by URL, and the client's in-memory mode: the same chunks, the same results.

Whatever the client raises becomes `StoreUnavailable`, in the words of `qdrant_errors`.

The idf is Qdrant's, `ln((N - n + 0.5) / (n + 0.5) + 1)`, over the chunks that are visible now. In-memory mode computes
the same from live counts (within 1e-4: it adds in float64, the engine in float32). A server too old to know
`IdfCorpusParams` (1.19 knows it) would count deleted chunks until it has merged its segments.
"""

from collections.abc import Callable, Iterator, Sequence
from math import ceil
from time import perf_counter
from typing import Self
from warnings import catch_warnings, simplefilter

import httpx
from qdrant_client import QdrantClient, models

from rag.adapters import points
from rag.adapters.qdrant_cluster import Cluster
from rag.adapters.qdrant_collection import QdrantCollection
from rag.adapters.qdrant_errors import checked_address
from rag.adapters.qdrant_format import filter_of, point_of, scope_filter, sparse_query, vectors_of
from rag.errors import CandorError
from rag.models import Chunk, ServiceStatus
from rag.protocols import IndexedChunk, OlderChunks, Scored, SearchScope, SparseVector, Vector


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
        self._collection = QdrantCollection(
            client, collection, dimension=dimension, url=url, timeout_s=timeout_s, secret=secret, cluster=cluster
        )

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

        0 in a collection of an older Candor: nothing in it can be searched.

        Raises:
            StoreUnavailable: The server did not answer in time, or with an error.
        """
        return self._collection.found_dimension()

    def clear(self, dimension: int) -> None:
        """Delete the collection; it is made again, for vectors of another length, at the next use.

        Raises:
            StoreUnavailable: The server did not answer in time, or with an error.
        """
        self._collection.clear(dimension)

    @property
    def older(self) -> OlderChunks | None:
        """None: a collection that an older Candor made is refused, for others may share it."""
        return None

    def index_id(self) -> str | None:
        """Return the id that was given to this index, or None; one that is known is not asked for again.

        Raises:
            IndexNotReady: The collection has vectors of another length, or was not made by Candor.
            StoreUnavailable: The server did not answer in time, or with an error.
        """
        return self._collection.index_id()

    def set_index_id(self, index_id: str) -> None:
        """Keep the id of the index in the metadata of the collection. A server older than 1.16 does not keep it.

        Raises:
            StoreUnavailable: The server did not answer in time, or with an error.
        """
        self._collection.set_index_id(index_id)

    def upsert(self, chunks: Sequence[IndexedChunk]) -> None:
        """Write chunks; one that has the same id is replaced. Acknowledged by the server on return.

        Raises:
            IndexNotReady: A vector is of another dimension; nothing is written.
            StoreUnavailable: The server did not answer in time, or with an error.
        """
        for indexed in chunks:
            points.require_vectors(indexed, self._collection.dimension)
        for group in points.in_batches(chunks):
            written = [point_of(indexed) for indexed in group]
            self._collection.ask(lambda client, name, written=written: client.upsert(name, written, wait=True))  # type: ignore[misc]

    def delete(self, document: str, *, version: str | None = None, keep: str | None = None) -> None:
        """Remove a document's chunks: all, only those of one `version`, or all but the version to `keep`."""
        equal: list[tuple[str, str | int]] = [("document", document)]
        if version is not None:
            equal.append(("version", version))
        where = filter_of(points.Conditions(tuple(equal), without_versions=() if keep is None else (keep,)))
        self._collection.ask(lambda client, name: client.delete(name, models.FilterSelector(filter=where), wait=True))

    def search_dense(self, vector: Vector, *, limit: int, scope: SearchScope) -> list[Scored]:
        """Return the chunks whose best window is nearest by cosine, best first, equal scores ordered by chunk id."""
        points.require_dimension(vector, self._collection.dimension)
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
        points.require_dimension(vector, self._collection.dimension)
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
        records = self._collection.ask(lambda client, name: client.retrieve(name, list(ids), payload, [points.DENSE]))
        by_id = {str(record.id): record for record in records}
        found = [record for record in map(by_id.get, ids) if record is not None]
        return [points.indexed_of(record.payload, vectors_of(record), self._collection.dimension) for record in found]

    def count(self, scope: SearchScope) -> int:
        """Return how many chunks the scope holds."""
        where = scope_filter(scope)
        return self._collection.ask(lambda client, name: client.count(name, count_filter=where, exact=True)).count

    def scroll(self, scope: SearchScope, *, batch: int = 256) -> Iterator[Chunk]:
        """Yield every chunk of the scope, read `batch` at a time, ordered by chunk id."""
        where, offset = scope_filter(scope), None
        while True:
            records, offset = self._collection.ask(
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
        answer = self._collection.ask(
            lambda client, name: client.facet(name, key, facet_filter=where, limit=most, exact=True)
        )
        return points.ordered_facets((hit.value, hit.count) for hit in answer.hits)

    def optimize(self, *, is_wanted: Callable[[], bool] | None = None) -> None:
        """Do nothing: a server merges and indexes by itself, in-memory mode has nothing to merge."""

    def due(self) -> bool:
        """Return False: `optimize` does nothing."""
        return False

    def check(self) -> ServiceStatus:
        """Probe the server with one request, bounded by the timeout; never raises."""
        start = perf_counter()
        try:
            exists = self._collection.exists()
        except CandorError as error:
            return ServiceStatus(state="disconnected", latency_ms=None, detail=error.message)
        found = self._collection
        where = f"Qdrant at {found.url}, collection {found.name!r}" if found.is_remote else "Qdrant in memory"
        made = "" if exists else " (made at the first use)"
        warning = ". The API key is sent unencrypted: use an https address" if found.is_key_in_clear else ""
        return ServiceStatus(
            state="connected", latency_ms=(perf_counter() - start) * 1000, detail=f"{where}{made}{warning}"
        )

    def close(self) -> None:
        """Release the connections; every write is already acknowledged. Calling it again does nothing."""
        self._collection.close()

    def _query(self, requests: list[models.QueryRequest]) -> list[points.Found]:
        answers = self._collection.ask(lambda client, name: client.query_batch_points(name, requests))
        return [[(str(hit.id), hit.score) for hit in answer.points] for answer in answers]

    def _dense(self, numbers: list[float], limit: int, scope: SearchScope) -> models.QueryRequest:
        return models.QueryRequest(
            query=models.NearestQuery(nearest=[numbers]),  # in memory, one vector alone is no multivector
            using=points.DENSE,
            filter=scope_filter(scope),
            params=self._collection.search_params(),
            limit=limit,
            with_payload=False,
        )
