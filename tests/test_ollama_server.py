"""The test server itself: it speaks the published protocol, and its liar lies."""

from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from jsonschema import Draft202012Validator, FormatChecker
from ollama_server.brains import ScriptedBrain
from ollama_server.server import Exchange, OllamaServer
from passages import hit

from rag.adapters.ollama_generator import OllamaGenerator
from rag.models import Query
from rag.prompt import build_prompt

PROTOCOL = Path(__file__).resolve().parents[2] / "shared" / "openapi" / "ollama.yaml"
CHAT = {"model": "scripted", "messages": [{"role": "user", "content": "Hello?"}]}
ECHO = ScriptedBrain(lambda question, passages: f"You asked: {question}")


def closed(schema: Any) -> Any:
    """Return a schema that refuses properties it does not name: an open one accepts nearly anything."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: closed(value) for key, value in schema.items()}
    if "properties" in schema and "additionalProperties" not in schema:
        inner["additionalProperties"] = False
    return inner


@pytest.fixture(scope="module")
def protocol():
    if not PROTOCOL.is_file():
        pytest.skip("../shared/openapi/ollama.yaml is not here")
    found = yaml.safe_load(PROTOCOL.read_text(encoding="utf-8"))
    schemas = found["components"]["schemas"]  # what a model says of itself is open: keys carry the architecture's name
    found["components"]["schemas"] = {name: closed(schema) for name, schema in schemas.items()}
    return found


def complaints(protocol: dict[str, Any], schema: dict[str, Any], value: Any) -> list[str]:
    checker = Draft202012Validator({**schema, "components": protocol["components"]}, format_checker=FormatChecker())
    return [f"{error.json_path}: {error.message}" for error in checker.iter_errors(value)]


def violations(protocol: dict[str, Any], exchange: Exchange) -> list[str]:
    """Return where an exchange leaves the published protocol."""
    operation = protocol["paths"][exchange.path][exchange.method.lower()]
    found: list[str] = []
    if exchange.request is not None:
        body = operation["requestBody"]["content"]["application/json"]["schema"]
        found += complaints(protocol, body, exchange.request)
    content = operation["responses"]["200"]["content"]
    whole = content["application/json"]["schema"]
    if "ndjson" in exchange.content_type:
        # the last event of a stream has the counts, which the document names for the whole response only
        each = content["application/x-ndjson"]["schema"]
        found += [line for event in exchange.events[:-1] for line in complaints(protocol, each, event)]
        found += complaints(protocol, whole, exchange.events[-1])
    else:
        found += [line for event in exchange.events for line in complaints(protocol, whole, event)]
    return found


def test_every_request_of_the_real_client_and_every_response_keep_to_the_published_protocol(protocol):
    prompt = build_prompt(Query(question="Which gloves?"), [hit("Nitrile.")], model=None, max_context=2048)
    with OllamaServer(ECHO, capabilities=("completion", "thinking")) as server:
        generator = OllamaGenerator(server.url)
        assert generator.check().state == "connected"
        assert "".join(generator.stream(prompt, max_tokens=50, temperature=0.5, seed=3)) == "You asked: Which gloves?"
        with httpx.Client(base_url=server.url, timeout=60) as client:
            assert client.post("/api/chat", json=CHAT).status_code == 200
        assert {exchange.path for exchange in server.exchanges} == {"/api/tags", "/api/show", "/api/chat"}
        assert [line for exchange in server.exchanges for line in violations(protocol, exchange)] == []
