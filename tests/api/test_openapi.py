"""The description of the API: complete, true, and every example of it an instance of its own schema."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from example_calls import examples, same
from fastapi.testclient import TestClient
from jsonschema import Draft202012Validator, FormatChecker
from live import keyed
from seeds import Breaking

from api.app import create_api
from api.description import rendered, stored, texts
from api.guard import OPEN_PATHS, role_for
from api.problems import canonical
from api.routes import mcp
from api.streams import DONE

Operation = dict[str, Any]


@pytest.fixture(scope="module")
def description(client):
    return dict(client.get("/api/openapi.json").json())


def operations(description: dict[str, Any]) -> Iterator[tuple[str, Operation]]:
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def contents(operation: Operation) -> Iterator[tuple[str, dict[str, Any]]]:
    """Everything of an operation that has a schema and examples, with its name."""
    for content in operation.get("requestBody", {}).get("content", {}).values():
        yield "request", content
    for parameter in operation.get("parameters", ()):
        yield f"parameter {parameter['name']}", parameter
    for status, response in operation["responses"].items():
        for kind, content in response.get("content", {}).items():
            yield f"{status} {kind}", content


def values(content: dict[str, Any], description: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, example in content.get("examples", {}).items():
        if "$ref" in example:
            example = description["components"]["examples"][example["$ref"].rpartition("/")[2]]
        assert example["summary"]
        yield name, example["value"]


def test_every_operation_has_a_name_a_line_and_a_description_of_its_own(description):
    found = dict(operations(description))
    assert found.keys() == texts()["operations"].keys()
    for name in ("operationId", "summary"):
        told = [operation[name] for operation in found.values()]
        assert len(set(told)) == len(told) == 38
    assert [called for called, operation in found.items() if len(operation["description"]) < 15] == []
    assert not [name for name in description["components"]["schemas"] if "__" in name]
    assert f"`POST {mcp.PATH}` speaks the Model Context Protocol" in description["info"]["description"]


def test_every_request_answer_and_error_has_an_example_that_is_an_instance_of_its_schema(description):
    checked = 0
    for called, operation in operations(description):
        for what, content in contents(operation):
            schema = {**content["schema"], "components": description["components"]}
            validator = Draft202012Validator(schema, format_checker=FormatChecker())
            shown = list(values(content, description))
            assert shown, f"{called}: {what}"
            for name, value in shown:
                is_asked = what == "request" or what.startswith("parameter")
                if is_asked and stored()[called].get(name, {}).get("status") == 422:
                    continue  # shown because it is refused
                errors = [error.message for error in validator.iter_errors(value)]
                assert errors == [], f"{called}: {what}: {name}"
                checked += 1
    assert checked >= 250


def test_every_event_of_a_stream_has_an_example_whose_data_keep_to_its_schema(description):
    shown = Counter[str]()
    for _, operation in operations(description):
        content = operation["responses"].get("200", {}).get("content", {}).get("text/event-stream")
        if content is None:
            continue
        for _, event in values(content, description):
            kinds = [kind["properties"] for kind in content["schema"]["anyOf"]]
            named = [kind["data"] for kind in kinds if kind.get("event", {}).get("const") == event.get("event")]
            fitting = [told for told in named if keeps_to(event["data"], told, description)]
            assert len(fitting) == 1, event
            model = fitting[0].get("contentSchema", {}).get("$ref", "").rpartition("/")[2]
            shown[f"{operation['operationId']} {event.get('event', '')}: {model}"] += 1
    assert shown == {
        "ask stage: StageEvent": 1,
        "ask token: TokenEvent": 1,
        "ask sentence: GroundedSentence": 1,
        "ask answer: Answer": 1,
        "ask error: ErrorObject": 1,
        "openai_chat_completions : ChatChunk": 3,
        "openai_chat_completions : OpenAIError": 1,
        "openai_chat_completions : ": 1,
    }


def keeps_to(data: str, told: dict[str, Any], description: dict[str, Any]) -> bool:
    """Whether the data of an event are what its schema says of them."""
    if "contentSchema" not in told:
        return bool(data == told["const"])
    if data == DONE:
        return False
    schema = {**told["contentSchema"], "components": description["components"]}
    return bool(Draft202012Validator(schema, format_checker=FormatChecker()).is_valid(json.loads(data)))


def test_every_example_is_what_the_api_answers(candor, tmp_path):
    fresh, shown = examples(candor, tmp_path), stored()
    assert fresh.keys() == shown.keys()
    for called, named in fresh.items():
        assert named.keys() == shown[called].keys(), called
        for name, example in named.items():
            assert same(shown[called][name], example), (
                f"{called} {name}: the example is no longer what is answered; if it should not be, write it again with "
                f"'PYTHONPATH=.:tests:tests/api python tests/api/example_calls.py'. Now: {example}"
            )


def test_an_example_that_is_not_what_is_answered_is_noticed():
    shown = {"answer": "Firn becomes ice at 830.5 metres.", "confidence": 0.615, "latency_ms": 3.1, "n": 1}
    assert same(shown, {**shown, "confidence": 0.62, "latency_ms": 99.0})
    for changed in ({"answer": "Firn melts."}, {"confidence": 0.7}, {"n": 2}, {"n": None}, {"more": 1}):
        assert not same(shown, {**shown, **changed})


def test_every_operation_but_the_probes_needs_a_key_with_its_role_and_every_answer_names_its_headers(description):
    schemes = description["components"]["securitySchemes"]
    assert (schemes["bearer"]["scheme"], schemes["apiKey"]["name"]) == ("bearer", "X-API-Key")
    for called, operation in operations(description):
        method, path = called.split()
        role = role_for(method, path)
        keys = [{"bearer": [role]}, {"apiKey": [role]}]
        assert operation["security"] == ([] if path in OPEN_PATHS else keys)
        for status, response in operation["responses"].items():
            assert "X-Request-ID" in response["headers"], f"{called} {status}"
            assert ("Retry-After" in response["headers"]) == (status in {"429", "503"})
            assert ("WWW-Authenticate" in response["headers"]) == (status == "401")
    headers = description["paths"]["/api/service/query"]["post"]["responses"]["200"]["headers"]
    assert set(headers) == {"X-Request-ID", "X-Request-ID-Taken"}


def test_an_error_that_operations_share_is_told_as_shown(candor, client, tmp_path):
    json, form = ({"content-type": f"application/{kind}"} for kind in ("json", "x-www-form-urlencoded"))
    far = TestClient(create_api(lambda: candor, candor.settings), client=("192.0.2.7", 1))
    often = Breaking(candor).client(rate_limit_per_minute=60)
    refused = next(answer for _ in range(61) if (answer := often.get("/api/v1/documents/none")).status_code == 429)
    with keyed(candor, tmp_path) as (opened, keys):
        locked, token = TestClient(create_api(lambda: opened, candor.settings)), keys.create("desk").token
        told = {
            "NoParameter": client.get("/api/v1/documents", params={"limit": 2}),
            "NotText": client.post("/api/v1/ask", content=b'{"question": "\xff"}', headers=json),
            "TooLarge": client.post("/api/v1/ask", content=b" " * 2_000_001, headers=json),
            "WrongType": client.post("/api/v1/ask", content=b'{"question": "a"}', headers=form),
            "Elsewhere": far.get("/api/v1/documents"),
            "NoKey": locked.get("/api/v1/documents"),
            "WrongRole": locked.delete("/api/v1/documents/a.md", headers={"x-api-key": token}),
            "TooOften": refused,
        }
    for name, response in told.items():
        shown, body = rendered(name, canonical)["value"], response.json()
        seconds = str(body["details"].get("retry_after_s", "12"))
        assert response.status_code == texts()["errors"][name]["status"], name
        assert body["error_code"] == shown["error_code"], name
        assert body["message"] == shown["message"].replace("12", seconds), name
        assert body["details"].keys() == shown["details"].keys(), name
        assert response.headers.get("retry-after", "12") == seconds, name


def nodes(node: Any) -> Iterator[dict[str, Any]]:
    """Yield every object of a description but those in examples."""
    if isinstance(node, dict):
        yield node
        for key, each in node.items():
            yield from nodes(each) if key not in ("example", "examples", "default", "enum") else ()
    for each in node if isinstance(node, list) else ():
        yield from nodes(each)


def test_every_property_and_every_parameter_says_what_it_is(description):
    schemas = description["components"]["schemas"]
    objects = [*nodes(description["paths"]), *nodes(schemas)]
    properties = [node["properties"] for node in objects if isinstance(node.get("properties"), dict)]
    assert len(properties) > 100
    for name, found in (item for each in properties for item in each.items()):
        referred = schemas.get(str(found.get("$ref", "")).rpartition("/")[2], {})
        assert found.get("description") or referred.get("description"), name
    for called, operation in operations(description):
        assert all(parameter.get("description") for parameter in operation.get("parameters", ())), called
