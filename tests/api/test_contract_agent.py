"""Every rule of seed 002, through HTTP."""

import re
from datetime import datetime
from typing import Any
from uuid import uuid4

import pytest
from api_samples import ANSWERED, ANSWERED_PDF, REFUSED
from fastapi.testclient import TestClient
from pydantic import ValidationError

from api.contracts.agent import (
    ChunkMetadata,
    GeneratedResponse,
    HealthStatus,
    RetrievalStats,
    RetrievedChunk,
    UserQuery,
)

UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
SEED = {"query", "answer", "sources", "confidence", "retrieval_stats", "query_id"}
GENERATED = {"response_id", "retrieved_chunks", "source_references", "timestamp", "grounding_validation"}
METADATA = {"module": "m", "page": "p", "heading": "h", "url": "file:a", "title": "t"}
CHUNK: dict[str, Any] = {
    "text": "Wear gloves.",
    "similarity_score": 0.5,
    "metadata": METADATA,
    "vector_id": "12345678-9abc-5def-8123-456789abcdef",
    "source_reference": "[a.md]",
}


def ask(client: TestClient, query: Any, **more: Any) -> Any:
    return client.post("/api/agent/query", json={"query": query, **more})


def test_002_a_response_has_the_fields_of_the_seed_and_of_its_generated_response(client: TestClient) -> None:
    body = ask(client, ANSWERED).json()
    assert set(body) == SEED | GENERATED
    assert set(body["sources"][0]) == {"text", "url", "page"}
    assert set(body["retrieval_stats"]) == {"chunks_retrieved", "processing_time_ms"}
    assert body["query"] == ANSWERED
    assert 0.5 <= body["confidence"] <= 1.0
    assert datetime.fromisoformat(body["timestamp"]).tzinfo is not None


def test_002_sources_name_page_and_address_never_empty(client: TestClient) -> None:
    page = ask(client, ANSWERED_PDF).json()["sources"][0]
    assert re.fullmatch(r"page \d+", page["page"])
    assert page["url"] == "file:safety_manual.pdf"
    assert page["text"]
    section = ask(client, ANSWERED).json()["sources"][0]
    assert section["page"]
    assert section["url"]


def test_002_a_refusal_has_a_text_that_says_so_and_no_sources(client: TestClient) -> None:
    response = ask(client, REFUSED)
    body = response.json()
    assert response.status_code == 200
    assert body["answer"].startswith("Information not found in the knowledge base.")
    assert body["sources"] == []
    assert body["retrieved_chunks"] is None
    assert body["grounding_validation"]["is_valid"] is False
    assert body["grounding_validation"]["validation_issues"]


def test_002_an_answer_is_validly_grounded_in_at_least_one_chunk(client: TestClient) -> None:
    body = ask(client, ANSWERED).json()
    assert body["grounding_validation"]["is_valid"] is True
    assert len(body["retrieved_chunks"]) >= 1
    assert set(body["retrieved_chunks"][0]) == set(CHUNK)
    assert set(body["retrieved_chunks"][0]["metadata"]) == set(METADATA)
    assert all(body["retrieved_chunks"][0]["metadata"].values())
    assert body["source_references"]


@pytest.mark.parametrize("include", [True, None])
def test_002_sources_are_there_unless_declined(client: TestClient, include: bool | None) -> None:
    assert ask(client, ANSWERED, include_sources=include).json()["sources"]
    assert ask(client, ANSWERED, include_sources=False).json()["sources"] == []


def test_002_ids_are_uuids_and_unique(client: TestClient) -> None:
    first, second = ask(client, ANSWERED).json(), ask(client, ANSWERED).json()
    assert UUID4.fullmatch(first["query_id"])
    assert UUID4.fullmatch(first["response_id"])
    assert first["query_id"] != second["query_id"]


def test_002_statistics_count_chunks_and_time(client: TestClient) -> None:
    statistics = ask(client, ANSWERED).json()["retrieval_stats"]
    assert statistics["chunks_retrieved"] == 5
    assert statistics["processing_time_ms"] > 0
    with pytest.raises(ValidationError):
        RetrievalStats(chunks_retrieved=1, processing_time_ms=0)


@pytest.mark.parametrize("query", ["", "  "])
def test_002_query_must_not_be_empty(client: TestClient, query: str) -> None:
    response = ask(client, query)
    assert response.status_code == 422
    assert response.json()["error_code"] == "QUERY_TOO_SHORT"


@pytest.mark.parametrize(("tokens", "status"), [(0, 422), (1, 200), (2000, 200), (2001, 422), ("9", 422), (None, 200)])
def test_002_max_tokens_is_between_1_and_2000(client: TestClient, tokens: Any, status: int) -> None:
    assert ask(client, ANSWERED, max_tokens=tokens).status_code == status


@pytest.mark.parametrize(("value", "status"), [(-0.1, 422), (0, 200), (1.0, 200), (1.1, 422), ("hot", 422)])
def test_002_temperature_is_between_0_and_1(client: TestClient, value: Any, status: int) -> None:
    assert ask(client, ANSWERED, temperature=value).status_code == status


@pytest.mark.parametrize("value", ["yes", 1, "true"])
def test_002_include_sources_is_boolean(client: TestClient, value: Any) -> None:
    assert ask(client, ANSWERED, include_sources=value).status_code == 422


def test_002_the_defaults_are_500_tokens_and_temperature_0_7(client: TestClient) -> None:
    schema = client.get("/api/openapi.json").json()["components"]["schemas"]["APIRequest"]["properties"]
    assert schema["max_tokens"]["default"] == 500
    assert schema["temperature"]["default"] == 0.7
    assert schema["include_sources"]["default"] is True


def test_002_a_session_remembers_the_question_before(client: TestClient) -> None:
    ask(client, "Which gloves are required for dichloromethane?", session_id="seed 002 chat")
    ask(client, "And why?", session_id="seed 002 chat")
    listed = client.get("/api/v1/sessions").json()
    session = next(item for item in listed if item["title"] == "Which gloves are required for dichloromethane?")
    turns = client.get(f"/api/v1/sessions/{session['session_id']}/history").json()
    assert [turn["question"] for turn in turns][-1] == "And why?"
    assert turns[-1]["answer"]["read_as"] == "Which gloves are required for dichloromethane? And why?"


@pytest.mark.parametrize("wrong", [{"query_text": ""}, {"query_id": "not-a-uuid"}, {"timestamp": "yesterday"}])
def test_002_a_user_query_has_text_a_unique_id_and_a_time(wrong: dict[str, Any]) -> None:
    valid = {
        "query_text": "Who?",
        "query_id": "12345678-9abc-4def-8123-456789abcdef",
        "timestamp": "2026-01-21T14:32:15Z",
    }
    assert UserQuery(**valid).query_text == "Who?"  # type: ignore[arg-type]
    with pytest.raises(ValidationError):
        UserQuery(**{**valid, **wrong})


@pytest.mark.parametrize(
    "wrong", [{"text": ""}, {"similarity_score": 1.1}, {"similarity_score": -0.1}, {"vector_id": "17"}]
)
def test_002_a_retrieved_chunk_has_text_a_score_and_a_vector_id(wrong: dict[str, Any]) -> None:
    assert RetrievedChunk(**CHUNK).text == "Wear gloves."
    with pytest.raises(ValidationError):
        RetrievedChunk(**{**CHUNK, **wrong})


@pytest.mark.parametrize("missing", sorted(METADATA))
def test_002_metadata_contains_all_required_fields(missing: str) -> None:
    with pytest.raises(ValidationError):
        ChunkMetadata(**{name: value for name, value in METADATA.items() if name != missing})


@pytest.mark.parametrize(
    "wrong",
    [
        {"response_text": ""},
        {"confidence_score": 1.1},
        {"retrieved_chunks": []},
        {"grounding_validation": {"is_valid": False, "validation_issues": ["invented"]}},
    ],
)
def test_002_a_generated_response_that_breaks_a_rule_cannot_be_made(wrong: dict[str, Any]) -> None:
    valid: dict[str, Any] = {
        "response_text": "Gloves.",
        "response_id": "12345678-9abc-4def-8123-456789abcdef",
        "query_id": "12345678-9abc-4def-8123-456789abcdef",
        "retrieved_chunks": [CHUNK],
        "source_references": ["[a.md]"],
        "confidence_score": 0.9,
        "timestamp": "2026-01-21T14:32:15Z",
        "grounding_validation": {"is_valid": True, "validation_issues": []},
    }
    assert GeneratedResponse(**valid).response_text == "Gloves."
    with pytest.raises(ValidationError):
        GeneratedResponse(**{**valid, **wrong})


def test_002_health_reports_every_service_and_the_model_server_as_openai(client: TestClient) -> None:
    response = client.get("/api/agent/health")
    body = response.json()
    assert response.status_code == 200
    assert set(body) == {"status", "timestamp", "services", "response_time_ms"}
    assert body["status"] == "degraded"  # no model server in these tests
    assert body["services"]["qdrant"] == "connected"
    assert body["services"]["openai"] == body["services"]["ollama"] == "disconnected"
    assert body["response_time_ms"] > 0


@pytest.mark.parametrize("wrong", [{"status": "fine"}, {"response_time_ms": 0}, {"services": {"qdrant": "connected"}}])
def test_002_a_health_status_that_breaks_a_rule_cannot_be_made(wrong: dict[str, Any]) -> None:
    valid: dict[str, Any] = {
        "status": "healthy",
        "timestamp": "2026-01-21T14:32:15Z",
        "services": {"qdrant": "connected", "openai": "connected"},
        "response_time_ms": 1.5,
    }
    assert HealthStatus(**valid).status == "healthy"
    with pytest.raises(ValidationError):
        HealthStatus(**{**valid, **wrong})


def test_002_an_error_is_the_canonical_object_and_nothing_else(client: TestClient) -> None:
    assert set(ask(client, ANSWERED, max_tokens=0).json()) == {"error_code", "message", "details", "timestamp"}


def test_002_a_follow_up_says_how_it_was_read_among_the_issues_of_its_validation(client: TestClient) -> None:
    session = {"session_id": f"agent-{uuid4()}"}
    first = ask(client, "Which gloves are required for dichloromethane?", **session).json()
    second = ask(client, "And why?", **session).json()
    assert second["query"] == "And why?"
    read_as = "Read as: Which gloves are required for dichloromethane? And why?"
    assert read_as in second["grounding_validation"]["validation_issues"]
    assert not any(issue.startswith("Read as") for issue in first["grounding_validation"]["validation_issues"])
    assert set(second) == SEED | GENERATED
