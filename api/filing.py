"""Uploads and deletions: they change the index one after another, so many wait, and each has only so much time."""

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from api.turns import Gone, Queue, Ticket, seen
from rag.errors import ServiceUnavailable
from rag.ingest.report import Progress

Result = TypeVar("Result")
RETRY_AFTER_S: Final = 5
ADVICE: Final = {
    "indexed": "Send it in parts, add it with `candor ingest`, or raise CANDOR_INGEST_TIMEOUT_S.",
    "removed": "Another change of the index is running, such as an upload on the dashboard. Try again in a moment.",
}


class Left(BaseException):
    """Nobody waits for a file any more; not an `Exception`, so that no handler of single failures swallows it."""


class Errand(Ticket):
    """One file to be indexed or removed, and until when.

    Args:
        name: The file's name.
        done: What is to become of it: indexed or removed.
        limit_s: Seconds from now as a whole, its wait in the queue included.
    """

    when_left = Left

    def __init__(self, name: str, done: str, limit_s: float) -> None:
        super().__init__(limit_s)
        self.name, self.done = name, done
        self.chunks = 0
        """Chunks that have been embedded."""
        self.is_ending = False
        """Whether the server ends."""

    def check(self) -> None:
        """Go on, if anybody still waits, there is time, and the server does not end.

        Raises:
            Left: The client went away.
            ServiceUnavailable: The time is up, or the server ends.
        """
        if self.is_ending and not self.is_left:
            raise ServiceUnavailable(
                f"The server is shutting down: {self.name!r} was not {self.done}, and the index is unchanged. Send it "
                "again when the server is back.",
                details={"document": self.name, "retry_after_s": RETRY_AFTER_S},
            )
        super().check()

    def tell(self, progress: Progress) -> None:
        """Note how far it is."""
        self.chunks = progress.chunks_done

    def late(self) -> ServiceUnavailable:
        """Return the error of one whose turn came and whose time is up."""
        queued_s, queued = self._queued()
        reached = f"; {self.chunks} chunks of it had been embedded" if self.chunks else ""
        return ServiceUnavailable(
            f"{self.name!r} was not {self.done} within {self.limit_s:g} s{queued}{reached}. The index is unchanged. "
            f"{ADVICE[self.done]}",
            details={"document": self.name, "timeout_s": self.limit_s, "queued_s": queued_s},
        )


class Filing(Queue[Errand]):
    """The one thread that changes the index for requests.

    Args:
        queue: Uploads and deletions that may wait; one more is told to come back.
    """

    def __init__(self, queue: int) -> None:
        super().__init__(1, queue, "ingest")

    @property
    def working(self) -> Errand | None:
        """What has its turn now."""
        return next((errand for errand in tuple(self._places) if errand.worked_s), None)

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
        if self.underway >= self._room and not is_further:
            details = {"document": errand.name, "underway": self.underway, "retry_after_s": RETRY_AFTER_S}
            said = f"{errand.name!r} was not {errand.done}: {self._busy()} Send it again in a moment."
            raise ServiceUnavailable(said, details=details)
        errand.is_ending = self._is_ending
        future = self._submitted(errand, lambda: call(errand))
        result = asyncio.wrap_future(future)
        result.add_done_callback(seen)
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
        for errand in tuple(self._places):
            errand.is_ending = True

    def close(self) -> None:
        """End, and wait for what is worked on; what waits is dropped."""
        self.end()
        super().close()

    def _never_begun(self, errand: Errand) -> ServiceUnavailable:
        waited = {"timeout_s": errand.limit_s, "queued_s": errand.limit_s, "retry_after_s": RETRY_AFTER_S}
        return ServiceUnavailable(
            f"{errand.name!r} waited {errand.limit_s:g} s for its turn and was not {errand.done}: {self._busy()} The "
            "index is unchanged. Send it again in a moment.",
            details={"document": errand.name, **waited},
        )

    def _busy(self) -> str:
        """Return what holds the others up."""
        at_work = self.working
        before = f"{at_work.name!r} has been running for {at_work.worked_s:.0f} s, and " if at_work else ""
        return f"{before}{self.underway} uploads and deletions are under way."
