"""Every rule of seed 003, through HTTP."""

from typing import Any

import pytest
from api_samples import ANSWERED, ANSWERED_PDF, REFUSED
from fastapi.testclient import TestClient
from pydantic import ValidationError

from api.contracts.chatbot import ChatResponse, RetrievedChunk
from rag.stored.values import SessionMetadata

SELECTED = (
    "The night shift begins at ten in the evening and ends at six in the morning. "
    "The keeper of the lighthouse checks the lamp every two hours and writes the time of each check into the log book."
)
CHUNK: dict[str, Any] = {
    "chunk_id": "c",
    "chapter_id": 1,
    "section_id": "1.1",
    "section_title": "Ice",
    "preview_text": "x" * 200,
    "full_text": "x" * 300,
    "relevance_score": 0.5,
}


def ask(client: TestClient, question: Any, **more: Any) -> Any:
    return client.post("/api/chatbot/query", json={"question": question, **more})


def test_003_a_response_has_exactly_the_fields_of_the_seed(client: TestClient) -> None:
    body = ask(client, ANSWERED).json()
    assert set(body) == {"answer", "sources", "query_time_ms", "mode"}  # `error` only on failure
    assert set(body["sources"][0]) == set(CHUNK)
    assert isinstance(body["query_time_ms"], int)
    assert body["query_time_ms"] >= 0


def test_003_an_answer_has_10_to_5000_characters_and_1_to_10_sources(client: TestClient) -> None:
    body = (
        ask(client, ANSWERED, top_k=20).json()
        if ask(client, ANSWERED, top_k=20).json()["sources"]
        else ask(client, ANSWERED).json()
    )
    assert 10 <= len(body["answer"]) <= 5000
    assert 1 <= len(body["sources"]) <= 10


def test_003_what_the_book_does_not_cover_has_empty_sources_and_no_error(client: TestClient) -> None:
    response = ask(client, REFUSED)
    body = response.json()
    assert response.status_code == 200
    assert body["sources"] == []
    assert body.get("error") is None
    assert len(body["answer"]) >= 10


def test_003_sources_name_chapter_and_section(client: TestClient) -> None:
    source = ask(client, ANSWERED).json()["sources"][0]
    assert source["chapter_id"] >= 1
    assert source["section_id"]
    assert source["section_title"]
    assert source["preview_text"] == source["full_text"][:200]
    assert 0.0 <= source["relevance_score"] <= 1.0


@pytest.mark.parametrize("question", ["", "ab", "  a "])
def test_003_a_question_has_at_least_3_characters(client: TestClient, question: str) -> None:
    response = ask(client, question)
    assert response.status_code == 422
    assert set(response.json()) == {"error"}
    assert response.json()["error"]["type"] == "validation_error"
    assert response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("top_k", "status"), [(0, 422), (1, 200), (20, 200), (21, 422), (-1, 422), ("5", 422), (None, 422)]
)
def test_003_top_k_is_between_1_and_20(client: TestClient, top_k: Any, status: int) -> None:
    assert ask(client, ANSWERED, top_k=top_k).status_code == status


@pytest.mark.parametrize("value", ["true", 1, "no", None])
def test_003_use_context_only_is_boolean(client: TestClient, value: Any) -> None:
    assert ask(client, ANSWERED, use_context_only=value, context=SELECTED).status_code == 422


@pytest.mark.parametrize("context", [None, "", "   "])
def test_003_with_use_context_only_the_context_must_not_be_empty(client: TestClient, context: str | None) -> None:
    response = ask(client, ANSWERED, use_context_only=True, context=context)
    assert response.status_code == 422
    assert response.json()["error"]["message"] == (
        "context must be non-empty when use_context_only is true; send the passage to answer from."
    )


def test_003_selected_text_only_answers_from_the_selection(client: TestClient) -> None:
    body = ask(client, "How often does the keeper check the lamp?", use_context_only=True, context=SELECTED).json()
    assert body["mode"] == "selected-text-only"
    assert "every two hours" in body["answer"]
    assert all(source["full_text"] in SELECTED for source in body["sources"])


def test_003_selected_text_only_does_not_answer_from_the_book(client: TestClient) -> None:
    body = ask(client, ANSWERED, use_context_only=True, context=SELECTED).json()
    assert body["mode"] == "selected-text-only"
    assert body["sources"] == []


def test_003_without_use_context_only_the_context_is_ignored(client: TestClient) -> None:
    with_context, without = ask(client, ANSWERED, context=SELECTED).json(), ask(client, ANSWERED).json()
    assert with_context["mode"] == "book-wide"
    assert with_context["answer"] == without["answer"]


def test_003_a_chapter_means_chapter_aware(client: TestClient) -> None:
    chapter = ask(client, ANSWERED).json()["sources"][0]["chapter_id"]
    body = ask(client, ANSWERED, chapter_id=chapter).json()
    assert body["mode"] == "chapter-aware"
    assert body["sources"][0]["chapter_id"] == chapter


@pytest.mark.parametrize("chapter", [99, 0, -1])
def test_003_a_chapter_that_is_not_there_is_an_error_that_lists_those_that_are(
    client: TestClient, chapter: int
) -> None:
    response = ask(client, ANSWERED, chapter_id=chapter)
    assert response.status_code == 422
    assert "chapters there: 1, 2" in response.json()["error"]["message"]


@pytest.mark.parametrize("chapter", ["1", 1.5, True])
def test_003_a_chapter_is_an_integer(client: TestClient, chapter: Any) -> None:
    assert ask(client, ANSWERED, chapter_id=chapter).status_code == 422


def test_003_a_page_stands_in_for_the_section_of_a_source_without_one(client: TestClient) -> None:
    sources = ask(client, ANSWERED_PDF).json()["sources"]
    assert sources
    for source in sources:
        assert source["section_id"]
        assert source["section_title"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"chunk_id": ""},
        {"chapter_id": None},
        {"section_id": ""},
        {"section_title": ""},
        {"preview_text": "x" * 201},
        {"relevance_score": 1.1},
    ],
)
def test_003_a_retrieved_chunk_that_breaks_a_rule_cannot_be_made(wrong: dict[str, Any]) -> None:
    assert RetrievedChunk(**CHUNK).chunk_id == "c"
    with pytest.raises(ValidationError):
        RetrievedChunk(**{**CHUNK, **wrong})


@pytest.mark.parametrize(
    "wrong",
    [
        {"answer": "too short"},
        {"answer": "x" * 5001},
        {"sources": [CHUNK] * 11},
        {"query_time_ms": -1},
        {"mode": "wide"},
    ],
)
def test_003_a_response_that_breaks_a_rule_cannot_be_made(wrong: dict[str, Any]) -> None:
    valid: dict[str, Any] = {"answer": "x" * 10, "sources": [CHUNK] * 10, "query_time_ms": 0, "mode": "book-wide"}
    assert ChatResponse(**valid).mode == "book-wide"
    with pytest.raises(ValidationError):
        ChatResponse(**{**valid, **wrong})


@pytest.mark.parametrize(
    "wrong",
    [{"session_id": "12345678-9abc-1def-8123-456789abcdef"}, {"created_at": "yesterday"}, {"query_count": -1}],
)
def test_003_a_sessions_metadata_follows_the_seed(client: TestClient, wrong: dict[str, Any]) -> None:
    created = client.post("/api/v1/sessions").json()
    session = {name: created[name] for name in ("session_id", "created_at", "last_query_at", "query_count")}
    assert session["query_count"] == 0
    assert session["last_query_at"] is None
    assert SessionMetadata(**session).query_count == 0
    with pytest.raises(ValidationError):
        SessionMetadata(**{**session, **wrong})


def test_003_an_error_has_one_of_the_three_types_and_a_message(client: TestClient) -> None:
    schema = client.get("/api/openapi.json").json()["components"]["schemas"]["ChatError"]
    assert schema["properties"]["type"]["enum"] == ["validation_error", "service_unavailable", "rate_limit_exceeded"]
    assert set(schema["required"]) == {"type", "message"}
    body = client.post("/api/chatbot/query", json={"question": "ab"}).json()
    assert body["error"]["type"] == "validation_error"
    assert body["error"]["message"]


def test_003_a_preview_is_the_beginning_of_the_full_text(client: TestClient) -> None:
    [source, *_] = client.post("/api/chatbot/query", json={"question": ANSWERED}).json()["sources"]
    assert source["preview_text"] == source["full_text"][:200]
