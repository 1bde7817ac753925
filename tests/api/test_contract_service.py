"""Every rule of seed 000, through HTTP."""

import json
import re
from typing import Any

import pytest
from api_samples import ANSWERED, ANSWERED_PDF, REFUSED
from fastapi.testclient import TestClient
from pydantic import ValidationError

from api.contracts.service import Answer, Citation, EmbeddingVector
from rag.candor import Candor

QUERY = "/api/service/query"
FIELDS = {"answer", "citations", "confidence", "message", "request_id", "processing_time_ms"}


def ask(client: TestClient, question: Any, **more: Any) -> Any:
    return client.post(QUERY, json={"question": question, **more})


def test_000_an_answer_has_exactly_the_fields_of_the_seed(client: TestClient) -> None:
    body = ask(client, ANSWERED).json()
    assert set(body) == FIELDS
    assert isinstance(body["processing_time_ms"], int)
    assert body["message"] is None
    assert set(body["citations"][0]) == {"document_name", "excerpt", "page_number", "section", "chunk_id"}


def test_000_an_answer_has_at_least_one_citation_whose_excerpt_is_verbatim(client: TestClient) -> None:
    body = ask(client, ANSWERED_PDF).json()
    chunks = {
        chunk["chunk_id"]: chunk
        for chunk in client.post("/api/service/retrieve", json={"question": ANSWERED_PDF}).json()
    }
    assert body["citations"]
    for citation in body["citations"]:
        assert len(citation["excerpt"]) <= 200
        assert citation["excerpt"] in chunks[citation["chunk_id"]]["content"]
        assert citation["document_name"] == "safety_manual.pdf"
        assert citation["page_number"] >= 1


def test_000_without_an_answer_there_is_a_message_and_no_citation(client: TestClient) -> None:
    response = ask(client, REFUSED)
    body = response.json()
    assert response.status_code == 200
    assert body["answer"] is None
    assert body["citations"] == []
    assert body["message"].startswith("Information not found in the knowledge base.")
    assert body["confidence"] < 0.5


@pytest.mark.parametrize("question", [ANSWERED, REFUSED])
def test_000_confidence_is_the_mean_similarity_of_the_retrieved_chunks(client: TestClient, question: str) -> None:
    chunks = client.post("/api/service/retrieve", json={"question": question}).json()
    scores = [chunk["similarity_score"] for chunk in chunks]
    assert len(scores) == 5
    assert ask(client, question).json()["confidence"] == pytest.approx(sum(scores) / 5)


def test_000_below_a_confidence_of_one_half_it_refuses(client: TestClient) -> None:
    question = "How often is the refresher course held and how long does it take?"
    narrow = ask(client, question, filters={"max_results": 1}).json()
    wide = ask(client, question, filters={"max_results": 5}).json()
    assert narrow["confidence"] >= 0.5
    assert narrow["answer"]
    assert wide["confidence"] < 0.5
    assert wide["answer"] is None


@pytest.mark.parametrize("question", ["", "  ", "ab", " ab ", "\t\n"])
def test_000_a_question_below_3_characters_is_too_short(client: TestClient, question: str) -> None:
    response = ask(client, question)
    assert response.status_code == 422
    assert response.json()["error_code"] == "QUERY_TOO_SHORT"


@pytest.mark.parametrize(
    ("question", "status"),
    [("abc", 200), ("x" * 1000, 200), (" " + "x" * 1000 + " ", 200), ("x" * 1001, 422), (3, 422), (None, 422)],
)
def test_000_a_question_has_3_to_1000_characters_of_text(client: TestClient, question: Any, status: int) -> None:
    response = ask(client, question)
    assert response.status_code == status
    if status == 422:
        assert response.json()["error_code"] == "INVALID_INPUT"


def test_000_a_question_is_required(client: TestClient) -> None:
    response = client.post(QUERY, json={})
    assert response.status_code == 422
    assert response.json()["message"] == "question is missing; add it to the request."


@pytest.mark.parametrize(
    ("most", "status"), [(0, 422), (1, 200), (10, 200), (11, 422), ("5", 422), (True, 422), (None, 200)]
)
def test_000_max_results_is_between_1_and_10(client: TestClient, most: Any, status: int) -> None:
    assert ask(client, ANSWERED, filters={"max_results": most}).status_code == status


def test_000_max_results_bounds_the_chunks_and_is_5_by_default(client: TestClient) -> None:
    def count(**more: Any) -> int:
        return len(client.post("/api/service/retrieve", json={"question": ANSWERED, **more}).json())

    assert count() == 5
    assert count(filters={}) == 5
    assert count(filters={"max_results": 2}) == 2


def test_000_the_source_filter_keeps_to_one_document(client: TestClient) -> None:
    body = {"question": ANSWERED, "filters": {"source": "faq.html", "max_results": 10}}
    chunks = client.post("/api/service/retrieve", json=body).json()
    assert {chunk["metadata"]["document_name"] for chunk in chunks} == {"faq.html"}


def test_000_a_clients_request_id_comes_back(client: TestClient) -> None:
    response = ask(client, ANSWERED, request_id="req_20260121_abc123")
    assert response.json()["request_id"] == "req_20260121_abc123"
    assert response.headers["x-request-id"] == "req_20260121_abc123"


def test_000_a_request_id_is_generated_where_the_client_names_none(client: TestClient) -> None:
    first, second = (ask(client, ANSWERED).json()["request_id"] for _ in range(2))
    assert re.fullmatch(r"req_\d{8}_[0-9a-f]{12}", first)
    assert first != second


@pytest.mark.parametrize("request_id", ["", "two words", "line\nbreak", "x" * 201, 7])
def test_000_a_request_id_that_would_spoil_the_log_is_refused(client: TestClient, request_id: Any) -> None:
    assert ask(client, ANSWERED, request_id=request_id).status_code == 422


def test_000_a_retrieved_chunk_has_exactly_the_fields_of_the_seed(client: TestClient) -> None:
    chunk = client.post("/api/service/retrieve", json={"question": ANSWERED_PDF}).json()[0]
    assert set(chunk) == {"chunk_id", "content", "metadata", "similarity_score"}
    assert set(chunk["metadata"]) == {"document_name", "page_number", "section", "chunk_index"}
    assert 0.0 <= chunk["similarity_score"] <= 1.0


def test_000_an_embedding_has_384_dimensions_of_all_minilm_l6_v2(client: TestClient) -> None:
    body = client.post("/api/service/embedding", json={"question": ANSWERED}).json()
    assert set(body) == {"vector", "model_name", "dimension"}
    assert (body["model_name"], body["dimension"], len(body["vector"])) == ("all-MiniLM-L6-v2", 384, 384)
    assert sum(number * number for number in body["vector"]) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(
    "change", [{"vector": [0.1] * 383}, {"dimension": 383}, {"model_name": "another-model"}, {"vector": []}]
)
def test_000_an_embedding_of_another_model_or_length_is_no_embedding(change: dict[str, Any]) -> None:
    valid = {"vector": [0.1] * 384, "model_name": "all-MiniLM-L6-v2", "dimension": 384}
    assert EmbeddingVector(**valid).dimension == 384
    with pytest.raises(ValidationError):
        EmbeddingVector(**{**valid, **change})


def test_000_the_prompt_context_holds_question_chunks_and_instructions(client: TestClient) -> None:
    body = client.post("/api/service/prompt", json={"question": ANSWERED}).json()
    assert set(body) == {"question", "retrieved_chunks", "system_prompt", "formatted_context"}
    assert body["question"] == ANSWERED
    assert body["system_prompt"]
    assert 1 <= len(body["retrieved_chunks"]) <= 5  # as many as fit the smallest window
    assert "830 kilograms" in body["formatted_context"]


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ({"page_number": 5, "section": "2 Gloves"}, "[manual.pdf, page 5]"),
        ({"section": "2 Gloves"}, "[manual.pdf, section 2 Gloves]"),
        ({}, "[manual.pdf]"),
    ],
)
def test_000_a_citation_reads_as_the_seed_writes_it(place: dict[str, Any], text: str) -> None:
    assert str(Citation(document_name="manual.pdf", excerpt="Wear gloves.", **place)) == text


@pytest.mark.parametrize(
    "wrong",
    [
        {"answer": "Yes.", "citations": []},
        {"answer": None, "message": "no"},
        {"answer": None, "citations": [], "message": None},
        {"confidence": 0.49},
        {"confidence": 1.01},
        {"citations": [{"document_name": "a.md", "excerpt": "x" * 201}]},
    ],
)
def test_000_an_answer_that_breaks_a_rule_cannot_be_made(wrong: dict[str, Any]) -> None:
    valid: dict[str, Any] = {
        "answer": "Yes.",
        "citations": [{"document_name": "a.md", "excerpt": "x" * 200}],
        "confidence": 0.5,
        "message": None,
        "request_id": "r",
        "processing_time_ms": 3,
    }
    assert Answer(**valid).answer == "Yes."
    with pytest.raises(ValidationError):
        Answer(**{**valid, **wrong})


def test_000_an_error_is_the_canonical_object_and_nothing_else(client: TestClient) -> None:
    body = ask(client, "x" * 1001).json()
    assert set(body) == {"error_code", "message", "details", "timestamp"}
    assert body["details"]["request_id"].startswith("req_")
    assert body["timestamp"].endswith("Z")


def test_000_every_log_line_has_the_seven_keys_of_the_seed(client: TestClient, candor: Candor) -> None:
    response = ask(client, ANSWERED, request_id="req_seed_000_log")
    lines = [json.loads(line) for line in candor.wiring.recorder.log_path.read_text().splitlines()]
    own = [line for line in lines if line["request_id"] == response.json()["request_id"]]
    assert len(own) == 8  # a line for each stage, and the last
    for line in own:
        assert list(line) == ["timestamp", "request_id", "level", "component", "event", "data", "error"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["timestamp"])
        assert line["level"] in {"INFO", "WARNING", "ERROR"}
    assert {"query_received", "chunks_retrieved", "answer_generated"} <= {line["event"] for line in own}
    assert {"retrieval", "generation", "embedding"} <= {line["component"] for line in own}
