"""Qdrant's published OpenAPI document, tightened, and requests and answers held against it."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

OPENAPI = Path(__file__).parents[2] / "../shared/openapi/qdrant.json"


def is_at_hand() -> bool:
    """Whether the document is beside this repository."""
    return OPENAPI.exists()


@cache
def published() -> dict[str, Any]:
    """The OpenAPI document, tightened so that it refuses what it does not describe; the test is skipped without it."""
    if not is_at_hand():
        pytest.skip("Qdrant's OpenAPI document is not at ../shared/openapi/qdrant.json")
    document: dict[str, Any] = tightened(json.loads(OPENAPI.read_text(encoding="utf-8")))
    return document


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
def operation_of(method: str, path: str) -> dict[str, Any] | None:
    """What the document says of a request; the paths with most literal parts first."""
    for template in sorted(published()["paths"], key=lambda path: path.count("{")):
        pattern = re.sub(r"\{[^}]+\}", "[^/]+", template)
        if re.fullmatch(pattern, path) and method.lower() in published()["paths"][template]:
            operation: dict[str, Any] = published()["paths"][template][method.lower()]
            return operation
    return None


@cache
def _validator(method: str, path: str, kind: str) -> jsonschema.Draft7Validator:
    operation = operation_of(method, path)
    assert operation is not None
    part = operation["requestBody"] if kind == "request" else operation["responses"]["200"]
    schema = part["content"]["application/json"]["schema"]
    return jsonschema.Draft7Validator({"allOf": [schema], "components": published()["components"]})


def check_request(method: str, path: str, parameters: set[str], body: Any) -> None:
    """Hold a request against the document.

    Raises:
        ValueError: There is no such operation or parameter, or a body where none belongs.
        jsonschema.ValidationError: The body is not as described.
    """
    operation = operation_of(method, path)
    if operation is None:
        raise ValueError(f"{method} {path} is not in the document")
    declared = {one["name"] for one in operation.get("parameters", []) if one["in"] == "query"}
    if not parameters <= declared:
        raise ValueError(f"{method} {path} has no parameters {sorted(parameters - declared)}")
    if (body is None) != ("requestBody" not in operation):
        raise ValueError(f"{method} {path} has a body where none belongs, or none where one does")
    if body is not None:
        _validator(method, path, "request").validate(body)


def check_answer(method: str, path: str, body: Any) -> None:
    """Hold an answer with status 200 against the document; raises `jsonschema.ValidationError`."""
    _validator(method, path, "answer").validate(body)
