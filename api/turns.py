"""Turns: so many requests are worked on at once, so many wait, and each has only so much time for both."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any, Final, Generic, TypeVar

from starlette.requests import Request

from rag.errors import GeneratorUnavailable, ServiceUnavailable

Result = TypeVar("Result")
RETRY_AFTER_S: Final = 1
BACK_AFTER_S: Final = 5  # when a client may look whether a server that ends is back


class Gone(Exception):
    """The client went away: what was done for it stops."""


class Ticket:
    """One request's place: how long it is worked on, its wait included, and whether anybody waits; for all threads."""

    when_left: type[BaseException] = Gone  # what ends work that nobody waits for

    def __init__(self, limit_s: float) -> None:
        self.limit_s = limit_s
        self.given, self.begun = monotonic(), 0.0
        self.is_left = False
        self.work: Future[Any] | None = None

    @property
    def remaining_s(self) -> float:
        """Seconds that are left; 0 when the time is up."""
        return max(self.given + self.limit_s - monotonic(), 0.0)

    @property
    def worked_s(self) -> float:
        """Seconds since its turn came; 0 as long as it waits."""
        return monotonic() - self.begun if self.begun else 0.0

    @property
    def queued_s(self) -> float:
        """Seconds that it has waited for its turn."""
        return round((self.begun or monotonic()) - self.given, 1)

    def check(self) -> None:
        """Go on, if anybody still waits (else `when_left` is raised) and there is time (else ServiceUnavailable)."""
        if self.is_left:
            raise self.when_left
        if self.remaining_s <= 0:
            raise self.late()

    def leave(self) -> None:
        """Say that nobody waits any more: what has not begun never does, the rest ends at its next `check`."""
        self.is_left = True
        if self.work is not None:
            self.work.cancel()

    def late(self) -> ServiceUnavailable:
        """Return the error of a request whose time is up."""
        raise NotImplementedError

    def queue_told(self) -> str:
        """Return how a wait for its turn is told; empty where there was none."""
        return f", {self.queued_s:g} s of them in the queue" if self.queued_s else ""


class Asked(Ticket):
    """A question's place."""

    at_the_model = False  # whether it is the model that is being waited for

    def late(self) -> ServiceUnavailable:
        """Return the error of a question whose time is up; GeneratorUnavailable where the model was waited for."""
        details = {"timeout_s": self.limit_s, "queued_s": self.queued_s}
        if not self.begun:
            details |= {"queued_s": self.limit_s, "retry_after_s": RETRY_AFTER_S}
            said = f"The question waited {self.limit_s:g} s in the queue, and its time is over. Ask again in a moment, "
            return ServiceUnavailable(f"{said}or raise CANDOR_REQUEST_TIMEOUT_S.", details=details)
        waited = "; the model had not finished" if self.at_the_model else ""
        said = f"The question was not answered within {self.limit_s:g} s{self.queue_told()}{waited}."
        kind = GeneratorUnavailable if self.at_the_model else ServiceUnavailable
        return kind(f"{said} Ask again, or raise CANDOR_REQUEST_TIMEOUT_S.", details=details)


Place = TypeVar("Place", bound=Ticket)


class Queue(Generic[Place]):
    """Threads, and what they work on or what waits for them, `queue` requests at most; for one event loop."""

    def __init__(self, workers: int, queue: int, name: str) -> None:
        self._room = workers + queue
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix=name)
        self._places: list[Place] = []
        self.is_ending = False

    @property
    def underway(self) -> int:
        """Requests that are worked on or wait."""
        return len(self._places)

    def close(self) -> None:
        """End the threads once their work is done; what waits is dropped."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _submitted(self, place: Place, call: Callable[[], Result]) -> "Future[Result]":

        def begin() -> Result:
            place.check()
            place.begun = monotonic()
            return call()

        future = place.work = self._pool.submit(begin)
        self._places.append(place)
        future.add_done_callback(lambda _: self._places.remove(place))
        return future


class Turns(Queue[Asked]):
    """Threads that work on questions, each for `limit_s` seconds at most, its wait included."""

    def __init__(self, workers: int, queue: int, limit_s: float) -> None:
        super().__init__(workers, queue, "ask")
        self._limit_s = limit_s
        self._awaited: set[asyncio.Future[Any]] = set()

    def ticket(self) -> Asked:
        """Return a new question's place; its time begins now."""
        return Asked(self._limit_s)

    def end(self) -> None:
        """Tell whoever waits that the server ends, and let nobody in any more; for the event loop's own thread."""
        self.is_ending = True
        for result in self._awaited:
            result.cancel()

    async def run(self, call: Callable[[], Result], ticket: Asked) -> Result:
        """Return what a call returns when its turn has come, in the time of its ticket.

        When the time is up, or the client has gone, this ends at once; the thread is free when the call checks the
        ticket, or ends by itself.

        Raises:
            ServiceUnavailable: The queue is full, the time is up, or the server ends.
            Gone: The client went away before its turn came.
        """
        if self.is_ending:
            raise _ending()
        if self.underway >= self._room:
            said = f"{self.underway} questions are running or waiting. Ask again in a moment."
            raise ServiceUnavailable(said, details={"underway": self.underway, "retry_after_s": RETRY_AFTER_S})
        result = asyncio.wrap_future(self._submitted(ticket, call))
        self._awaited.add(result)
        try:
            await asyncio.wait({result}, timeout=ticket.remaining_s)
            if result.done() and not result.cancelled():
                return result.result()
            if ticket.is_left:
                raise Gone
            raise _ending() if self.is_ending else ticket.late()
        finally:
            self._awaited.discard(result)
            ticket.leave()
            result.cancel()


def _ending() -> ServiceUnavailable:
    said = "The server is shutting down, and the question was not answered. Ask again when the server is back."
    return ServiceUnavailable(said, details={"retry_after_s": BACK_AFTER_S})


def seen(done: "asyncio.Future[Any]") -> None:
    """Look at how something has ended: nobody may wait for it any more, and its error is no warning then."""
    if not done.cancelled():
        done.exception()


@asynccontextmanager
async def watched(request: Request, leave: Callable[[], None]) -> AsyncIterator[None]:
    """Call something when the client goes away."""

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        leave()

    watcher = asyncio.ensure_future(watch())
    watcher.add_done_callback(seen)  # of a body that nobody has asked for
    try:
        yield
    finally:
        watcher.cancel()
