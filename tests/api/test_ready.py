"""Readiness: whether questions can be answered, whatever the model server does, and in bounded time."""

from threading import Event
from typing import Any

import pytest
from api_samples import ANSWERED
from fastapi.testclient import TestClient
from live import WithModel
from ollama_server.brains import ScriptedBrain
from ollama_server.server import Fault, OllamaServer

from api.app import create_api
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

    def raise_it(*_: object) -> Any:
        raise error

    return raise_it


def test_it_is_ready_while_the_model_server_says_nothing_at_all(candor, monkeypatch):
    monkeypatch.setattr("api.desk.READY_WITHIN_S", 60)  # a busy machine may take longer than a client
    brain = ScriptedBrain(lambda question, passages: "")
    with OllamaServer(brain, fault=Fault.HANG_BEFORE_HEADERS, everywhere=True) as mute:
        client = asked(WithModel(candor, mute.url), candor)
        assert client.get("/api/readyz").json() == client.get("/api/v1/readyz").json() == {"status": "ready"}
        assert mute.exchanges == []  # it was not even asked


@pytest.mark.parametrize(
    "check",
    [
        raising(StoreUnavailable("The store is away.")),
        raising(IndexNotReady("It is open elsewhere.")),
        lambda self: ServiceStatus(state="disconnected", latency_ms=None, detail="away"),
    ],
)
def test_it_is_not_ready_where_the_index_cannot_be_opened_or_says_that_it_does_not_answer(candor, check):
    response = with_store(candor, check).get("/api/readyz")
    assert (response.status_code, response.json()) == (503, {"status": "not ready"})


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


def test_a_candor_that_cannot_be_opened_is_not_ready(candor):
    client = TestClient(create_api(raising(StoreUnavailable("The folder is gone.")), candor.settings))
    assert client.get("/api/readyz").json() == {"status": "not ready"}
    assert client.post("/api/v1/ask", json={"question": ANSWERED}).status_code == 503


@pytest.mark.parametrize("error", [ConfigurationError("Another reader."), IndexNotReady("It is open elsewhere.")])
def test_what_only_the_operator_can_mend_ends_the_start(candor, error):
    wrong = type("Wrong", (Candor,), {"pipeline": property(raising(error))})(candor.wiring)
    with pytest.raises(type(error)), asked(wrong, candor):
        pass
