"""The five seeds as tables: what their fields take, what their answers hold, what their entities cannot be.

seed-rules.md names the rows: `field:000.question`, `shape:000.query`, `entity:000.Answer`.
"""

import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from api_samples import ANSWERED, ANSWERED_PDF
from fastapi.testclient import TestClient
from interfaces import MISSING, SEEDS, V1, Interface
from library import ROOT
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


class Limits(NamedTuple):
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
    "v1.filters.source": Limits(["textbook.md", "a" * 1000, None], ["a" * 1001, 5]),
    "v1.filters.page": Limits([1, 2**31 - 1, None], [0, *HUGE]),
    "v1.filters.chapter": Limits([1, -1, 2**31 - 1, None], HUGE),
    "v1.session_id": Limits([ID, None], ["my chat", *NO_UUID4]),
}
"""What each field takes and refuses, by seed and name. Too short a question is refused as that.."""


def sent(client: TestClient, interface: Interface, name: str, value: Any, more: dict[str, Any] | None) -> Any:
    field, _, inner = name.partition(".")
    given = {field: {inner: value} if inner else value, **(more or {})}
    return interface.ask(client, **{"question": given.pop(interface.question, ANSWERED), **given})


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_takes_what_its_seed_allows_and_nothing_else(client, monkeypatch, field):
    def stream(query: Query) -> Iterator[Finished]:
        yield Finished(refused().model_copy(update={"query": query}))

    looking = SimpleNamespace(stream=stream)  # for nothing; what a question must be is checked all the same
    monkeypatch.setattr("api.desk.pipeline_for", lambda candor, query: looking)
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
        "answer query timestamp", citations="text source url", chunks_used="id content metadata similarity_score",
        chunks_used__metadata="source page_number section_title url citation",
    ),
    "001.embedding": named("vector model dimension"),
    "002.query": named(
        "query answer confidence query_id response_id source_references timestamp", sources="text url page",
        retrieval_stats="chunks_retrieved processing_time_ms", grounding_validation="is_valid validation_issues",
        retrieved_chunks="text similarity_score metadata vector_id source_reference",
        retrieved_chunks__metadata="module page heading url title",
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
}  # fmt: skip
"""The fields of each answer."""


@pytest.mark.parametrize("shape", SHAPES)
def test_an_answer_has_exactly_the_fields_of_its_seed(client, shape):
    seed, _, operation = shape.partition(".")
    path = SEEDS[seed].path.replace("/query", f"/{operation}")
    stored = {chunk for document in client.get("/api/v1/documents").json() for chunk in document["chunk_ids"]}
    for question in (ANSWERED, ANSWERED_PDF):
        response = client.post(path, json=SEEDS[seed].body(question))
        assert (response.status_code, names_in(response.json())) == (200, SHAPES[shape])
        assert {*re.findall(r'"(?:chunk_id|id|vector_id)":"([^"]+)"', response.text)} <= stored


def shown(operation: str, *place: str | int) -> Any:
    """A real answer of an operation, as the description shows it, or what is at a place in it."""
    found = next(example["response"] for example in stored()[operation].values() if example["status"] < 400)
    for step in place:
        found = found[step]
    return found


AGENT_SAID = shown("POST /api/agent/query")
GENERATED = {name: AGENT_SAID[name] for name in agent.GeneratedResponse.model_fields if name in AGENT_SAID}
GENERATED |= {"response_text": AGENT_SAID["answer"], "confidence_score": AGENT_SAID["confidence"]}
"""What the agent's answer holds of the entity that is not sent by itself."""
ASKED_002 = ("POST /api/agent/query",)
PARALLEL = ("content_chunks", "source_metadata", "similarity_scores")
ENTITIES: dict[str, tuple[type[BaseModel], tuple[str | int, ...] | dict[str, Any], list[dict[str, Any]]]] = {
    "000.Answer": (service.Answer, ("POST /api/service/query",), [
        {"citations": []}, {"answer": None, "message": "no"}, {"answer": None, "citations": [], "message": None},
        {"confidence": 0.49}, {"confidence": 1.01}, {"citations": [{"document_name": "a.md", "excerpt": "x" * 201}]},
    ]),
    "000.EmbeddingVector": (service.EmbeddingVector, ("POST /api/service/embedding",), [
        {"vector": [0.1] * 383}, {"dimension": 383}, {"model_name": "another-model"}, {"vector": []},
    ]),
    "001.TextChunk": (textbook.TextChunk, ("POST /api/textbook/query", "chunks_used", 0), [
        {"similarity_score": -0.1}, {"similarity_score": 1.1},
    ]),
    "001.RAGResponse": (textbook.RAGResponse, ("POST /api/textbook/query",), [{"answer": ""}]),
    "001.Embedding": (textbook.Embedding, ("POST /api/textbook/embedding",), [{"dimension": 3}, {"vector": []}]),
    "002.UserQuery": (agent.UserQuery, {"query_text": "Who?", "query_id": ID, "timestamp": "2026-01-21T14:32:15Z"}, [
        {"query_text": ""}, {"query_id": "not-a-uuid"}, {"timestamp": "yesterday"},
    ]),
    "002.RetrievedChunk": (agent.RetrievedChunk, (*ASKED_002, "retrieved_chunks", 0), [
        {"text": ""}, {"similarity_score": 1.1}, {"similarity_score": -0.1}, {"vector_id": "17"},
    ]),
    "002.ChunkMetadata": (agent.ChunkMetadata, (*ASKED_002, "retrieved_chunks", 0, "metadata"), [
        {name: wrong} for name in agent.ChunkMetadata.model_fields for wrong in (MISSING, "")
    ]),
    "002.GeneratedResponse": (agent.GeneratedResponse, GENERATED, [
        {"response_text": ""}, {"confidence_score": 1.1}, {"retrieved_chunks": []},
        {"grounding_validation": {"is_valid": False, "validation_issues": ["invented"]}},
    ]),
    "002.RetrievalStats": (agent.RetrievalStats, (*ASKED_002, "retrieval_stats"), [
        {"processing_time_ms": 0}, {"chunks_retrieved": -1},
    ]),
    "002.HealthStatus": (agent.HealthStatus, ("GET /api/agent/health",), [
        {"status": "fine"}, {"response_time_ms": 0}, {"services": {"qdrant": "connected"}},
    ]),
    "003.RetrievedChunk": (chatbot.RetrievedChunk, ("POST /api/chatbot/query", "sources", 0), [
        {"chunk_id": ""}, {"chapter_id": None}, {"section_id": ""}, {"section_title": ""}, {"preview_text": "x" * 201},
        {"relevance_score": 1.1},
    ]),
    "003.ChatResponse": (chatbot.ChatResponse, ("POST /api/chatbot/query",), [
        {"answer": "too short"}, {"answer": "x" * 5001}, {"sources": lambda value: value * 11}, {"query_time_ms": -1},
        {"mode": "wide"},
    ]),
    "003.SessionMetadata": (SessionMetadata, ("POST /api/v1/sessions",), [
        {"session_id": NO_UUID4[0]}, {"created_at": "yesterday"}, {"query_count": -1},
    ]),
    "004.RetrievedContext": (backend.RetrievedContext, ("POST /api/backend/retrieve",), [
        dict.fromkeys(PARALLEL, lambda _: []), dict.fromkeys(PARALLEL, lambda value: value * 11),
        {"source_metadata": []}, {"content_chunks": ["x" * 49]}, {"content_chunks": ["x" * 2001]},
        {"similarity_scores": [0.5, 0.4]}, {"similarity_scores": [1.1]},
    ]),
    "004.Response": (backend.Response, ("POST /api/backend/query",), [
        {"answer": "x" * 49}, {"answer": "x" * 5001}, {"sources": []}, {"query_id": "7"}, {"confidence_score": 1.1},
    ]),
}  # fmt: skip
"""An entity of a seed, one that keeps its rules or where the examples have one, and what breaks one of them each."""


@pytest.mark.parametrize("entity", ENTITIES)
def test_an_entity_that_breaks_a_rule_of_its_seed_cannot_be_made(entity):
    model, place, wrong = ENTITIES[entity]
    valid = place if isinstance(place, dict) else shown(*place)
    assert model(**valid)
    for change in wrong:
        changed = {name: value(valid[name]) if callable(value) else value for name, value in change.items()}
        with pytest.raises(ValidationError):
            model(**{name: value for name, value in {**valid, **changed}.items() if value is not MISSING})


TABLE = ROOT / "tests" / "api" / "seed-rules.md"
NAMED = re.compile(r"`(test_\w+|(?:field|shape|entity):[\w.]+)`")
KINDS = {"field": FIELDS, "shape": SHAPES, "entity": ENTITIES}
ROWS = {f"{kind}:{name}" for kind, rows in KINDS.items() for name in rows}


def named_in(pattern: str) -> set[str]:
    found = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob(pattern)]
    return {name for text in found for name in re.findall(r"^def (test_\w+)\(", text, re.MULTILINE)}


def test_every_rule_has_a_section_and_a_test_that_there_is_and_every_test_of_a_seed_has_a_rule():
    lines = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    rules = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    rules = [row for row in rules if row[0] not in ("rule", "---")]
    assert len(rules) >= 120
    for rule, section, tests in rules:
        assert section, rule
        assert NAMED.findall(tests) or tests == "none needed", rule
    named, own = set(NAMED.findall(TABLE.read_text(encoding="utf-8"))), named_in("test_seed_00*.py")
    assert named - named_in("test_*.py") - ROWS == set()
    assert own | {row for row in ROWS if ":v1." not in row} <= named
