"""Seed 002 through HTTP: the claims that stand in no table. seed-rules.md lists every rule and its test."""

import re
from datetime import datetime

from api_samples import ANSWERED, ANSWERED_PDF, settings_of
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
    without = [ask(client), ask(client, session_id="")]
    assert [recorded(client, one)["session_id"] for one in without] == [None, None]
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


def test_002_metadata_are_complete_also_where_a_document_names_nothing_but_itself(client):
    with uploaded(client, gates()):
        chunk = ask(client, GATE).json()["retrieved_chunks"][0]
    name = chunk["metadata"]["title"]
    assert name in gates()
    assert chunk["metadata"] == {"module": name, "page": name, "heading": name, "url": f"file:{name}", "title": name}
    assert chunk["source_reference"] == f"[{name}]"


def test_002_a_generated_response_is_grounded_and_refers_to_its_query_and_to_its_chunks(client):
    response = ask(client, ANSWERED_PDF)
    body, kept = response.json(), recorded(client, response)
    assert (body["query"], body["grounding_validation"]["is_valid"]) == (ANSWERED_PDF, True)
    assert body["retrieval_stats"]["chunks_retrieved"] == 5
    for name in ("answer", "query_id", "confidence"):
        assert body[name] == kept[name]
    cited = [citation["chunk_id"] for citation in kept["citations"]]
    assert [chunk["vector_id"] for chunk in body["retrieved_chunks"]] == list(dict.fromkeys(cited))
    assert all(chunk["source_reference"] in body["source_references"] for chunk in body["retrieved_chunks"])


def test_002_with_its_model_it_is_healthy_and_names_it_by_what_it_is_too(tmp_path, samples):
    with OllamaServer(ScriptedBrain(lambda question, passages: "Yes. [1]")) as server:
        settings = settings_of(tmp_path / "data", ollama_host=server.url)
        with Candor.open(settings) as candor:
            candor.ingest([samples / "faq.html"])
            response = TestClient(create_api(lambda: candor, settings)).get("/api/agent/health")
    body = response.json()
    assert (response.status_code, body["status"], body["response_time_ms"] > 0) == (200, "healthy", True)
    assert [body["services"][name] for name in ("qdrant", "openai", "ollama")] == ["connected"] * 3
