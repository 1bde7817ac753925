"""One request, one id: in every line of the log, in the response's header, and in its error."""

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any
from uuid import uuid4

import httpx
import pytest
from api_samples import ANSWERED, ANSWERED_PDF, REFUSED, settings_of
from fastapi.testclient import TestClient
from interfaces import BACKEND, SERVICE, V1, lines_of
from live import live
from ollama_server.brains import ScriptedBrain
from ollama_server.server import Fault, OllamaServer
from seeds import FIRN, Away, serving, speaking, with_model

from api.identity import Claims, Identity
from rag.candor import Candor
from rag.errors import ServiceUnavailable, StoreUnavailable

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


def service(client: TestClient, question: str, request_id: str) -> Any:
    return SERVICE.ask(client, question, request_id=request_id)


def recorded(client: TestClient, request_id: str) -> dict[str, Any]:
    return dict(client.get(f"/api/v1/requests/{request_id}").json())


def test_an_id_named_twice_comes_back_twice_and_both_answers_can_be_read(client, candor):
    first, again, refused = (service(client, question, "ours-1") for question in (ANSWERED, ANSWERED_PDF, REFUSED))
    assert [told.json()["request_id"] for told in (first, again, refused)] == ["ours-1"] * 3
    assert (first.headers["x-request-id"], first.json()["message"]) == ("ours-1", None)
    assert "x-request-id-taken" not in first.headers
    assert recorded(client, "ours-1")["query"]["question"] == ANSWERED
    for told, question in ((again, ANSWERED_PDF), (refused, REFUSED)):
        own = told.headers["x-request-id"]
        assert own.startswith("req_")
        assert told.headers["x-request-id-taken"] == "ours-1"
        assert told.json()["message"].endswith(f"is already used by another answer; this one is recorded as {own!r}.")
        assert recorded(client, own)["query"]["question"] == question
        first, *_, last = lines_of(candor.wiring.recorder.log_path, told)
        assert (first["event"], first["data"]) == ("request_id_taken", {"named": "ours-1"})
        assert last["event"] == "answer_returned"


def test_a_query_id_named_twice_comes_back_twice_and_both_answers_can_be_read(client):
    query_id = str(uuid4()).upper()
    answers = [BACKEND.ask(client, question, query_id=query_id) for question in (ANSWERED, ANSWERED_PDF, REFUSED)]
    assert [response.status_code for response in answers] == [200, 200, 404]
    assert [response.json()["query_id"] for response in answers[:2]] == [query_id, query_id]
    assert ["x-request-id-taken" in response.headers for response in answers] == [False, True, True]
    ids = [response.headers["x-request-id"] for response in answers]
    assert [recorded(client, own)["query"]["question"] for own in ids] == [ANSWERED, ANSWERED_PDF, REFUSED]
    assert f"recorded as {ids[2]!r}" in answers[2].json()["details"]["note"]


def test_an_id_is_free_again_when_its_answer_was_deleted_and_another_answers_is_not(client, candor):
    service(client, ANSWERED, "ours-4")
    candor.wiring.recorder.forget({"ours-4"})
    assert service(client, ANSWERED, "ours-4").headers["x-request-id"] == "ours-4"
    theirs = client.post("/api/v1/ask", json={"question": ANSWERED}).json()
    named = service(client, ANSWERED_PDF, theirs["request_id"])
    assert recorded(client, theirs["request_id"]) == theirs
    assert recorded(client, named.headers["x-request-id"])["query"]["question"] == ANSWERED_PDF


def test_an_id_is_free_again_where_it_could_not_be_looked_up():
    class Unreadable:
        def has_answer(self, request_id: str) -> bool:
            raise ServiceUnavailable(f"No file of {request_id} can be read.")

    claims, identity = Claims(), Identity(request_id="ours-9", named="ours-9")
    with pytest.raises(ServiceUnavailable), claims.held(identity, Unreadable()):
        pass
    assert claims.ids == set()


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
