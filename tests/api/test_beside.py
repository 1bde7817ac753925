"""What requests do beside each other: who is let in is decided however much slow work is under way."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from api_samples import settings_of
from fastapi.testclient import TestClient

from api.app import create_api
from api.routes import sessions
from rag.candor import Candor

SLOW = 8
"""Slow requests at once: more than there are threads for them."""
PATIENCE_S = 60.0


@pytest.fixture
def own(tmp_path):
    with Candor.open(settings_of(tmp_path)) as opened:
        yield opened


@pytest.fixture
def client(own):
    """The API with a key that may do everything."""
    token = own.wiring.sessions.keys.create("desk", "admin").token
    return TestClient(create_api(lambda: own, own.settings), headers={"authorization": f"Bearer {token}"})


WORK: dict[str, Callable[[Candor], tuple[object, str]]] = {
    "GET /api/v1/requests": lambda own: (own.wiring.recorder, "requests"),
    "GET /api/v1/requests/unknown": lambda own: (own.wiring.recorder, "read_answer"),
    "GET /api/v1/documents": lambda own: (own, "documents"),
    "DELETE /api/v1/sessions/{session}": lambda _: (sessions, "delete_conversation"),
}
"""Requests whose work grows with what is kept, and the part that does it."""


@pytest.mark.parametrize("asked", WORK)
def test_slow_requests_keep_nobody_from_being_let_in(own, client, monkeypatch, asked):
    begun, go_on = Event(), Event()
    where, name = WORK[asked](own)

    def held(*_: object, **__: object) -> list[object]:
        begun.set()
        go_on.wait(PATIENCE_S)
        return []

    monkeypatch.setattr(where, name, held)
    session_id = client.post("/api/v1/sessions").json()["session_id"]
    method, path = asked.format(session=session_id).split()
    with ThreadPoolExecutor(SLOW + 1) as pool:
        try:
            for _ in range(SLOW):
                pool.submit(client.request, method, path)
            assert begun.wait(PATIENCE_S)
            asking = pool.submit(client.get, "/api/v1/sessions")
            assert asking.result(PATIENCE_S / 2).status_code == 200
        finally:
            go_on.set()
