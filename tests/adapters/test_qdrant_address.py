"""The address and the key of a Qdrant server."""

import pytest
from qdrant_answers import ALL, KEY, Server, connect

from rag.adapters.qdrant_store import QdrantStore
from rag.errors import ConfigurationError


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
