"""Seed 004 through HTTP: the claims that stand in no table. seed-rules.md lists every rule and its test."""

import json
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from api_samples import ANSWERED, ANSWERED_PDF, REFUSED, settings_of
from fastapi.testclient import TestClient
from interfaces import BACKEND
from ollama_server.server import Fault
from seeds import FIRN, GATE, gates, recorded, serving, uploaded, with_model

from api.contracts.backend import State, advance
from api.contracts.common import fitted_answer
from rag.candor import Candor

QUERY, RETRIEVE = BACKEND.path, "/api/backend/retrieve"
ask = BACKEND.ask


def context(client: TestClient, question: str = ANSWERED) -> Any:
    return client.post(RETRIEVE, json={"question": question})


def failed(response: Any) -> tuple[int, str, str]:
    """Status, code and state of an error, which is of the canonical form and says when."""
    code, message = BACKEND.told(response)
    assert message
    assert datetime.fromisoformat(response.json()["timestamp"]).tzinfo is not None
    return response.status_code, code, response.json()["details"].get("state")


def test_004_a_querys_time_and_id_are_those_of_the_client_or_are_made(client):
    query_id = str(uuid4()).upper()
    response, plain = ask(client, query_id=query_id, timestamp="2026-01-21T14:32:15.123+02:00"), ask(client)
    query = recorded(client, response)["query"]
    assert (response.json()["query_id"], query["query_id"]) == (query_id, query_id.lower())
    moment = datetime.fromisoformat("2026-01-21T12:32:15.123+00:00")
    assert datetime.fromisoformat(query["timestamp"]) == moment
    assert UUID(plain.json()["query_id"]).version == 4
    assert datetime.fromisoformat(recorded(client, plain)["query"]["timestamp"]).tzinfo is not None


def test_004_a_chunks_page_or_section_is_told(client):
    assert context(client, ANSWERED_PDF).json()["source_metadata"][0]["page_number"] == "8"
    found = context(client).json()["source_metadata"]
    assert (len(found), found[0]["page_number"], found[0]["section"]) == (5, None, "1.1 From snow to ice")


def test_004_a_document_of_fewer_than_50_characters_is_a_chunk_that_says_so(client):
    with uploaded(client, {f"gate{n}.txt": f"The north gate opens at six on day {n}." for n in range(5)}):
        chunks = context(client, GATE).json()["content_chunks"]
    remark = "[This is the whole of gate0.txt, shorter than 50 characters.]"
    assert f"The north gate opens at six on day 0. {remark}" in chunks


def test_004_an_answer_has_50_to_5000_characters_and_a_source_of_its_context(client):
    for question in (ANSWERED, ANSWERED_PDF, "Up to which mark may the sash of a fume hood be raised?"):
        found, body = context(client, question).json(), ask(client, question).json()
        assert 50 <= len(body["answer"]) <= 5000
        assert 0.5 <= body["confidence_score"] <= 1.0
        assert body["sources"]
        for source in body["sources"]:
            number = next(n for n, text in enumerate(found["content_chunks"]) if source["excerpt"] in text)
            metadata = found["source_metadata"][number]
            assert source["similarity_score"] == found["similarity_scores"][number]
            assert all(source[name] == metadata[name] for name in ("document_title", "source_url"))


def test_004_a_short_answer_is_completed_to_50_characters_from_its_source(client):
    with uploaded(client, gates()):
        body = ask(client, GATE).json()
    assert body["answer"] == gates()[body["sources"][0]["document_title"]]  # the sentence, and its neighbour
    assert len(body["answer"]) >= 50


def test_004_an_answer_of_another_length_is_fitted_with_its_citation_or_loses_its_last_sentences(candor):
    answer = candor.ask(ANSWERED, estimator="mean_similarity")
    short = answer.model_copy(update={"answer": "About 830.", "retrieved": ()})
    fitted = fitted_answer(short, minimum=50, maximum=5000)
    assert (fitted[:11], answer.citations[0].label in fitted, len(fitted) >= 50) == ("About 830. ", True, True)
    sentence = answer.sentences[0].model_copy(update={"text": "x" * 59 + "."})
    long = answer.model_copy(update={"answer": " ".join(["x" * 59 + "."] * 100), "sentences": (sentence,) * 100})
    cut = fitted_answer(long, minimum=50, maximum=5000)
    assert (len(cut), cut[-1]) == (81 * 60 + 80, ".")  # 81 sentences and 80 spaces; one more would make 5001


@pytest.mark.parametrize("path", [QUERY, RETRIEVE])
def test_004_without_relevant_content_or_any_document_there_is_no_context_but_an_error(client, tmp_path, path):
    response = client.post(path, json={"question": REFUSED})
    assert failed(response) == (404, "NO_RELEVANT_CONTENT", "retrieval_failed")
    with Candor.open(settings_of(tmp_path / "data")) as candor:
        response = serving(candor).post(path, json={"question": ANSWERED})
    assert failed(response) == (503, "VECTOR_DB_ERROR", "retrieval_failed")


def test_004_a_model_that_fails_is_llm_error_after_the_context_was_retrieved(candor):
    with with_model(candor, lambda *_: FIRN, fault=Fault.DIES_MID_STREAM) as client:
        assert failed(ask(client)) == (503, "LLM_ERROR", "generation_failed")


def test_004_a_query_goes_from_state_to_state_and_no_other_way():
    steps = (State.VALID, State.RETRIEVED, State.GENERATED, State.FORMATTED, State.SENT)
    assert advance(State.RECEIVED, *steps) is State.SENT
    for start, wrong in [(State.RECEIVED, State.SENT), (State.INVALID, State.VALID), (State.SENT, State.RECEIVED)]:
        with pytest.raises(ValueError, match="cannot go from"):
            advance(start, wrong)


@pytest.mark.parametrize("path", [QUERY, RETRIEVE])
def test_004_a_query_that_is_refused_as_invalid_ends_in_the_state_invalid(client, path):
    more = [{"query_id": "not a UUID"}, {"timestamp": "yesterday"}, {"colour": "red"}]
    bodies = [*({"question": text} for text in ("no", "  ", "Gl\u00e4tscher?")), *(BACKEND.body(**one) for one in more)]
    for body in (*(json.dumps(one).encode() for one in bodies), b"{}", b"{", b"[]", b" " * 2_000_001):
        response = client.post(path, content=body, headers={"content-type": "application/json"})
        status, _, state = failed(response)
        assert (status in {413, 422}, state) == (True, "invalid"), body[:40]
