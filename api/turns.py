"""Turns: so many requests are worked on at once, so many wait, and each has only so much time for both."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from threading import Event
from time import monotonic
from typing import Any, Final, Generic, TypeVar

import anyio
from starlette.requests import Request

from rag.errors import GeneratorUnavailable, ServiceUnavailable

Result = TypeVar("Result")
RETRY_AFTER_S: Final = 1
BACK_AFTER_S: Final = 5
"""When a client may look whether a server that ends is back."""


class Gone(Exception):
    """The client went away: what was done for it stops."""


class Ticket:
    """One request's place: until when it is worked on, and whether anybody still waits. Safe between threads.

    Args:
        limit_s: Seconds from now for the request as a whole, its wait in the queue included.
    """

    when_left: type[BaseException] = Gone
    """What ends work that nobody waits for."""

    def __init__(self, limit_s: float) -> None:
        self.limit_s = limit_s
        self._given = monotonic()
        self._begun: float | None = None
        self._left = Event()
        self._work: Future[Any] | None = None

    @property
    def remaining_s(self) -> float:
        """Seconds that are left; 0 when the time is up."""
        return max(self._given + self.limit_s - monotonic(), 0.0)

    @property
    def is_left(self) -> bool:
        """Whether nobody waits for it any more."""
        return self._left.is_set()

    @property
    def worked_s(self) -> float:
        """Seconds since its turn came; 0 as long as it waits."""
        return 0.0 if self._begun is None else monotonic() - self._begun

    def check(self) -> None:
        """Go on, if anybody still waits and there is time.

        Raises:
            Gone: The client went away; `Left` where a file was worked on.
            ServiceUnavailable: The time is up.
        """
        if self.is_left:
            raise self.when_left
        if self.remaining_s <= 0:
            raise self.late()

    def leave(self) -> None:
        """Say that nobody waits any more: what has not begun never does, the rest ends at its next `check`."""
        self._left.set()
        if self._work is not None:
            self._work.cancel()

    def late(self) -> ServiceUnavailable:
        """Return the error of a request whose time is up."""
        raise NotImplementedError

    def hand_to(self, pool: ThreadPoolExecutor, call: Callable[[], Result]) -> "Future[Result]":
        """Have some work begun when its turn comes, if somebody still waits then."""

        def begin() -> Result:
            self.check()
            self._begun = monotonic()
            return call()

        self._work = pool.submit(begin)
        return self._work

    def _queued(self) -> tuple[float, str]:
        """Return the seconds that it has waited for its turn, and how that is told."""
        queued_s = round((monotonic() if self._begun is None else self._begun) - self._given, 1)
        return queued_s, f", {queued_s:g} s of them in the queue" if queued_s else ""


class Asked(Ticket):
    """A question's place."""

    at_the_model = False
    """Whether it is the model that is being waited for."""

    def late(self) -> ServiceUnavailable:
        """Return the error of a question whose time is up; GeneratorUnavailable where the model was waited for."""
        if self._begun is None:
            return ServiceUnavailable(
                f"The question waited {self.limit_s:g} s in the queue, and its time is over. Ask again in a moment, or "
                "raise CANDOR_REQUEST_TIMEOUT_S.",
                details={"timeout_s": self.limit_s, "queued_s": self.limit_s, "retry_after_s": RETRY_AFTER_S},
            )
        queued_s, queued = self._queued()
        waited = "; the model had not finished" if self.at_the_model else ""
        kind = GeneratorUnavailable if self.at_the_model else ServiceUnavailable
        return kind(
            f"The question was not answered within {self.limit_s:g} s{queued}{waited}. "
            f"Ask again, or raise CANDOR_REQUEST_TIMEOUT_S.",
            details={"timeout_s": self.limit_s, "queued_s": queued_s},
        )


Place = TypeVar("Place", bound=Ticket)


class Queue(Generic[Place]):
    """Threads, and what they work on or what waits for them; one event loop hands it to them.

    Args:
        workers: Requests worked on at once.
        queue: Requests that may wait; one more is told to come back.
        name: What the threads are called.
    """

    def __init__(self, workers: int, queue: int, name: str) -> None:
        self._room = workers + queue
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix=name)
        self._places: list[Place] = []
        self._is_ending = False

    @property
    def underway(self) -> int:
        """Requests that are worked on or wait."""
        return len(self._places)

    def close(self) -> None:
        """End the threads once their work is done; what waits is dropped."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _submitted(self, place: Place, call: Callable[[], Result]) -> "Future[Result]":
        future = place.hand_to(self._pool, call)
        self._places.append(place)
        future.add_done_callback(lambda _: self._places.remove(place))
        return future


class Turns(Queue[Asked]):
    """Threads that work on questions.

    Args:
        workers: Questions worked on at once.
        queue: Questions that may wait; further ones are rejected.
        limit_s: Seconds for a question as a whole, waiting and work.
    """

    def __init__(self, workers: int, queue: int, limit_s: float) -> None:
        super().__init__(workers, queue, "ask")
        self._limit_s = limit_s
        self._waits: set[anyio.CancelScope] = set()

    def ticket(self) -> Asked:
        """Return a new question's place; its time begins now."""
        return Asked(self._limit_s)

    def end(self) -> None:
        """Tell whoever waits that the server ends, and let nobody in any more; for the event loop's own thread."""
        self._is_ending = True
        for wait in self._waits:
            wait.cancel()

    async def run(self, call: Callable[[], Result], ticket: Asked | None = None) -> Result:
        """Return what a call returns when its turn has come, in the time of its ticket.

        When the time is up, or the client has gone, this ends at once; the thread is free as soon as the call looks at
        the ticket, or ends by itself.

        Raises:
            ServiceUnavailable: The queue is full, the time is up, or the server ends.
            Gone: The client went away before its turn came.
        """
        self._require_room()
        ticket = ticket or self.ticket()
        result = asyncio.wrap_future(self._submitted(ticket, call))
        wait = anyio.move_on_after(ticket.remaining_s)
        self._waits.add(wait)
        try:
            with wait:
                await asyncio.wait({result})
            if not result.done():
                raise _ending() if self._is_ending else ticket.late()
            if result.cancelled():
                raise Gone
            return result.result()
        finally:
            self._waits.discard(wait)
            if not result.done():
                ticket.leave()
                result.cancel()

    def _require_room(self) -> None:
        """Refuse one question more than may wait.

        Raises:
            ServiceUnavailable: The queue is full, or the server ends.
        """
        if self._is_ending:
            raise _ending()
        if self.underway >= self._room:
            raise ServiceUnavailable(
                f"{self.underway} questions are running or waiting. Ask again in a moment.",
                details={"underway": self.underway, "retry_after_s": RETRY_AFTER_S},
            )


def _ending() -> ServiceUnavailable:
    return ServiceUnavailable(
        "The server is shutting down, and the question was not answered. Ask again when the server is back.",
        details={"retry_after_s": BACK_AFTER_S},
    )


def seen(done: "asyncio.Future[Any]") -> None:
    """Look at how something has ended: nobody may wait for it any more, and its error is no warning then."""
    if not done.cancelled():
        done.exception()


@asynccontextmanager
async def watched(request: Request, ticket: Ticket) -> AsyncIterator[None]:
    """Give a ticket back when the client goes away."""

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        ticket.leave()

    watcher = asyncio.ensure_future(watch())
    watcher.add_done_callback(seen)  # of a body that nobody has asked for
    try:
        yield
    finally:
        watcher.cancel()
