"""The Model Context Protocol over HTTP: the tools of `candor mcp`, behind the same keys and in the same queue."""

import asyncio
from typing import Any, Final

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.desk import Desk, identity_of
from api.turns import Gone, watched

PATH: Final = "/api/mcp"


class Door:
    """The protocol's own application, made when somebody first comes: importing it takes a second.

    Nothing is kept between requests, so that a restart disturbs nobody. Nobody can come back for an answer, so whoever
    closes the connection has cancelled it; and there is nothing to listen to, so only POST is taken.
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
        await _while_wanted(self._app, Request(scope, receive), send)

    async def close(self) -> None:
        """End what still runs."""
        self._closing.set()
        if self._keeper is not None:
            await self._keeper

    async def _open(self) -> None:
        def build() -> Any:
            from rag.mcp.server import build_server

            return build_server(self._desk.following, self._desk.in_turn, _ids_of)

        server = await self._desk.slow(build)
        app = server.streamable_http_app(streamable_http_path=PATH, json_response=True, stateless_http=True, host="")
        running: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        keeper = asyncio.create_task(self._keep(server, running))
        await asyncio.wait({keeper, running}, return_when=asyncio.FIRST_COMPLETED)
        if keeper.done():  # it could not begin: the next request tries anew
            keeper.result()
        self._keeper, self._app = keeper, app

    async def _keep(self, server: Any, running: "asyncio.Future[None]") -> None:
        """Hold what the protocol's application needs, from one task: it must end where it began."""
        async with server.session_manager.run():
            running.set_result(None)
            await self._closing.wait()


def _ids_of(request: Request) -> dict[str, Any]:
    identity = identity_of(request)  # under its ids the answer is recorded, and its key may judge it
    return {"query_id": identity.query_id, "request_id": identity.request_id}


async def _while_wanted(app: ASGIApp, request: Request, send: Send) -> None:
    """Let an application answer a request as long as its client is there; raises Gone where that was not for long."""
    received: list[Message] = [{"type": "http.request", "body": await request.body(), "more_body": False}]
    gone, is_begun, is_answered = asyncio.Event(), False, False

    async def receive_again() -> Message:
        if received:
            return received.pop()
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send_noted(message: Message) -> None:
        nonlocal is_begun, is_answered
        is_begun = True
        await send(message)
        is_answered = is_answered or (message["type"] == "http.response.body" and not message.get("more_body", False))

    def leave() -> None:
        gone.set()
        if not is_answered:  # what is still done after the answer is left alone
            work.cancel()

    work = asyncio.ensure_future(app(request.scope, receive_again, send_noted))
    try:
        async with watched(request, leave):
            await asyncio.wait({work})
        if not work.cancelled():
            work.result()
        elif not is_begun:
            raise Gone
    finally:
        work.cancel()
