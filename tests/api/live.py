"""The API on a loopback port, for clients that speak real HTTP."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any

import pytest
import uvicorn

from api.app import create_api
from api.desk import Desk
from rag.adapters.sessions import SqlSessions
from rag.candor import Candor
from rag.settings import Settings


@contextmanager
def live(
    open_candor: Callable[[], Any], settings: Settings, *, desks: list[Desk] | None = None, root_path: str = ""
) -> Iterator[str]:
    """Serve in a thread, and give the address; the desk, too, to whoever has a list for it."""
    api = create_api(open_candor, settings)
    if desks is not None:
        desks.append(api.state.desk)
    config = uvicorn.Config(api, port=0, log_level="error", timeout_graceful_shutdown=2, root_path=root_path)
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        thread.join(0.02)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)


@contextmanager
def keyed(candor: Candor, folder: Path) -> Iterator[tuple[Any, Any]]:
    """The same Candor with a database of keys of its own, and those keys."""
    sessions = SqlSessions(f"sqlite:///{folder / 'keys.db'}")

    class Keyed:
        wiring = type("Wiring", (), {**candor.wiring.__dict__, "sessions": sessions, "has_sessions": True})

        def __getattr__(self, name: str) -> Any:
            return getattr(candor, name)

    try:
        yield Keyed(), sessions.keys
    finally:
        sessions.close()


LIMIT_S = 120.0  # A limit that no machine reaches by being slow


class Clock:
    """Tells the time since some moment, and what it was put forward by."""

    ahead_s = 0.0

    def __call__(self) -> float:
        return monotonic() + self.ahead_s

    def forward(self, seconds: float = LIMIT_S) -> None:
        self.ahead_s += seconds


def clock_of(module: str, monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Return the clock that a module looks at from now on."""
    clock = Clock()
    monkeypatch.setattr(f"{module}.monotonic", clock)
    return clock
