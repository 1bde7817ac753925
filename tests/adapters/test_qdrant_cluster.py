"""Shards, copies and quantization of a collection, and how widely it is searched."""

import json
from typing import Any

import httpx
import pytest
from qdrant_answers import ALL, FULL, URL, Server, connect, validate
from qdrant_format import check_request
from store_samples import DIMENSION, terms, unit

from rag.adapters.points import DENSE
from rag.adapters.qdrant_cluster import KNOWN_FOR_S, Cluster, ShardSize
from rag.adapters.qdrant_store import QdrantStore
from rag.adapters.vector_layout import Quantization
from rag.errors import ConfigurationError


def test_a_collection_is_made_with_the_shards_copies_and_quantization_that_are_set() -> None:
    server = Server(exists=False)
    cluster = Cluster(shards=6, replicas=3, write_consistency=2, quantization="int8")
    QdrantStore.connect(URL, dimension=DIMENSION, cluster=cluster, transport=httpx.MockTransport(server)).count(ALL)
    made = next(json.loads(one.content) for one in server.requests if one.url.path == "/collections/candor")
    assert (made["shard_number"], made["replication_factor"], made["write_consistency_factor"]) == (6, 3, 2)
    assert made["quantization_config"] == {"scalar": {"type": "int8", "always_ram": True}}
    assert made["vectors"][DENSE]["on_disk"] is True
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
    assert search["params"] == {"hnsw_ef": 512, "quantization": again}  # with none, for what another setting wrote


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
        return [one["params"]["hnsw_ef"] for searches in asked for one in searches if one["using"] == DENSE]

    def told(self) -> int:
        """How often the collection was asked about."""
        return sum(one.method == "GET" and one.url.path == "/collections/candor" for one in self.requests)


@pytest.mark.parametrize(
    ("chunks", "shards", "width"),
    [(50_000, 1, 512), (50_001, 1, 1024), (300_001, 1, 2048), (1_000_000, 4, 1024), (1_000_000, 32, 512)],
)
def test_the_width_of_a_search_goes_by_the_chunks_of_a_shard(chunks: int, shards: int, width: int) -> None:
    server = Large(chunks, shards)
    store = connect(server)
    for _ in range(3):
        store.search_hybrid(unit(1, 0, 0, 0), terms(t1=1.0), limit=5, scope=FULL)
    assert server.widths() == [width] * 3
    assert server.told() == 1  # when the collection was opened
    for request in server.requests:
        validate(request)


def test_the_size_of_a_shard_is_asked_for_again_after_a_while_and_kept_where_nobody_tells_it() -> None:
    server, now = Large(50_000), 0.0
    store = connect(server)
    store._size = ShardSize(lambda: now)

    def search() -> tuple[int, int]:
        store.search_dense(unit(1, 0, 0, 0), limit=5, scope=ALL)
        return server.widths()[-1], server.told()

    assert search() == (512, 1)
    server.chunks = 400_000
    now = KNOWN_FOR_S - 1
    assert search() == (512, 1)
    now = KNOWN_FOR_S
    assert [search(), search()] == [(2048, 2), (2048, 2)]
    server.chunks, server.silent = 1, True
    now = 2 * KNOWN_FOR_S
    assert [search(), search()] == [(2048, 3), (2048, 3)]


def test_more_copies_to_acknowledge_than_there_are_is_refused_at_once() -> None:
    with pytest.raises(ConfigurationError, match=r"WRITE_CONSISTENCY=3 .*REPLICAS=2 .*at most 2"):
        Cluster(replicas=2, write_consistency=3)
