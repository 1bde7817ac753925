"""What surrounds every request: its id, its response's headers, an answer without internals when a bug strikes."""

import logging
from collections.abc import Awaitable, Callable

from starlette._utils import get_route_path
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.desk import Identity
from api.receiving import Body, BodyLimits
from rag.errors import CandorError

PREFIX = "/api"
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
}
Check = Callable[[Request], Awaitable[None]]
OnExpected = Callable[[Request, Exception], Awaitable[Response]]
OnBug = Callable[[Request, Exception], Response]
UPLOADS = f"{PREFIX}/v1/documents"
MAX_UPLOAD = 1_000_000_000
"""Bytes of an upload as a whole; each file has the limit of `CANDOR_MAX_UPLOAD_MB`, and one of them always has room."""
AROUND_FILE = 1_000_000
"""Bytes left for what a form puts around a file: its name, its type, what parts it from the next."""
WHOLE_UPLOAD = "send fewer files at once; a larger CANDOR_MAX_UPLOAD_MB makes room for a larger file"
MAX_BODY = 2_000_000
"""Bytes of any other request: room for the longest selected text in any script."""
SHORTER = f"shorten it, or add a long text as a document, by POST {UPLOADS}"
logger = logging.getLogger("candor.api")


def own_path(scope: Scope) -> str:
    """Return the path of a request as the routes read it: without the root path that stands before it.

    Whatever depends on a path asks here. `scope["path"]` begins with the root path of the server (`--root-path`) and of
    a mount: a rule that read it would hold for another path than the one that is served.

    >>> own_path({"path": "/docs/api/v1/ask", "root_path": "/docs"}), own_path({"path": "/api/v1/ask"})
    ('/api/v1/ask', '/api/v1/ask')
    """
    return get_route_path(scope)


class Unprefixed:
    """Gives an application its whole path, `/api` included, alone or mounted under `/api`."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        root = scope.get("root_path", "")
        is_mounted = scope["type"] == "http" and root.endswith(PREFIX) and scope["path"].startswith(root)
        if is_mounted and not own_path(scope).startswith(f"{PREFIX}/"):  # else `--root-path` ends so, and all is there
            scope = {**scope, "root_path": root.removesuffix(PREFIX)}
        await self.app(scope, receive, send)


class Frame:
    """Names each request, adds headers to its response, and turns a bug into an answer.

    Args:
        app: What answers.
        guard: Lets a request through or raises a `CandorError`.
        on_expected: Makes the response to a `CandorError`.
        on_bug: Makes the response to any other exception.
        body_s: Longest time for a body to arrive; of an upload: longest silence in it.
        upload_s: Longest time for an upload's body to arrive.
        file_bytes: Bytes of the largest file that is accepted.
    """

    def __init__(
        self,
        app: ASGIApp,
        guard: Check,
        on_expected: OnExpected,
        on_bug: OnBug,
        *,
        body_s: float = 30.0,
        upload_s: float = 3600.0,
        file_bytes: int = 0,
    ) -> None:
        self.app, self._guard, self._on_expected, self._on_bug = app, guard, on_expected, on_bug
        self._limits = BodyLimits(MAX_BODY, body_s, body_s, "CANDOR_BODY_TIMEOUT_S", SHORTER)
        most = max(MAX_UPLOAD, file_bytes + AROUND_FILE)
        self._upload_limits = BodyLimits(most, body_s, upload_s, "CANDOR_UPLOAD_TIMEOUT_S", WHOLE_UPLOAD)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        identity = Identity()
        scope.setdefault("state", {})["identity"] = identity
        started, is_head = False, scope["method"] == "HEAD"
        if is_head:  # answered as GET is, without the body
            scope = {**scope, "method": "GET"}

        async def send_framed(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = identity.request_id
                if identity.is_renamed:
                    headers["X-Request-ID-Taken"] = identity.named
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            elif is_head:
                message = {**message, "body": b""}
            await body.answer(message, send)

        request = Request(scope, receive)
        limits = self._upload_limits if own_path(scope) == UPLOADS else self._limits
        body = Body(receive, limits, request.headers)
        try:
            try:
                await self._guard(request)
            except CandorError as error:
                await (await self._on_expected(request, error))(scope, receive, send_framed)
                return
            await self.app(scope, body.receive, send_framed)
        except Exception as error:
            logger.exception("request %s failed", identity.request_id)
            if started:
                raise
            await self._on_bug(request, error)(scope, receive, send_framed)
