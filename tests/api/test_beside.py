"""What requests do beside each other: who is let in is decided however much slow work is under way."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

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
def own(tmp_path: Path) -> Iterator[Candor]:
    with Candor.open(settings_of(tmp_path)) as opened:
        yield opened


@pytest.fixture
def client(own: Candor) -> TestClient:
    """The API with a key that may do everything."""
    token = own.wiring.sessions.keys.create("desk", "admin").token
    return TestClient(create_api(lambda: own, own.settings), headers={"authorization": f"Bearer {token}"})


class Gate:
    """Work that begins and does not end before it is let go."""

    def __init__(self) -> None:
        self.open, self.begun = Event(), Event()

    def __call__(self, *_: object, **__: object) -> list[object]:
        self.begun.set()
        self.open.wait(PATIENCE_S)
        return []


@contextmanager
def under_way(call: Callable[[], Any], gate: Gate) -> Iterator[None]:
    """Have many requests wait at the gate."""
    threads = [Thread(target=call) for _ in range(SLOW)]
    for thread in threads:
        thread.start()
    try:
        assert gate.begun.wait(PATIENCE_S)
        yield
    finally:
        gate.open.set()
        for thread in threads:
            thread.join(PATIENCE_S)


WORK: dict[str, Callable[[Candor], tuple[object, str]]] = {
    "GET /api/v1/requests": lambda own: (own.wiring.recorder, "requests"),
    "GET /api/v1/requests/unknown": lambda own: (own.wiring.recorder, "read_answer"),
    "GET /api/v1/documents": lambda own: (own, "documents"),
    "DELETE /api/v1/sessions/{session}": lambda _: (sessions, "delete_conversation"),
}
"""Requests whose work grows with what is kept, and the part that does it."""


@pytest.mark.parametrize("asked", WORK)
def test_slow_requests_keep_nobody_from_being_let_in(
    own: Candor, client: TestClient, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    gate, (where, name) = Gate(), WORK[asked](own)
    monkeypatch.setattr(where, name, gate)
    session_id = client.post("/api/v1/sessions").json()["session_id"]
    method, path = asked.format(session=session_id).split()
    answered: list[int] = []
    with under_way(lambda: client.request(method, path), gate):
        asking = Thread(target=lambda: answered.append(client.get("/api/v1/sessions").status_code))
        asking.start()
        asking.join(PATIENCE_S / 2)
        assert answered == [200]
