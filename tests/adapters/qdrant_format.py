"""Qdrant's published OpenAPI document, tightened, and requests and answers held against it where it is at hand."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema

OPENAPI = Path(__file__).parents[2] / "../shared/openapi/qdrant.json"


@cache
def published() -> dict[str, Any] | None:
    """The OpenAPI document, tightened so that it refuses what it does not describe; None where it is not there."""
    return tightened(json.loads(OPENAPI.read_text(encoding="utf-8"))) if OPENAPI.exists() else None


def tightened(node: Any) -> Any:
    if isinstance(node, list):
        return [tightened(one) for one in node]
    if not isinstance(node, dict):
        return node
    if node == {"nullable": True}:
        return {"enum": [None]}
    closed = {key: tightened(value) for key, value in node.items()}
    if isinstance(node.get("properties"), dict) and node.get("type") == "object":
        closed.setdefault("additionalProperties", False)
    return closed


@cache
def operation_of(method: str, path: str) -> dict[str, Any]:
    """What the document says of a request; the paths with most literal parts first. `ValueError`: nothing."""
    paths = (published() or {})["paths"]
    for template in sorted(paths, key=lambda path: path.count("{")):
        if re.fullmatch(re.sub(r"\{[^}]+\}", "[^/]+", template), path) and method.lower() in paths[template]:
            operation: dict[str, Any] = paths[template][method.lower()]
            return operation
    raise ValueError(f"{method} {path} is not in the document")


@cache
def _validator(method: str, path: str, kind: str) -> jsonschema.Draft7Validator:
    operation = operation_of(method, path)
    part = operation["requestBody"] if kind == "request" else operation["responses"]["200"]
    schema = part["content"]["application/json"]["schema"]
    return jsonschema.Draft7Validator({"allOf": [schema], "components": (published() or {})["components"]})


def check_request(method: str, path: str, parameters: set[str], body: Any) -> None:
    """Hold a request against the document.

    Raises:
        ValueError: There is no such operation or parameter, or a body where none belongs.
        jsonschema.ValidationError: The body is not as described.
    """
    if published() is None:
        return
    operation = operation_of(method, path)
    declared = {one["name"] for one in operation.get("parameters", []) if one["in"] == "query"}
    if not parameters <= declared:
        raise ValueError(f"{method} {path} has no parameters {sorted(parameters - declared)}")
    if (body is None) != ("requestBody" not in operation):
        raise ValueError(f"{method} {path} has a body where none belongs, or none where one does")
    if body is not None:
        _validator(method, path, "request").validate(body)


def check_answer(method: str, path: str, body: Any) -> None:
    """Hold an answer with status 200 against the document; raises `jsonschema.ValidationError`."""
    if published() is not None:
        _validator(method, path, "answer").validate(body)
