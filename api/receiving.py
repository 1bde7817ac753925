"""A request's body on its way in: so many bytes at most, and so much time."""

import asyncio
from dataclasses import dataclass
from time import monotonic

from starlette.exceptions import HTTPException
from starlette.types import Message, Receive

LONGEST_NUMBER = 15
"""Digits of a length beyond which it is surely too much."""


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
    advice: str = ""


def limited(receive: Receive, limits: BodyLimits, *, declared: str = "") -> Receive:
    """Return what receives a body within limits, whatever its sender said of its length.

    One that is said to be too long is refused before any of it is received, so that a client that waits for 100
    Continue need not send it.

    What it receives raises `HTTPException`: 413 beyond the bytes, 408 beyond the time. Once the body is whole there is
    no limit any more: what is waited for then is that the client goes away.
    """
    received, is_whole, until = 0, False, 0.0
    is_too_long = declared.isdecimal() and (len(declared) > LONGEST_NUMBER or int(declared) > limits.most_bytes)

    async def receive_limited() -> Message:
        nonlocal received, is_whole, until
        if is_whole:
            return await receive()
        until = until or monotonic() + limits.total_s
        message = {} if is_too_long else await _in_time(receive, limits, until - monotonic())
        is_whole = not message.get("more_body", False)
        received += len(message.get("body", b""))
        if is_too_long or received > limits.most_bytes:
            advice = f"; {limits.advice}" if limits.advice else ""
            raise HTTPException(413, f"the request has more than {limits.most_bytes} bytes{advice}")
        return message

    return receive_limited


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
