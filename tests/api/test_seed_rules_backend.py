"""Seed 004: the rules that are about entities, seen from outside. docs/seed-rules.md lists every rule and its test."""

from datetime import datetime
from typing import Any
from uuid import uuid4

import pytest
from api_samples import ANSWERED, ANSWERED_PDF, REFUSED, settings_of
from fastapi.testclient import TestClient
from ollama_server.server import Fault
from seeds import FIRN, GATE, Away, gates, recorded, serving, uploaded, with_model

from api.app import create_api
from rag.candor import Candor
from rag.errors import EmbedderUnavailable, StoreUnavailable

QUERY, RETRIEVE = "/api/backend/query", "/api/backend/retrieve"


def ask(client: TestClient, question: Any = ANSWERED, **more: Any) -> Any:
    return client.post(QUERY, json={"question": question, **more})


def test_004_a_question_is_required(client: TestClient) -> None:
    response = client.post(QUERY, json={"user_id": "somebody"})
    assert response.status_code == 422
    assert response.json()["error_code"] == "INVALID_INPUT"
    assert response.json()["message"] == "question is missing; add it to the request."


def test_004_a_question_of_1000_characters_is_taken(client: TestClient) -> None:
    assert ask(client, "x" * 1000).json()["error_code"] == "NO_RELEVANT_CONTENT"


@pytest.mark.parametrize(("character", "taken"), [(" ", True), ("~", True), ("\x7f", False), ("\x1f", False)])
def test_004_printable_ascii_ends_at_space_and_tilde(client: TestClient, character: str, taken: bool) -> None:
    assert (ask(client, f"what{character}is").status_code == 404) is taken


def test_004_a_querys_time_and_id_are_those_of_the_client(client: TestClient) -> None:
    query_id = str(uuid4())
    query = recorded(client, ask(client, query_id=query_id, timestamp="2026-01-21T14:32:15.123+02:00"))["query"]
    assert query["query_id"] == query_id
    moment = datetime.fromisoformat("2026-01-21T12:32:15.123+00:00")
    assert datetime.fromisoformat(query["timestamp"]) == moment


def test_004_a_time_is_filled_in_where_the_client_names_none(client: TestClient) -> None:
    query = recorded(client, ask(client))["query"]
    assert datetime.fromisoformat(query["timestamp"]).tzinfo is not None


@pytest.mark.parametrize("question", [ANSWERED, ANSWERED_PDF])
def test_004_a_retrieved_context_keeps_its_limits(client: TestClient, question: str) -> None:
    body = client.post(RETRIEVE, json={"question": question}).json()
    assert 1 <= len(body["content_chunks"]) <= 10
    assert len(body["source_metadata"]) == len(body["similarity_scores"]) == len(body["content_chunks"])
    assert all(50 <= len(text) <= 2000 for text in body["content_chunks"])
    assert all(0.0 <= score <= 1.0 for score in body["similarity_scores"])
    assert datetime.fromisoformat(body["retrieval_timestamp"]).tzinfo is not None
    for metadata in body["source_metadata"]:
        assert metadata["source_url"]
        assert metadata["document_title"]
        assert metadata["chunk_index"] >= 0
        assert metadata["page_number"] is None or metadata["page_number"].isdigit()


def test_004_a_chunks_page_or_section_is_told(client: TestClient) -> None:
    metadata = client.post(RETRIEVE, json={"question": ANSWERED_PDF}).json()["source_metadata"][0]
    assert metadata["page_number"] == "8"
    metadata = client.post(RETRIEVE, json={"question": ANSWERED}).json()["source_metadata"][0]
    assert (metadata["page_number"], metadata["section"]) == (None, "1.1 From snow to ice")


def test_004_a_document_of_fewer_than_50_characters_is_a_chunk_that_says_so(client: TestClient) -> None:
    with uploaded(client, {f"gate{n}.txt": f"The north gate opens at six on day {n}." for n in range(5)}):
        chunks = client.post(RETRIEVE, json={"question": GATE}).json()["content_chunks"]
    remark = "[This is the whole of gate0.txt, shorter than 50 characters.]"
    assert f"The north gate opens at six on day 0. {remark}" in chunks


def test_004_what_no_answer_could_rest_on_is_no_context(client: TestClient) -> None:
    asked, retrieved = (client.post(path, json={"question": REFUSED}) for path in (QUERY, RETRIEVE))
    assert asked.status_code == retrieved.status_code == 404
    assert asked.json()["error_code"] == retrieved.json()["error_code"] == "NO_RELEVANT_CONTENT"
    assert asked.json()["details"]["state"] == retrieved.json()["details"]["state"] == "retrieval_failed"


def test_004_without_documents_there_is_no_context_but_an_error(tmp_path: Any) -> None:
    settings = settings_of(tmp_path / "data")
    with Candor.open(settings) as candor:
        client = TestClient(create_api(lambda: candor, settings))
        for path in (QUERY, RETRIEVE):
            response = client.post(path, json={"question": ANSWERED})
            assert response.status_code == 503
            assert response.json()["error_code"] in {"SERVICE_UNAVAILABLE", "VECTOR_DB_ERROR"}
            assert response.json()["details"]["state"] == "retrieval_failed"


def test_004_a_short_answer_is_completed_to_50_characters_from_its_source(client: TestClient) -> None:
    with uploaded(client, gates()):
        body = ask(client, GATE).json()
    name = body["sources"][0]["document_title"]
    assert body["answer"] == gates()[name]  # the sentence, and its neighbour
    assert len(body["answer"]) >= 50


@pytest.mark.parametrize("question", [ANSWERED, ANSWERED_PDF])
def test_004_a_source_has_an_excerpt_and_the_similarity_of_its_chunk(client: TestClient, question: str) -> None:
    found = client.post(RETRIEVE, json={"question": question}).json()
    sources = ask(client, question).json()["sources"]
    assert sources
    for source in sources:
        number = next(n for n, text in enumerate(found["content_chunks"]) if source["excerpt"] in text)
        assert source["similarity_score"] == found["similarity_scores"][number]
        assert source["document_title"] == found["source_metadata"][number]["document_title"]
        assert source["source_url"] == found["source_metadata"][number]["source_url"]


def test_004_what_the_sources_do_not_carry_is_no_part_of_the_answer(candor: Candor) -> None:
    said = f"{FIRN[:-1]} [1]. It becomes ice at 300 kilograms per cubic metre already [1]."
    with with_model(candor, lambda question, passages: said) as client:
        body = ask(client).json()
    assert "830" in body["answer"]
    assert "300" not in body["answer"]


def test_004_a_store_that_fails_is_vector_db_error_after_a_valid_query(candor: Candor) -> None:
    for path in (QUERY, RETRIEVE):
        client = serving(candor, store=Away(StoreUnavailable("The store is away.")))
        response = client.post(path, json={"question": ANSWERED})
        assert response.status_code == 503
        assert response.json()["error_code"] == "VECTOR_DB_ERROR"
        assert response.json()["details"]["state"] == "retrieval_failed"


def test_004_a_model_that_fails_is_llm_error_after_the_context_was_retrieved(candor: Candor) -> None:
    with with_model(candor, lambda *_: FIRN, fault=Fault.DIES_MID_STREAM, instead="error") as client:
        response = ask(client)
    assert response.status_code == 503
    assert response.json()["error_code"] == "LLM_ERROR"
    assert response.json()["details"]["state"] == "generation_failed"


def test_004_an_external_service_that_is_away_is_service_unavailable(candor: Candor) -> None:
    response = ask(serving(candor, embedder=Away(EmbedderUnavailable("The embedder is away."))), "Is it away today?")
    assert response.status_code == 503
    assert response.json()["error_code"] == "SERVICE_UNAVAILABLE"


def test_004_over_the_rate_limit_is_rate_limit_exceeded(candor: Candor) -> None:
    client = TestClient(create_api(lambda: candor, settings_of(candor.settings.data_dir, rate_limit_per_minute=1)))
    assert ask(client).status_code == 200
    response = ask(client)
    assert response.status_code == 429
    assert set(response.json()) == {"error_code", "message", "details", "timestamp"}
    assert response.json()["error_code"] == "RATE_LIMIT_EXCEEDED"
    assert datetime.fromisoformat(response.json()["timestamp"]).tzinfo is not None


def test_004_a_model_that_abstains_is_a_generation_that_failed(candor: Candor) -> None:
    with with_model(candor, lambda question, passages: "The passages do not say.", doubted=True) as client:
        response = ask(client)
    assert response.status_code == 404
    assert response.json()["error_code"] == "NO_RELEVANT_CONTENT"
    assert response.json()["details"]["state"] == "generation_failed"
    assert 0.5 <= response.json()["details"]["confidence"] <= 1.0
