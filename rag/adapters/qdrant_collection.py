"""One collection on a Qdrant server, or in memory: found or made at its first use, each call translated and in turn."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from threading import Lock
from time import monotonic
from typing import Final, TypeVar

import httpx
from qdrant_client import QdrantClient, models
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from rag.adapters import points
from rag.adapters.qdrant_cluster import Cluster
from rag.errors import CandorError, IndexNotReady, StoreUnavailable

_CONFLICT: Final = (400, 409)
_NOT_FOUND: Final = 404
_INDEX_ID: Final = "candor_index_id"  # the key of the collection's metadata under which the id of the index is kept
_KNOWN_FOR_S: Final = 600.0  # seconds for which the size of a shard is taken to be what the server last said
Result = TypeVar("Result")


class QdrantCollection:
    """The part of `QdrantStore` that holds its collection.

    Every method may raise `StoreUnavailable` (the server did not answer in time, or with an error) or `IndexNotReady`
    (the collection has vectors of another length, or was not made by Candor).

    Args:
        client: A client over HTTP, or one made with `":memory:"`; then there is no `url`.
        url: Address for messages, without a login; what the client waits for, `timeout_s`, is for messages too.
        secret: Cut out of every message, should a server repeat it.
    """

    def __init__(
        self,
        client: QdrantClient,
        collection: str,
        dimension: int = 384,
        *,
        url: str | None = None,
        timeout_s: float = 5.0,
        secret: str | None = None,
        cluster: Cluster = Cluster(),
    ) -> None:
        self._client, self._name, self._width = client, collection, dimension
        self._url, self._is_remote = url or "memory", url is not None
        self._timeout_s, self._secret, self._cluster = timeout_s, secret, cluster
        self._shard_vectors, self._sized_at = 0, 0.0
        self._index_id: str | None = None
        self._ready, self._setup = False, Lock()
        self._turn: AbstractContextManager[object] = nullcontext() if self._is_remote else Lock()

    def _ask(self, call: Callable[[QdrantClient, str], Result]) -> Result:
        """Make one call on the collection, which is there from now on."""
        with self._border():
            self._open()
            with self._turn:
                return call(self._client, self._name)

    @property
    def dimension(self) -> int:
        """Return the length of the vectors in the collection; where there is none yet, of those that are to come.

        0 where an older Candor made it, with one vector for a chunk: nothing in it can be searched.
        """
        with self._border(), self._turn:
            if not self._client.collection_exists(self._name):
                return self._width
            vectors = _vectors_of(self._client.get_collection(self._name))
        if points.DENSE in vectors:
            return int(vectors[points.DENSE].size)
        return 0 if points.OLDER_DENSE in vectors else self._width

    def clear(self, dimension: int) -> None:
        """Delete the collection; it is made again, for vectors of another length, at the next use."""
        with self._border(), self._setup, self._turn:
            self._client.delete_collection(self._name)
            self._width, self._ready, self._index_id = dimension, False, None

    def index_id(self) -> str | None:
        """Return the id that was given to this index, or None; one that is known is not asked for again."""
        if not self._ready or self._index_id is None:
            self._note_id(self._ask(lambda client, name: client.get_collection(name)))
        return self._index_id

    def set_index_id(self, index_id: str) -> None:
        """Keep the id of the index in the metadata of the collection. A server older than 1.16 does not keep it."""
        self._ask(lambda client, name: client.update_collection(name, metadata={_INDEX_ID: index_id}))
        self._index_id = index_id

    def _search_params(self) -> models.SearchParams | None:
        """Return how to search shards of the size that they last had, which is asked for every ten minutes."""
        if not self._is_remote:  # in memory all vectors are compared
            return None
        with self._border():
            self._open()
        if monotonic() - self._sized_at >= _KNOWN_FOR_S:
            self._sized_at = monotonic()  # nobody else asks meanwhile
            with suppress(StoreUnavailable):  # the search itself will say so, or does without
                self._note_size(self._ask(lambda client, name: client.get_collection(name)))
        return self._cluster.search_params(self._shard_vectors)

    def close(self) -> None:
        """Release the connections; every write is already acknowledged. Calling it again does nothing."""
        with self._border(), self._turn:
            self._client.close()

    def _open(self) -> None:
        """Find or make the collection, with its payload indexes, and compare dimensions, once."""
        if self._ready:
            return
        with self._setup, self._turn:
            if not self._client.collection_exists(self._name):
                self._create()
            described = self._client.get_collection(self._name)
            self._check(_vectors_of(described))
            self._note_size(described)
            self._create_indexes(described.payload_schema)
            self._note_id(described)
            self._ready = True

    def _check(self, vectors: Mapping[str, models.VectorParams]) -> None:
        where = f"The collection {self._name!r} at {self._url}"
        if points.DENSE not in vectors and points.OLDER_DENSE in vectors:
            raise IndexNotReady(
                f"{where} was made by an older version of Candor, which kept one vector for a chunk. Update every "
                "process that shares it, then run `candor ingest --rebuild` once: it rebuilds the collection from the "
                "stored copies of the documents."
            )
        if points.DENSE not in vectors:
            raise IndexNotReady(
                f"{where} was not made by Candor: it has no vector {points.DENSE!r}. Set CANDOR_COLLECTION to another "
                "name."
            )
        if vectors[points.DENSE].size != self._width:
            raise points.wrong_dimension(self._width, vectors[points.DENSE].size)

    def _note_size(self, described: models.CollectionInfo) -> None:
        self._shard_vectors = (described.points_count or 0) // (described.config.params.shard_number or 1)
        self._sized_at = monotonic()

    def _note_id(self, described: models.CollectionInfo) -> None:
        kept = (described.config.metadata or {}).get(_INDEX_ID)
        self._index_id = str(kept) if kept else self._index_id

    def _create(self) -> None:
        try:
            self._client.create_collection(self._name, **self._cluster.layout(self._width))
        except UnexpectedResponse as error:
            if error.status_code not in _CONFLICT or not self._client.collection_exists(self._name):
                raise  # another process may have made it in between; anything else is a failure

    def _create_indexes(self, present: Mapping[str, object]) -> None:
        """Index the keys that are not indexed: whoever made the collection may have ended before it had made them."""
        keyword, integer = models.PayloadSchemaType.KEYWORD, models.PayloadSchemaType.INTEGER
        kinds = dict.fromkeys(points.KEYWORD_KEYS, keyword) | dict.fromkeys(points.INTEGER_KEYS, integer)
        for key, kind in kinds.items():
            if self._is_remote and key not in present:
                self._client.create_payload_index(self._name, key, kind, wait=True)

    @contextmanager
    def _border(self) -> Iterator[None]:
        """Translate whatever the client raises."""
        try:
            yield
        except CandorError:
            raise
        except Exception as error:
            if isinstance(error, UnexpectedResponse) and error.status_code == _NOT_FOUND:
                self._ready, self._index_id = False, None
            message = f"Qdrant at {self._url} {_happened(error, self._name, self._timeout_s)}".replace(
                self._secret or "\0", "***"
            )
            status = getattr(error, "status_code", None)
            raise StoreUnavailable(message, details={"url": self._url, "status": status}) from error


def _vectors_of(described: models.CollectionInfo) -> Mapping[str, models.VectorParams]:
    """Return how the dense vectors of a collection are kept, by name; none where it has one without a name."""
    vectors = described.config.params.vectors
    return vectors if isinstance(vectors, dict) else {}


def _happened(error: Exception, collection: str, timeout_s: float) -> str:
    """Return the rest of a sentence that begins `Qdrant at ...`: what it did and what to do next."""
    # Over HTTP the client raises its own `ApiException` and `QdrantException`, and for answers that are not Qdrant's
    # plain `ValueError` and `AssertionError`; in memory it raises `ValueError` and `RuntimeError`.
    if isinstance(error, UnexpectedResponse):
        return _answered(error, collection)
    if isinstance(error, ResourceExhaustedResponse):
        return f"answered 429: too many requests. Try again in {error.retry_after_s} s."
    source = error.source if isinstance(error, ResponseHandlingException) else error
    if isinstance(source, httpx.TimeoutException):
        return (
            f"did not answer within {timeout_s:g} s. Check that it is up and not overloaded, or raise "
            f"CANDOR_QDRANT_TIMEOUT_S."
        )
    if "CERTIFICATE_VERIFY_FAILED" in str(source):
        return (
            f"has a certificate that is not trusted: {source}. Set SSL_CERT_FILE to the file of its authority or of "
            "the certificate itself."
        )
    if isinstance(source, httpx.TransportError):
        return f"cannot be reached: {source}. Start it, or correct QDRANT_URL."
    if isinstance(source, RuntimeError) and "closed" in str(source):
        return "has been closed here. Open the store again."
    return (
        f"gave an answer that is not Qdrant's ({type(source).__name__}: {str(source)[:200]}). "
        f"Check that QDRANT_URL points to a Qdrant server."
    )


def _answered(error: UnexpectedResponse, collection: str) -> str:
    text = error.content[:200].decode("utf-8", "replace")
    if error.status_code in (401, 403):
        return f"refused the API key ({error.status_code}): {text}. Set QDRANT_API_KEY to one that may read and write."
    if error.status_code == _NOT_FOUND:
        return f"has no collection {collection!r} any more (404): {text}. Run `candor ingest --rebuild`."
    return f"answered {error.status_code}: {text}. Check the server's log, and try again."
