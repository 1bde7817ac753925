"""What the URL adapter sends, held against Qdrant's published OpenAPI document, and how it reports every failure."""

import importlib
import json
import pkgutil
import socket
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import httpx
import jsonschema
import pytest
import qdrant_client
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse
from qdrant_format import check_request
from store_samples import DIMENSION, NEW, OLD, id_of, indexed, terms, unit

from rag.adapters.qdrant_cluster import KNOWN_FOR_S, Cluster, ShardSize
from rag.adapters.qdrant_store import QdrantStore
from rag.adapters.vector_layout import Quantization
from rag.errors import CandorError, ConfigurationError, IndexNotReady, StoreUnavailable
from rag.models import Filters
from rag.protocols import SearchScope

URL, KEY = "https://qdrant.example.org:6333", "s3cret-key"
ALL = SearchScope()
KEYS = ("document", "version", "module", "section", "section_keys", "chapter", "pages")
HIDDEN = (("a.pdf", OLD), ("a.pdf", NEW), ("b.pdf", OLD))
FULL = SearchScope(Filters(source="a.pdf", chapter=2, section="2.2", module="Lab", page=3), hidden_versions=HIDDEN)
Answer = Callable[[httpx.Request], httpx.Response]


class Server:
    """Answers as Qdrant does with one chunk in it, and keeps what it was asked."""

    def __init__(self, *, exists: bool = True, size: int = DIMENSION, indexed: int = len(KEYS)) -> None:
        self.requests: list[httpx.Request] = []
        self.exists, self.size, self.indexed = exists, size, KEYS[: indexed if exists else 0]

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return httpx.Response(200, json={"result": self.result(request), "status": "ok", "time": 0.001})

    def result(self, request: httpx.Request) -> Any:
        path, method = request.url.path, request.method
        chunk = indexed("a")
        point = {"id": id_of("a"), "version": 1, "score": 0.5}
        payload = {"chunk": chunk.chunk.model_dump_json(), "sentence_vectors": ""}
        written = {"operation_id": 1, "status": "completed"}
        for ending, answer in {
            "/exists": {"exists": self.exists},
            "/query/batch": [{"points": [point]}] * len(json.loads(request.content or b"{}").get("searches", [])),
            "/points/count": {"count": 1},
            "/points/scroll": {"points": [{"id": id_of("a"), "payload": payload}], "next_page_offset": None},
            "/facet": {"hits": [{"value": "manual.pdf", "count": 1}]},
            "/points/delete": written,
            "/index": written,
        }.items():
            if path.endswith(ending):
                return answer
        if path.endswith("/points"):
            return (
                written
                if method == "PUT"
                else [{"id": id_of("a"), "payload": payload, "vector": {"text": [1.0, 0, 0, 0]}}]
            )
        return True if method in ("PUT", "PATCH") else self.collection()

    def collection(self) -> dict[str, Any]:
        params = {"vectors": {"text": {"size": self.size, "distance": "Cosine"}}}
        hnsw = {"m": 16, "ef_construct": 100, "full_scan_threshold": 10_000}
        optimizer = {"deleted_threshold": 0.2, "vacuum_min_vector_number": 1000, "default_segment_number": 0,
                     "flush_interval_sec": 5}  # fmt: skip
        return {"status": "green", "optimizer_status": "ok", "segments_count": 1,
                "payload_schema": {key: {"data_type": "keyword", "points": 1} for key in self.indexed},
                "config": {"params": params, "hnsw_config": hnsw, "optimizer_config": optimizer}}  # fmt: skip


def connect(answer: Answer, url: str = URL, key: str | None = KEY) -> QdrantStore:
    return QdrantStore.connect(url, key, 3.0, "candor", DIMENSION, transport=httpx.MockTransport(answer))


def calls(store: QdrantStore) -> dict[str, Callable[[], object]]:
    """Every method that talks to the server, with the widest scope."""
    question, words = unit(1, 0, 0, 0), terms(t1=1.0, t9=2.0)
    return {
        "upsert": lambda: store.upsert([indexed("a", question, words, chapter=2, page=3, last_page=4, module="Lab",
                                                section="2.2 Hoods", section_number="2.2"), indexed("b")]),
        "delete": lambda: store.delete("a.pdf"),
        "delete version": lambda: store.delete("a.pdf", version=OLD, keep=NEW),
        "search_dense": lambda: store.search_dense(question, limit=5, scope=FULL),
        "search_sparse": lambda: store.search_sparse(words, limit=5, scope=FULL),
        "search_hybrid": lambda: store.search_hybrid(question, words, limit=5, scope=FULL),
        "search_hybrid everywhere": lambda: store.search_hybrid(question, words, limit=5, scope=ALL),
        "score_sparse": lambda: store.score_sparse(words, [id_of("a")]),
        "fetch": lambda: store.fetch([id_of("a")]),
        "count": lambda: store.count(FULL),
        "scroll": lambda: list(store.scroll(FULL)),
        "facets": lambda: store.facets("page", FULL),
        "index_id": store.index_id,
        "set_index_id": lambda: store.set_index_id("0a1b"),
    }  # fmt: skip


NAMES = list(calls(QdrantStore.in_memory(DIMENSION)))

# --- the published format ----------------------------------------------------------------------------------------


def validate(request: httpx.Request, body: Any = None) -> None:
    sent = json.loads(request.content) if request.content and body is None else body
    check_request(request.method, request.url.path, set(request.url.params), sent)


@pytest.mark.parametrize("name", NAMES)
def test_every_request_follows_the_published_format(name: str) -> None:
    server = Server(exists=name != "upsert")  # the first write also makes the collection and its indexes
    store = connect(server)
    calls(store)[name]()
    assert len(server.requests) >= 3
    for request in server.requests:
        validate(request)
    store.close()


def test_the_validation_bites() -> None:
    server = Server()
    calls(connect(server))["search_hybrid"]()
    request = server.requests[-1]
    for wrong in (
        lambda body: body["searches"][0].update(limits=5),
        lambda body: body["searches"][0]["filter"]["must"][0]["match"].update(valu="x"),
        lambda body: body["searches"][1]["params"]["idf"].update(corpus=7),
        lambda body: body["searches"][1]["query"]["nearest"].update(indices=["a"]),
    ):
        body = json.loads(request.content)
        wrong(body)
        with pytest.raises(jsonschema.ValidationError):
            validate(request, body)


def test_a_missing_collection_is_made_with_both_vectors_and_every_index() -> None:
    server = Server(exists=False)
    connect(server).count(ALL)
    created = next(one for one in server.requests if one.method == "PUT" and one.url.path == "/collections/candor")
    body = json.loads(created.content)
    assert body["vectors"] == {"text": {"size": DIMENSION, "distance": "Cosine"}}
    assert body["sparse_vectors"] == {"bm25": {"modifier": "idf"}}
    indexes = [json.loads(one.content) for one in server.requests if one.url.path.endswith("/index")]
    assert {one["field_name"]: one["field_schema"] for one in indexes} == {
        "document": "keyword", "version": "keyword", "module": "keyword", "section": "keyword",
        "section_keys": "keyword", "chapter": "integer", "pages": "integer",
    }  # fmt: skip


def test_an_index_that_is_missing_in_a_collection_is_made_when_it_is_opened() -> None:
    server = Server(indexed=5)
    connect(server).count(ALL)
    made = [json.loads(one.content) for one in server.requests if one.url.path.endswith("/index")]
    assert made == [
        {"field_name": "chapter", "field_schema": "integer"},
        {"field_name": "pages", "field_schema": "integer"},
    ]


def test_the_id_of_the_index_travels_as_metadata_of_the_collection() -> None:
    server = Server()
    store = connect(server)
    assert store.index_id() is None
    store.set_index_id("0a1b")
    sent = server.requests[-1]
    assert (sent.method, sent.url.path) == ("PATCH", "/collections/candor")
    assert json.loads(sent.content) == {"metadata": {"candor_index_id": "0a1b"}}
    before = len(server.requests)
    assert store.index_id() == "0a1b"
    assert len(server.requests) == before


def test_the_collection_is_looked_up_once() -> None:
    server = Server()
    store = connect(server)
    for _ in range(3):
        store.count(ALL)
    assert [one.url.path for one in server.requests].count("/collections/candor/exists") == 1
    assert len(server.requests) == 2 + 3


def test_a_hybrid_search_is_one_request_and_asks_for_no_payload() -> None:
    server = Server()
    store = connect(server)
    store.count(ALL)
    before = len(server.requests)
    store.search_hybrid(unit(1, 0, 0, 0), terms(t1=1.0), limit=5, scope=ALL)
    (request,) = server.requests[before:]
    assert [one["with_payload"] for one in json.loads(request.content)["searches"]] == [False, False]


def test_writes_wait_for_the_server_to_apply_them() -> None:
    server = Server()
    store = connect(server)
    calls(store)["upsert"]()
    calls(store)["delete"]()
    writes = [one for one in server.requests if "/points" in one.url.path]
    assert [one.url.params["wait"] for one in writes] == ["true", "true"]


# --- address and key ---------------------------------------------------------------------------------------------


def test_the_key_travels_in_its_header_over_tls() -> None:
    server = Server()
    store = connect(server)
    store.count(ALL)
    assert {(one.url.scheme, one.url.host, one.url.port) for one in server.requests} == {
        ("https", "qdrant.example.org", 6333)
    }
    assert {one.headers["api-key"] for one in server.requests} == {KEY}
    assert KEY not in str([str(one.url) for one in server.requests])
    assert "unencrypted" not in store.check().detail


def test_without_a_key_no_header_is_sent() -> None:
    server = Server()
    connect(server, key=None).count(ALL)
    assert server.requests
    assert all("api-key" not in one.headers for one in server.requests)


def test_a_key_over_plain_http_is_pointed_out_by_check() -> None:
    status = connect(Server(), url="http://qdrant.example.org:6333").check()
    assert status.state == "connected"
    assert "key is sent unencrypted" in status.detail
    assert KEY not in status.detail


def test_a_path_in_the_address_is_kept() -> None:
    server = Server()
    connect(server, url="https://proxy.example.org:443/qdrant").count(ALL)
    assert server.requests
    assert all(one.url.path.startswith("/qdrant/collections/candor") for one in server.requests)


@pytest.mark.parametrize(
    "url", ["qdrant.example.org", "ftp://qdrant.example.org", "http://", "", "http://[::1", "http://host:99999"]
)
def test_a_malformed_address_is_refused_at_once(url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"QDRANT_URL=.*http://127\.0\.0\.1:6333"):
        QdrantStore.connect(url)


# --- failures ----------------------------------------------------------------------------------------------------


def failing(error: Exception) -> Answer:
    def answer(request: httpx.Request) -> httpx.Response:
        raise error

    return answer


def replying(status: int, **reply: Any) -> Answer:
    return lambda request: httpx.Response(status, **reply)


FAILURES = {
    "connect timeout": (failing(httpx.ConnectTimeout("slow")), "did not answer within 3 s"),
    "read timeout": (failing(httpx.ReadTimeout("slow")), "did not answer within 3 s"),
    "refused": (failing(httpx.ConnectError("[Errno 111] Connection refused")), "cannot be reached.*111"),
    "cut off": (failing(httpx.RemoteProtocolError("peer closed connection")), "cannot be reached"),
    "401": (replying(401, text="Must provide an API key"), r"refused the API key \(401\).*QDRANT_API_KEY"),
    "403": (replying(403, json={"status": {"error": "Forbidden"}}), r"refused the API key \(403\)"),
    "404": (replying(404, json={"status": {"error": "Not found"}}), r"no collection 'candor'"),
    "429": (replying(429, json={"status": {"error": "busy"}}, headers={"Retry-After": "7"}), "again in 7 s"),
    "429 without a time": (replying(429, json={"status": {"error": "busy"}}), "answered 429"),
    "500": (replying(500, json={"status": {"error": "Service internal error"}}), "answered 500"),
    "503": (replying(503, text="no healthy upstream"), "answered 503: no healthy upstream"),
    "a web page": (replying(200, text="<html>Welcome</html>"), "not Qdrant's"),
    "nothing": (replying(200, content=b""), "not Qdrant's"),
    "no result": (replying(200, json={"result": None, "status": "ok", "time": 0.0}), "not Qdrant's"),
    "another shape": (replying(200, json={"result": {"colour": 1}, "status": "ok", "time": 0.0}), "not Qdrant's"),
    "bytes": (replying(200, content=b"\xff\xfe\x00"), "not Qdrant's"),
    "the key repeated": (replying(500, text=f"bad header api-key: {KEY}"), r"api-key: \*\*\*"),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("failure", FAILURES)
def test_every_failure_of_every_call_is_reported_with_the_address_and_never_the_key(failure: str, name: str) -> None:
    answer, expected = FAILURES[failure]
    store = connect(answer)
    with pytest.raises(StoreUnavailable, match=f"Qdrant at {URL} .*{expected}") as caught:
        calls(store)[name]()
    assert KEY not in caught.value.message
    assert KEY not in str(caught.value.details)
    assert caught.value.details["url"] == URL
    assert caught.value.__cause__ is not None
    status = store.check()
    assert (status.state, status.latency_ms) == ("disconnected", None)
    assert URL in status.detail
    assert KEY not in status.detail


@pytest.mark.parametrize("name", NAMES)
def test_a_failure_after_the_collection_was_found_is_reported_too(name: str) -> None:
    server = Server()
    down = False

    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(503, text="down") if down else server(request)

    store = connect(answer)
    store.count(ALL)
    down = True
    with pytest.raises(StoreUnavailable, match="answered 503"):
        calls(store)[name]()
    down = False
    calls(store)[name]()  # and it works again when the server is back


def test_a_server_that_never_answers_costs_the_timeout_and_no_more() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        store = QdrantStore.connect(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout_s=0.2)
        start = perf_counter()
        status = store.check()
    assert status.state == "disconnected"
    assert "did not answer within 1 s" in status.detail
    assert perf_counter() - start < 5


def test_a_port_where_nothing_listens_is_noticed_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as soon_closed:
        port = soon_closed.getsockname()[1]
    start = perf_counter()
    with pytest.raises(StoreUnavailable, match=f"127.0.0.1:{port} cannot be reached.*refused"):
        QdrantStore.connect(f"http://127.0.0.1:{port}", timeout_s=20).count(ALL)
    assert perf_counter() - start < 5


def test_a_login_in_the_address_is_not_repeated() -> None:
    store = connect(failing(httpx.ConnectError("refused")), url="https://me:hunter2@qdrant.example.org:6333")
    with pytest.raises(StoreUnavailable, match=f"Qdrant at {URL}") as caught:
        store.count(ALL)
    assert "hunter2" not in caught.value.message


def test_a_collection_of_another_dimension_is_refused_with_both_numbers() -> None:
    with pytest.raises(IndexNotReady, match=r"768 dimensions.*gives 4"):
        connect(Server(size=768)).count(ALL)


def test_a_collection_of_somebody_else_is_refused() -> None:
    class Foreign(Server):
        def collection(self) -> dict[str, Any]:
            described = super().collection()
            described["config"]["params"]["vectors"] = {"size": DIMENSION, "distance": "Cosine"}
            return described

    with pytest.raises(IndexNotReady, match="was not made by Candor"):
        connect(Foreign()).count(ALL)


def test_a_collection_that_another_process_makes_in_between_is_used() -> None:
    class Racing(Server):
        def __call__(self, request: httpx.Request) -> httpx.Response:
            if request.method == "PUT" and request.url.path == "/collections/candor":
                self.requests.append(request)
                self.exists = True
                return httpx.Response(409, json={"status": {"error": "already exists"}})
            return super().__call__(request)

    assert connect(Racing(exists=False)).count(ALL) == 1


def test_a_collection_that_vanishes_is_made_again_at_the_next_call() -> None:
    server = Server()
    gone = False

    def answer(request: httpx.Request) -> httpx.Response:
        if gone and request.url.path.endswith("/points/count"):
            return httpx.Response(404, json={"status": {"error": "Not found: Collection `candor` doesn't exist!"}})
        return server(request)

    store = connect(answer)
    store.count(ALL)
    gone = True
    with pytest.raises(StoreUnavailable, match="no collection 'candor' any more"):
        store.count(ALL)
    gone, server.exists = False, False
    assert store.count(ALL) == 1
    assert any(one.method == "PUT" for one in server.requests)


# --- no exception of the client is unmapped ----------------------------------------------------------------------


def exceptions_of_the_client() -> Iterator[type[Exception]]:
    """Every exception class that qdrant_client defines, whatever module it stands in; of httpx, all of them."""
    for module in pkgutil.walk_packages(qdrant_client.__path__, "qdrant_client."):
        if any(part in module.name for part in (".grpc", ".proto", "fastembed", ".hybrid", ".migrate")):
            continue
        loaded = importlib.import_module(module.name)
        for thing in vars(loaded).values():
            if (
                isinstance(thing, type)
                and issubclass(thing, Exception)
                and thing.__module__.startswith("qdrant_client")
            ):
                yield thing
    yield from (one for one in vars(httpx).values() if isinstance(one, type) and issubclass(one, Exception))


def made(kind: type[Exception]) -> Exception:
    """An instance of an exception class, whatever its constructor takes."""
    if issubclass(kind, UnexpectedResponse):
        return kind(418, "teapot", b"short and stout", httpx.Headers())
    if issubclass(kind, ResourceExhaustedResponse):
        return kind("busy", 3)
    if issubclass(kind, ResponseHandlingException):
        return kind(ValueError("garbage"))
    if issubclass(kind, httpx.HTTPStatusError):
        return kind("status", request=httpx.Request("GET", URL), response=httpx.Response(500))
    return kind() if issubclass(kind, httpx.StreamError) and kind is not httpx.StreamError else kind("broken")


def test_no_exception_of_the_client_is_unmapped() -> None:
    kinds = sorted(set(exceptions_of_the_client()), key=lambda kind: kind.__qualname__)
    assert {UnexpectedResponse, ResponseHandlingException, ResourceExhaustedResponse, httpx.ReadTimeout} <= set(kinds)
    for kind in [*kinds, ValueError, AssertionError, RuntimeError, OSError, KeyError]:
        store = connect(Server())
        with pytest.raises(CandorError) as caught, store._collection._border():
            raise made(kind)
        assert type(caught.value) is StoreUnavailable, kind
        assert URL in caught.value.message
        assert isinstance(caught.value.__cause__, kind)


def test_a_collection_is_made_with_the_shards_copies_and_quantization_that_are_set() -> None:
    server = Server(exists=False)
    cluster = Cluster(shards=6, replicas=3, write_consistency=2, quantization="int8")
    QdrantStore.connect(URL, dimension=DIMENSION, cluster=cluster, transport=httpx.MockTransport(server)).count(ALL)
    made = next(json.loads(one.content) for one in server.requests if one.url.path == "/collections/candor")
    assert (made["shard_number"], made["replication_factor"], made["write_consistency_factor"]) == (6, 3, 2)
    assert made["quantization_config"] == {"scalar": {"type": "int8", "always_ram": True}}
    assert made["vectors"]["text"]["on_disk"] is True
    assert made["optimizers_config"]["indexing_threshold"] == 20_000 * DIMENSION * 4 // 1024


@pytest.mark.parametrize("quantization", ["none", "int8", "int4"])
def test_what_is_sent_for_each_quantization_is_as_published(quantization: Quantization) -> None:
    server = Server(exists=False)
    cluster = Cluster(shards=2, replicas=2, quantization=quantization)
    store = QdrantStore.connect(URL, dimension=DIMENSION, cluster=cluster, transport=httpx.MockTransport(server))
    store.search_dense(unit(1, 0, 0, 0), limit=3, scope=FULL)
    for request in server.requests:
        check_request(request.method, request.url.path, set(request.url.params), json.loads(request.content or b"null"))
    (search,) = json.loads(server.requests[-1].content)["searches"]
    again = {"rescore": True, "oversampling": 2.0 if quantization == "int8" else 4.0}
    assert search["params"] == {"hnsw_ef": 128, "quantization": again}  # with none, for what another setting wrote


class Large(Server):
    """A server with a collection of a size that may change, which at times is not told."""

    def __init__(self, chunks: int, shards: int = 1) -> None:
        super().__init__()
        self.chunks, self.shards, self.silent = chunks, shards, False

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if self.silent and request.method == "GET" and request.url.path == "/collections/candor":
            self.requests.append(request)
            return httpx.Response(503, text="busy")
        return super().__call__(request)

    def collection(self) -> dict[str, Any]:
        described = super().collection()
        described["config"]["params"]["shard_number"] = self.shards
        return described | {"points_count": self.chunks}

    def widths(self) -> list[int]:
        """The width of each dense search that was asked for."""
        asked = (json.loads(one.content)["searches"] for one in self.requests if one.url.path.endswith("/query/batch"))
        return [one["params"]["hnsw_ef"] for searches in asked for one in searches if one["using"] == "text"]

    def told(self) -> int:
        """How often the collection was asked about."""
        return sum(one.method == "GET" and one.url.path == "/collections/candor" for one in self.requests)


@pytest.mark.parametrize(
    ("chunks", "shards", "width"),
    [(100_000, 1, 128), (100_001, 1, 256), (300_001, 1, 512), (1_000_000, 4, 256), (1_000_000, 16, 128)],
)
def test_the_width_of_a_search_goes_by_the_vectors_of_a_shard(chunks: int, shards: int, width: int) -> None:
    server = Large(chunks, shards)
    store = connect(server)
    for _ in range(3):
        store.search_hybrid(unit(1, 0, 0, 0), terms(t1=1.0), limit=5, scope=FULL)
    assert server.widths() == [width] * 3
    assert server.told() == 1  # when the collection was opened
    for request in server.requests:
        validate(request)


def test_the_size_of_a_shard_is_asked_for_again_after_a_while_and_kept_where_nobody_tells_it() -> None:
    server, now = Large(100_000), 0.0
    store = connect(server)
    store._collection._size = ShardSize(lambda: now)

    def search() -> tuple[int, int]:
        store.search_dense(unit(1, 0, 0, 0), limit=5, scope=ALL)
        return server.widths()[-1], server.told()

    assert search() == (128, 1)
    server.chunks = 400_000
    now = KNOWN_FOR_S - 1
    assert search() == (128, 1)
    now = KNOWN_FOR_S
    assert [search(), search()] == [(512, 2), (512, 2)]
    server.chunks, server.silent = 1, True
    now = 2 * KNOWN_FOR_S
    assert [search(), search()] == [(512, 3), (512, 3)]


def test_more_copies_to_acknowledge_than_there_are_is_refused_at_once() -> None:
    with pytest.raises(ConfigurationError, match=r"WRITE_CONSISTENCY=3 .*REPLICAS=2 .*at most 2"):
        Cluster(replicas=2, write_consistency=3)
