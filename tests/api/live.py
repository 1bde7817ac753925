"""The API on a loopback port, for clients that speak real HTTP."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import uvicorn

from api.app import create_api
from api.desk import Desk
from rag.adapters.ollama_generator import OllamaGenerator
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


class WithModel:
    """A Candor that asks a model server of its own; index, log and sessions are the other's.

    Args:
        patience_s: Longest silence of the model, and half of the longest generation.
    """

    def __init__(self, candor: Candor, url: str, *, patience_s: float = 10) -> None:
        limits = {"connect_timeout_s": 2, "token_timeout_s": patience_s, "total_timeout_s": 2 * patience_s}
        generator = OllamaGenerator(url, None, **limits)
        self._candor = candor
        self.pipeline = replace(candor.pipeline, generator=generator)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._candor, name)
