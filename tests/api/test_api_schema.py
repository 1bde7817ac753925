"""The description keeps what it promises: generated requests, valid and invalid, find no 5xx and no foreign shape."""

import os
from typing import Any

import hypothesis
import pytest
import schemathesis
from fastapi.testclient import TestClient
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from api.app import create_api
from rag.candor import Candor

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
EXAMPLES = int(os.environ.get("CANDOR_SCHEMA_EXAMPLES", "4"))


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_generated_requests_get_what_the_description_promises(candor: Candor, mode: GenerationMode) -> None:
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", create_api(lambda: candor, candor.settings))
    checked = 0
    for found in schema.get_all_operations():
        operation = found.ok()

        @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
        @hypothesis.settings(
            max_examples=EXAMPLES,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        def check(case: Any) -> None:
            case.call_and_validate(checks=CHECKS)

        try:
            check()
        except hypothesis.errors.Unsatisfiable:
            continue  # a route without parameters has no invalid request
        checked += 1
    assert checked >= 15


def test_the_description_holds_the_seeds_limits(client: TestClient) -> None:
    schemas = client.get("/api/openapi.json").json()["components"]["schemas"]
    named = {name.rsplit("__", 1)[-1] if "__" in name else name: name for name in schemas}
    text = str(schemas)
    assert named
    for limit in ("'maxLength': 1000", "'minLength': 3", "'maximum': 20", "'maximum': 10", "'maximum': 2000"):
        assert limit in text


def test_every_operation_says_what_it_does_and_how_it_fails(client: TestClient) -> None:
    for path, methods in client.get("/api/openapi.json").json()["paths"].items():
        for method, operation in methods.items():
            assert operation["description"], f"{method} {path}"
            assert {"200", "201"} & set(operation["responses"]), f"{method} {path}"
            if "livez" not in path and "readyz" not in path and "health" not in path:
                assert {"422", "429", "500", "503"} <= set(operation["responses"]), f"{method} {path}"
