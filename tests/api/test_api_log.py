"""One request, one id: in every line of the log, in the response's header, and in its error."""

import json
from typing import Any

import pytest
from api_samples import ANSWERED
from interfaces import SERVICE, V1, lines_of
from ollama_server.server import Fault
from seeds import FIRN, Away, serving, with_model

from rag.candor import Candor
from rag.errors import StoreUnavailable

RULE = {"estimator": "mean_similarity"}
FOUND = ["query_received", "question_embedded", "chunks_retrieved", "windows_read", "gate_decided"]


def logged(candor: Candor, response: Any) -> tuple[list[str], list[dict[str, Any]]]:
    """The events of a request, and their lines."""
    lines = lines_of(candor.wiring.recorder.log_path, response)
    return [line["event"] for line in lines], lines


@pytest.mark.parametrize(
    ("question", "more", "told"),
    [
        ("no", {}, ["request_failed"]),
        (ANSWERED, {"mode": "chapter-aware"}, ["query_rejected", "request_failed"]),
    ],
)
def test_invalid_input_is_a_warning_under_the_id_of_its_response(client, candor, question, more, told):
    response = V1.ask(client, question, **more)
    events, lines = logged(candor, response)
    assert events == told
    assert {line["level"] for line in lines} == {"WARNING"}
    assert response.json()["details"]["request_id"] == response.headers["x-request-id"]
    assert "'no'" not in json.dumps(lines)  # what a person typed stays out of the log
    assert logged(candor, client.get("/api/v1/nothing"))[0] == ["request_failed"]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("error", "told", "field", "name"),
    [
        (StoreUnavailable("Away."), ["retrieve_failed", "request_failed"], "error_code", "VECTOR_DB_ERROR"),
        (KeyError("/secret/path"), ["request_failed"], "type", "KeyError"),
    ],
)
def test_a_store_that_fails_and_a_bug_are_errors_of_the_request_and_show_no_internals(
    candor, error, told, field, name, stream
):
    response = V1.ask(serving(candor, store=Away(error)), "Does the store fail now?", stream=stream, **RULE)
    events, lines = logged(candor, response)
    assert events == ["query_received", "question_embedded", *told]
    assert [(line["level"], line["error"][field]) for line in lines[2:]] == [("ERROR", name)] * len(told)
    assert response.headers["x-request-id"] in response.text
    assert "secret" not in response.text


@pytest.mark.parametrize("stream", [False, True])
def test_a_model_that_fails_is_an_error_of_its_stage_and_of_the_request(candor, stream):
    with with_model(candor, lambda *_: FIRN, fault=Fault.DIES_MID_STREAM, instead="error") as client:
        response = V1.ask(client, stream=stream, **RULE)
    events, lines = logged(candor, response)
    assert events == [*FOUND, "prompt_built", "generate_failed", "request_failed"]
    assert {line["error"]["error_code"] for line in lines if line["error"]} == {"LLM_ERROR"}
    assert response.headers["x-request-id"] in response.text
    assert response.status_code == (200 if stream else 503)  # a stream has begun: its last event is the error


def test_a_clients_own_id_is_the_id_of_every_line(client, candor):
    response = SERVICE.ask(client, request_id="req_20260121_abc123")
    assert response.headers["x-request-id"] == response.json()["request_id"] == "req_20260121_abc123"
    events, _ = logged(candor, response)
    assert (events[0], events[-1]) == ("query_received", "answer_returned")


def test_a_line_that_cannot_be_written_costs_nobody_the_answer_and_is_told_to_who_looks_for_it(
    client, candor, monkeypatch, caplog
):
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with caplog.at_level("DEBUG", "candor.api"):
        monkeypatch.setattr(candor.wiring.recorder, "event", full)
        response = V1.ask(client, "no")
    assert response.status_code == 422
    assert f"the line of request {response.headers['x-request-id']} was not written" in caplog.text
    assert "No space left on device" in caplog.text
