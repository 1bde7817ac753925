"""The OpenAPI description as its readers need it: names to call, who may call, and examples of every answer.

`api/description.json` holds its texts and what the API says when it cannot serve a request. What an operation itself
answers stands in `api/examples`: real answers over the sample library, written by `tests/api/example_calls.py`.
"""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI

from api.guard import OPEN_PATHS, role_for
from api.problems import Problem, Renderer, canonical
from api.streams import own_schemas
from rag.errors import ErrorCode

Operation = dict[str, Any]
REQUEST_ID: Final = "req_20260121_abc123def456"
MOMENT: Final = datetime(2026, 1, 21, 14, 32, 15, 123000, tzinfo=UTC)
WITHOUT_PARAMETERS: Final = ("list_documents", "list_collections", "list_words")
"""Operations that take no parameter and refuse any."""
GENERATING: Final = ("/ask", "/query", "/chat/completions")
NAMED_BY_CLIENTS: Final = ("/api/service/", "/api/backend/")
"""Interfaces in which a client may name the id of its request."""
SHORTENED: Final = """

Examples are real answers over the sample library, shortened: a long text ends in `…`, and lists may be cut."""


def description_of(api: FastAPI, renderers: Mapping[str, Renderer]) -> dict[str, Any]:
    """Return FastAPI's description with short names, security and examples; it is made once.

    `renderers` are the error shapes of interfaces that have their own, by the beginning of their paths.
    """
    if api.openapi_schema is not None:
        return api.openapi_schema
    schema: dict[str, Any] = json.loads(_short_names(json.dumps(FastAPI.openapi(api))))
    schema["components"]["schemas"].update(own_schemas())
    schema["info"]["description"] += SHORTENED
    shared: dict[str, Any] = {}
    for path, methods in schema["paths"].items():
        prefix = next((prefix for prefix in renderers if path.startswith(prefix)), "")
        render = renderers.get(prefix, canonical)
        for method, operation in methods.items():
            called = f"{method.upper()} {path}"
            role = role_for(method.upper(), path)
            operation.update(texts()["operations"][called])
            _tell_responses(operation, path, schema["components"]["schemas"])
            keys = [{name: [role]} for name in texts()["securitySchemes"]]
            operation["security"] = [] if path in OPEN_PATHS else keys
            _show(operation, called)
            family = prefix.strip("/").rpartition("/")[2].capitalize()
            for name in _errors_of(role, called, operation["operationId"]) if path not in OPEN_PATHS else ():
                _show_error(operation["responses"], name, family, render, shared)
    schema["components"].update(examples=shared, securitySchemes=texts()["securitySchemes"], headers=texts()["headers"])
    api.openapi_schema = schema
    return schema


def _short_names(text: str) -> str:
    """Return a description with `ServiceQuery` for `api__contracts__service__Query`, and `Answer` for the core's."""
    text = re.sub(r"api__contracts__([a-z]+)__(\w)", lambda match: match[1].capitalize() + match[2], text)
    text = re.sub(r"rag__models__(?:[a-z]+__)?(\w)", r"\1", text)
    return text.replace("Query-Output", "Query").replace("Body_upload_api_v1_documents_post", "Upload")


def _tell_responses(operation: Operation, path: str, schemas: dict[str, Any]) -> None:
    """Leave out the errors that cannot happen; say what the others are and name their headers."""
    responses = operation["responses"]
    parameters = operation.get("parameters", [])
    if "requestBody" not in operation:
        for status in ("400", "408", "413", "415"):
            responses.pop(status, None)
        limited = any({"pattern", "minimum"} & set(parameter["schema"]) for parameter in parameters)
        if not limited and operation["operationId"] not in WITHOUT_PARAMETERS:
            responses.pop("422", None)
    for status, response in responses.items():
        named = ["X-Request-ID"]
        named += ["X-Request-ID-Taken"] if path.startswith(NAMED_BY_CLIENTS) and status in ("200", "404") else []
        named += ["X-Candor-Ignored"] if path.endswith("/chat/completions") and status == "200" else []
        named += ["WWW-Authenticate"] if status == "401" else []
        named += ["Retry-After"] if status in ("429", "503") else []
        response["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in named}
        if response["description"] == "Successful Response":
            response["description"] = _meaning(response["content"]["application/json"]["schema"], schemas)


def _meaning(schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    name = str(schema.get("$ref") or schema["items"]["$ref"]).rpartition("/")[2]
    meaning: str = schemas[name]["description"].split("\n\n")[0]
    return f"A list of: {meaning}" if "items" in schema else meaning


@cache
def texts() -> dict[str, Any]:
    """Return what the description says beyond types: of operations, headers and keys, and the errors that they share.

    `events` are examples of events that only a model server brings about, in the form of `stored`.
    """
    found: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
    return found


@cache
def stored() -> dict[str, dict[str, Any]]:
    """Return the examples of every operation, by name: `summary`, `status`, what was asked and what was answered."""
    files = sorted(Path(__file__).with_name("examples").glob("*.json"))
    return {name: one for file in files for name, one in json.loads(file.read_text("utf-8")).items()}


def _show(operation: Operation, called: str) -> None:
    """Put an operation's own examples where they belong; those that succeed come first: readers show the first one."""
    found = {**stored().get(called, {}), **texts()["events"].get(called, {})}
    for name, example in sorted(found.items(), key=lambda item: item[1]["status"] >= 400):
        places = []
        if "request" in example:
            places += [(content, example["request"]) for content in operation["requestBody"]["content"].values()]
        for parameter in operation.get("parameters", ()):
            if parameter["name"] in example.get("parameters", ()):
                places.append((parameter, example["parameters"][parameter["name"]]))
        contents = operation["responses"][str(example["status"])]["content"]
        places.append((contents[example.get("type", "application/json")], example["response"]))
        for place, value in places:
            place.setdefault("examples", {})[name] = {"summary": example["summary"], "value": value}


def rendered(name: str, render: Renderer) -> dict[str, Any]:
    """Return an error that operations share as an example in the shape of an interface."""
    told = texts()["errors"][name]
    details = {**told["details"], "request_id": REQUEST_ID}
    problem = Problem(told["status"], ErrorCode(told["code"]), told["message"], details, MOMENT)
    return {"summary": told["summary"], "value": render(problem)}


def _show_error(responses: dict[str, Any], name: str, family: str, render: Renderer, shared: dict[str, Any]) -> None:
    response = responses.get(str(texts()["errors"][name]["status"]))
    if response is not None:
        shared.setdefault(f"{family}{name}", rendered(name, render))
        examples = response["content"]["application/json"].setdefault("examples", {})
        examples[name] = {"$ref": f"#/components/examples/{family}{name}"}


def _errors_of(role: str, called: str, operation_id: str) -> Iterator[str]:
    yield from ("NotText", "NoKey", "Elsewhere", "TooSlow", "TooLarge", "WrongType", "TooOften", "Bug", "StoreAway")
    if role == "admin":
        yield "WrongRole"
    if role == "admin" and " /api/v1/documents" in called:
        yield "FilesWait"
    if (called.startswith("POST") and " /api/v1/" not in called) or called.endswith(("/ask", "/v1/retrieve")):
        yield "QueueFull"
    if operation_id in WITHOUT_PARAMETERS:
        yield "NoParameter"
    if called.endswith(GENERATING):
        yield "ModelAway"
