"""Seed 002 through HTTP: the claims that stand in no table. seed-rules.md lists every rule and its test."""

import re
from datetime import datetime
from typing import Any

import pytest
from api_samples import ANSWERED, ANSWERED_PDF, NOBODY, REFUSED, settings_of
from fastapi.testclient import TestClient
from interfaces import AGENT
from ollama_server.brains import ScriptedBrain
from ollama_server.server import OllamaServer
from seeds import FIRN, GATE, gates, recorded, serving, uploaded

from api.app import create_api
from rag.adapters.ollama_generator import OllamaGenerator
from rag.candor import Candor

UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
UUID4 = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"

ask = AGENT.ask


def test_002_the_generation_options_and_their_defaults_reach_the_query_and_the_model(candor):
    sent = [{}, {"max_tokens": None, "temperature": None}, {"max_tokens": 77, "temperature": 0.25}]
    with OllamaServer(ScriptedBrain(lambda question, passages: f"{FIRN[:-1]} [1].")) as model:
        client = serving(candor, generator=OllamaGenerator(model.url, None))
        kept = [recorded(client, ask(client, **more))["query"] for more in sent]
    given = [call.request["options"] for call in model.calls("/api/chat")]
    told = [(query["max_tokens"], query["temperature"]) for query in kept]
    assert told == [(500, 0.7), (500, 0.7), (77, 0.25)]
    assert [(options["num_predict"], options["temperature"]) for options in given] == told


def test_002_a_user_query_is_recorded_under_ids_of_its_own_with_its_session_where_it_has_one(client):
    response = ask(client, f" {ANSWERED} ", session_id="seed 002 user query")
    body, query = response.json(), recorded(client, response)["query"]
    assert body["query"] == f" {ANSWERED} "  # the echo is as it was given
    assert (query["question"], query["query_id"]) == (ANSWERED, body["query_id"])
    assert re.fullmatch(UUID, query["session_id"])
    assert datetime.fromisoformat(query["timestamp"]).tzinfo is not None
    before = len(client.get("/api/v1/sessions?limit=500").json())
    without = [ask(client), ask(client, session_id="")]
    assert [recorded(client, one)["session_id"] for one in without] == [None, None]
    assert len(client.get("/api/v1/sessions?limit=500").json()) == before
    ids = [one.json()[name] for one in (response, *without) for name in ("query_id", "response_id")]
    assert all(re.fullmatch(UUID4, one) for one in ids)
    assert len(set(ids)) == 6


def test_002_a_follow_up_is_read_with_the_question_before_and_says_so(client):
    question = "Which gloves are required for dichloromethane?"
    first, second = (ask(client, text, session_id="seed 002 chat").json() for text in (question, "And why?"))
    read_as = f"Read as: {question} And why?"
    assert second["query"] == "And why?"
    assert read_as in second["grounding_validation"]["validation_issues"]
    assert not any(issue.startswith("Read as") for issue in first["grounding_validation"]["validation_issues"])
    session = next(one for one in client.get("/api/v1/sessions").json() if one["title"] == question)
    turns = client.get(f"/api/v1/sessions/{session['session_id']}/history").json()
    assert (turns[-1]["question"], turns[-1]["answer"]["read_as"]) == ("And why?", f"{question} And why?")


def test_002_metadata_are_complete_also_where_a_document_names_nothing_but_itself(client):
    with uploaded(client, gates()):
        chunk = ask(client, GATE).json()["retrieved_chunks"][0]
    name = chunk["metadata"]["title"]
    assert name in gates()
    assert chunk["metadata"] == {"module": name, "page": name, "heading": name, "url": f"file:{name}", "title": name}
    assert chunk["source_reference"] == f"[{name}]"


@pytest.mark.parametrize("question", [ANSWERED, ANSWERED_PDF])
def test_002_a_generated_response_is_grounded_and_refers_to_its_query_and_to_its_chunks(client, question):
    response = ask(client, question)
    body, kept = response.json(), recorded(client, response)
    assert (body["query"], body["grounding_validation"]["is_valid"]) == (question, True)
    assert body["retrieval_stats"]["chunks_retrieved"] == 5
    for name in ("answer", "query_id", "confidence"):
        assert body[name] == kept[name]
    cited = [citation["chunk_id"] for citation in kept["citations"]]
    assert [chunk["vector_id"] for chunk in body["retrieved_chunks"]] == list(dict.fromkeys(cited))
    assert all(chunk["source_reference"] in body["source_references"] for chunk in body["retrieved_chunks"])


def test_002_a_refusal_has_a_text_that_says_so_and_no_sources(client):
    response = ask(client, REFUSED)
    body = response.json()
    assert response.status_code == 200
    assert body["answer"].startswith("Information not found in the knowledge base.")
    assert (body["sources"], body["retrieved_chunks"]) == ([], None)
    assert body["grounding_validation"]["is_valid"] is False
    assert body["grounding_validation"]["validation_issues"]


def test_002_a_source_is_a_snippet_of_a_chunk_with_its_page_and_address(client):
    page, *_ = ask(client, ANSWERED_PDF).json()["sources"]
    assert (re.sub(r"\d+", "8", page["page"]), page["url"]) == ("page 8", "file:safety_manual.pdf")
    body = ask(client).json()
    chunks = {chunk["metadata"]["url"]: chunk for chunk in body["retrieved_chunks"]}
    assert body["sources"]
    for source in body["sources"]:
        assert source["text"] in chunks[source["url"]]["text"]
        assert source["page"] == chunks[source["url"]]["metadata"]["page"]


@pytest.mark.parametrize("include", [True, None])
def test_002_sources_are_there_unless_declined_and_the_answer_is_the_same(client, include):
    plain, sourced = (ask(client, include_sources=each).json() for each in (False, include))
    assert (plain["sources"], plain["retrieved_chunks"], plain["source_references"]) == ([], None, None)
    assert all(sourced[name] for name in ("sources", "retrieved_chunks", "source_references"))
    assert plain["answer"] == sourced["answer"]
    assert plain["grounding_validation"]["is_valid"] is True


def health_of(client: TestClient) -> tuple[int, dict[str, Any]]:
    response = client.get("/api/agent/health")
    body: dict[str, Any] = response.json()
    assert set(body) == {"status", "timestamp", "services", "response_time_ms"}
    assert body["response_time_ms"] > 0
    assert datetime.fromisoformat(body["timestamp"]).tzinfo is not None
    return response.status_code, body


def test_002_a_model_that_is_away_or_not_decides_between_degraded_and_healthy(client, tmp_path, samples):
    found = [health_of(client)]  # no model server
    with OllamaServer(ScriptedBrain(lambda question, passages: "Yes. [1]")) as server:
        settings = settings_of(tmp_path / "data", ollama_host=server.url)
        with Candor.open(settings) as candor:
            candor.ingest([samples / "faq.html"])
            found.append(health_of(TestClient(create_api(lambda: candor, settings))))
    for (status, body), overall, model in zip(
        found, ("degraded", "healthy"), ("disconnected", "connected"), strict=True
    ):
        assert (status, body["status"], body["services"]["qdrant"]) == (200, overall, "connected")
        assert body["services"]["openai"] == body["services"]["ollama"] == model  # named by what it is, too


def test_002_without_its_index_it_is_unavailable(tmp_path):
    settings = settings_of(tmp_path / "data", qdrant_url=NOBODY)
    with Candor.open(settings) as candor:
        client = TestClient(create_api(lambda: candor, settings))
        status, body = health_of(client)
        assert ask(client).status_code == 503
    assert (status, body["status"], body["services"]["qdrant"]) == (503, "unavailable", "disconnected")
