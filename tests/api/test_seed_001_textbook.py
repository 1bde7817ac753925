"""Seed 001 through HTTP: the claims that stand in no table. seed-rules.md lists every rule and its test."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from api_samples import ANSWERED, ANSWERED_PDF, REFUSED
from interfaces import TEXTBOOK
from seeds import recorded, with_model

ask = TEXTBOOK.ask


@pytest.mark.parametrize(
    ("more", "options"),
    [
        ({}, (5, 0.5)),
        ({"max_chunks": None, "similarity_threshold": None}, (5, 0.5)),
        ({"max_chunks": 7, "similarity_threshold": 0.25}, (7, 0.25)),
    ],
)
def test_001_the_options_of_a_query_are_used_and_are_5_chunks_and_one_half_by_default(client, more, options):
    query = recorded(client, ask(client, **more))["query"]
    assert (query["top_k"], query["similarity_threshold"]) == options


def test_001_the_options_of_a_query_bound_the_chunks_used(client):
    assert len(ask(client, max_chunks=1).json()["chunks_used"]) == 1
    used = ask(client, similarity_threshold=0.6).json()["chunks_used"]
    assert [chunk["similarity_score"] >= 0.6 for chunk in used] == [True] * len(used) != []
    question = "How often is the refresher course held and how long does it take?"
    statuses = [ask(client, question, similarity_threshold=threshold).status_code for threshold in (None, 0.5, 0.0)]
    assert statuses == [200, 200, 404]  # the mean of five is below one half


def test_001_an_embedding_is_made_from_the_text_alone_and_names_its_model(client):
    def made(text: str) -> Any:
        return client.post("/api/textbook/embedding", json={"text": text}).json()

    found = made(ANSWERED)
    assert len(found["vector"]) == found["dimension"] == 384
    assert "all-MiniLM-L6-v2" in found["model"]
    assert found == made(f" {ANSWERED} ") != made(ANSWERED_PDF)
    assert found["vector"] == client.post("/api/service/embedding", json={"question": ANSWERED}).json()["vector"]


@pytest.mark.parametrize("question", [ANSWERED, ANSWERED_PDF])
def test_001_a_chunk_used_has_an_id_content_and_a_score_between_0_and_1(client, question):
    used = ask(client, question).json()["chunks_used"]
    assert used
    for chunk in used:
        document = client.get(f"/api/v1/documents/{chunk['metadata']['source']}").json()
        assert chunk["id"] in document["chunk_ids"]
        assert chunk["content"]
        assert 0.5 <= chunk["similarity_score"] <= 1.0


def test_001_metadata_have_page_and_url_only_where_the_source_has(client):
    [paged] = ask(client, ANSWERED_PDF).json()["chunks_used"]
    assert (paged["metadata"]["page_number"], paged["metadata"]["url"]) == (8, None)
    [online] = ask(client).json()["chunks_used"]
    assert online["metadata"]["page_number"] is None
    assert online["metadata"]["url"].startswith("https://")
    assert online["metadata"]["section_title"] == "1.1 From snow to ice"


@pytest.mark.parametrize(
    ("question", "title"), [(ANSWERED, "Glaciers"), (ANSWERED_PDF, "Laboratory Safety Manual")], ids=["online", "paged"]
)
def test_001_every_citation_is_of_a_chunk_used_and_has_its_ieee_text(client, question, title):
    body = ask(client, question).json()
    metadata = {chunk["metadata"]["citation"]: chunk["metadata"] for chunk in body["chunks_used"]}
    assert [citation["text"] for citation in body["citations"]] == list(metadata)
    for number, citation in enumerate(body["citations"], start=1):
        chunk = metadata[citation["text"]]
        assert (citation["source"], citation["url"]) == (chunk["source"], chunk["url"])
        assert re.fullmatch(rf"\[{number}\] .+, \d{{4}}, .+\.?", citation["text"])  # authors and title, year, place
        assert title in citation["text"]


def test_001_several_chunks_make_one_response(candor):
    def first_sentences(question: str, passages: list[str]) -> str:
        return " ".join(f"{text.split('. ')[0]}. [{number}]" for number, text in enumerate(passages, start=1))

    with with_model(candor, first_sentences) as client:
        body = ask(client, similarity_threshold=0.0).json()
    assert len(body["chunks_used"]) > 1
    assert len({chunk["id"] for chunk in body["chunks_used"]}) == len(body["chunks_used"])
    numbers = [citation["text"].split()[0] for citation in body["citations"]]
    assert numbers == [f"[{number}]" for number in range(1, len(numbers) + 1)]


def test_001_a_response_echoes_the_query_as_it_was_given_and_says_when(client):
    body = ask(client, f"  {ANSWERED} ").json()
    assert body["query"] == f"  {ANSWERED} "
    assert body["answer"].strip()
    assert abs(datetime.fromisoformat(body["timestamp"]) - datetime.now(UTC)) < timedelta(minutes=5)


@pytest.mark.parametrize("threshold", [None, 0.99])
def test_001_where_nothing_is_found_a_fallback_stands_in(client, threshold):
    response = ask(client, f"  {REFUSED} ", similarity_threshold=threshold)
    assert (response.status_code, TEXTBOOK.told(response)[0]) == (404, "NO_RELEVANT_CONTENT")
    details = response.json()["details"]
    assert details["query"] == f"  {REFUSED} "
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", details["timestamp"])
    assert details["confidence"] < 0.5
    assert details["request_id"].startswith("req_")


def test_001_an_error_has_text_a_code_and_an_object_of_details(client):
    refused = ask(client, max_chunks=99)
    code, message = TEXTBOOK.told(refused)
    assert (refused.status_code, code, bool(message)) == (422, "INVALID_INPUT", True)
    assert refused.json()["details"]["field"] == "max_chunks"
