"""Uploads and deletions: they change the index one after another, so many wait, and each has only so much time."""

import asyncio
from collections.abc import Callable
from typing import Final, Literal, TypeVar

from api.turns import Gone, Queue, Ticket, seen
from rag.errors import ServiceUnavailable
from rag.ingest.report import Progress

Result = TypeVar("Result")
Done = Literal["indexed", "removed"]
RETRY_AFTER_S: Final = 5
ADVICE: Final[dict[Done, str]] = {
    "indexed": "Send it in parts, add it with `candor ingest`, or raise CANDOR_INGEST_TIMEOUT_S.",
    "removed": "Another change of the index is running, such as an upload on the dashboard. Try again in a moment.",
}


class Left(BaseException):
    """Nobody waits for a file any more; not an `Exception`, so that no handler of single failures swallows it."""


class Errand(Ticket):
    """One file to be indexed or removed, and until when."""

    when_left = Left

    def __init__(self, filing: "Filing", name: str, done: Done, limit_s: float) -> None:
        super().__init__(limit_s)
        self.name, self.done = name, done
        self.chunks, self._filing = 0, filing

    def check(self) -> None:
        """Go on as `Ticket.check` says, unless the server ends: that is told as a ServiceUnavailable."""
        if self._filing.is_ending and not self.is_left:
            raise self.failed(
                f"The server is shutting down: {self.name!r} was not {self.done}, and the index is unchanged. Send it "
                "again when the server is back.",
                retry_after_s=RETRY_AFTER_S,
            )
        super().check()

    def tell(self, progress: Progress) -> None:
        """Note how far it is."""
        self.chunks = progress.chunks_done

    def late(self) -> ServiceUnavailable:
        """Return the error of one whose turn came and whose time is up."""
        reached = f"; {self.chunks} chunks of it had been embedded" if self.chunks else ""
        said = f"{self.name!r} was not {self.done} within {self.limit_s:g} s{self.queue_told()}{reached}. The index is "
        said += f"unchanged. {ADVICE[self.done]}"
        return self.failed(said, timeout_s=self.limit_s, queued_s=self.queued_s)

    def failed(self, said: str, **details: object) -> ServiceUnavailable:
        """Return an error that names the file."""
        return ServiceUnavailable(said, details={"document": self.name, **details})


class Filing(Queue[Errand]):
    """The one thread that changes the index for requests."""

    def __init__(self, queue: int) -> None:
        super().__init__(1, queue, "ingest")

    @property
    def working(self) -> Errand | None:
        """What has its turn now."""
        return next((errand for errand in tuple(self._places) if errand.begun), None)

    async def run(self, errand: Errand, call: Callable[[Errand], Result], *, is_further: bool = False) -> Result:
        """Return what a call returns when its turn has come, in the errand's time.

        What never had its turn is answered at the limit. What has begun is waited for: it ends at its next `check` of
        the errand, within a batch, and what it says of the index then is true. What `is_further` goes on with a request
        that has had its turn, and needs no room in the queue.

        Raises:
            ServiceUnavailable: The queue is full, the time is up, or the server ends.
            Gone: The client went away.
        """
        if self.underway >= self._room and not is_further:
            said = f"{errand.name!r} was not {errand.done}: {self._busy()} Send it again in a moment."
            raise errand.failed(said, underway=self.underway, retry_after_s=RETRY_AFTER_S)
        future = self._submitted(errand, lambda: call(errand))
        result = asyncio.wrap_future(future)
        result.add_done_callback(seen)
        try:
            await asyncio.wait({result}, timeout=errand.remaining_s)
            if not result.done() and future.cancel():
                limit_s, busy = errand.limit_s, f"{self._busy()} The index is unchanged. Send it again in a moment."
                said = f"{errand.name!r} waited {limit_s:g} s for its turn and was not {errand.done}: {busy}"
                raise errand.failed(said, timeout_s=limit_s, queued_s=limit_s, retry_after_s=RETRY_AFTER_S)
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
        self.is_ending = True

    def _busy(self) -> str:
        at_work = self.working
        before = f"{at_work.name!r} has been running for {at_work.worked_s:.0f} s, and " if at_work else ""
        return f"{before}{self.underway} uploads and deletions are under way."
