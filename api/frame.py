"""What surrounds every request: its id, the limits of its body, the headers of its response, an answer to a bug."""

import asyncio
import logging
from contextlib import suppress
from time import monotonic
from typing import NamedTuple

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.failing import answer_to
from api.guard import Guard
from api.identity import PREFIX, Identity, own_path
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
MAX_BODY = 2_000_000  # bytes of any other request: room for the longest selected text in any script
SHORTER = f"shorten it, or add a long text as a document, by POST {UPLOADS}"
LONGEST_NUMBER = 15  # digits of a length beyond which it is surely too much
LINGER_S, LINGER_SILENCE_S = 30.0, 2.0
"""How long the rest of a body is received that nobody wants, as a whole and without a piece of it."""
BAD_REQUEST = 400
logger = logging.getLogger("candor.api")


class BodyLimits(NamedTuple):
    """What a body may take: bytes, seconds between two pieces of it and for the whole of it."""

    most_bytes: int
    silence_s: float
    total_s: float
    setting: str  # of `total_s`
    advice: str  # about too many bytes


class Body:
    """A request's body, received within limits, whatever its sender said of its length.

    One that is said to be too long is refused before any of it is received, so that a client that waits for 100
    Continue need not send it. Once it is whole there is no limit: the client's going away is waited for then.
    """

    def __init__(self, receive: Receive, limits: BodyLimits, headers: Headers) -> None:
        self._receive, self._limits = receive, limits
        self._received, self._until = 0, 0.0
        declared = headers.get("content-length", "")
        is_long = len(declared) > LONGEST_NUMBER
        self._is_too_long = declared.isdecimal() and (is_long or int(declared) > limits.most_bytes)
        self._is_whole = declared in ("", "0") and "transfer-encoding" not in headers

    async def receive(self) -> Message:
        """Return its next piece; raises HTTPException, 413 beyond the bytes, 408 beyond the time."""
        if self._is_whole:
            return await self._receive()
        if self._is_too_long:
            raise self._too_long()
        message = await self._received_in_time()
        self._is_whole = not message.get("more_body", False)
        self._received += len(message.get("body", b""))
        if self._received > self._limits.most_bytes:
            raise self._too_long()
        return message

    async def answer(self, message: Message, send: Send) -> None:
        """Send a part of the response; after the last one, the connection is closed unless the body is whole.

        The rest of the body is received for a while before that, and forgotten: a connection that is closed while its
        other end still sends is reset, and the response may be lost with it.
        """
        if not self._is_whole and message["type"] == "http.response.start":
            MutableHeaders(scope=message)["Connection"] = "close"
        elif not self._is_whole and not message.get("more_body", False):
            await send({**message, "more_body": True})
            await self._discard()
            message = {"type": "http.response.body"}
        await send(message)

    async def _discard(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER_S):
                while not self._is_whole:
                    async with asyncio.timeout(LINGER_SILENCE_S):
                        self._is_whole = not (await self._receive()).get("more_body", False)

    def _too_long(self) -> HTTPException:
        return HTTPException(413, f"the request has more than {self._limits.most_bytes} bytes; {self._limits.advice}")

    async def _received_in_time(self) -> Message:
        limits = self._limits
        self._until = self._until or monotonic() + limits.total_s
        left_s = self._until - monotonic()
        try:
            async with asyncio.timeout(max(min(limits.silence_s, left_s), 0.0)):
                return await self._receive()
        except TimeoutError as error:
            reason = f"the request's body did not arrive within {limits.total_s:g} s ({limits.setting})"
            if limits.silence_s < left_s:
                reason = f"nothing of the request's body came for {limits.silence_s:g} s (CANDOR_BODY_TIMEOUT_S)"
            raise HTTPException(408, f"{reason}; send it again", {"Connection": "close"}) from error


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
    """Names each request, limits its body, adds headers to its response, and turns a bug into an answer."""

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
        request = Request(scope, receive)
        limits = self._upload_limits if own_path(scope) == UPLOADS else self._limits
        body = Body(receive, limits, request.headers)

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

        try:
            await self._guard.check(request)
            await self.app(scope, body.receive, send_framed)
        except Exception as error:
            if started:
                logger.exception("request %s failed", identity.request_id)
                raise
            await (await answer_to(request, error))(scope, receive, send_framed)


class InOwnShape:
    """Hands a request of the API to the API that was refused before it came there, as Streamlit refuses odd paths.

    The API answers such a path with its own error, headers and line in the log. An answer that names its request is the
    API's already, and passes; so does a refusal by whoever has read some of the body: the API would get the rest only.
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
