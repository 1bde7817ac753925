"""The threads of an ingest: reading ahead, checks that end a wait, Ctrl-C once, signs of life to other processes."""

import logging
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from functools import partial
from queue import Empty, SimpleQueue
from threading import Condition, Event, Thread, current_thread, main_thread
from typing import TypeVar

from rag.errors import CandorError
from rag.ingest.writers import WritersLock

AHEAD_CHARACTERS = 4_000_000  # text from which nothing more is read ahead: with its chunks about 65 MB of memory
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

_log = logging.getLogger(__name__)

Check = Callable[[], None]  # called four times a second; raises when the work is not wanted any more
CHECKED_EVERY_S = 0.25

RENEWED_EVERY_S = 20.0  # between two signs; others wait many times as long before they take over


def read_ahead(
    items: Sequence[_Item],
    work: Callable[[_Item], _Result],
    *,
    depth: int = 4,
    room: int = AHEAD_CHARACTERS,
    size: Callable[[_Result], int] = lambda _: 0,
    check: Check | None = None,
    waits: Callable[[_Item], None] = lambda _: None,
) -> Generator[_Result, None, None]:
    """Yield `work(item)` for each item in order, worked on in a thread, one after the other.

    Closing the iterator ends the thread after the item that it is working on, and waits for that. With a `check`, which
    is made four times a second while a result is waited for and may raise, nobody waits: the thread ends by itself.

    Args:
        depth: The most items that are begun before they are asked for.
        room: No item is begun while the results that wait, and the one that was yielded last, hold this much: a large
            one waits alone, and at most `room` and one more result are held.
        size: What a result holds, in the unit of `room`.
        check: Ends the wait by raising.
        waits: Told for which item, for every quarter of a second that it is not ready.
    """
    results: SimpleQueue[Future[_Result]] = SimpleQueue()
    held = deque[int]()  # sizes of the results that wait, and of the one that was yielded last
    changed, is_ended = Condition(), Event()

    def has_room() -> bool:
        return is_ended.is_set() or (len(held) <= depth and (not any(held) or sum(held) < room))

    def read() -> None:
        for item in items:
            with changed:
                changed.wait_for(has_room)
            if is_ended.is_set():
                return
            future = Future[_Result]()
            try:
                future.set_result(work(item))
            except BaseException as error:  # whoever waits for the result is told
                future.set_exception(error)
            with changed:
                held.append(0 if future.exception() else size(future.result()))
            results.put(future)
            del future  # else this thread would hold the last result while it waits for room

    reader = Thread(target=read, name="ingest-read", daemon=True)  # a program may end before it
    reader.start()
    try:
        for item in items:
            yield _next(results, check, partial(waits, item))
            with changed:
                held.popleft()
                changed.notify()
    finally:
        is_ended.set()
        with changed:
            changed.notify()
        if check is None:
            reader.join()


def _next(results: "SimpleQueue[Future[_Result]]", check: Check | None, waits: Callable[[], None]) -> _Result:
    while True:
        try:
            return awaited(results.get(timeout=CHECKED_EVERY_S), check)
        except Empty:
            waits()
            if check:
                check()


def awaited(future: "Future[_Result]", check: Check | None) -> _Result:
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
    if current_thread() is not main_thread() or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return

    def handle(*_: object) -> None:
        signal.signal(signal.SIGINT, lambda *_: None)
        _log.warning("Interrupted: finishing the current batch first.")
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def beating(renew: Callable[[], None], *, every_s: float = RENEWED_EVERY_S) -> Iterator[None]:
    """Call `renew` again and again, in a thread, for as long as the block runs; one that fails is tried again."""
    ended = Event()

    def beat() -> None:
        while not ended.wait(every_s):
            with suppress(CandorError):
                renew()

    thread = Thread(target=beat, name="ingest-heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
