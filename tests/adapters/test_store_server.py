"""The store over a real connection: keys, TLS, a server that dies and comes back, a server that hangs."""

import time
from threading import Thread

import pytest
from library import quiet_settings
from qdrant_client import QdrantClient
from qdrant_server import QdrantServer, self_signed
from store_samples import ALL, DIMENSION, indexed, terms, unit

from rag import Candor
from rag.adapters.qdrant_store import QdrantStore
from rag.errors import StoreUnavailable


@pytest.fixture
def server():
    with QdrantServer() as running:
        yield running


@pytest.fixture
def store(server):
    opened = QdrantStore.connect(server.url, timeout_s=30, dimension=DIMENSION)
    yield opened
    opened.close()


def test_payload_indexes_that_a_killed_maker_left_out_are_made_by_the_next(server, store, monkeypatch):
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


def test_a_server_that_died_also_while_it_was_asked_is_reported_and_found_again_when_it_is_back(server, store):
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
    assert (store.count(ALL), store.check().state) == (2, "connected")
    server.hanging.set()
    before = len(server.requests)

    def die_when_asked() -> None:
        while len(server.requests) == before:
            time.sleep(0.01)
        server.stop()

    thread = Thread(target=die_when_asked)
    thread.start()
    with pytest.raises(StoreUnavailable, match="Start it"):
        store.search_hybrid(unit(1, 0, 0, 0), terms(t1=1.0), limit=5, scope=ALL)
    thread.join(20)
    server.hanging.clear()
    server.start()
    assert store.count(ALL) == 2


def test_a_server_that_hangs_costs_the_timeout_and_works_again_afterwards(server, store):
    store.upsert([indexed("a")])
    hasty = QdrantStore.connect(server.url, timeout_s=3, dimension=DIMENSION)
    assert hasty.count(ALL) == 1
    server.hanging.set()
    with pytest.raises(StoreUnavailable, match=r"did not answer within 3 s.*CANDOR_QDRANT_TIMEOUT_S"):
        hasty.search_dense(unit(1, 0, 0, 0), limit=1, scope=ALL)
    server.hanging.clear()
    assert hasty.count(ALL) == 1
    hasty.close()


def test_a_collection_that_was_lost_is_said_and_made_again(server, store):
    store.upsert([indexed("a")])
    store.set_index_id("0a1b")
    server.state.delete_collection("candor")
    with pytest.raises(StoreUnavailable, match=r"no collection 'candor' any more.*candor ingest --rebuild"):
        store.count(ALL)
    assert store.index_id() is None
    store.upsert([indexed("b", chapter=1)])
    assert store.facets("chapter", ALL) == {"1": 1}


def test_a_certificate_that_nobody_vouches_for_is_refused_with_what_to_set(tmp_path):
    with QdrantServer(certificate=self_signed(tmp_path)) as server:
        store = QdrantStore.connect(server.url, "k3y-of-the-tests", timeout_s=5, dimension=DIMENSION)
        with pytest.raises(StoreUnavailable, match=r"certificate.*not trusted.*SSL_CERT_FILE"):
            store.count(ALL)
        assert server.requests == []
        store.close()


def test_documents_are_ingested_and_asked_through_a_server_by_two_processes_worth_of_candor(server, samples, tmp_path):
    question = "Which gloves are required for dichloromethane?"
    settings = quiet_settings(tmp_path / "data", qdrant_url=server.url, qdrant_timeout_s=60)
    with Candor.open(settings) as writer:
        assert not writer.ingest([samples / "safety_manual.pdf", samples / "textbook.md"]).failed
        with Candor.open(settings) as reader:
            assert "laminate gloves" in str(reader.ask(question, no_llm=True).answer)
            writer.forget("safety_manual.pdf")
            assert reader.ask(question, no_llm=True).answer is None
    assert not (tmp_path / "data" / "index").exists()
