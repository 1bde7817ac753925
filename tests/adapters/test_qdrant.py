"""What the URL adapter sends and where, and how it reports every failure; no exception of the client is unmapped."""

import importlib
import json
import pkgutil
import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest
import qdrant_client
from client_errors import errors_of, instance_of
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse
from qdrant_server import QdrantServer
from store_samples import ALL, DIMENSION, NEW, OLD, id_of, indexed, terms, unit

from rag.adapters.points import DENSE
from rag.adapters.qdrant_cluster import Cluster
from rag.adapters.qdrant_store import QdrantStore
from rag.errors import CandorError, ConfigurationError, IndexNotReady, StoreUnavailable
from rag.models import Filters
from rag.protocols import SearchScope

URL, KEY = "https://qdrant.example.org:6333", "s3cret-key"
HIDDEN = (("a.pdf", OLD), ("a.pdf", NEW), ("b.pdf", OLD))
FULL = SearchScope(Filters(source="a.pdf", chapter=2, section="2.2", module="Lab", page=3), hidden_versions=HIDDEN)
MAX_SIM = {"comparator": "max_sim"}
Answer = Callable[[httpx.Request], httpx.Response]


class Asked:
    """A Qdrant server without a socket, which keeps what it was asked; `params`: what it says of the collection."""

    def __init__(self, **params: Any) -> None:
        self.server, self.requests, self._params = QdrantServer(), list[httpx.Request](), params

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        path = request.url.raw_path.decode().removeprefix("/qdrant")
        status, body = self.server.respond(request.method, path, request.headers.get("api-key"), request.content)
        if self._params and request.method == "GET" and path == "/collections/candor":
            body["result"]["config"]["params"] |= self._params
        return httpx.Response(status, json=body)

    def sent(self, ending: str, method: str | None = None) -> list[Any]:
        """The bodies of what was sent to paths that end so."""
        asked = [one for one in self.requests if one.url.path.endswith(ending) and method in (None, one.method)]
        return [json.loads(one.content) for one in asked if one.content]


def connect(answer: Answer, url: str = URL, key: str | None = KEY, **more: Any) -> QdrantStore:
    transport = httpx.MockTransport(answer)
    return QdrantStore.connect(url, key, 3.0, "candor", **{"dimension": DIMENSION, "transport": transport, **more})


def calls(store: QdrantStore) -> dict[str, Callable[[], object]]:
    """Every method that talks to the server, with the widest scope."""
    question, words = unit(1, 0, 0, 0), terms(t1=1.0, t9=2.0)
    return {
        "upsert": lambda: store.upsert([indexed("a", question, words, chapter=2, page=3, last_page=4, module="Lab",
                                                section="2.2 Hoods", section_number="2.2"), indexed("b")]),
        "delete": lambda: store.delete("a.pdf", version=OLD, keep=NEW),
        "search_dense": lambda: store.search_dense(question, limit=5, scope=FULL),
        "search_sparse": lambda: store.search_sparse(words, limit=5, scope=FULL),
        "search_hybrid": lambda: store.search_hybrid(question, words, limit=5, scope=FULL),
        "score_sparse": lambda: store.score_sparse(words, [id_of("a")]),
        "fetch": lambda: store.fetch([id_of("a")]),
        "count": lambda: store.count(FULL),
        "scroll": lambda: list(store.scroll(FULL)),
        "facets": lambda: store.facets("page", FULL),
        "index_id": store.index_id,
        "set_index_id": lambda: store.set_index_id("0a1b"),
    }  # fmt: skip


NAMES = list(calls(QdrantStore.in_memory(DIMENSION)))


def test_a_missing_collection_is_made_with_both_vectors_and_every_index_and_writes_wait():
    server = Asked()
    store = connect(server)
    calls(store)["upsert"]()
    calls(store)["delete"]()
    (made,) = server.sent("/collections/candor", "PUT")
    assert made["vectors"] == {DENSE: {"size": DIMENSION, "distance": "Cosine", "multivector_config": MAX_SIM}}
    assert made["sparse_vectors"] == {"bm25": {"modifier": "idf"}}
    assert {one["field_name"]: one["field_schema"] for one in server.sent("/index")} == {
        "document": "keyword", "version": "keyword", "module": "keyword", "section": "keyword",
        "section_keys": "keyword", "chapter": "integer", "pages": "integer",
    }  # fmt: skip
    writes = [one for one in server.requests if "/points" in one.url.path]
    assert [one.url.params["wait"] for one in writes] == ["true", "true"]


def test_the_key_travels_in_its_header_and_one_over_plain_http_is_pointed_out():
    server, keyless = Asked(), Asked()
    store = connect(server, url="https://proxy.example.org:443/qdrant")
    for _ in range(3):
        store.count(ALL)
    assert {(one.url.scheme, one.url.host) for one in server.requests} == {("https", "proxy.example.org")}
    assert all(one.url.path.startswith("/qdrant/collections/candor") for one in server.requests)
    assert sum(one.method == "GET" for one in server.requests) == 2  # the collection is looked up once
    assert {one.headers["api-key"] for one in server.requests} == {KEY}
    assert KEY not in str([str(one.url) for one in server.requests])
    assert "unencrypted" not in store.check().detail
    detail = connect(Asked(), url="http://qdrant.example.org:6333").check().detail
    assert ("key is sent unencrypted" in detail, KEY in detail) == (True, False)
    connect(keyless, key=None).count(ALL)
    assert [one for one in keyless.requests if "api-key" in one.headers] == []


@pytest.mark.parametrize(
    "url", ["qdrant.example.org", "ftp://qdrant.example.org", "http://", "", "http://[::1", "http://host:99999"]
)
def test_a_malformed_address_is_refused_at_once(url):
    with pytest.raises(ConfigurationError, match=r"QDRANT_URL=.*http://127\.0\.0\.1:6333"):
        QdrantStore.connect(url)


@pytest.mark.parametrize("quantization", ["none", "int8", "int4"])
def test_a_collection_is_made_and_searched_with_the_shards_copies_and_quantization_that_are_set(quantization):
    with pytest.raises(ConfigurationError, match=r"WRITE_CONSISTENCY=3 .*REPLICAS=2 .*at most 2"):
        Cluster(replicas=2, write_consistency=3)
    server = Asked()
    cluster = Cluster(shards=6, replicas=3, write_consistency=2, quantization=quantization)
    connect(server, cluster=cluster).search_dense(unit(1, 0, 0, 0), limit=3, scope=FULL)
    (made,) = server.sent("/collections/candor", "PUT")
    assert (made["shard_number"], made["replication_factor"], made["write_consistency_factor"]) == (6, 3, 2)
    if quantization == "int8":
        assert made["quantization_config"] == {"scalar": {"type": "int8", "always_ram": True}}
        assert made["vectors"][DENSE]["on_disk"] is True
        assert made["optimizers_config"]["indexing_threshold"] == 20_000 * DIMENSION * 4 // 1024
    (search,) = server.sent("/query/batch")[-1]["searches"]
    again = {"rescore": True, "oversampling": 2.0 if quantization == "int8" else 4.0}
    assert search["params"] == {"hnsw_ef": 512, "quantization": again}  # with none, for what another setting wrote


def test_a_collection_of_another_dimension_or_of_somebody_else_is_refused():
    server = Asked()
    connect(server, dimension=768).count(ALL)
    with pytest.raises(IndexNotReady, match=r"768 dimensions.*gives 4"):
        connect(server).count(ALL)
    foreign = Asked(vectors={"size": DIMENSION, "distance": "Cosine"})
    with pytest.raises(IndexNotReady, match="was not made by Candor"):
        connect(foreign).count(ALL)


def test_a_collection_that_another_process_makes_in_between_is_used():
    server = Asked()

    def racing(request: httpx.Request) -> httpx.Response:
        answer = server(request)
        is_made = request.method == "PUT" and request.url.path == "/collections/candor"
        return httpx.Response(409, json={"status": {"error": "already exists"}}) if is_made else answer

    assert connect(racing).count(ALL) == 0


def failing(error: Exception) -> Answer:
    def answer(request: httpx.Request) -> httpx.Response:
        raise error

    return answer


def replying(status: int, **reply: Any) -> Answer:
    return lambda request: httpx.Response(status, **reply)


FAILURES = {
    "timeout": (failing(httpx.ReadTimeout("slow")), "did not answer within 3 s"),
    "refused": (failing(httpx.ConnectError("[Errno 111] Connection refused")), "cannot be reached.*111"),
    "401": (replying(401, text="Must provide an API key"), r"refused the API key \(401\).*QDRANT_API_KEY"),
    "404": (replying(404, json={"status": {"error": "Not found"}}), r"no collection 'candor'"),
    "429": (replying(429, json={"status": {"error": "busy"}}, headers={"Retry-After": "7"}), "again in 7 s"),
    "503": (replying(503, text="no healthy upstream"), "answered 503: no healthy upstream"),
    "a web page": (replying(200, text="<html>Welcome</html>"), "not Qdrant's"),
    "no result": (replying(200, json={"result": None, "status": "ok", "time": 0.0}), "not Qdrant's"),
    "another shape": (replying(200, json={"result": {"colour": 1}, "status": "ok", "time": 0.0}), "not Qdrant's"),
    "bytes": (replying(200, content=b"\xff\xfe\x00"), "not Qdrant's"),
    "the key repeated": (replying(500, text=f"bad header api-key: {KEY}"), r"api-key: \*\*\*"),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_every_failure_is_reported_with_the_address_and_never_the_key_or_login(failure):
    answer, expected = FAILURES[failure]
    store = connect(answer, url=URL.replace("//", "//me:hunter2@"))
    with pytest.raises(StoreUnavailable, match=f"Qdrant at {URL} .*{expected}") as caught:
        store.count(ALL)
    status = store.check()
    for secret in (KEY, "hunter2"):
        assert secret not in f"{caught.value.message} {caught.value.details} {status.detail}"
    assert caught.value.details["url"] == URL
    assert caught.value.__cause__ is not None
    assert (status.state, status.latency_ms, URL in status.detail) == ("disconnected", None, True)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("failure", ["503", "no result", "another shape"])
def test_a_failure_of_any_call_is_reported_before_and_after_the_collection_was_found(name, failure):
    server, down = Asked(), False
    broken, expected = FAILURES[failure]
    store = connect(lambda request: broken(request) if down else server(request))
    with pytest.raises(StoreUnavailable, match=expected):
        calls(connect(broken))[name]()
    store.count(ALL)
    down = True
    if name != "index_id" or failure == "503":
        with pytest.raises(StoreUnavailable, match=expected):
            calls(store)[name]()
    down = False
    calls(store)[name]()  # and it works again when the server is back


def test_no_exception_of_the_client_is_unmapped():
    names = (module.name for module in pkgutil.walk_packages(qdrant_client.__path__, "qdrant_client."))
    left_out = re.compile(r"\.grpc|\.proto|fastembed|\.hybrid|\.migrate")
    modules = [importlib.import_module(name) for name in names if not left_out.search(name)]
    ours = ("qdrant_client", "httpx", "builtins")
    kinds = [one for one in errors_of(httpx, *modules) if one.__module__.partition(".")[0] in ours]
    assert {UnexpectedResponse, ResponseHandlingException, ResourceExhaustedResponse, httpx.ReadTimeout} <= {*kinds}
    for kind in kinds:
        store = connect(Asked())
        with pytest.raises(CandorError) as caught, store._border():
            raise instance_of(kind)
        assert type(caught.value) is StoreUnavailable, kind
        assert URL in caught.value.message
        assert isinstance(caught.value.__cause__, kind)
