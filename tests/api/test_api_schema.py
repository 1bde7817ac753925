"""The description keeps what it promises: generated requests, valid and invalid, find no 5xx and no foreign shape.

`CANDOR_SCHEMA_EXAMPLES=200` tries more requests for each operation.
"""

import os
from collections import Counter
from typing import Any

import hypothesis
import hypothesis.strategies as st
import pytest
import schemathesis
from api_samples import ANSWERED, ANSWERED_PDF, REFUSED, settings_of
from example_calls import known_ids
from fastapi.testclient import TestClient
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from api.app import create_api
from rag.candor import Candor

CHECKS = [
    *(not_a_server_error, status_code_conformance, content_type_conformance),
    *(response_schema_conformance, response_headers_conformance),
]
EXAMPLES = int(os.environ.get("CANDOR_SCHEMA_EXAMPLES", "15"))
QUESTIONS = (ANSWERED, ANSWERED_PDF, REFUSED)
QUESTION_FIELDS = ("question", "text", "query")
TOO_LARGE = 413


@pytest.fixture(scope="module")
def own(tmp_path_factory, samples):
    """An index of its own: what is generated may well delete a document."""
    with Candor.open(settings_of(tmp_path_factory.mktemp("schema"))) as opened:
        opened.ingest([samples / "textbook.md", samples / "safety_manual.pdf"])
        yield opened


@pytest.fixture(scope="module")
def known(own):
    """What a path may name that is there."""
    ids = known_ids(TestClient(create_api(lambda: own, own.settings)))
    return {**ids, "name": "textbook.md", "model": "candor"}


def described(own: Candor) -> Any:
    return schemathesis.openapi.from_asgi("/api/openapi.json", create_api(lambda: own, own.settings))


def settings(examples: int, **more: Any) -> Any:
    """The same requests each time; a failing one is shown as it was found."""
    steady: dict[str, Any] = {"deadline": None, "derandomize": True, "database": None}
    phases, checks = [hypothesis.Phase.explicit, hypothesis.Phase.generate], list(hypothesis.HealthCheck)
    return hypothesis.settings(max_examples=examples, phases=phases, suppress_health_check=checks, **steady, **more)


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


def test_generated_requests_get_what_the_description_promises(own, known):
    reached: Counter[tuple[str, int]] = Counter()
    for found in described(own).get_all_operations():
        operation = found.ok()

        @hypothesis.given(
            case=operation.as_strategy(generation_mode=GenerationMode.POSITIVE),
            question=st.none() | st.sampled_from(QUESTIONS),
        )
        @settings(EXAMPLES)
        def check(case: Any, question: str | None) -> None:
            if question:
                make_answerable(case, question, known)
            response = case.call()
            case.validate_response(response, checks=CHECKS)
            reached[case.operation.label, response.status_code] += 1

        check()
    served = {label for label, status in reached if status < 300}
    assert len({label for label, _ in reached}) == 38
    # Nothing that is generated can be ingested, and what would be deleted is not there.
    assert {label for label, _ in reached} - served <= {
        "POST /api/v1/documents",
        "DELETE /api/v1/documents/{name}",
        "DELETE /api/v1/sessions/{session_id}",
        "DELETE /api/v1/words/{word}",
    }


def test_requests_that_break_the_description_are_refused_as_it_promises(own):
    checked = 0
    for found in described(own).get_all_operations():
        operation = found.ok()

        @hypothesis.given(case=operation.as_strategy(generation_mode=GenerationMode.NEGATIVE))
        @settings(EXAMPLES)
        def check(case: Any) -> None:
            response = case.call()
            refused = [] if response.status_code == TOO_LARGE else [negative_data_rejection]
            case.validate_response(response, checks=[*CHECKS, *refused])

        try:
            check()
        except hypothesis.errors.Unsatisfiable:
            continue  # an operation without limits has no invalid request
        checked += 1
    assert checked >= 20
