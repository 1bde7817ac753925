"""The Model Context Protocol over HTTP: the tools of `candor mcp`, behind the same keys and in the same queue."""

import asyncio
from typing import Any, Final

from starlette.types import ASGIApp, Receive, Scope, Send

from api.desk import Desk

PATH: Final = "/api/mcp"


class Door:
    """The protocol's own application, made when somebody first comes: importing it takes a second.

    Requests are answered one by one and nothing is kept between them, so that a restart disturbs nobody.

    Args:
        desk: Where the work is done.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._opening = asyncio.Lock()
        self._closing = asyncio.Event()
        self._app: ASGIApp | None = None
        self._keeper: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        async with self._opening:
            if self._app is None:
                await self._open()
        assert self._app is not None
        await self._app(scope, receive, send)

    async def close(self) -> None:
        """End what still runs."""
        self._closing.set()
        if self._keeper is not None:
            await self._keeper

    async def _open(self) -> None:
        server = await self._desk.light(self._build)
        app = server.streamable_http_app(streamable_http_path=PATH, json_response=True, stateless_http=True, host="")
        running = asyncio.Event()
        self._keeper = asyncio.create_task(self._keep(server, running))
        await running.wait()
        self._app = app

    def _build(self) -> Any:
        from rag.mcp_server import build_server

        return build_server(lambda: self._desk.candor, self._desk.in_turn)

    async def _keep(self, server: Any, running: asyncio.Event) -> None:
        """Hold what the protocol's application needs, from one task: it must end where it began."""
        async with server.session_manager.run():
            running.set()
            await self._closing.wait()
