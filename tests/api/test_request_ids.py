"""An id stands for one answer: who names it again is told, loses nothing, and shadows nothing."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any
from uuid import uuid4

import httpx
import pytest
from api_samples import ANSWERED, ANSWERED_PDF, REFUSED, settings_of
from fastapi.testclient import TestClient
from interfaces import BACKEND, SERVICE, lines_of
from live import WithModel, live
from ollama_server.brains import ScriptedBrain
from ollama_server.server import Fault, OllamaServer

from api.identity import Claims, Identity
from rag.errors import ServiceUnavailable


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
        live(lambda: WithModel(candor, model.url, patience_s=3), settings) as url,
        ThreadPoolExecutor(1) as pool,
    ):
        first = pool.submit(httpx.post, f"{url}/api/service/query", json=body, timeout=60)
        while not model.calls("/api/chat"):
            Event().wait(0.01)
        model.fault = Fault.NONE
        second = httpx.post(f"{url}/api/service/query", json=body, timeout=60)
        assert second.headers["x-request-id-taken"] == "ours-at-once"
        assert first.result().headers["x-request-id"] == "ours-at-once"


def test_an_id_is_free_again_when_its_answer_was_deleted(client, candor):
    service(client, ANSWERED, "ours-4")
    candor.wiring.recorder.forget({"ours-4"})
    assert service(client, ANSWERED, "ours-4").headers["x-request-id"] == "ours-4"


def test_the_id_of_somebody_elses_answer_cannot_be_taken(client):
    theirs = client.post("/api/v1/ask", json={"question": ANSWERED}).json()
    named = service(client, ANSWERED_PDF, theirs["request_id"])
    assert recorded(client, theirs["request_id"]) == theirs
    assert recorded(client, named.headers["x-request-id"])["query"]["question"] == ANSWERED_PDF
