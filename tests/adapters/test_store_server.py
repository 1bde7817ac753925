"""The store over a real connection: keys, TLS, a server that dies and comes back, a server that hangs."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest
import qdrant_format
from library import quiet_settings
from qdrant_client import QdrantClient
from qdrant_server import QdrantServer, self_signed
from store_samples import ALL, DIMENSION, indexed, terms, unit

from rag import Candor
from rag.adapters.qdrant_store import QdrantStore
from rag.errors import StoreUnavailable

KEY = "k3y-of-the-tests"


@pytest.fixture
def server() -> Iterator[QdrantServer]:
    with QdrantServer() as running:
        yield running


@pytest.fixture
def store(server: QdrantServer) -> Iterator[QdrantStore]:
    opened = QdrantStore.connect(server.url, timeout_s=30, dimension=DIMENSION)
    yield opened
    opened.close()


@contextmanager
def dying_when(server: QdrantServer, condition: Callable[[], bool]) -> Iterator[None]:
    """Let the server die, in a thread, as soon as a condition holds."""

    def watch() -> None:
        while not condition():
            time.sleep(0.01)
        server.stop()

    thread = Thread(target=watch)
    thread.start()
    yield
    thread.join(20)


def test_payload_indexes_that_a_killed_maker_left_out_are_made_by_the_next(
    server: QdrantServer, store: QdrantStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(QdrantClient, "create_payload_index", killed)
        with pytest.raises(KeyboardInterrupt):
            store.count(ALL)
    other = QdrantStore.connect(server.url, timeout_s=30, dimension=DIMENSION)
    other.upsert([indexed("a", chapter=3)])
    assert other.facets("chapter", ALL) == {"3": 1}
    other.close()


def test_a_server_that_died_is_reported_and_found_again_when_it_is_back(
    server: QdrantServer, store: QdrantStore
) -> None:
    server.stop()
    with pytest.raises(StoreUnavailable, match="cannot be reached"):  # down at first
        store.count(ALL)
    server.start()
    store.upsert([indexed("a"), indexed("b")])
    server.stop()
    for call in (lambda: store.count(ALL), lambda: store.upsert([indexed("c")]), lambda: list(store.scroll(ALL))):
        with pytest.raises(StoreUnavailable, match=rf"{server.url} cannot be reached.*Start it, or correct QDRANT_URL"):
            call()
    assert store.check().state == "disconnected"
    server.start()
    assert store.count(ALL) == 2
    assert store.check().state == "connected"


def test_a_server_that_dies_while_it_is_asked_is_reported(server: QdrantServer, store: QdrantStore) -> None:
    store.upsert([indexed("a")])
    slow = QdrantStore.connect(server.url, timeout_s=30, dimension=DIMENSION)
    slow.count(ALL)
    server.hanging.set()
    before = len(server.requests)
    with dying_when(server, lambda: len(server.requests) > before), pytest.raises(StoreUnavailable, match="Start it"):
        slow.search_hybrid(unit(1, 0, 0, 0), terms(t1=1.0), limit=5, scope=ALL)
    server.hanging.clear()
    server.start()
    assert slow.count(ALL) == 1
    slow.close()


def test_a_server_that_hangs_costs_the_timeout_and_works_again_afterwards(
    server: QdrantServer, store: QdrantStore
) -> None:
    store.upsert([indexed("a")])
    hasty = QdrantStore.connect(server.url, timeout_s=3, dimension=DIMENSION)
    assert hasty.count(ALL) == 1
    server.hanging.set()
    with pytest.raises(StoreUnavailable, match=r"did not answer within 3 s.*CANDOR_QDRANT_TIMEOUT_S"):
        hasty.search_dense(unit(1, 0, 0, 0), limit=1, scope=ALL)
    assert "did not answer within 3 s" in hasty.check().detail
    server.hanging.clear()
    assert hasty.count(ALL) == 1
    hasty.close()


def test_a_collection_that_was_lost_is_said_and_made_again(server: QdrantServer, store: QdrantStore) -> None:
    store.upsert([indexed("a")])
    store.set_index_id("0a1b")
    server.drop("candor")
    with pytest.raises(StoreUnavailable, match=r"no collection 'candor' any more.*candor ingest --rebuild"):
        store.count(ALL)
    assert store.index_id() is None
    store.upsert([indexed("b", chapter=1)])
    assert store.facets("chapter", ALL) == {"1": 1}


# --- key and TLS -------------------------------------------------------------------------------------------------


def test_a_certificate_that_nobody_vouches_for_is_refused_with_what_to_set(tmp_path: Path) -> None:
    with QdrantServer(certificate=self_signed(tmp_path)) as server:
        store = QdrantStore.connect(server.url, KEY, timeout_s=5, dimension=DIMENSION)
        with pytest.raises(StoreUnavailable, match=r"certificate.*not trusted.*SSL_CERT_FILE"):
            store.count(ALL)
        assert server.requests == []
        store.close()


# --- the whole way -----------------------------------------------------------------------------------------------


def test_documents_are_ingested_and_asked_through_a_server_by_two_processes_worth_of_candor(
    server: QdrantServer, samples: Path, tmp_path: Path
) -> None:
    question = "Which gloves are required for dichloromethane?"
    settings = quiet_settings(tmp_path / "data", qdrant_url=server.url)
    with Candor.open(settings) as writer:
        assert not writer.ingest([samples / "safety_manual.pdf", samples / "textbook.md"]).failed
        with Candor.open(settings) as reader:
            assert "laminate gloves" in str(reader.ask(question, no_llm=True).answer)
            writer.forget("safety_manual.pdf")
            assert reader.ask(question, no_llm=True).answer is None
    assert not (tmp_path / "data" / "index").exists()


# --- the server itself -------------------------------------------------------------------------------------------


def test_the_server_refuses_what_the_published_format_does_not_know_and_counts_only_what_is_indexed(
    server: QdrantServer, store: QdrantStore
) -> None:
    if qdrant_format.published() is None:
        pytest.skip("Qdrant's OpenAPI document is not at ../shared/openapi/qdrant.json")
    store.upsert([indexed("a")])
    for method, path, content, told in (
        ("PUT", "/collections/x", b'{"vectors": {"text": {"sizes": 4}}}', "Format error"),
        ("GET", "/collections/x/nonsense", b"", "nonsense"),
        ("POST", "/collections/candor/facet", b'{"key": "colour"}', "Index required"),
    ):
        status, body = server.respond(method, path, None, content)
        assert status == 400
        assert told in body["status"]["error"]
