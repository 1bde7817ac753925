"""One collection on a Qdrant server, or in memory: found or made at its first use, each call translated and in turn."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from threading import Lock
from typing import Final, TypeVar

from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import UnexpectedResponse

from rag.adapters import points
from rag.adapters.qdrant_cluster import Cluster, ShardSize
from rag.adapters.qdrant_errors import NOT_FOUND, what_happened
from rag.errors import CandorError, IndexNotReady, StoreUnavailable

_CONFLICT: Final = (400, 409)
_INDEX_ID: Final = "candor_index_id"
"""The key of the collection's metadata under which the id of the index is kept."""
Result = TypeVar("Result")


class QdrantCollection:
    """The part of `QdrantStore` that holds its collection; the arguments are the same.

    Every method may raise `StoreUnavailable` (the server did not answer in time, or with an error) or `IndexNotReady`
    (the collection has vectors of another length, or was not made by Candor).
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
        self._name = collection
        self._width = dimension
        self._url = url or "memory"
        self._is_remote = url is not None
        self._client = client
        self._timeout_s = timeout_s
        self._secret = secret
        self._cluster = cluster
        self._size = ShardSize()
        self._index_id: str | None = None
        self._ready = False
        self._setup = Lock()
        self._turn: AbstractContextManager[object] = nullcontext() if self._is_remote else Lock()

    def _ask(self, call: Callable[[QdrantClient, str], Result]) -> Result:
        """Make one call on the collection, which is there from now on."""
        with self._border():
            if not self._ready:
                self._open()
            with self._turn:
                return call(self._client, self._name)

    def _exists(self) -> bool:
        """Return whether the collection is there; it is not made."""
        with self._border(), self._turn:
            return self._client.collection_exists(self._name)

    @property
    def dimension(self) -> int:
        """Return the length of the vectors in the collection; where there is none yet, of those that are to come.

        0 where an older Candor made it, with one vector for a chunk: nothing in it can be searched.
        """
        with self._border(), self._turn:
            if not self._client.collection_exists(self._name):
                return self._width
            described = self._client.get_collection(self._name)
        if _is_older(described):
            return 0
        params = _dense_of(described)
        return int(params.size) if params else self._width

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
        """Return how to search shards of the size that they last had, which is asked for every ten minutes.

        None in memory, where all vectors are compared.
        """
        if not self._is_remote:
            return None
        with self._border():
            if not self._ready:
                self._open()
        if self._size.is_old():
            with suppress(StoreUnavailable):  # the search itself will say so, or does without
                self._size.note(self._ask(lambda client, name: client.get_collection(name)))
        return self._cluster.search_params(self._size.vectors)

    def close(self) -> None:
        """Release the connections; every write is already acknowledged. Calling it again does nothing."""
        with self._border(), self._turn:
            self._client.close()

    def _open(self) -> None:
        """Find or make the collection, with its payload indexes, and compare dimensions."""
        with self._setup, self._turn:
            if not self._client.collection_exists(self._name):
                self._create()
            described = self._client.get_collection(self._name)
            params = _dense_of(described)
            if _is_older(described):
                raise IndexNotReady(
                    f"The collection {self._name!r} at {self._url} was made by an older version of Candor, which kept "
                    "one vector for a chunk. Update every process that shares it, then run `candor ingest --rebuild` "
                    "once: it rebuilds the collection from the stored copies of the documents."
                )
            if params is None:
                raise IndexNotReady(
                    f"The collection {self._name!r} at {self._url} was not made by Candor: it has no vector "
                    f"{points.DENSE!r}. Set CANDOR_COLLECTION to another name."
                )
            if params.size != self._width:
                raise points.wrong_dimension(self._width, params.size)
            self._size.note(described)
            self._create_indexes(described.payload_schema)
            self._note_id(described)
            self._ready = True

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
        if not self._is_remote:
            return
        keyword, integer = models.PayloadSchemaType.KEYWORD, models.PayloadSchemaType.INTEGER
        kinds = dict.fromkeys(points.KEYWORD_KEYS, keyword) | dict.fromkeys(points.INTEGER_KEYS, integer)
        for key, kind in kinds.items():
            if key not in present:
                self._client.create_payload_index(self._name, key, kind, wait=True)

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
            happened = what_happened(error, self._name, self._timeout_s)
            message = f"Qdrant at {self._url} {happened}".replace(self._secret or "\0", "***")
            status = getattr(error, "status_code", None)
            raise StoreUnavailable(message, details={"url": self._url, "status": status}) from error


def _is_older(described: models.CollectionInfo) -> bool:
    """Return whether an older Candor made a collection, with one vector for a chunk."""
    vectors = described.config.params.vectors
    return isinstance(vectors, dict) and points.DENSE not in vectors and points.OLDER_DENSE in vectors


def _dense_of(described: models.CollectionInfo) -> models.VectorParams | None:
    """Return how the dense vectors of a collection are kept; None where it has none of that name."""
    vectors = described.config.params.vectors
    return vectors.get(points.DENSE) if isinstance(vectors, dict) else None
