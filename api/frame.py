"""What surrounds every request: its id, its response's headers, an answer without internals when a bug strikes."""

import logging

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.failing import bug, expected
from api.guard import Guard
from api.identity import PREFIX, Identity, own_path
from api.receiving import Body, BodyLimits
from rag.errors import CandorError
from rag.settings import Settings

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
}
UPLOADS = f"{PREFIX}/v1/documents"
MAX_UPLOAD = 1_000_000_000
"""Bytes of an upload as a whole; each file has the limit of `CANDOR_MAX_UPLOAD_MB`, and one of them always has room."""
AROUND_FILE = 1_000_000
"""Bytes left for what a form puts around a file: its name, its type, what parts it from the next."""
WHOLE_UPLOAD = "send fewer files at once; a larger CANDOR_MAX_UPLOAD_MB makes room for a larger file"
MAX_BODY = 2_000_000
"""Bytes of any other request: room for the longest selected text in any script."""
BAD_REQUEST = 400
SHORTER = f"shorten it, or add a long text as a document, by POST {UPLOADS}"
logger = logging.getLogger("candor.api")


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
        guard: Lets a request through or says why not.
        settings: How long a body may take to arrive, and how large a file may be.
    """

    def __init__(self, app: ASGIApp, guard: Guard, settings: Settings) -> None:
        self.app, self._guard = app, guard
        silence_s, upload_s = settings.body_timeout_s, settings.upload_timeout_s
        most = max(MAX_UPLOAD, settings.max_upload_bytes + AROUND_FILE)
        self._limits = BodyLimits(MAX_BODY, silence_s, silence_s, "CANDOR_BODY_TIMEOUT_S", SHORTER)
        self._upload_limits = BodyLimits(most, silence_s, upload_s, "CANDOR_UPLOAD_TIMEOUT_S", WHOLE_UPLOAD)

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
                await self._guard.check(request)
            except CandorError as error:
                await (await expected(request, error))(scope, receive, send_framed)
                return
            await self.app(scope, body.receive, send_framed)
        except Exception as error:
            logger.exception("request %s failed", identity.request_id)
            if started:
                raise
            await bug(request, error)(scope, receive, send_framed)


class InOwnShape:
    """Hands a request of the API to the API that was refused before it came there, as Streamlit refuses odd paths.

    The API answers such a path itself, with its own error, headers and line in the log, as it does where it is served
    alone. An answer that names its request is the API's already, and passes. So does a refusal by whoever has read some
    of the body, because the API would get the rest only.

    Args:
        app: What mounts the API, or surrounds what does.
        api: The API.
    """

    def __init__(self, app: ASGIApp, api: ASGIApp) -> None:
        self.app, self._api = app, api

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http" or not own_path(scope).startswith(f"{PREFIX}/"):
            await self.app(scope, receive, send)
            return
        is_refused = has_read = False

        async def receive_noted() -> Message:
            nonlocal has_read
            has_read = True
            return await receive()

        async def send_but_refusals(message: Message) -> None:
            nonlocal is_refused
            if message["type"] == "http.response.start" and message["status"] == BAD_REQUEST:
                is_refused = not has_read and "x-request-id" not in Headers(raw=message["headers"])
            if not is_refused:
                await send(message)

        await self.app(scope, receive_noted, send_but_refusals)
        if is_refused:
            await self._api(scope, receive, send)
