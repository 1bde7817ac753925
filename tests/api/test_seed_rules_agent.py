"""Seed 002: the rules that are about entities, seen from outside. docs/seed-rules.md lists every rule and its test."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from api_samples import ANSWERED, ANSWERED_PDF, NOBODY, REFUSED, settings_of
from fastapi.testclient import TestClient
from ollama_server.brains import Reply, ScriptedBrain
from ollama_server.server import OllamaServer
from seeds import FIRN, GATE, gates, recorded, uploaded, with_model

from api.app import create_api
from rag.candor import Candor

UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
QUERY = "/api/agent/query"


class Noting(ScriptedBrain):
    """A model that notes with which options it was asked."""

    def __init__(self) -> None:
        super().__init__(lambda question, passages: f"{FIRN[:-1]} [1].")
        self.options: list[Mapping[str, Any]] = []

    def reply(self, messages: Sequence[Mapping[str, str]], options: Mapping[str, Any]) -> Reply:
        self.options.append(options)
        return super().reply(messages, options)


def ask(client: TestClient, query: Any = ANSWERED, **more: Any) -> Any:
    return client.post(QUERY, json={"query": query, **more})


def test_002_a_query_is_required(client: TestClient) -> None:
    response = client.post(QUERY, json={"max_tokens": 5})
    assert response.status_code == 422
    assert response.json()["message"] == "query is missing; add it to the request."


@pytest.mark.parametrize("query", [5, None, ["Who?"]])
def test_002_a_query_is_text(client: TestClient, query: Any) -> None:
    assert ask(client, query).status_code == 422


@pytest.mark.parametrize("session_id", [5, "x" * 201])
def test_002_a_session_id_is_text(client: TestClient, session_id: Any) -> None:
    assert ask(client, session_id=session_id).status_code == 422


@pytest.mark.parametrize(
    ("more", "options"),
    [
        ({}, (500, 0.7)),
        ({"max_tokens": None, "temperature": None}, (500, 0.7)),
        ({"max_tokens": 9, "temperature": 0.0}, (9, 0.0)),
    ],
)
def test_002_the_generation_options_and_their_defaults_reach_the_query(
    client: TestClient, more: dict[str, Any], options: tuple[int, float]
) -> None:
    query = recorded(client, ask(client, **more))["query"]
    assert (query["max_tokens"], query["temperature"]) == options


def test_002_the_generation_options_reach_the_model(candor: Candor) -> None:
    brain = Noting()
    with with_model(candor, brain) as client:
        ask(client)
        ask(client, max_tokens=77, temperature=0.25)
    given = [(options["num_predict"], options["temperature"]) for options in brain.options]
    assert given == [(500, 0.7), (77, 0.25)]


def test_002_a_user_query_is_recorded_with_its_id_its_time_and_its_session(client: TestClient) -> None:
    response = ask(client, f" {ANSWERED} ", session_id="seed 002 user query")
    body, query = response.json(), recorded(client, response)["query"]
    assert body["query"] == f" {ANSWERED} "  # the echo is as it was given
    assert query["question"] == ANSWERED
    assert query["query_id"] == body["query_id"]
    assert re.fullmatch(UUID, query["session_id"])
    assert datetime.fromisoformat(query["timestamp"]).tzinfo is not None


def test_002_a_query_without_a_session_begins_none(client: TestClient) -> None:
    before = len(client.get("/api/v1/sessions?limit=500").json())
    assert recorded(client, ask(client))["session_id"] is None
    assert recorded(client, ask(client, session_id=""))["session_id"] is None
    assert len(client.get("/api/v1/sessions?limit=500").json()) == before


@pytest.mark.parametrize("question", [ANSWERED, ANSWERED_PDF])
def test_002_a_retrieved_chunk_has_text_a_score_a_vector_id_and_all_metadata(client: TestClient, question: str) -> None:
    body = ask(client, question).json()
    stored = {chunk_id for document in client.get("/api/v1/documents").json() for chunk_id in document["chunk_ids"]}
    assert body["retrieved_chunks"]
    for chunk in body["retrieved_chunks"]:
        assert chunk["text"]
        assert 0.0 <= chunk["similarity_score"] <= 1.0
        assert re.fullmatch(UUID, chunk["vector_id"])
        assert chunk["vector_id"] in stored
        assert set(chunk["metadata"]) == {"module", "page", "heading", "url", "title"}
        assert all(chunk["metadata"].values())
        assert chunk["source_reference"] in body["source_references"]


def test_002_metadata_are_complete_also_where_a_document_names_nothing_but_itself(client: TestClient) -> None:
    with uploaded(client, gates()):
        chunk = ask(client, GATE).json()["retrieved_chunks"][0]
    name = chunk["metadata"]["title"]
    assert name in gates()
    assert chunk["metadata"] == {"module": name, "page": name, "heading": name, "url": f"file:{name}", "title": name}
    assert chunk["source_reference"] == f"[{name}]"


def test_002_a_generated_response_refers_to_its_query_and_to_its_chunks(client: TestClient) -> None:
    response = ask(client)
    body, kept = response.json(), recorded(client, response)
    assert body["answer"] == kept["answer"]
    assert body["query_id"] == kept["query_id"]
    assert body["response_id"] != body["query_id"]
    assert body["confidence"] == kept["confidence"]
    cited = [citation["chunk_id"] for citation in kept["citations"]]
    assert [chunk["vector_id"] for chunk in body["retrieved_chunks"]] == list(dict.fromkeys(cited))


def test_002_what_the_check_dropped_is_a_validation_issue_of_a_valid_answer(candor: Candor) -> None:
    said = f"{FIRN[:-1]} [1]. It becomes ice at 300 kilograms per cubic metre already [1]."
    with with_model(candor, lambda question, passages: said) as client:
        body = ask(client).json()
    assert body["grounding_validation"]["is_valid"] is True
    assert any("300 kilograms" in issue for issue in body["grounding_validation"]["validation_issues"])
    assert "300" not in body["answer"]
    assert "830" in body["answer"]


@pytest.mark.parametrize("question", [ANSWERED, REFUSED])
def test_002_answer_confidence_and_time_are_within_their_limits(client: TestClient, question: str) -> None:
    body = ask(client, question).json()
    assert body["answer"].strip()
    assert 0.0 <= body["confidence"] <= 1.0
    assert body["retrieval_stats"]["processing_time_ms"] > 0
    assert body["retrieval_stats"]["chunks_retrieved"] == 5


def test_002_a_refusal_after_the_gate_is_not_confident(candor: Candor) -> None:
    with with_model(candor, lambda question, passages: "The passages do not say.", doubted=True) as client:
        body = ask(client).json()
    assert body["answer"].startswith("Information not found in the knowledge base.")
    assert (body["confidence"], body["sources"]) == (0.0, [])
    assert body["grounding_validation"]["is_valid"] is False


def test_002_a_source_is_a_snippet_of_a_chunk_with_its_address(client: TestClient) -> None:
    body = ask(client).json()
    chunks = {chunk["metadata"]["url"]: chunk for chunk in body["retrieved_chunks"]}
    assert body["sources"]
    for source in body["sources"]:
        assert source["text"] in chunks[source["url"]]["text"]
        assert source["page"] == chunks[source["url"]]["metadata"]["page"]


def test_002_without_sources_the_answer_is_the_same_and_still_validated(client: TestClient) -> None:
    plain, sourced = ask(client, include_sources=False).json(), ask(client).json()
    assert plain["answer"] == sourced["answer"]
    assert (plain["sources"], plain["retrieved_chunks"], plain["source_references"]) == ([], None, None)
    assert plain["grounding_validation"]["is_valid"] is True


def test_002_a_model_that_is_away_or_not_decides_between_degraded_and_healthy(tmp_path: Path, samples: Path) -> None:
    brain = ScriptedBrain(lambda question, passages: "Yes. [1]")
    with OllamaServer(brain) as server:
        settings = settings_of(tmp_path / "data", ollama_host=server.url)
        with Candor.open(settings) as candor:
            candor.ingest([samples / "faq.html"])
            body = TestClient(create_api(lambda: candor, settings)).get("/api/agent/health").json()
    assert body["status"] == "healthy"
    assert (body["services"]["qdrant"], body["services"]["openai"]) == ("connected", "connected")
    assert body["services"]["ollama"] == "connected", "the model server is named by what it is, too"


def test_002_without_its_index_it_is_unavailable(tmp_path: Path) -> None:
    settings = settings_of(tmp_path / "data", qdrant_url=NOBODY)
    with Candor.open(settings) as candor:
        client = TestClient(create_api(lambda: candor, settings))
        response = client.get("/api/agent/health")
        asked = ask(client)
    body = response.json()
    assert response.status_code == 503
    assert (body["status"], body["services"]["qdrant"]) == ("unavailable", "disconnected")
    assert body["response_time_ms"] > 0
    assert datetime.fromisoformat(body["timestamp"]).tzinfo is not None
    assert asked.status_code == 503
