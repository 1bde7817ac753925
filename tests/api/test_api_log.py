"""One request, one id: in every line of the log, in the response's header, and in its error."""

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any
from unittest.mock import Mock

import httpx
import pytest
from api_samples import ANSWERED, ANSWERED_PDF, REFUSED, settings_of
from fastapi.testclient import TestClient
from interfaces import SERVICE, V1, lines_of
from live import live
from ollama_server.brains import ScriptedBrain
from ollama_server.server import Fault, OllamaServer
from seeds import serving, speaking

from rag.candor import Candor
from rag.errors import StoreUnavailable

RULE = {"estimator": "mean_similarity"}


def logged(candor: Candor, response: Any) -> tuple[list[str], list[dict[str, Any]]]:
    """The events of a request, and their lines."""
    lines = lines_of(candor.wiring.recorder.log_path, response)
    return [line["event"] for line in lines], lines


def test_invalid_input_is_a_warning_under_the_id_of_its_response(client, candor):
    for question, more, told in (("no", {}, []), (ANSWERED, {"mode": "chapter-aware"}, ["query_rejected"])):
        response = V1.ask(client, question, **more)
        events, lines = logged(candor, response)
        assert (events, {line["level"] for line in lines}) == ([*told, "request_failed"], {"WARNING"})
        assert response.json()["details"]["request_id"] == response.headers["x-request-id"]
        assert "'no'" not in json.dumps(lines)  # what a person typed stays out of the log


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
    away = Mock(**{f"search_{kind}.side_effect": error for kind in ("hybrid", "dense", "sparse")})
    response = V1.ask(serving(candor, store=away), "Does the store fail now?", stream=stream, **RULE)
    events, lines = logged(candor, response)
    assert events == ["query_received", "question_embedded", *told]
    assert [(line["level"], line["error"][field]) for line in lines[2:]] == [("ERROR", name)] * len(told)
    assert response.headers["x-request-id"] in response.text
    assert "secret" not in response.text


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


def question_of(client: TestClient, request_id: str) -> str:
    """The question that is recorded under an id."""
    return str(client.get(f"/api/v1/requests/{request_id}").json()["query"]["question"])


def test_an_id_named_twice_comes_back_twice_and_both_answers_can_be_read(client, candor):
    first, again, refused = (
        SERVICE.ask(client, question, request_id="ours-1") for question in (ANSWERED, ANSWERED_PDF, REFUSED)
    )
    assert [told.json()["request_id"] for told in (first, again, refused)] == ["ours-1"] * 3
    assert (first.headers["x-request-id"], first.json()["message"]) == ("ours-1", None)
    assert {line["event"] for line in lines_of(candor.wiring.recorder.log_path, first)} >= {"answer_returned"}
    assert "x-request-id-taken" not in first.headers
    assert question_of(client, "ours-1") == ANSWERED
    for told, question in ((again, ANSWERED_PDF), (refused, REFUSED)):
        own = told.headers["x-request-id"]
        assert own.startswith("req_")
        assert told.headers["x-request-id-taken"] == "ours-1"
        assert told.json()["message"].endswith(f"is already used by another answer; this one is recorded as {own!r}.")
        assert question_of(client, own) == question
        first, *_, last = lines_of(candor.wiring.recorder.log_path, told)
        assert (first["event"], first["data"]) == ("request_id_taken", {"named": "ours-1"})
        assert last["event"] == "answer_returned"


def test_two_at_once_do_not_share_an_id(candor):
    brain = ScriptedBrain(lambda question, passages: "Firn becomes glacier ice at 830 kilograms per cubic metre. [1]")
    body = {"question": ANSWERED, "request_id": "ours-at-once"}
    settings = settings_of(candor.settings.data_dir, concurrency=2)
    with (
        OllamaServer(brain, fault=Fault.HANG_BEFORE_HEADERS) as model,
        live(lambda: speaking(candor, model.url, patience_s=3), settings) as url,
        ThreadPoolExecutor(1) as pool,
    ):
        first = pool.submit(httpx.post, f"{url}/api/service/query", json=body, timeout=60)
        while not model.calls("/api/chat"):
            Event().wait(0.01)
        model.fault = Fault.NONE
        second = httpx.post(f"{url}/api/service/query", json=body, timeout=60)
        assert second.headers["x-request-id-taken"] == "ours-at-once"
        assert first.result().headers["x-request-id"] == "ours-at-once"
