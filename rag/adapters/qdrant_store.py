"""The store on a Qdrant server or cluster by URL, and the client's in-memory mode: the same chunks, the same results.

Whatever the client raises becomes `StoreUnavailable`, in the words of `qdrant_collection`.

The idf is Qdrant's, `ln((N - n + 0.5) / (n + 0.5) + 1)`, over the chunks that are visible now. In-memory mode computes
the same from live counts (within 1e-4: it adds in float64, the engine in float32). A server too old to know
`IdfCorpusParams` (1.19 knows it) would count deleted chunks until it has merged its segments.
"""

from collections.abc import Callable, Sequence
from math import ceil
from typing import Any, Self
from urllib.parse import urlsplit, urlunsplit
from warnings import catch_warnings, simplefilter

import httpx
from qdrant_client import QdrantClient, models

from rag.adapters import points
from rag.adapters.point_store import PointStore
from rag.adapters.qdrant_cluster import Cluster
from rag.adapters.qdrant_collection import QdrantCollection
from rag.adapters.vector_layout import quantization_of
from rag.errors import ConfigurationError
from rag.protocols import IndexedChunk, SearchScope, SparseVector
from rag.settings import Settings

_EXAMPLE = "Write it as http://127.0.0.1:6333."


class QdrantStore(QdrantCollection, PointStore):
    """A `VectorStore` on a Qdrant server, or in memory.

    The collection is looked up, and made where it is missing, at the first use: a server that is down when the program
    starts may come up later. Threads may read and write at once; in-memory mode cannot, so one lock guards it.
    """

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
            cluster: Shards, copies and quantization of a collection that is made, and how it is searched.
            transport: Another way to the server, as a proxy's.

        Raises:
            ConfigurationError: The URL is malformed.
        """
        address = _checked_address(url)
        with catch_warnings():
            simplefilter("ignore", UserWarning)  # a key over http: `check` says it where people look
            client = QdrantClient(
                url=url, api_key=api_key, timeout=ceil(timeout_s), check_compatibility=False, transport=transport
            )
        seconds = ceil(timeout_s)
        return cls(client, collection, dimension, url=address, timeout_s=seconds, secret=api_key, cluster=cluster)

    @classmethod
    def in_memory(cls, dimension: int = 384) -> Self:
        """Return an empty store in memory; it is gone with the process."""
        return cls(QdrantClient(location=":memory:"), "candor", dimension)

    @property
    def is_older(self) -> bool:
        """Return False: a collection that an older Candor made is refused, for others may share it."""
        return False

    def count(self, scope: SearchScope) -> int:
        """Return how many chunks the scope holds."""
        where = self._scope_filter(scope)
        return self._ask(lambda client, name: client.count(name, count_filter=where, exact=True)).count

    def optimize(self, *, is_wanted: Callable[[], bool] | None = None) -> None:
        """Do nothing: a server merges and indexes by itself, in-memory mode has nothing to merge."""

    def due(self) -> bool:
        """Return False: `optimize` does nothing."""
        return False

    def _put(self, chunks: Sequence[IndexedChunk]) -> None:
        written = [_point_of(indexed) for indexed in chunks]
        self._ask(lambda client, name: client.upsert(name, written, wait=True))

    def _found_by_probing(self) -> str:
        with self._border(), self._turn:
            exists = self._client.collection_exists(self._name)
        where = f"Qdrant at {self._url}, collection {self._name!r}" if self._is_remote else "Qdrant in memory"
        made = "" if exists else " (made at the first use)"
        is_key_in_clear = self._secret and self._url.startswith("http://")
        warning = ". The API key is sent unencrypted: use an https address" if is_key_in_clear else ""
        return f"{where}{made}{warning}"

    def _matching(self, key: str, wanted: str | int | tuple[str, ...]) -> models.FieldCondition:
        if isinstance(wanted, tuple):
            return models.FieldCondition(key=key, match=models.MatchAny(any=list(wanted)))
        return models.FieldCondition(key=key, match=models.MatchValue(value=wanted))

    def _joined(self, must: list[Any], must_not: list[Any]) -> models.Filter:
        return models.Filter(must=must or None, must_not=must_not or None)

    def _dense(self, numbers: list[float], scope: SearchScope, limit: int) -> models.QueryRequest:
        return models.QueryRequest(
            query=models.NearestQuery(nearest=[numbers]),  # in memory, one vector alone is no multivector
            using=points.DENSE,
            filter=self._scope_filter(scope),
            params=self._search_params(),
            limit=limit,
            with_payload=False,
        )

    def _sparse(
        self, sparse: SparseVector, scope: SearchScope, limit: int, among: Sequence[str] | None = None
    ) -> models.QueryRequest:
        terms = models.SparseVector(indices=list(sparse.indices), values=list(sparse.values))
        only = models.Filter(must=[models.HasIdCondition(has_id=list(among))]) if among is not None else None
        return models.QueryRequest(
            query=models.NearestQuery(nearest=terms),
            using=points.SPARSE,
            filter=only or self._scope_filter(scope),
            params=models.SearchParams(idf=models.IdfCorpusParams(corpus=self._visible(scope))),
            limit=limit,
            with_payload=False,
        )

    def _query(self, *requests: models.QueryRequest) -> list[points.Found]:
        answers = self._ask(lambda client, name: client.query_batch_points(name, list(requests)))
        return [[(str(hit.id), hit.score) for hit in answer.points] for answer in answers]

    def _retrieve(self, ids: list[str]) -> Sequence[models.Record]:
        payload = list(points.CHUNK_KEYS)
        return self._ask(lambda client, name: client.retrieve(name, list(ids), payload, [points.DENSE]))

    def _page(self, where: models.Filter | None, offset: Any, size: int) -> tuple[Sequence[models.Record], Any]:
        asked: dict[str, Any] = {"limit": size, "offset": offset, "with_payload": list(points.CHUNK_KEYS)}
        return self._ask(lambda client, name: client.scroll(name, where, **asked))

    def _facet(self, key: str, where: models.Filter | None) -> Sequence[Any]:
        most = points.MOST_FACETS
        return self._ask(lambda client, name: client.facet(name, key, facet_filter=where, limit=most, exact=True)).hits

    def _delete(self, where: models.Filter) -> None:
        self._ask(lambda client, name: client.delete(name, models.FilterSelector(filter=where), wait=True))


def _point_of(indexed: IndexedChunk) -> models.PointStruct:
    """Return a chunk with the vectors of its windows and all that is kept of it."""
    vectors: dict[str, models.Vector] = {points.DENSE: indexed.vectors.tolist()}
    if indexed.sparse.indices:
        vectors[points.SPARSE] = models.SparseVector(
            indices=list(indexed.sparse.indices), values=list(indexed.sparse.values)
        )
    return models.PointStruct(id=indexed.chunk.chunk_id, vector=vectors, payload=points.payload_of(indexed))


def _checked_address(url: str) -> str:
    """Return a server's address for messages: without user name, password and query."""
    shown = url.rpartition("@")[2]
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError as error:
        raise ConfigurationError(f"QDRANT_URL={shown!r} is not an address: {error}. {_EXAMPLE}") from error
    if not valid:
        raise ConfigurationError(f"QDRANT_URL={shown!r} is not an address. {_EXAMPLE}")
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))


def server_store(settings: Settings, url: str, *, dimension: int) -> QdrantStore:
    """Return the collection on a server; the server is asked when the store is first used.

    Raises:
        ConfigurationError: More copies must acknowledge a write than there are.
    """
    key = settings.qdrant_api_key
    return QdrantStore.connect(
        url,
        api_key=key.get_secret_value() if key else None,
        timeout_s=settings.qdrant_timeout_s,
        collection=settings.collection,
        dimension=dimension,
        cluster=Cluster(
            shards=settings.qdrant_shards,
            replicas=settings.qdrant_replicas,
            write_consistency=settings.qdrant_write_consistency,
            quantization=quantization_of(settings.quantization, graphs=True),
        ),
    )
