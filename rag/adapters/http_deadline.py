"""An end to an HTTP exchange from outside, which httpx does not have: its time-outs restart with every byte."""

import socket
from contextlib import suppress
from threading import Event, Timer
from time import monotonic
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import httpx


class Deadline:
    """Cuts the connections of one exchange when its time is up, even one that trickles a byte now and then.

    Use as a context manager around the exchange, with `hooks` as the `event_hooks` of the httpx client. Entered again,
    it gives the whole time again, `seconds`. `cut` cuts at any time and from any thread, when nobody waits any more.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._ends = monotonic() + seconds
        self._connections: list[Any] = []
        self._is_cut = Event()

    def __enter__(self) -> Self:
        self._ends = monotonic() + self.seconds
        self._timer = Timer(self.seconds, self.cut)
        self._timer.daemon = True
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    @property
    def is_left(self) -> bool:
        """Whether the connections have been cut although there was time: nobody waits any more."""
        return self._is_cut.is_set() and not self.expired

    @property
    def expired(self) -> bool:
        """Whether the time is up."""
        return monotonic() >= self._ends

    def check(self) -> None:
        """Raise `TimeoutError` when the time is up; for between two pieces that had arrived before the cut."""
        if self.expired:
            raise TimeoutError(f"not finished within {self.seconds:g} s")

    @property
    def hooks(self) -> dict[str, list[Any]]:
        """What makes an httpx client tell of every connection that it opens (httpx's `trace` extension)."""
        return {"request": [self._follow]}

    def _follow(self, request: "httpx.Request") -> None:
        request.extensions["trace"] = self._on_event

    def _on_event(self, event: str, info: dict[str, Any]) -> None:
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            self._connections.append(info["return_value"])
            if self.expired or self._is_cut.is_set():
                self.cut()

    def cut(self) -> None:
        """Shut the sockets down, those too that are opened from now on: a read in another thread ends at once."""
        self._is_cut.set()
        for connection in [*self._connections]:
            with suppress(OSError):
                connection.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
