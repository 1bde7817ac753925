"""Seed 001 through HTTP: the claims that stand in no table. seed-rules.md lists every rule and its test."""

import re
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


@pytest.mark.parametrize(
    ("question", "title", "place"),
    [
        (ANSWERED, "Glaciers", (None, "1.1 From snow to ice", "https://")),
        (ANSWERED_PDF, "Laboratory Safety Manual", (8, None, "")),
    ],
    ids=["online", "paged"],
)
def test_001_every_citation_is_of_a_chunk_used_has_its_ieee_text_and_page_and_url_only_where_the_source_has(
    client, question, title, place
):
    body = ask(client, question).json()
    metadata = {chunk["metadata"]["citation"]: chunk["metadata"] for chunk in body["chunks_used"]}
    assert [citation["text"] for citation in body["citations"]] == list(metadata)
    for number, citation in enumerate(body["citations"], start=1):
        chunk, (page, section, url) = metadata[citation["text"]], place
        assert (citation["source"], citation["url"]) == (chunk["source"], chunk["url"])
        assert (chunk["page_number"], bool(chunk["url"])) == (page, bool(url))
        assert (chunk["url"] or "").startswith(url)
        assert section in (None, chunk["section_title"])
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


def test_001_a_response_echoes_the_query_as_it_was_given(client):
    assert ask(client, f"  {ANSWERED} ").json()["query"] == f"  {ANSWERED} "


@pytest.mark.parametrize("threshold", [None, 0.99])
def test_001_where_nothing_is_found_a_fallback_stands_in(client, threshold):
    response = ask(client, f"  {REFUSED} ", similarity_threshold=threshold)
    assert (response.status_code, TEXTBOOK.told(response)[0]) == (404, "NO_RELEVANT_CONTENT")
    details = response.json()["details"]
    assert details["query"] == f"  {REFUSED} "
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", details["timestamp"])
    assert details["confidence"] < 0.5
    assert details["request_id"].startswith("req_")
