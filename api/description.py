"""The OpenAPI description as its readers need it: names to call, who may call, and examples of every answer."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI

from api.guard import OPEN_PATHS, role_for
from api.problems import Renderer, canonical
from api.samples import (
    BUG,
    ELSEWHERE,
    FILES_WAIT,
    MODEL_AWAY,
    NO_KEY,
    NO_PARAMETER,
    NOT_TEXT,
    QUEUE_FULL,
    REQUEST_ID,
    STORE_AWAY,
    TOO_LARGE,
    TOO_OFTEN,
    TOO_SLOW,
    WRONG_ROLE,
    WRONG_TYPE,
    Sample,
)
from api.streams import made_examples, own_schemas

Operation = dict[str, Any]
NAMES: Final[dict[str, tuple[str, str]]] = {
    "POST /api/v1/ask": ("ask", "Ask a question"),
    "POST /api/v1/retrieve": ("retrieve", "See what a question finds"),
    "GET /api/v1/documents": ("list_documents", "List the documents"),
    "POST /api/v1/documents": ("upload_documents", "Add documents"),
    "GET /api/v1/documents/{name}": ("read_document", "Read a document's record"),
    "DELETE /api/v1/documents/{name}": ("forget_document", "Remove a document"),
    "GET /api/v1/collections": ("list_collections", "List the collections"),
    "PUT /api/v1/collections/{name}": ("put_collection", "Make a collection, or change it"),
    "DELETE /api/v1/collections/{name}": ("remove_collection", "Remove a collection"),
    "GET /api/v1/words": ("list_words", "List the house words"),
    "POST /api/v1/words": ("add_word", "Keep a house word"),
    "DELETE /api/v1/words/{word}": ("remove_word", "Remove a house word"),
    "GET /api/v1/requests": ("list_requests", "List recorded requests"),
    "GET /api/v1/requests/{request_id}": ("read_request", "Read a recorded answer"),
    "GET /api/v1/unanswered": ("list_unanswered", "List questions without a good answer"),
    "POST /api/v1/feedback": ("give_feedback", "Judge an answer"),
    "POST /api/v1/sessions": ("create_session", "Begin a conversation"),
    "GET /api/v1/sessions": ("list_sessions", "List conversations"),
    "GET /api/v1/sessions/{session_id}": ("read_session", "Read a conversation's record"),
    "DELETE /api/v1/sessions/{session_id}": ("delete_session", "Delete a conversation for good"),
    "GET /api/v1/sessions/{session_id}/history": ("read_history", "Read the turns of a conversation"),
    "GET /api/v1/health": ("health", "See what works"),
    "GET /api/livez": ("livez", "See whether the process lives"),
    "GET /api/readyz": ("readyz", "See whether questions can be answered"),
    "POST /api/service/query": ("service_query", "Ask a question (seed 000)"),
    "POST /api/service/retrieve": ("service_retrieve", "Retrieve chunks (seed 000)"),
    "POST /api/service/prompt": ("service_prompt", "See the prompt of a question (seed 000)"),
    "POST /api/service/embedding": ("service_embedding", "Embed a question (seed 000)"),
    "POST /api/textbook/query": ("textbook_query", "Ask the textbook (seed 001)"),
    "POST /api/textbook/embedding": ("textbook_embedding", "Embed a query (seed 001)"),
    "POST /api/agent/query": ("agent_query", "Ask the agent (seed 002)"),
    "GET /api/agent/health": ("agent_health", "See what works (seed 002)"),
    "POST /api/chatbot/query": ("chatbot_query", "Ask the chatbot (seed 003)"),
    "POST /api/backend/query": ("backend_query", "Ask the backend (seed 004)"),
    "POST /api/backend/retrieve": ("backend_retrieve", "Retrieve the context of a question (seed 004)"),
    "GET /api/openai/v1/models": ("openai_models", "List the models"),
    "GET /api/openai/v1/models/{model}": ("openai_model", "Read a model"),
    "POST /api/openai/v1/chat/completions": ("openai_chat_completions", "Complete a chat"),
}
"""What an operation is called by generated clients, and in one line."""
WITHOUT_PARAMETERS: Final = ("list_documents", "list_collections", "list_words")
"""Operations that take no parameter and refuse any."""
GENERATING: Final = ("/ask", "/query", "/chat/completions")
KEY: Final = (
    "A key that `candor keys create NAME` made. As soon as one was ever made, every request but the probes and this "
    "description needs one; "
    "before that only this machine is answered, without a key. The roles in brackets are the least that an operation "
    "needs. The cookie of the dashboard's login (key or OIDC) opens the dashboard alone, never the API."
)
SCHEMES: Final = {
    "bearer": {"type": "http", "scheme": "bearer", "description": KEY},
    "apiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": KEY},
}
HEADERS: Final = {
    "X-Request-ID": {
        "description": "The request's id in the log and, where there is one, of its recorded answer.",
        "schema": {"type": "string"},
        "example": REQUEST_ID,
    },
    "X-Request-ID-Taken": {
        "description": "The id that the client named, where it stands for another answer already.",
        "schema": {"type": "string"},
        "example": "ours-1",
    },
    "X-Candor-Ignored": {
        "description": "Fields of the request that would change an answer elsewhere and do not change this one.",
        "schema": {"type": "string"},
        "example": "n, tools",
    },
    "WWW-Authenticate": {
        "description": "How to send a key: `Bearer`.",
        "schema": {"type": "string", "const": "Bearer"},
        "example": "Bearer",
    },
    "Retry-After": {
        "description": "Seconds to wait, where that is known.",
        "schema": {"type": "integer", "minimum": 1},
        "example": 12,
    },
}
NAMED_BY_CLIENTS: Final = ("/api/service/", "/api/backend/")
"""Interfaces in which a client may name the id of its request."""
SHORTENED: Final = """

Examples are real answers over the sample library, shortened: a long text ends in `…`, and lists may be cut."""


def description_of(api: FastAPI, renderers: Mapping[str, Renderer]) -> dict[str, Any]:
    """Return the description of an API; it is made once.

    Args:
        api: The application with all its routes.
        renderers: The error shapes of interfaces that have their own, by the beginning of their paths.
    """
    if api.openapi_schema is None:
        api.openapi_schema = described(FastAPI.openapi(api), renderers)
    return api.openapi_schema


def described(schema: dict[str, Any], renderers: Mapping[str, Renderer]) -> dict[str, Any]:
    """Return FastAPI's description with short names, security and examples."""
    schema = json.loads(_short_names(json.dumps(schema)))
    schema["components"]["schemas"].update(own_schemas())
    schema["info"]["description"] += SHORTENED
    shared: dict[str, Any] = {}
    for path, methods in schema["paths"].items():
        prefix = next((prefix for prefix in renderers if path.startswith(prefix)), "")
        for method, operation in methods.items():
            _name(operation, f"{method.upper()} {path}")
            _tell_responses(operation, path, schema["components"]["schemas"])
            _secure(operation, method.upper(), path)
            render = renderers.get(prefix, canonical)
            _show(operation, f"{method.upper()} {path}", render)
            _show_errors(operation, method.upper(), path, prefix, render, shared)
    schema["components"].update(examples=shared, securitySchemes=SCHEMES, headers=HEADERS)
    return schema


def _short_names(text: str) -> str:
    """Return a description with `ServiceQuery` for `api__contracts__service__Query`, and `Answer` for the core's."""
    text = re.sub(r"api__contracts__([a-z]+)__(\w)", lambda match: match[1].capitalize() + match[2], text)
    text = re.sub(r"rag__models__(?:[a-z]+__)?(\w)", r"\1", text)
    return text.replace("Query-Output", "Query").replace("Body_upload_api_v1_documents_post", "Upload")


def _name(operation: Operation, called: str) -> None:
    operation["operationId"], operation["summary"] = NAMES[called]


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
    """Return what an answer is, in the words of its model."""
    name = str(schema.get("$ref") or schema["items"]["$ref"]).rpartition("/")[2]
    meaning: str = schemas[name]["description"].split("\n\n")[0]
    return f"A list of: {meaning}" if "items" in schema else meaning


def _secure(operation: Operation, method: str, path: str) -> None:
    role = role_for(method, path)
    operation["security"] = [] if path in OPEN_PATHS else [{name: [role]} for name in SCHEMES]


@cache
def stored() -> dict[str, dict[str, Any]]:
    """Return the examples of every operation, by name: `summary`, `status`, what was asked and what was answered."""
    found: dict[str, dict[str, Any]] = {}
    for file in sorted(Path(__file__).with_name("examples").glob("*.json")):
        found.update(json.loads(file.read_text("utf-8")))
    return found


def _show(operation: Operation, called: str, render: Renderer) -> None:
    """Put an operation's own examples where they belong; those that succeed come first: readers show the first one."""
    found = {**stored().get(called, {}), **made_examples(called, render)}
    for name, example in sorted(found.items(), key=lambda item: item[1]["status"] >= 400):
        told = {"summary": example["summary"]}
        if "request" in example:
            for content in operation["requestBody"]["content"].values():
                content.setdefault("examples", {})[name] = {**told, "value": example["request"]}
        for parameter in operation.get("parameters", ()):
            if parameter["name"] in example.get("parameters", ()):
                value = example["parameters"][parameter["name"]]
                parameter.setdefault("examples", {})[name] = {**told, "value": value}
        contents = operation["responses"][str(example["status"])]["content"]
        content = contents[example.get("type", "application/json")]
        content.setdefault("examples", {})[name] = {**told, "value": example["response"]}


def _show_errors(
    operation: Operation, method: str, path: str, prefix: str, render: Renderer, shared: dict[str, Any]
) -> None:
    """Let every error that has no example of the operation's own show those that operations share."""
    family = prefix.strip("/").rpartition("/")[2].capitalize()
    for sample in _samples(method, path):
        response = operation["responses"].get(str(sample.status))
        if response is None or path in OPEN_PATHS:
            continue
        shared.setdefault(f"{family}{sample.name}", sample.rendered(render))
        examples = response["content"]["application/json"].setdefault("examples", {})
        examples[sample.name] = {"$ref": f"#/components/examples/{family}{sample.name}"}


def _samples(method: str, path: str) -> Iterator[Sample]:
    yield from (NOT_TEXT, NO_KEY, ELSEWHERE, TOO_SLOW, TOO_LARGE, WRONG_TYPE, TOO_OFTEN, BUG, STORE_AWAY)
    if role_for(method, path) == "admin":
        yield WRONG_ROLE
    if role_for(method, path) == "admin" and path.startswith("/api/v1/documents"):
        yield FILES_WAIT
    if (method == "POST" and not path.startswith("/api/v1/")) or path.endswith(("/ask", "/v1/retrieve")):
        yield QUEUE_FULL
    if NAMES[f"{method} {path}"][0] in WITHOUT_PARAMETERS:
        yield NO_PARAMETER
    if path.endswith(GENERATING):
        yield MODEL_AWAY
