"""Seed 001: the rules that are about entities, seen from outside. docs/seed-rules.md lists every rule and its test."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from api_samples import ANSWERED, ANSWERED_PDF, REFUSED
from fastapi.testclient import TestClient
from seeds import recorded, with_model

from rag.candor import Candor

QUERY = "/api/textbook/query"


def ask(client: TestClient, text: Any = ANSWERED, **more: Any) -> Any:
    return client.post(QUERY, json={"text": text, **more})


def test_001_text_is_required(client: TestClient) -> None:
    response = client.post(QUERY, json={"max_chunks": 5})
    assert response.status_code == 422
    assert response.json()["error"] == "text is missing; add it to the request."


def test_001_text_of_exactly_1000_characters_is_taken(client: TestClient) -> None:
    assert ask(client, "x" * 1000).status_code == 404  # understood, and not in the book


@pytest.mark.parametrize("more", [{}, {"max_chunks": None, "similarity_threshold": None}])
def test_001_the_defaults_of_a_query_are_5_chunks_and_one_half(client: TestClient, more: dict[str, Any]) -> None:
    query = recorded(client, ask(client, **more))["query"]
    assert (query["top_k"], query["similarity_threshold"]) == (5, 0.5)


def test_001_the_options_of_a_query_are_used(client: TestClient) -> None:
    query = recorded(client, ask(client, max_chunks=7, similarity_threshold=0.25))["query"]
    assert (query["top_k"], query["similarity_threshold"]) == (7, 0.25)


def test_001_an_embedding_is_made_from_the_text_alone(client: TestClient) -> None:
    def vector(text: str) -> Any:
        return client.post("/api/textbook/embedding", json={"text": text}).json()["vector"]

    assert vector(ANSWERED) == vector(f" {ANSWERED} ")
    assert vector(ANSWERED) != vector(ANSWERED_PDF)
    service = client.post("/api/service/embedding", json={"question": ANSWERED}).json()["vector"]
    assert vector(ANSWERED) == service


def test_001_an_embedding_names_its_model(client: TestClient) -> None:
    model = client.post("/api/textbook/embedding", json={"text": ANSWERED}).json()["model"]
    assert "all-MiniLM-L6-v2" in model


@pytest.mark.parametrize("question", [ANSWERED, ANSWERED_PDF])
def test_001_a_chunk_used_has_an_id_content_and_a_score_between_0_and_1(client: TestClient, question: str) -> None:
    used = ask(client, question).json()["chunks_used"]
    assert used
    for chunk in used:
        document = client.get(f"/api/v1/documents/{chunk['metadata']['source']}").json()
        assert chunk["id"] in document["chunk_ids"]
        assert chunk["content"]
        assert 0.5 <= chunk["similarity_score"] <= 1.0


def test_001_metadata_have_page_and_url_only_where_the_source_has(client: TestClient) -> None:
    [paged] = ask(client, ANSWERED_PDF).json()["chunks_used"]
    assert (paged["metadata"]["page_number"], paged["metadata"]["url"]) == (8, None)
    [online] = ask(client, ANSWERED).json()["chunks_used"]
    assert online["metadata"]["page_number"] is None
    assert online["metadata"]["url"].startswith("https://")
    assert online["metadata"]["section_title"] == "1.1 From snow to ice"


@pytest.mark.parametrize("question", [ANSWERED, ANSWERED_PDF])
def test_001_every_citation_is_of_a_chunk_used_and_has_its_ieee_text(client: TestClient, question: str) -> None:
    body = ask(client, question).json()
    metadata = {chunk["metadata"]["citation"]: chunk["metadata"] for chunk in body["chunks_used"]}
    assert [citation["text"] for citation in body["citations"]] == list(metadata)
    for citation in body["citations"]:
        chunk = metadata[citation["text"]]
        assert (citation["source"], citation["url"]) == (chunk["source"], chunk["url"])
        assert re.fullmatch(r"\[\d+\] .+, \d{4}, .+\.?", citation["text"])  # number, authors and title, year, place


def test_001_several_chunks_make_one_response(candor: Candor) -> None:
    def first_sentences(question: str, passages: list[str]) -> str:
        return " ".join(f"{text.split('. ')[0]}. [{number}]" for number, text in enumerate(passages, start=1))

    with with_model(candor, first_sentences) as client:
        body = ask(client, similarity_threshold=0.0).json()
    assert len(body["chunks_used"]) > 1
    assert len({chunk["id"] for chunk in body["chunks_used"]}) == len(body["chunks_used"])
    assert [citation["text"].split()[0] for citation in body["citations"]] == [
        f"[{number}]" for number in range(1, len(body["citations"]) + 1)
    ]


def test_001_the_answer_is_text_and_its_time_is_now_in_iso_8601(client: TestClient) -> None:
    body = ask(client).json()
    assert body["answer"].strip()
    assert abs(datetime.fromisoformat(body["timestamp"]) - datetime.now(UTC)) < timedelta(minutes=5)


def test_001_the_fallback_echoes_the_query_as_it_was_given_and_says_when(client: TestClient) -> None:
    details = ask(client, f"  {REFUSED} ").json()["details"]
    assert details["query"] == f"  {REFUSED} "
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", details["timestamp"])
    assert details["confidence"] < 0.5
    assert details["request_id"].startswith("req_")


@pytest.mark.parametrize(("text", "code"), [("a", "QUERY_TOO_SHORT"), ("x" * 1001, "INVALID_INPUT")])
def test_001_an_error_has_text_a_code_and_an_object_of_details(client: TestClient, text: str, code: str) -> None:
    body = ask(client, text).json()
    assert set(body) == {"error", "code", "details"}
    assert body["error"]
    assert body["code"] == code
    assert body["details"]["field"] == "text"
