"""Readiness: whether questions can be answered, whatever the model server does, and in bounded time."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any
from unittest.mock import Mock

import pytest
from api_samples import ANSWERED, settings_of
from fastapi.testclient import TestClient
from ollama_server.brains import ScriptedBrain
from ollama_server.server import Fault, OllamaServer
from seeds import speaking

from api.app import create_api
from api.routes import sessions
from rag.candor import Candor
from rag.errors import ConfigurationError, EmbedderUnavailable, IndexNotReady, StoreUnavailable
from rag.models import ServiceStatus


def with_store(candor: Candor, check: Any) -> TestClient:
    """The API over a store that says what it is told to."""
    wiring = type("Wiring", (), {**candor.wiring.__dict__, "store": type("Store", (), {"check": check})()})
    return asked(Candor(wiring), candor)


def asked(opened: Any, candor: Candor) -> TestClient:
    return TestClient(create_api(lambda: opened, candor.settings))


def raising(error: Exception) -> Any:
    """What raises an error whatever it is called with."""
    return Mock(side_effect=error)


def test_it_is_ready_while_the_model_server_says_nothing_at_all(candor, monkeypatch):
    monkeypatch.setattr("api.desk.READY_WITHIN_S", 60)  # a busy machine may take longer than a client
    brain = ScriptedBrain(lambda question, passages: "")
    with OllamaServer(brain, fault=Fault.HANG_BEFORE_HEADERS, everywhere=True) as mute:
        client = asked(speaking(candor, mute.url), candor)
        assert client.get("/api/readyz").json() == client.get("/api/v1/readyz").json() == {"status": "ready"}
        assert mute.exchanges == []  # it was not even asked


def test_it_is_not_ready_where_index_or_folder_cannot_be_opened_or_the_index_does_not_answer(candor):
    away = ServiceStatus(state="disconnected", latency_ms=None, detail="away")
    failing = [raising(StoreUnavailable("Away.")), raising(IndexNotReady("Open elsewhere.")), lambda _: away]
    gone = TestClient(create_api(raising(StoreUnavailable("The folder is gone.")), candor.settings))
    for client in (gone, *(with_store(candor, check) for check in failing)):
        response = client.get("/api/readyz")
        assert (response.status_code, response.json()) == (503, {"status": "not ready"})
    assert gone.post("/api/v1/ask", json={"question": ANSWERED}).status_code == 503


def test_a_store_that_hangs_is_not_waited_for(candor):
    go_on, looks = Event(), list[int]()

    def check(self: Any) -> ServiceStatus:
        looks.append(1)
        assert go_on.wait(60)
        return ServiceStatus(state="connected", latency_ms=1.0, detail="")

    try:
        client = with_store(candor, check)
        assert [client.get("/api/readyz").status_code for _ in range(2)] == [503, 503]
        assert len(looks) == 1  # the next one starts no other look
        assert client.get("/api/livez").status_code == 200
    finally:
        go_on.set()


def test_requests_are_answered_while_the_models_are_still_loaded(candor):
    asked_for, go_on = Event(), Event()

    class Loading(Candor):
        def load(self) -> None:
            asked_for.set()
            assert go_on.wait(60)

    with asked(Loading(candor.wiring), candor) as client:  # runs the application's start and end
        try:
            assert asked_for.wait(60)
            assert client.get("/api/livez").status_code == 200
        finally:
            go_on.set()


@pytest.mark.parametrize("error", [EmbedderUnavailable("The model is damaged."), ValueError("a bug")])
def test_models_that_cannot_be_loaded_are_told_and_stop_nothing(candor, caplog, error):
    damaged = type("Damaged", (Candor,), {"load": raising(error)})(candor.wiring)
    with asked(damaged, candor) as client:
        assert client.get("/api/livez").status_code == 200
    assert [str(error) in (record.exc_text or record.getMessage()) for record in caplog.records] == [True]


def test_what_only_the_operator_can_mend_ends_the_start(candor):
    for error in (ConfigurationError("Another reader."), IndexNotReady("It is open elsewhere.")):
        wrong = type("Wrong", (Candor,), {"pipeline": property(raising(error))})(candor.wiring)
        with pytest.raises(type(error)), asked(wrong, candor):
            pass


WORK: dict[str, Callable[[Candor], tuple[object, str]]] = {
    "GET /api/v1/requests": lambda own: (own.wiring.recorder, "requests"),
    "GET /api/v1/requests/unknown": lambda own: (own.wiring.recorder, "read_answer"),
    "GET /api/v1/documents": lambda own: (own, "documents"),
    "DELETE /api/v1/sessions/{session}": lambda _: (sessions, "delete_conversation"),
}
"""Requests whose work grows with what is kept, and the part that does it."""


@pytest.mark.parametrize("asked", WORK)
def test_slow_requests_keep_nobody_from_being_let_in(tmp_path, monkeypatch, asked):
    begun, go_on = Event(), Event()

    def held(*_: object, **__: object) -> list[object]:
        begun.set()
        go_on.wait(60)
        return []

    with Candor.open(settings_of(tmp_path)) as own, ThreadPoolExecutor(9) as pool:
        token = own.wiring.sessions.keys.create("desk", "admin").token
        client = TestClient(create_api(lambda: own, own.settings), headers={"authorization": f"Bearer {token}"})
        monkeypatch.setattr(*WORK[asked](own), held)
        session_id = client.post("/api/v1/sessions").json()["session_id"]
        try:
            for _ in range(8):  # more than there are threads for them
                pool.submit(client.request, *asked.format(session=session_id).split())
            assert begun.wait(60)
            assert pool.submit(client.get, "/api/v1/sessions").result(30).status_code == 200
        finally:
            go_on.set()
