"""Uploads and deletions: they change the index one after another, so many wait, and each has only so much time."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event, Lock
from time import monotonic
from typing import Any, Final, TypeVar

from api.turns import Gone
from rag.errors import ServiceUnavailable
from rag.ingest.report import Progress

Result = TypeVar("Result")
RETRY_AFTER_S: Final = 5
ADVICE: Final = {
    "indexed": "Send it in parts, add it with `candor ingest`, or raise CANDOR_INGEST_TIMEOUT_S.",
    "removed": "Another change of the index has its turn, as an upload on the dashboard. Ask again in a moment.",
}


class Left(BaseException):
    """Nobody waits for the work any more; not an `Exception`, so that no handler of single failures swallows it."""


class Errand:
    """One file to be indexed or removed, and until when. Safe between threads.

    Args:
        name: The file's name.
        done: What is to become of it: indexed or removed.
        limit_s: Seconds from now as a whole, its wait in the queue included.
    """

    def __init__(self, name: str, done: str, limit_s: float) -> None:
        self.name, self.done, self.limit_s = name, done, limit_s
        self.chunks = 0
        """Chunks that have been embedded."""
        self.is_ending = False
        """Whether the server ends."""
        self._given, self._begun = monotonic(), 0.0
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
        return monotonic() - self._begun if self._begun else 0.0

    def check(self) -> None:
        """Go on, if anybody still waits and there is time.

        Raises:
            Left: The client went away.
            ServiceUnavailable: The time is up, or the server ends.
        """
        if self._left.is_set():
            raise Left
        if self.is_ending:
            raise ServiceUnavailable(
                f"The server is ending: {self.name!r} was not {self.done}, and the index is as it was before. "
                f"Send it again when the server is back.",
                details={"document": self.name, "retry_after_s": RETRY_AFTER_S},
            )
        if self.remaining_s <= 0:
            raise self._late()

    def tell(self, progress: Progress) -> None:
        """Note how far it is."""
        self.chunks = progress.chunks_done

    def leave(self) -> None:
        """Say that nobody waits any more: what has not begun never does, the rest ends at its next `check`."""
        self._left.set()
        if self._work is not None:
            self._work.cancel()

    def hand_to(self, pool: ThreadPoolExecutor, call: Callable[["Errand"], Result]) -> "Future[Result]":
        """Have it done when its turn comes, if somebody still waits then."""

        def begin() -> Result:
            self.check()
            self._begun = monotonic()
            return call(self)

        self._work = pool.submit(begin)
        return self._work

    def _late(self) -> ServiceUnavailable:
        """Return the error of one whose turn came and whose time is up."""
        queued_s = round((self._begun or monotonic()) - self._given, 1)
        queued = f", {queued_s:g} s of them in the queue" if queued_s else ""
        reached = f"; {self.chunks} chunks of it had been embedded" if self.chunks else ""
        return ServiceUnavailable(
            f"{self.name!r} was not {self.done} within {self.limit_s:g} s{queued}{reached}. "
            f"The index is as it was before. {ADVICE[self.done]}",
            details={"document": self.name, "timeout_s": self.limit_s, "queued_s": queued_s},
        )


class Filing:
    """The one thread that changes the index for requests.

    Args:
        queue: Uploads and deletions that may wait; one more is told to come back.
    """

    def __init__(self, queue: int) -> None:
        self._queue = queue
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="ingest")
        self._lock = Lock()
        self._errands: list[Errand] = []
        self._is_ending = False

    @property
    def underway(self) -> int:
        """Uploads and deletions that are worked on or wait."""
        return len(self._errands)

    @property
    def working(self) -> Errand | None:
        """What has its turn now."""
        return next((errand for errand in tuple(self._errands) if errand.worked_s), None)

    async def run(self, errand: Errand, call: Callable[[Errand], Result], *, is_further: bool = False) -> Result:
        """Return what a call returns when its turn has come, in the errand's time.

        What never had its turn is answered at the limit. What has begun is waited for: it ends at its next check,
        within a batch, and what it says of the index then is true.

        Args:
            errand: What it is for.
            call: Does it, and calls the errand's `check` wherever it waits.
            is_further: Whether it goes on with a request that has had its turn, and needs no room in the queue.

        Raises:
            ServiceUnavailable: The queue is full, the time is up, or the server ends.
            Gone: The client went away.
        """
        future = self._submitted(errand, call, is_further=is_further)
        result = asyncio.wrap_future(future)
        result.add_done_callback(lambda done: done.cancelled() or done.exception())  # seen, also when nobody waits
        try:
            await asyncio.wait({result}, timeout=errand.remaining_s)
            if not result.done() and future.cancel():
                raise self._never_begun(errand)
            await asyncio.wait({result})
            if result.cancelled():
                raise Gone
            return result.result()
        except Left as left:
            raise Gone from left
        finally:
            errand.leave()

    def end(self) -> None:
        """Let nothing more begin, and what is worked on end at its next check; for a signal's handler, too."""
        self._is_ending = True
        for errand in tuple(self._errands):
            errand.is_ending = True

    def close(self) -> None:
        """End, and wait for what is worked on; what waits is dropped."""
        self.end()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _submitted(self, errand: Errand, call: Callable[[Errand], Result], *, is_further: bool) -> "Future[Result]":
        with self._lock:
            if len(self._errands) > self._queue and not is_further:
                raise ServiceUnavailable(
                    f"{errand.name!r} was not {errand.done}: {self._busy()} Send it again in a moment.",
                    details={"document": errand.name, "underway": self.underway, "retry_after_s": RETRY_AFTER_S},
                )
            errand.is_ending = self._is_ending
            future = errand.hand_to(self._pool, call)
            self._errands.append(errand)
        future.add_done_callback(lambda _: self._errands.remove(errand))
        return future

    def _never_begun(self, errand: Errand) -> ServiceUnavailable:
        return ServiceUnavailable(
            f"{errand.name!r} waited {errand.limit_s:g} s for its turn and was not {errand.done}: {self._busy()} "
            f"The index is as it was before. Send it again in a moment.",
            details={
                "document": errand.name,
                "timeout_s": errand.limit_s,
                "queued_s": errand.limit_s,
                "retry_after_s": RETRY_AFTER_S,
            },
        )

    def _busy(self) -> str:
        """Return what holds the others up."""
        at_work = self.working
        before = f"{at_work.name!r} has had its turn for {at_work.worked_s:.0f} s, and " if at_work else ""
        return f"{before}{self.underway} uploads and deletions are under way."
