"""A request's body on its way in: so many bytes at most, and so much time."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive, Send

LONGEST_NUMBER = 15
"""Digits of a length beyond which it is surely too much."""
LINGER_S = 30.0
LINGER_SILENCE_S = 2.0
"""How long the rest of a body is received that nobody wants, as a whole and without a piece of it."""


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """What a body may take.

    Args:
        most_bytes: Most bytes.
        silence_s: Longest time in seconds between two pieces of it.
        total_s: Longest time in seconds for the whole of it.
        setting: The setting that has the last of these.
        advice: What to do about too many bytes.
    """

    most_bytes: int
    silence_s: float
    total_s: float
    setting: str
    advice: str


class Body:
    """A request's body, received within limits, whatever its sender said of its length.

    One that is said to be too long is refused before any of it is received, so that a client that waits for 100
    Continue need not send it. Once the body is whole there is no limit any more: what is waited for then is that the
    client goes away.

    Args:
        receive: What the server receives the request with.
        limits: What the body may take.
        headers: What its sender says of it.
    """

    def __init__(self, receive: Receive, limits: BodyLimits, headers: Headers) -> None:
        self._receive, self._limits = receive, limits
        self._received, self._until = 0, 0.0
        declared = headers.get("content-length", "")
        self._is_too_long = declared.isdecimal() and (
            len(declared) > LONGEST_NUMBER or int(declared) > limits.most_bytes
        )
        self.is_whole = declared in ("", "0") and "transfer-encoding" not in headers
        """Whether nothing more of it is to come."""

    async def receive(self) -> Message:
        """Return its next piece.

        Raises:
            HTTPException: 413 beyond the bytes, 408 beyond the time.
        """
        if self.is_whole:
            return await self._receive()
        if self._is_too_long:
            raise self._too_long()
        self._until = self._until or monotonic() + self._limits.total_s
        message = await _in_time(self._receive, self._limits, self._until - monotonic())
        self.is_whole = not message.get("more_body", False)
        self._received += len(message.get("body", b""))
        if self._received > self._limits.most_bytes:
            raise self._too_long()
        return message

    async def answer(self, message: Message, send: Send) -> None:
        """Send a part of the response; after the last one, the connection is closed unless the body is whole.

        What is left of the body is received for a while before that, and forgotten: a connection that is closed while
        its other end still sends is reset, and the response may be lost with it.
        """
        if not self.is_whole and message["type"] == "http.response.start":
            MutableHeaders(scope=message)["Connection"] = "close"
        elif not self.is_whole and not message.get("more_body", False):
            await send({**message, "more_body": True})
            await self._discard()
            message = {"type": "http.response.body"}
        await send(message)

    async def _discard(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER_S):
                while not self.is_whole:
                    async with asyncio.timeout(LINGER_SILENCE_S):
                        self.is_whole = not (await self._receive()).get("more_body", False)

    def _too_long(self) -> HTTPException:
        return HTTPException(413, f"the request has more than {self._limits.most_bytes} bytes; {self._limits.advice}")


async def _in_time(receive: Receive, limits: BodyLimits, left_s: float) -> Message:
    try:
        async with asyncio.timeout(max(min(limits.silence_s, left_s), 0.0)):
            return await receive()
    except TimeoutError as error:
        is_silence = limits.silence_s < left_s
        reason = (
            f"nothing of the request's body came for {limits.silence_s:g} s (CANDOR_BODY_TIMEOUT_S)"
            if is_silence
            else f"the request's body did not arrive within {limits.total_s:g} s ({limits.setting})"
        )
        raise HTTPException(408, f"{reason}; send it again", {"Connection": "close"}) from error
