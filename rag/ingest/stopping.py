"""Work that can be left: a check that is made wherever an ingest waits, and whose error ends it."""

import logging
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import TypeVar

from rag.ingest.writers import WritersLock
from rag.protocols import PieceCounter, Span

_log = logging.getLogger(__name__)

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
def turn(lock: WritersLock, check: Check | None) -> Iterator[None]:
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


@contextmanager
def interrupted_once() -> Iterator[None]:
    """Let Ctrl-C interrupt what is done here once; what is pressed again while that is wound up changes nothing.

    A process that ends while the embedding model still computes in another thread is aborted. Programs that handle the
    signal in their own way, and other threads than the main one, are left alone.
    """
    is_ours = current_thread() is main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not is_ours:
        yield
        return
    pressed = 0

    def handle(*_: object) -> None:
        nonlocal pressed
        pressed += 1
        if pressed == 1:
            _log.warning("Interrupted: the batch that has begun is finished first.")
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


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
