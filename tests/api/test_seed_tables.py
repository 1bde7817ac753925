"""The five seeds as tables: what their fields take, what their answers hold, what their entities cannot be.

seed-rules.md names the rows: `field:000.question`, `shape:000.query`, `entity:000.Answer`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pytest
from api_samples import ANSWERED, ANSWERED_PDF
from fastapi.testclient import TestClient
from interfaces import MISSING, SEEDS, V1, Interface
from pydantic import BaseModel, ValidationError
from recorded import refused

from api.contracts import agent, backend, chatbot, service, textbook
from api.description import stored
from rag.events import Finished
from rag.models import Query
from rag.workspace.values import SessionMetadata

SHORT = ["", "  ", "a", " ab ", "\t\n"]
HUGE = [2**63, -(2**63) - 1, 10**30, 1e30, -1e30, 2**31, -(2**31)]
"""Numbers that a store's integers, or a place in a document, do not hold."""
NO_TEXT = ["x" * 1001, 5, None, ["Who?"], "bell\x07 rings", "nul\x00 byte", "\ud800 half a pair"]
ID = "3f2b8c1e-4d5a-4b6c-8d7e-9f0a1b2c3d4e"
NO_UUID4 = ["3f2b8c1e-4d5a-1b6c-8d7e-9f0a1b2c3d4e", "3f2b8c1e4d5a4b6c8d7e9f0a1b2c3d4e", "req_20260121_abc123", 7]
"""Of version 1, without hyphens, something else, no text."""


@dataclass(frozen=True)
class Limits:
    """What a field takes and what it refuses; `more` is sent with it."""

    taken: list[Any]
    refused: list[Any]
    more: dict[str, Any] | None = None


FIELDS: dict[str, Limits] = {
    "000.question": Limits(["abc", "x" * 1000, f" {'x' * 1000} ", "Wie heißt er?"], [*NO_TEXT, MISSING, *SHORT]),
    "000.filters": Limits([None, {}, MISSING], ["a", [], 5, {"colour": "red"}]),
    "000.filters.source": Limits(["textbook.md", None], [5, True, ["textbook.md"]]),
    "000.filters.max_results": Limits([1, 10, None, 2.0], [0, 11, "5", True, 2.5]),
    "000.request_id": Limits(
        ["a..b", "...", "..a/b..", "a/b", "req.1", "x" * 200, None],
        ["", "two words", "line\nbreak", "x" * 201, 7, "..", ".", "a/../b", "../a", "a/..", "a/./b", "a\\..\\b"],
    ),
    "001.text": Limits(["abc", "x" * 1000], [*NO_TEXT, MISSING, *SHORT]),
    "001.max_chunks": Limits([1, 10, None, MISSING], [0, 11, 2.5, "5"]),
    "001.similarity_threshold": Limits([0, 1, None, MISSING], [-0.01, 1.01, "0.5"]),
    "002.query": Limits(["abc", "x" * 1000], [*NO_TEXT, MISSING, *SHORT]),
    "002.max_tokens": Limits([1, 2000, None, MISSING], [0, 2001, "9", 1.5]),
    "002.temperature": Limits([0, 1.0, None, MISSING], [-0.1, 1.1, "hot"]),
    "002.include_sources": Limits([True, False, None, MISSING], ["yes", 1, "true"]),
    "002.session_id": Limits(["", "x" * 200, None, MISSING], [5, "x" * 201]),
    "003.question": Limits(["abc", "x" * 1000], [*NO_TEXT, MISSING, *SHORT]),
    "003.context": Limits(["x" * 200_000], [None, "", "   ", 5, ["text"], "x" * 200_001], {"use_context_only": True}),
    "003.use_context_only": Limits([False, True, MISSING], ["true", 1, "no", None], {"context": "A text."}),
    "003.top_k": Limits([1, 20, MISSING], [0, 21, -1, "5", None]),
    "003.chapter_id": Limits([1, -1, 2**31 - 1, None, MISSING], ["1", 1.5, True, *HUGE]),
    "004.question": Limits(
        ["abc", "x" * 1000, "what is", "what~is"],
        [*NO_TEXT, MISSING, *SHORT, "Wie heißt er?", "two\nlines", "tab\there", "what\x7fis", "what\x1fis"],
    ),
    "004.timestamp": Limits(
        ["2026-01-21T14:32:15Z", "2026-01-21T14:32:15.123+02:00", "2026-01-21T14:32:15", MISSING],
        ["yesterday", "2026-13-01T00:00:00Z", 1769005935, None],
    ),
    "004.query_id": Limits([ID, ID.upper(), None, MISSING], NO_UUID4),
    "004.user_id": Limits(["somebody", None, MISSING], [7, "x" * 201]),
    "v1.question": Limits(["abc", "x" * 1000], [*NO_TEXT, MISSING, *SHORT]),
    "v1.top_k": Limits([1, 20, None], [0, 21, True]),
    "v1.similarity_threshold": Limits([0, 1, None], [1.1, -0.1, "0.5"]),
    "v1.confidence_threshold": Limits([0, 1, None], [-0.1, 1.1]),
    "v1.unsure_threshold": Limits([0, 1, None], [-0.1, 1.1, "0.5", True]),
    "v1.estimator": Limits(["mean_similarity", None], ["guess"]),
    "v1.filters": Limits([None, {}], [[], {"colour": "red"}]),
    "v1.filters.source": Limits(["textbook.md", "a" * 1000, None], ["a" * 1001, 5]),
    "v1.filters.page": Limits([1, 2**31 - 1, None], [0, *HUGE]),
    "v1.filters.chapter": Limits([1, -1, 2**31 - 1, None], HUGE),
    "v1.mode": Limits(["book-wide", None], ["everywhere"]),
    "v1.session_id": Limits([ID, None], ["my chat", *NO_UUID4]),
    "v1.max_tokens": Limits([1, 2000, None], [0, 2001]),
    "v1.temperature": Limits([0, 1, None], [1.1]),
    "v1.seed": Limits([0, 2**31 - 1, None], [-1, 2**31, 1.5]),
    "v1.no_llm": Limits([True, None], ["yes"]),
    "v1.as_asked": Limits([True, None], ["yes"]),
    "v1.stream": Limits([False, None], ["yes"]),
    "v1.topk": Limits([MISSING], [3]),
    "v1.previous": Limits([MISSING], ["Which gloves?"]),
}
"""What each field takes and refuses, by seed and name. Too short a question is refused as that."""


class Quick:
    """A pipeline that looks for nothing."""

    def stream(self, query: Query) -> Iterator[Finished]:
        yield Finished(refused().model_copy(update={"query": query}))


@pytest.fixture
def quick(monkeypatch):
    """Nothing is looked for; what a question must be is checked all the same."""
    monkeypatch.setattr("api.desk.pipeline_for", lambda candor, query: Quick())


def sent(client: TestClient, interface: Interface, name: str, value: Any, more: dict[str, Any] | None) -> Any:
    field, _, inner = name.partition(".")
    given = {field: {inner: value} if inner else value, **(more or {})}
    return interface.ask(client, **{"question": given.pop(interface.question, ANSWERED), **given})


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_takes_what_its_seed_allows_and_nothing_else(client, quick, field):
    seed, _, name = field.partition(".")
    interface, limits = SEEDS.get(seed, V1), FIELDS[field]
    for value in limits.taken:
        assert sent(client, interface, name, value, limits.more).status_code in {200, 404}, value
    for value in limits.refused:
        response = sent(client, interface, name, value, limits.more)
        assert response.status_code == 422, value
        code, message = interface.told(response)
        is_short = name == interface.question and value in SHORT
        assert code == (interface.invalid if seed == "003" or not is_short else "QUERY_TOO_SHORT"), value
        assert "Input should" not in message
        if value is MISSING:
            assert message == f"{name} is missing; add it to the request."
        if seed != "003":
            assert response.json()["details"]["field"].startswith(name), value


def named(fields: str, **inner: str) -> set[str]:
    """The names of fields, and of those within them, by the name of the outer one with `__` for a point."""
    within = {f"{outer.replace('__', '.')}.{name}" for outer, names in inner.items() for name in names.split()}
    return {*fields.split(), *inner.keys() - {outer for outer in inner if "__" in outer}, *within}


def names_in(value: Any, before: str = "") -> set[str]:
    """The names of all fields of an answer, to any depth; of a list those of its first item."""
    if isinstance(value, list):
        return names_in(value[0], before) if value else set()
    if not isinstance(value, dict):
        return set()
    return {name for key, each in value.items() for name in (f"{before}{key}", *names_in(each, f"{before}{key}."))}


CHUNK_000 = "chunk_id content metadata similarity_score"
PLACE_000 = "document_name page_number section chunk_index"
SHAPES = {
    "000.query": named(
        "answer confidence message request_id processing_time_ms",
        citations="document_name excerpt page_number section chunk_id",
    ),
    "000.retrieve": named(CHUNK_000, metadata=PLACE_000),
    "000.embedding": named("vector model_name dimension"),
    "000.prompt": named(
        "question system_prompt formatted_context", retrieved_chunks=CHUNK_000, retrieved_chunks__metadata=PLACE_000
    ),
    "001.query": named(
        "answer query timestamp",
        citations="text source url",
        chunks_used="id content metadata similarity_score",
        chunks_used__metadata="source page_number section_title url citation",
    ),
    "001.embedding": named("vector model dimension"),
    "002.query": named(
        "query answer confidence query_id response_id source_references timestamp",
        sources="text url page",
        retrieval_stats="chunks_retrieved processing_time_ms",
        retrieved_chunks="text similarity_score metadata vector_id source_reference",
        retrieved_chunks__metadata="module page heading url title",
        grounding_validation="is_valid validation_issues",
    ),
    "003.query": named(
        "answer query_time_ms mode",
        sources="chunk_id chapter_id section_id section_title preview_text full_text relevance_score",
    ),
    "004.query": named(
        "answer query_id response_timestamp confidence_score",
        sources="source_url document_title excerpt similarity_score",
    ),
    "004.retrieve": named(
        "content_chunks similarity_scores retrieval_timestamp",
        source_metadata="source_url document_title chunk_index page_number section",
    ),
}
"""The fields of each answer."""


def values_in(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of an answer that holds no others, with the name of its field."""
    if isinstance(value, dict | list):
        for key, each in value.items() if isinstance(value, dict) else ((name, each) for each in value):
            yield from values_in(each, key)
    else:
        yield name, value


@pytest.mark.parametrize("question", [ANSWERED, ANSWERED_PDF])
@pytest.mark.parametrize("shape", SHAPES)
def test_an_answer_has_exactly_the_fields_of_its_seed_with_values_that_they_may_have(client, shape, question):
    seed, _, operation = shape.partition(".")
    path = SEEDS[seed].path.replace("/query", f"/{operation}")
    response = client.post(path, json=SEEDS[seed].body(question))
    assert response.status_code == 200
    assert names_in(response.json()) == SHAPES[shape]
    stored = {chunk for document in client.get("/api/v1/documents").json() for chunk in document["chunk_ids"]}
    for name, value in values_in(response.json()):
        assert value != "", name
        if name in ("chunk_id", "id", "vector_id"):
            assert value in stored
        elif "timestamp" in name:
            assert datetime.fromisoformat(value).tzinfo is not None
        elif "score" in name or name == "confidence":
            assert 0.0 <= value <= 1.0, name
        elif "time_ms" in name or name in ("chunk_index", "dimension"):
            assert value >= 0, name


def shown(operation: str, *place: str | int) -> Any:
    """A real answer of an operation, as the description shows it, or what is at a place in it."""
    found = next(example["response"] for example in stored()[operation].values() if example["status"] < 400)
    for step in place:
        found = found[step]
    return found


def generated() -> dict[str, Any]:
    """What the agent's answer holds of the entity that is not sent by itself."""
    body = shown("POST /api/agent/query")
    names = ["response_id", "query_id", "retrieved_chunks", "source_references", "timestamp", "grounding_validation"]
    own = {name: body[name] for name in names}
    return {"response_text": body["answer"], "confidence_score": body["confidence"], **own}


def eleven(value: Any) -> Any:
    return value * 11


PARALLEL = ("content_chunks", "source_metadata", "similarity_scores")
ENTITIES: dict[str, tuple[type[BaseModel], Callable[[], dict[str, Any]], list[dict[str, Any]]]] = {
    "000.Answer": (
        service.Answer,
        lambda: shown("POST /api/service/query"),
        [
            {"citations": []},
            *({"answer": None, "message": "no"}, {"answer": None, "citations": [], "message": None}),
            *({"confidence": 0.49}, {"confidence": 1.01}),
            {"citations": [{"document_name": "a.md", "excerpt": "x" * 201}]},
        ],
    ),
    "000.EmbeddingVector": (
        service.EmbeddingVector,
        lambda: shown("POST /api/service/embedding"),
        [{"vector": [0.1] * 383}, {"dimension": 383}, {"model_name": "another-model"}, {"vector": []}],
    ),
    "001.TextChunk": (
        textbook.TextChunk,
        lambda: shown("POST /api/textbook/query", "chunks_used", 0),
        [{"similarity_score": -0.1}, {"similarity_score": 1.1}],
    ),
    "001.RAGResponse": (textbook.RAGResponse, lambda: shown("POST /api/textbook/query"), [{"answer": ""}]),
    "001.Embedding": (
        textbook.Embedding,
        lambda: shown("POST /api/textbook/embedding"),
        [{"dimension": 3}, {"vector": []}],
    ),
    "002.UserQuery": (
        agent.UserQuery,
        lambda: {"query_text": "Who?", "query_id": ID, "timestamp": "2026-01-21T14:32:15Z"},
        [{"query_text": ""}, {"query_id": "not-a-uuid"}, {"timestamp": "yesterday"}],
    ),
    "002.RetrievedChunk": (
        agent.RetrievedChunk,
        lambda: shown("POST /api/agent/query", "retrieved_chunks", 0),
        [{"text": ""}, {"similarity_score": 1.1}, {"similarity_score": -0.1}, {"vector_id": "17"}],
    ),
    "002.ChunkMetadata": (
        agent.ChunkMetadata,
        lambda: shown("POST /api/agent/query", "retrieved_chunks", 0, "metadata"),
        [{name: wrong} for name in agent.ChunkMetadata.model_fields for wrong in (MISSING, "")],
    ),
    "002.GeneratedResponse": (
        agent.GeneratedResponse,
        generated,
        [
            *({"response_text": ""}, {"confidence_score": 1.1}, {"retrieved_chunks": []}),
            {"grounding_validation": {"is_valid": False, "validation_issues": ["invented"]}},
        ],
    ),
    "002.RetrievalStats": (
        agent.RetrievalStats,
        lambda: shown("POST /api/agent/query", "retrieval_stats"),
        [{"processing_time_ms": 0}, {"chunks_retrieved": -1}],
    ),
    "002.HealthStatus": (
        agent.HealthStatus,
        lambda: shown("GET /api/agent/health"),
        [{"status": "fine"}, {"response_time_ms": 0}, {"services": {"qdrant": "connected"}}],
    ),
    "003.RetrievedChunk": (
        chatbot.RetrievedChunk,
        lambda: shown("POST /api/chatbot/query", "sources", 0),
        [
            *({"chunk_id": ""}, {"chapter_id": None}, {"section_id": ""}, {"section_title": ""}),
            *({"preview_text": "x" * 201}, {"relevance_score": 1.1}),
        ],
    ),
    "003.ChatResponse": (
        chatbot.ChatResponse,
        lambda: shown("POST /api/chatbot/query"),
        [
            *({"answer": "too short"}, {"answer": "x" * 5001}, {"sources": eleven}),
            *({"query_time_ms": -1}, {"mode": "wide"}),
        ],
    ),
    "003.SessionMetadata": (
        SessionMetadata,
        lambda: shown("POST /api/v1/sessions"),
        [{"session_id": NO_UUID4[0]}, {"created_at": "yesterday"}, {"query_count": -1}],
    ),
    "004.RetrievedContext": (
        backend.RetrievedContext,
        lambda: shown("POST /api/backend/retrieve"),
        [
            *(dict.fromkeys(PARALLEL, lambda _: []), dict.fromkeys(PARALLEL, eleven), {"source_metadata": []}),
            *({"content_chunks": ["x" * 49]}, {"content_chunks": ["x" * 2001]}),
            *({"similarity_scores": [0.5, 0.4]}, {"similarity_scores": [1.1]}),
        ],
    ),
    "004.Response": (
        backend.Response,
        lambda: shown("POST /api/backend/query"),
        [
            *({"answer": "x" * 49}, {"answer": "x" * 5001}, {"sources": []}),
            *({"query_id": "7"}, {"confidence_score": 1.1}),
        ],
    ),
}
"""An entity of a seed, one that keeps its rules, and what breaks one of them each."""


@pytest.mark.parametrize("entity", ENTITIES)
def test_an_entity_that_breaks_a_rule_of_its_seed_cannot_be_made(entity):
    model, made, wrong = ENTITIES[entity]
    valid = made()
    assert model(**valid)
    for change in wrong:
        changed = {name: value(valid[name]) if callable(value) else value for name, value in change.items()}
        with pytest.raises(ValidationError):
            model(**{name: value for name, value in {**valid, **changed}.items() if value is not MISSING})
