"""Work that can be left: a check that is made wherever an ingest waits, and whose error ends it."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from threading import RLock
from typing import TypeVar

from rag.protocols import PieceCounter, Span

Check = Callable[[], None]
"""Called four times a second; raises when the work is not wanted any more."""
CHECKED_EVERY_S = 0.25
Result = TypeVar("Result")


def awaited(future: "Future[Result]", check: Check | None) -> Result:
    """Return what another thread works out; without a `check` there is no way to leave before that."""
    if check is None:
        return future.result()
    check()
    while not wait([future], CHECKED_EVERY_S).done:
        check()
    check()  # what came too late, or for nobody, is not gone on with
    return future.result()


@contextmanager
def turn(lock: RLock, check: Check | None) -> Iterator[None]:
    """Hold a lock; what `check` raises while others hold it ends the wait, and nothing was done."""
    while not lock.acquire(timeout=-1 if check is None else CHECKED_EVERY_S):
        if check is not None:
            check()
    try:
        if check is not None:
            check()
        yield
    finally:
        lock.release()


class CheckedPieces:
    """A tokenizer that looks before each text whether the work is still wanted: cutting a document asks it often.

    Args:
        pieces: The tokenizer.
        check: What is looked at.
    """

    def __init__(self, pieces: PieceCounter, check: Check) -> None:
        self._pieces, self._check = pieces, check

    def spans(self, text: str) -> list[Span]:
        """Return the character span of every word piece of `text`, special pieces not counted."""
        self._check()
        return self._pieces.spans(text)
