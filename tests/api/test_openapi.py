"""The description of the API: complete, its examples what the API answers, and kept to whatever is asked.

`CANDOR_SCHEMA_EXAMPLES=200` tries more generated requests, valid and invalid.
"""

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import hypothesis
import hypothesis.strategies as st
import pytest
import schemathesis
from api_samples import ANSWERED, ANSWERED_PDF, REFUSED, settings_of
from example_calls import examples, known_ids, same
from fastapi.testclient import TestClient
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from api.app import create_api
from api.description import stored, texts
from api.guard import OPEN_PATHS, role_for
from api.routes import mcp
from rag.candor import Candor

Operation = dict[str, Any]


@pytest.fixture(scope="module")
def description(client):
    return dict(client.get("/api/openapi.json").json())


def operations(description: dict[str, Any]) -> Iterator[tuple[str, Operation]]:
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def test_every_operation_has_a_name_a_line_a_description_and_examples_of_its_own(description):
    found = dict(operations(description))
    assert found.keys() == texts()["operations"].keys()
    for name in ("operationId", "summary"):
        told = [operation[name] for operation in found.values()]
        assert len(set(told)) == len(told) == 38
    assert [called for called, operation in found.items() if len(operation["description"]) < 15] == []
    for called, operation in found.items():
        contents = [operation.get("requestBody", {}), *operation["responses"].values()]
        shown = [content for each in contents for content in each.get("content", {}).values()]
        assert all(content.get("examples") for content in shown + operation.get("parameters", [])), called
    assert not [name for name in description["components"]["schemas"] if "__" in name]
    assert f"`POST {mcp.PATH}` speaks the Model Context Protocol" in description["info"]["description"]


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


CHECKS = [
    *(not_a_server_error, checks.status_code_conformance, checks.content_type_conformance),
    *(checks.response_schema_conformance, checks.response_headers_conformance),
]
REFUSED_IF_INVALID = [checks.negative_data_rejection]
EXAMPLES = int(os.environ.get("CANDOR_SCHEMA_EXAMPLES", "15"))
QUESTIONS = (None, ANSWERED, ANSWERED_PDF, REFUSED)
QUESTION_FIELDS = ("question", "text", "query")
TOO_LARGE = 413


@pytest.fixture(scope="module")
def own(tmp_path_factory, samples):
    with Candor.open(settings_of(tmp_path_factory.mktemp("schema"))) as opened:
        opened.ingest([samples / "textbook.md", samples / "safety_manual.pdf"])
        yield opened


@pytest.fixture(scope="module")
def checked(own):
    """Ask so many generated requests of every operation, and count how often each was answered with which status."""
    known = {**known_ids(TestClient(create_api(lambda: own, own.settings))), "name": "textbook.md", "model": "candor"}
    same = {"deadline": None, "derandomize": True, "database": None}  # the same requests each time
    phases, health = [hypothesis.Phase.explicit, hypothesis.Phase.generate], list(hypothesis.HealthCheck)

    def run(mode: GenerationMode) -> Counter[tuple[str, int]]:
        reached: Counter[tuple[str, int]] = Counter()
        api = create_api(lambda: own, own.settings)  # it is started once
        for found in schemathesis.openapi.from_asgi("/api/openapi.json", api).get_all_operations():
            operation = found.ok()

            @hypothesis.given(case=operation.as_strategy(generation_mode=mode), question=st.sampled_from(QUESTIONS))
            @hypothesis.settings(max_examples=EXAMPLES, phases=phases, suppress_health_check=health, **same)
            def check(case: Any, question: str | None) -> None:
                if mode is GenerationMode.POSITIVE and question:
                    make_answerable(case, question, known)
                response = case.call()
                is_told = mode is GenerationMode.NEGATIVE and response.status_code != TOO_LARGE
                case.validate_response(
                    response, checks=[*CHECKS, *([checks.negative_data_rejection] if is_told else [])]
                )
                reached[case.operation.label, response.status_code] += 1

            with suppress(hypothesis.errors.Unsatisfiable):  # an operation without limits has no invalid request
                check()
        return reached

    return run


def make_answerable(case: Any, question: str, known: dict[str, str]) -> None:
    """Give a generated request a question of which the outcome is known, and ids that are there."""
    if isinstance(case.body, dict):
        case.body = {**case.body, **{name: question for name in QUESTION_FIELDS if name in case.body}}
        if isinstance(case.body.get("messages"), list):
            case.body["messages"] = [*case.body["messages"], {"role": "user", "content": question}]
        if "verdict" in case.body:
            case.body["request_id"] = known["request_id"]
    if case.method != "DELETE":
        for name in case.path_parameters or ():
            case.path_parameters[name] = known[name]


def test_generated_requests_get_what_the_description_promises(checked):
    reached = checked(GenerationMode.POSITIVE)
    served = {label for label, status in reached if status < 300}
    assert len({label for label, _ in reached}) == 38
    # Nothing that is generated can be ingested, and what would be deleted is not there.
    deleted = {f"DELETE /api/v1/{path}" for path in ("documents/{name}", "sessions/{session_id}", "words/{word}")}
    assert {label for label, _ in reached} - served <= {"POST /api/v1/documents", *deleted}


def test_requests_that_break_the_description_are_refused_as_it_promises(checked):
    assert len({label for label, _ in checked(GenerationMode.NEGATIVE)}) >= 20
