"""Turns: so many requests are worked on at once, so many wait, and each has only so much time for both."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from threading import Event, Lock
from time import monotonic
from typing import Any, Protocol, TypeVar

from starlette.requests import Request

from rag.errors import GeneratorUnavailable, ServiceUnavailable

Result = TypeVar("Result")
RETRY_AFTER_S = 1
BACK_AFTER_S = 5
"""When a client may look whether a server that ends is back."""


class Gone(Exception):
    """The client went away: what was done for it stops."""


class Leavable(Protocol):
    """Work for somebody who may go away."""

    def leave(self) -> None:
        """Say that nobody waits any more."""
        ...


class Ticket:
    """One request's place: until when it is worked on, and whether anybody still waits. Safe between threads.

    Args:
        limit_s: Seconds from now for the request as a whole, its wait in the queue included.
    """

    def __init__(self, limit_s: float) -> None:
        self.limit_s = limit_s
        self.at_the_model = False
        """Whether it is the model that is being waited for."""
        self._given = monotonic()
        self._begun: float | None = None
        self._left = Event()
        self._work: Future[Any] | None = None

    @property
    def remaining_s(self) -> float:
        """Seconds that are left; 0 when the time is up."""
        return max(self._given + self.limit_s - monotonic(), 0.0)

    def check(self) -> None:
        """Go on, if anybody still waits and there is time.

        Raises:
            Gone: The client went away.
            ServiceUnavailable: The time is up; GeneratorUnavailable where the model was being waited for.
        """
        if self._left.is_set():
            raise Gone
        if self.remaining_s <= 0:
            raise self.late()

    def leave(self) -> None:
        """Say that nobody waits any more: what has not begun never does, the rest ends at its next `check`."""
        self._left.set()
        if self._work is not None:
            self._work.cancel()

    def late(self) -> ServiceUnavailable:
        """Return the error of a request whose time is up."""
        if self._begun is None:
            return ServiceUnavailable(
                f"The question waited {self.limit_s:g} s for its turn, which is all the time that it had. "
                f"Ask again in a moment, or raise CANDOR_REQUEST_TIMEOUT_S.",
                details={"timeout_s": self.limit_s, "queued_s": self.limit_s, "retry_after_s": RETRY_AFTER_S},
            )
        queued_s = round(self._begun - self._given, 1)
        queued = f", {queued_s:g} s of them in the queue" if queued_s else ""
        waited = "; the model was still being waited for" if self.at_the_model else ""
        kind = GeneratorUnavailable if self.at_the_model else ServiceUnavailable
        return kind(
            f"The question was not answered within {self.limit_s:g} s{queued}{waited}. "
            f"Ask again, or raise CANDOR_REQUEST_TIMEOUT_S.",
            details={"timeout_s": self.limit_s, "queued_s": queued_s},
        )

    def hand_to(self, pool: ThreadPoolExecutor, call: Callable[[], Result]) -> "Future[Result]":
        """Have some work begun when its turn comes, if somebody still waits then."""

        def begin() -> Result:
            self.check()
            self._begun = monotonic()
            return call()

        self._work = pool.submit(begin)
        return self._work


class Turns:
    """Threads that work on requests.

    Args:
        workers: Requests worked on at once.
        queue: Requests that may wait; one more is told to come back.
        limit_s: Seconds for a request as a whole, waiting and work.
    """

    def __init__(self, workers: int, queue: int, limit_s: float) -> None:
        self._workers, self._queue, self._limit_s = workers, queue, limit_s
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="ask")
        self._counting = Lock()
        self._underway = 0
        self._calls_off: set[asyncio.Future[None]] = set()
        self._is_ending = False

    @property
    def underway(self) -> int:
        """Requests that are worked on or wait."""
        return self._underway

    def ticket(self) -> Ticket:
        """Return a new request's place; its time begins now."""
        return Ticket(self._limit_s)

    def end(self) -> None:
        """Tell whoever waits that the server ends, and let nobody in any more; for the event loop's own thread."""
        self._is_ending = True
        for call_off in self._calls_off:
            if not call_off.done():
                call_off.set_result(None)

    def _require_room(self) -> None:
        """Refuse one request more than may wait.

        Raises:
            ServiceUnavailable: The queue is full, or the server ends.
        """
        if self._is_ending:
            raise _ending()
        if self._underway >= self._workers + self._queue:
            raise ServiceUnavailable(
                f"{self._underway} questions are being worked on or wait; ask again in a moment.",
                details={"underway": self._underway, "retry_after_s": RETRY_AFTER_S},
            )

    async def run(self, call: Callable[[], Result], ticket: Ticket | None = None) -> Result:
        """Return what a call returns when its turn has come, in the time of its ticket.

        When the time is up, or the client has gone, this ends at once; the thread is free as soon as the call looks at
        the ticket, or ends by itself.

        Raises:
            ServiceUnavailable: The queue is full, the time is up, or the server ends.
            Gone: The client went away before its turn came.
        """
        self._require_room()
        ticket = ticket or self.ticket()
        future = ticket.hand_to(self._pool, call)
        self._count(1)
        future.add_done_callback(lambda _: self._count(-1))
        result = asyncio.wrap_future(future)
        call_off: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._calls_off.add(call_off)
        either: set[asyncio.Future[Any]] = {result, call_off}
        try:
            await asyncio.wait(either, timeout=ticket.remaining_s, return_when=asyncio.FIRST_COMPLETED)
            if not result.done():
                raise _ending() if call_off.done() else ticket.late()
            if result.cancelled():
                raise Gone
            return result.result()
        finally:
            self._calls_off.discard(call_off)
            if not result.done():
                ticket.leave()
                result.cancel()

    def close(self) -> None:
        """End the threads once their work is done; what waits is dropped."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _count(self, more: int) -> None:
        with self._counting:
            self._underway += more


def _ending() -> ServiceUnavailable:
    return ServiceUnavailable(
        "The server is ending, and the question was not answered. Ask again when the server is back.",
        details={"retry_after_s": BACK_AFTER_S},
    )


@asynccontextmanager
async def watched(request: Request, ticket: Leavable) -> AsyncIterator[None]:
    """Give a ticket back when the client goes away."""

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        ticket.leave()

    watcher = asyncio.ensure_future(watch())
    watcher.add_done_callback(lambda done: done.cancelled() or done.exception())  # of a body that nobody has asked for
    try:
        yield
    finally:
        watcher.cancel()
