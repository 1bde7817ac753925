"""What the URL adapter sends, held against Qdrant's published OpenAPI document, and how it reports every failure."""

import json

import jsonschema
import pytest
from qdrant_answers import ALL, MAX_SIM, NAMES, Server, calls, connect, validate
from store_samples import DIMENSION, terms, unit

from rag.adapters.points import DENSE


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
