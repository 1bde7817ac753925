"""Every rule of seed 001, through HTTP."""

from datetime import datetime
from typing import Any

import pytest
from api_samples import ANSWERED, ANSWERED_PDF, REFUSED
from fastapi.testclient import TestClient
from pydantic import ValidationError

from api.contracts.textbook import Embedding, RAGResponse, TextChunk


def ask(client: TestClient, text: Any, **more: Any) -> Any:
    return client.post("/api/textbook/query", json={"text": text, **more})


def test_001_a_response_has_exactly_the_fields_of_the_seed(client: TestClient) -> None:
    body = ask(client, ANSWERED).json()
    assert set(body) == {"answer", "citations", "chunks_used", "query", "timestamp"}
    assert set(body["citations"][0]) == {"text", "source", "url"}
    chunk = body["chunks_used"][0]
    assert set(chunk) == {"id", "content", "metadata", "similarity_score"}
    assert set(chunk["metadata"]) == {"source", "page_number", "section_title", "url", "citation"}
    assert datetime.fromisoformat(body["timestamp"]).tzinfo is not None


def test_001_the_query_is_echoed_as_it_was_given(client: TestClient) -> None:
    assert ask(client, f"  {ANSWERED} ").json()["query"] == f"  {ANSWERED} "


def test_001_citations_are_ieee_texts_numbered_from_1(client: TestClient) -> None:
    body = ask(client, ANSWERED_PDF).json()
    for number, citation in enumerate(body["citations"], start=1):
        assert citation["text"].startswith(f"[{number}] ")
        assert "Laboratory Safety Manual" in citation["text"]
    assert all(chunk["metadata"]["citation"].startswith("[") for chunk in body["chunks_used"])


def test_001_every_chunk_used_reaches_the_similarity_threshold(client: TestClient) -> None:
    body = ask(client, ANSWERED, similarity_threshold=0.6).json()
    assert body["chunks_used"]
    assert all(chunk["similarity_score"] >= 0.6 for chunk in body["chunks_used"])


def test_001_the_similarity_threshold_is_one_half_by_default(client: TestClient) -> None:
    question = "How often is the refresher course held and how long does it take?"
    assert ask(client, question).status_code == ask(client, question, similarity_threshold=0.5).status_code == 200
    assert ask(client, question, similarity_threshold=0.0).status_code == 404  # the mean of five is below one half


@pytest.mark.parametrize("threshold", [None, 0.99])
def test_001_where_nothing_is_found_a_fallback_stands_in(client: TestClient, threshold: float | None) -> None:
    response = ask(client, REFUSED, similarity_threshold=threshold)
    body = response.json()
    assert response.status_code == 404
    assert set(body) == {"error", "code", "details"}
    assert body["code"] == "NO_RELEVANT_CONTENT"
    assert "citations" not in body


@pytest.mark.parametrize("text", ["", "   ", "ab"])
def test_001_text_must_not_be_empty(client: TestClient, text: str) -> None:
    response = ask(client, text)
    assert response.status_code == 422
    assert response.json()["code"] == "QUERY_TOO_SHORT"


@pytest.mark.parametrize("text", ["x" * 1001, None, 12, ["what"]])
def test_001_text_must_not_exceed_1000_characters(client: TestClient, text: Any) -> None:
    response = ask(client, text)
    assert response.status_code == 422
    assert response.json()["code"] == "INVALID_INPUT"


@pytest.mark.parametrize(("threshold", "valid"), [(-0.01, False), (0, True), (1, True), (1.01, False), ("0.5", False)])
def test_001_similarity_threshold_is_between_0_and_1(client: TestClient, threshold: Any, valid: bool) -> None:
    assert (ask(client, ANSWERED, similarity_threshold=threshold).status_code != 422) is valid


@pytest.mark.parametrize(("most", "valid"), [(0, False), (1, True), (10, True), (11, False), (2.5, False)])
def test_001_max_chunks_is_between_1_and_10(client: TestClient, most: Any, valid: bool) -> None:
    assert (ask(client, ANSWERED, max_chunks=most).status_code != 422) is valid


def test_001_max_chunks_bounds_the_chunks_used(client: TestClient) -> None:
    assert len(ask(client, ANSWERED, max_chunks=1).json()["chunks_used"]) == 1


@pytest.mark.parametrize("score", [-0.1, 1.1])
def test_001_a_chunks_similarity_is_between_0_and_1(score: float) -> None:
    metadata = {"source": "a.md", "citation": "[1] A."}
    assert TextChunk(id="1", content="x", metadata=metadata, similarity_score=1.0).similarity_score == 1.0  # type: ignore[arg-type]
    with pytest.raises(ValidationError):
        TextChunk(id="1", content="x", metadata=metadata, similarity_score=score)  # type: ignore[arg-type]


def test_001_the_answer_of_a_response_is_not_empty() -> None:
    with pytest.raises(ValidationError):
        RAGResponse(answer="", citations=[], chunks_used=[], query="q", timestamp="2026-01-21T00:00:00Z")  # type: ignore[arg-type]


def test_001_an_embedding_is_as_long_as_it_says(client: TestClient) -> None:
    body = client.post("/api/textbook/embedding", json={"text": ANSWERED}).json()
    assert set(body) == {"vector", "model", "dimension"}
    assert len(body["vector"]) == body["dimension"] == 384
    with pytest.raises(ValidationError):
        Embedding(vector=[0.1, 0.2], model="m", dimension=3)


def test_001_an_error_has_error_code_and_details(client: TestClient) -> None:
    body = ask(client, ANSWERED, max_chunks=99).json()
    assert set(body) == {"error", "code", "details"}
    assert body["details"]["field"] == "max_chunks"


def test_001_at_most_5_chunks_are_retrieved_by_default(client: TestClient) -> None:
    schema = client.get("/api/openapi.json").json()["components"]["schemas"]
    [query] = [found for name, found in schema.items() if "max_chunks" in found.get("properties", {})]
    assert query["properties"]["max_chunks"]["default"] == 5
    assert query["required"] == ["text"]
