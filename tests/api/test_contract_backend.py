"""Every rule of seed 004, through HTTP."""

from datetime import datetime
from typing import Any
from uuid import UUID

import pytest
from api_samples import ANSWERED, ANSWERED_PDF, REFUSED
from fastapi.testclient import TestClient
from pydantic import ValidationError

from api.contracts.backend import Query, Response, RetrievedContext, State, advance, failed_state
from api.contracts.common import fitted_answer
from rag.candor import Candor
from rag.errors import GeneratorUnavailable, InvalidQuery, StoreUnavailable

ID = "3f2b8c1e-4d5a-4b6c-8d7e-9f0a1b2c3d4e"
CODES = {
    "QUERY_TOO_SHORT",
    "NO_RELEVANT_CONTENT",
    "LLM_ERROR",
    "VECTOR_DB_ERROR",
    "SERVICE_UNAVAILABLE",
    "INVALID_INPUT",
    "RATE_LIMIT_EXCEEDED",
}


def ask(client: TestClient, question: Any, **more: Any) -> Any:
    return client.post("/api/backend/query", json={"question": question, **more})


def test_004_a_response_has_exactly_the_fields_of_the_seed(client: TestClient) -> None:
    response = ask(client, ANSWERED, query_id=ID, timestamp="2026-01-21T14:32:15.123Z", user_id="somebody")
    body = response.json()
    assert response.status_code == 200
    assert set(body) == {"answer", "sources", "query_id", "response_timestamp", "confidence_score"}
    assert set(body["sources"][0]) == {"source_url", "document_title", "excerpt", "similarity_score"}
    assert body["query_id"] == ID
    assert datetime.fromisoformat(body["response_timestamp"]).tzinfo is not None
    assert 0.5 <= body["confidence_score"] <= 1.0


@pytest.mark.parametrize(
    "question", [ANSWERED, ANSWERED_PDF, "Up to which mark may the sash of a fume hood be raised?"]
)
def test_004_an_answer_has_50_to_5000_characters_and_a_source(client: TestClient, question: str) -> None:
    body = ask(client, question).json()
    assert 50 <= len(body["answer"]) <= 5000
    assert len(body["sources"]) >= 1
    assert all(source["source_url"] and source["document_title"] and source["excerpt"] for source in body["sources"])


def test_004_a_short_answer_is_completed_with_its_neighbour_or_its_citation(candor: Candor) -> None:
    answer = candor.ask(ANSWERED, estimator="mean_similarity")
    sentence = answer.sentences[0].model_copy(update={"text": "About 830."})
    short = answer.model_copy(update={"answer": "About 830.", "sentences": (sentence,)})
    completed = fitted_answer(short, minimum=50, maximum=5000)
    assert completed.startswith("About 830. ")
    assert len(completed) >= 50
    chunk = next(chunk for chunk in answer.retrieved if chunk.chunk_id == answer.citations[0].chunk_id)
    assert completed.removeprefix("About 830. ").split(".")[0] in " ".join(chunk.content.split())
    bare = short.model_copy(update={"retrieved": ()})
    assert answer.citations[0].label in fitted_answer(bare, minimum=50, maximum=5000)
    assert len(fitted_answer(bare, minimum=50, maximum=5000)) >= 50


def test_004_a_long_answer_loses_its_last_sentences(candor: Candor) -> None:
    answer = candor.ask(ANSWERED, estimator="mean_similarity")
    sentence = answer.sentences[0].model_copy(update={"text": "x" * 59 + "."})
    long = answer.model_copy(update={"answer": " ".join(["x" * 59 + "."] * 100), "sentences": (sentence,) * 100})
    cut = fitted_answer(long, minimum=50, maximum=5000)
    assert len(cut) == 81 * 60 + 80  # 81 sentences of 60 characters and 80 spaces; one more would make 5001
    assert cut.endswith(".")


def test_004_an_answer_is_grounded_in_the_excerpts_of_its_sources(client: TestClient) -> None:
    body = ask(client, ANSWERED).json()
    assert any("830" in source["excerpt"] for source in body["sources"])
    assert "830" in body["answer"]


@pytest.mark.parametrize("question", ["", " ", "a", "ab"])
def test_004_a_question_that_is_too_short_is_named_so(client: TestClient, question: str) -> None:
    response = ask(client, question)
    assert response.status_code == 422
    assert response.json()["error_code"] == "QUERY_TOO_SHORT"


@pytest.mark.parametrize(
    "question", ["x" * 1001, "Wie heißt der Gletscher?", "two\nlines", "tab\there", "bell\x07", 5, None]
)
def test_004_a_question_has_up_to_1000_printable_ascii_characters(client: TestClient, question: Any) -> None:
    response = ask(client, question)
    assert response.status_code == 422
    assert response.json()["error_code"] == "INVALID_INPUT"


def test_004_only_this_contract_refuses_other_scripts(client: TestClient) -> None:
    assert client.post("/api/service/query", json={"question": "Wie heißt der Gletscher?"}).status_code == 200


@pytest.mark.parametrize(
    ("stamp", "status"),
    [
        ("2026-01-21T14:32:15Z", 200),
        ("2026-01-21T14:32:15.123+02:00", 200),
        ("2026-01-21T14:32:15", 200),
        ("yesterday", 422),
        ("2026-13-01T00:00:00Z", 422),
        (1769005935, 422),
        (None, 422),
    ],
)
def test_004_a_timestamp_is_iso_8601(client: TestClient, stamp: Any, status: int) -> None:
    assert ask(client, ANSWERED, timestamp=stamp).status_code == status


@pytest.mark.parametrize(
    ("query_id", "status"),
    [
        (ID, 200),
        (ID.upper(), 200),
        ("3f2b8c1e-4d5a-1b6c-8d7e-9f0a1b2c3d4e", 422),  # version 1
        ("3f2b8c1e4d5a4b6c8d7e9f0a1b2c3d4e", 422),  # without hyphens
        ("req_20260121_abc123", 422),
        (7, 422),
    ],
)
def test_004_a_query_id_is_a_uuid_v4_and_comes_back(client: TestClient, query_id: Any, status: int) -> None:
    response = ask(client, ANSWERED, query_id=query_id)
    assert response.status_code == status
    if status == 200:
        assert response.json()["query_id"] == query_id


def test_004_no_relevant_content_is_its_error_response(client: TestClient) -> None:
    response = ask(client, REFUSED)
    body = response.json()
    assert response.status_code == 404
    assert set(body) == {"error_code", "message", "details", "timestamp"}
    assert body["error_code"] == "NO_RELEVANT_CONTENT"
    assert body["details"]["state"] == "retrieval_failed"


def test_004_error_codes_are_the_predefined_ones(client: TestClient) -> None:
    schemas = client.get("/api/openapi.json").json()["components"]["schemas"]
    assert set(schemas["ErrorCode"]["enum"]) == CODES


def test_004_an_error_has_a_message_and_an_iso_8601_timestamp(client: TestClient) -> None:
    body = ask(client, "x" * 1001).json()
    assert body["message"]
    assert datetime.fromisoformat(body["timestamp"]).tzinfo is not None


def test_004_the_retrieved_context_has_parallel_arrays(client: TestClient) -> None:
    body = client.post("/api/backend/retrieve", json={"question": ANSWERED}).json()
    assert set(body) == {"content_chunks", "source_metadata", "similarity_scores", "retrieval_timestamp"}
    assert len(body["content_chunks"]) == len(body["source_metadata"]) == len(body["similarity_scores"]) == 5
    assert all(50 <= len(text) <= 2000 for text in body["content_chunks"])
    assert set(body["source_metadata"][0]) == {"source_url", "document_title", "chunk_index", "page_number", "section"}


def context(**change: Any) -> dict[str, Any]:
    metadata = {"source_url": "file:a.md", "document_title": "A", "chunk_index": 0}
    valid: dict[str, Any] = {
        "content_chunks": ["x" * 50],
        "source_metadata": [metadata],
        "similarity_scores": [0.5],
        "retrieval_timestamp": "2026-01-21T14:32:15Z",
    }
    return {**valid, **change}


@pytest.mark.parametrize(
    "wrong",
    [
        {"content_chunks": [], "source_metadata": [], "similarity_scores": []},
        {"content_chunks": ["x" * 50] * 11},
        {"content_chunks": ["x" * 49]},
        {"content_chunks": ["x" * 2001]},
        {"source_metadata": []},
        {"similarity_scores": [0.5, 0.4]},
        {"similarity_scores": [1.1]},
    ],
)
def test_004_a_retrieved_context_that_breaks_a_rule_cannot_be_made(wrong: dict[str, Any]) -> None:
    assert RetrievedContext(**context()).similarity_scores == [0.5]
    with pytest.raises(ValidationError):
        RetrievedContext(**context(**wrong))


@pytest.mark.parametrize(
    "wrong",
    [{"answer": "x" * 49}, {"answer": "x" * 5001}, {"sources": []}, {"query_id": "7"}, {"confidence_score": 1.1}],
)
def test_004_a_response_that_breaks_a_rule_cannot_be_made(wrong: dict[str, Any]) -> None:
    source = {"source_url": "file:a.md", "document_title": "A", "excerpt": "x", "similarity_score": 0.5}
    valid: dict[str, Any] = {
        "answer": "x" * 50,
        "sources": [source],
        "query_id": ID,
        "response_timestamp": "2026-01-21T14:32:15Z",
        "confidence_score": None,
    }
    assert Response(**valid).confidence_score is None
    with pytest.raises(ValidationError):
        Response(**{**valid, **wrong})


def test_004_a_query_goes_from_state_to_state_and_no_other_way() -> None:
    assert (
        advance(State.RECEIVED, State.VALID, State.RETRIEVED, State.GENERATED, State.FORMATTED, State.SENT)
        is State.SENT
    )
    for start, wrong in [(State.RECEIVED, State.SENT), (State.INVALID, State.VALID), (State.SENT, State.RECEIVED)]:
        with pytest.raises(ValueError, match="cannot go from"):
            advance(start, wrong)


def test_004_an_error_says_in_which_state_the_query_was_stopped() -> None:
    assert failed_state(InvalidQuery("no")) is State.INVALID
    assert failed_state(StoreUnavailable("no")) is State.RETRIEVAL_FAILED
    assert failed_state(GeneratorUnavailable("no")) is State.GENERATION_FAILED


def test_004_a_query_fills_in_its_time() -> None:
    assert Query(question="What is firn?").timestamp.tzinfo is not None  # type: ignore[call-arg]


def test_004_a_query_id_is_made_where_the_client_names_none(client: TestClient) -> None:
    made = UUID(ask(client, ANSWERED).json()["query_id"])
    assert made.version == 4


def test_004_a_user_id_is_optional_text(client: TestClient) -> None:
    assert ask(client, ANSWERED, user_id=None).status_code == 200
    assert ask(client, ANSWERED, user_id=7).status_code == 422


@pytest.mark.parametrize(
    "body",
    [
        b'{"question": "no"}',
        b'{"question": "  "}',
        '{"question": "Wie hoch ist der Gl\u00e4tscher?"}'.encode(),
        b'{"question": "Which gloves are worn?", "query_id": "not a UUID"}',
        b'{"question": "Which gloves are worn?", "timestamp": "yesterday"}',
        b'{"question": "Which gloves are worn?", "colour": "red"}',
        b"{}",
        b"{",
        b"[]",
        b" " * 2_000_001,
    ],
)
@pytest.mark.parametrize("path", ["/api/backend/query", "/api/backend/retrieve"])
def test_004_a_query_that_is_refused_as_invalid_ends_in_the_state_invalid(
    client: TestClient, path: str, body: bytes
) -> None:
    response = client.post(path, content=body, headers={"content-type": "application/json"})
    assert response.status_code in {413, 422}
    assert set(response.json()) == {"error_code", "message", "details", "timestamp"}
    assert response.json()["details"]["state"] == "invalid"


def test_004_what_is_no_query_has_no_state(client: TestClient) -> None:
    for response in (client.get("/api/backend/query"), client.post("/api/backend/nothing", json={})):
        assert response.status_code in {404, 405}
        assert "state" not in response.json()["details"]
