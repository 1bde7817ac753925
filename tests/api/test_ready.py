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
from rag.errors import CandorError, ConfigurationError, EmbedderUnavailable, IndexNotReady, StoreUnavailable
from rag.models import ServiceStatus


class WithStore:
    """A Candor whose store says what it is told to."""

    def __init__(self, candor: Candor, check: Any) -> None:
        wiring = type("Wiring", (), {**candor.wiring.__dict__, "store": type("Store", (), {"check": check})()})
        self.candor = Candor(wiring)  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.candor, name)


def asked(opened: Any, candor: Candor) -> TestClient:
    return TestClient(create_api(lambda: opened, candor.settings))


def test_it_is_ready_while_the_model_server_says_nothing_at_all(
    candor: Candor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.desk.READY_WITHIN_S", 60)  # a busy machine may take longer than a client
    brain = ScriptedBrain(lambda question, passages: "")
    with OllamaServer(brain, fault=Fault.HANG_BEFORE_HEADERS, everywhere=True) as mute:
        client = asked(WithModel(candor, mute.url), candor)
        assert client.get("/api/readyz").json() == client.get("/api/v1/readyz").json() == {"status": "ready"}
        assert mute.exchanges == []  # it was not even asked


@pytest.mark.parametrize(
    "said",
    [
        StoreUnavailable("The store is away."),
        IndexNotReady("It is open elsewhere."),
        ServiceStatus(state="disconnected", latency_ms=None, detail="away"),
    ],
)
def test_it_is_not_ready_where_the_index_cannot_be_opened_or_says_that_it_does_not_answer(
    candor: Candor, said: Any
) -> None:
    def check(self: Any) -> ServiceStatus:
        if isinstance(said, Exception):
            raise said
        return said

    response = asked(WithStore(candor, check), candor).get("/api/readyz")
    assert (response.status_code, response.json()) == (503, {"status": "not ready"})


def test_a_store_that_hangs_is_not_waited_for(candor: Candor) -> None:
    go_on, looks = Event(), list[int]()

    def check(self: Any) -> ServiceStatus:
        looks.append(1)
        assert go_on.wait(60)
        return ServiceStatus(state="connected", latency_ms=1.0, detail="")

    try:
        client = asked(WithStore(candor, check), candor)
        assert [client.get("/api/readyz").status_code for _ in range(2)] == [503, 503]
        assert len(looks) == 1  # the next one starts no other look
        assert client.get("/api/livez").status_code == 200
    finally:
        go_on.set()


def test_requests_are_answered_while_the_models_are_still_loaded(candor: Candor) -> None:
    asked_for, go_on = Event(), Event()

    class Loading(Candor):
        def load(self) -> None:
            asked_for.set()
            assert go_on.wait(60)

    api = create_api(lambda: Loading(candor.wiring), candor.settings)
    try:
        with TestClient(api) as client:  # runs the application's start and end
            assert asked_for.wait(60)
            assert client.get("/api/livez").status_code == 200
            go_on.set()
    finally:
        go_on.set()


@pytest.mark.parametrize("error", [EmbedderUnavailable("The model is damaged."), ValueError("a bug")])
def test_models_that_cannot_be_loaded_are_told_and_stop_nothing(
    candor: Candor, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    class Damaged(Candor):
        def load(self) -> None:
            raise error

    with TestClient(create_api(lambda: Damaged(candor.wiring), candor.settings)) as client:
        assert client.get("/api/livez").status_code == 200
    assert [str(error) in (record.exc_text or record.getMessage()) for record in caplog.records] == [True]


def test_a_candor_that_cannot_be_opened_is_not_ready(candor: Candor) -> None:
    def closed() -> Candor:
        raise StoreUnavailable("The folder is gone.")

    client = TestClient(create_api(closed, candor.settings))
    assert client.get("/api/readyz").json() == {"status": "not ready"}
    assert client.post("/api/v1/ask", json={"question": ANSWERED}).status_code == 503


@pytest.mark.parametrize("error", [ConfigurationError("Another reader."), IndexNotReady("It is open elsewhere.")])
def test_what_only_the_operator_can_mend_ends_the_start(candor: Candor, error: CandorError) -> None:
    class Wrong(Candor):
        @property
        def pipeline(self) -> Any:
            raise error

    with pytest.raises(type(error)), TestClient(create_api(lambda: Wrong(candor.wiring), candor.settings)):
        pass
