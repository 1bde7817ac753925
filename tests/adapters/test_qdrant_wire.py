"""What the URL adapter sends and where, held against Qdrant's published OpenAPI document; shards, copies, widths."""

import json
from typing import Any

import httpx
import pytest
from qdrant_answers import ALL, FULL, KEY, MAX_SIM, URL, Server, calls, connect, validate
from store_samples import DIMENSION, terms, unit

from rag.adapters.points import DENSE
from rag.adapters.qdrant_cluster import Cluster
from rag.adapters.qdrant_store import QdrantStore
from rag.adapters.vector_layout import Quantization
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
    store = connect(server, url="https://proxy.example.org:443/qdrant")
    for _ in range(3):
        store.count(ALL)
    assert {(one.url.scheme, one.url.host) for one in server.requests} == {("https", "proxy.example.org")}
    assert all(one.url.path.startswith("/qdrant/collections/candor") for one in server.requests)
    assert len(server.requests) == 2 + 3  # the collection is looked up once
    assert {one.headers["api-key"] for one in server.requests} == {KEY}
    assert KEY not in str([str(one.url) for one in server.requests])
    assert "unencrypted" not in store.check().detail


def test_a_key_over_plain_http_is_pointed_out_by_check_and_without_one_none_is_sent() -> None:
    server = Server()
    detail = connect(server, url="http://qdrant.example.org:6333").check().detail
    assert "key is sent unencrypted" in detail
    assert KEY not in detail
    keyless = Server()
    connect(keyless, key=None).count(ALL)
    assert keyless.requests
    assert all("api-key" not in one.headers for one in keyless.requests)


@pytest.mark.parametrize(
    "url", ["qdrant.example.org", "ftp://qdrant.example.org", "http://", "", "http://[::1", "http://host:99999"]
)
def test_a_malformed_address_is_refused_at_once(url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"QDRANT_URL=.*http://127\.0\.0\.1:6333"):
        QdrantStore.connect(url)


def test_more_copies_to_acknowledge_than_there_are_is_refused_at_once() -> None:
    with pytest.raises(ConfigurationError, match=r"WRITE_CONSISTENCY=3 .*REPLICAS=2 .*at most 2"):
        Cluster(replicas=2, write_consistency=3)


@pytest.mark.parametrize("quantization", ["none", "int8", "int4"])
def test_a_collection_is_made_with_the_shards_copies_and_quantization_that_are_set_in_the_published_form(
    quantization: Quantization,
) -> None:
    server = Server(exists=False)
    cluster = Cluster(shards=6, replicas=3, write_consistency=2, quantization=quantization)
    store = QdrantStore.connect(URL, dimension=DIMENSION, cluster=cluster, transport=httpx.MockTransport(server))
    store.search_dense(unit(1, 0, 0, 0), limit=3, scope=FULL)
    for request in server.requests:
        validate(request)
    made = next(json.loads(one.content) for one in server.requests if one.method == "PUT")
    assert (made["shard_number"], made["replication_factor"], made["write_consistency_factor"]) == (6, 3, 2)
    if quantization == "int8":
        assert made["quantization_config"] == {"scalar": {"type": "int8", "always_ram": True}}
        assert made["vectors"][DENSE]["on_disk"] is True
        assert made["optimizers_config"]["indexing_threshold"] == 20_000 * DIMENSION * 4 // 1024
    (search,) = json.loads(server.requests[-1].content)["searches"]
    again = {"rescore": True, "oversampling": 2.0 if quantization == "int8" else 4.0}
    assert search["params"] == {"hnsw_ef": 512, "quantization": again}  # with none, for what another setting wrote


@pytest.mark.parametrize(
    ("chunks", "shards", "width"), [(50_000, 1, 512), (50_001, 1, 1024), (300_001, 1, 2048), (1_000_000, 4, 1024)]
)
def test_the_width_of_a_search_goes_by_the_chunks_of_a_shard_as_they_were_told_when_it_was_opened(
    chunks: int, shards: int, width: int
) -> None:
    class Large(Server):
        def collection(self) -> dict[str, Any]:
            described = super().collection()
            described["config"]["params"]["shard_number"] = shards
            return described | {"points_count": chunks}

    server = Large()
    store = connect(server)
    for _ in range(2):
        store.search_hybrid(unit(1, 0, 0, 0), terms(t1=1.0), limit=5, scope=FULL)
    asked = [json.loads(one.content)["searches"] for one in server.requests if one.url.path.endswith("/query/batch")]
    widths = [one["params"]["hnsw_ef"] for searches in asked for one in searches if one["using"] == DENSE]
    assert widths == [width] * 2
    assert [(one.method, one.url.path) for one in server.requests].count(("GET", "/collections/candor")) == 1
