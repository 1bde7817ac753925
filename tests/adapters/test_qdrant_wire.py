"""What the URL adapter sends, held against Qdrant's published OpenAPI document, and where it sends it."""

import json

import pytest
from qdrant_answers import ALL, KEY, MAX_SIM, Server, calls, connect
from store_samples import DIMENSION, terms, unit

from rag.adapters.points import DENSE
from rag.adapters.qdrant_store import QdrantStore
from rag.errors import ConfigurationError


def test_a_missing_collection_is_made_with_both_vectors_and_every_index() -> None:
    server = Server(exists=False)
    connect(server).count(ALL)
    created = next(one for one in server.requests if one.method == "PUT" and one.url.path == "/collections/candor")
    body = json.loads(created.content)
    assert body["vectors"] == {DENSE: {"size": DIMENSION, "distance": "Cosine", "multivector_config": MAX_SIM}}
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


# --- the address and the key ---


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
