"""An id stands for one answer: who names it again is told, loses nothing, and shadows nothing."""

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any
from uuid import uuid4

import httpx
import pytest
from api_samples import ANSWERED, REFUSED, settings_of
from fastapi.testclient import TestClient
from interfaces import BACKEND
from live import WithModel, live
from ollama_server.brains import ScriptedBrain
from ollama_server.server import Fault, OllamaServer

from api.identity import Claims, Identity
from rag.candor import Candor
from rag.errors import ServiceUnavailable

OTHER = "What protective equipment is required for class A chemicals?"


def service(client: TestClient, question: str, request_id: str) -> Any:
    response = client.post("/api/service/query", json={"question": question, "request_id": request_id})
    assert response.status_code == 200, response.text[:300]
    return response


def recorded(client: TestClient, request_id: str) -> dict[str, Any]:
    response = client.get(f"/api/v1/requests/{request_id}")
    assert response.status_code == 200, response.text[:300]
    return dict(response.json())


def test_an_id_named_twice_comes_back_twice_and_both_answers_can_be_read(client: TestClient, candor: Candor) -> None:
    first, again, refused = (service(client, question, "ours-1") for question in (ANSWERED, OTHER, REFUSED))
    assert [told.json()["request_id"] for told in (first, again, refused)] == ["ours-1"] * 3
    assert (first.headers["x-request-id"], first.json()["message"]) == ("ours-1", None)
    assert "x-request-id-taken" not in first.headers
    assert recorded(client, "ours-1")["query"]["question"] == ANSWERED
    lines = [json.loads(line) for line in candor.wiring.recorder.log_path.read_text().splitlines()]
    for told, question in ((again, OTHER), (refused, REFUSED)):
        own = told.headers["x-request-id"]
        assert own.startswith("req_")
        assert told.headers["x-request-id-taken"] == "ours-1"
        assert told.json()["message"].endswith(f"is already used by another answer; this one is recorded as {own!r}.")
        assert recorded(client, own)["query"]["question"] == question
        mine = [line for line in lines if line["request_id"] == own]
        assert (mine[0]["event"], mine[0]["data"]) == ("request_id_taken", {"named": "ours-1"})
        assert mine[-1]["event"] == "answer_returned"


def test_a_query_id_named_twice_comes_back_twice_and_both_answers_can_be_read(client: TestClient) -> None:
    query_id = str(uuid4()).upper()
    answers = [BACKEND.ask(client, question, query_id=query_id) for question in (ANSWERED, OTHER, REFUSED)]
    assert [response.status_code for response in answers] == [200, 200, 404]
    assert [response.json()["query_id"] for response in answers[:2]] == [query_id, query_id]
    assert ["x-request-id-taken" in response.headers for response in answers] == [False, True, True]
    ids = [response.headers["x-request-id"] for response in answers]
    assert [recorded(client, own)["query"]["question"] for own in ids] == [ANSWERED, OTHER, REFUSED]
    assert f"recorded as {ids[2]!r}" in answers[2].json()["details"]["note"]


def test_an_id_is_free_again_where_it_could_not_be_looked_up() -> None:
    class Unreadable:
        def has_answer(self, request_id: str) -> bool:
            raise ServiceUnavailable(f"No file of {request_id} can be read.")

    claims, identity = Claims(), Identity(request_id="ours-9", named="ours-9")
    with pytest.raises(ServiceUnavailable), claims.held(identity, Unreadable()):
        pass
    assert claims._hold("ours-9")


def test_two_at_once_do_not_share_an_id(candor: Candor) -> None:
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


def test_an_id_is_free_again_when_its_answer_was_deleted(client: TestClient, candor: Candor) -> None:
    service(client, ANSWERED, "ours-4")
    candor.wiring.recorder.forget({"ours-4"})
    assert service(client, ANSWERED, "ours-4").headers["x-request-id"] == "ours-4"


def test_the_id_of_somebody_elses_answer_cannot_be_taken(client: TestClient) -> None:
    theirs = client.post("/api/v1/ask", json={"question": ANSWERED}).json()
    named = service(client, OTHER, theirs["request_id"])
    assert recorded(client, theirs["request_id"]) == theirs
    assert recorded(client, named.headers["x-request-id"])["query"]["question"] == OTHER
