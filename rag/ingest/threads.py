"""The threads of an ingest: reading ahead, checks that end a wait, Ctrl-C once, signs of life to other processes."""

import logging
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from functools import partial
from queue import SimpleQueue
from threading import Condition, Event, Thread, current_thread, main_thread
from typing import TypeVar

from rag.errors import CandorError
from rag.ingest.writers import WritersLock
from rag.protocols import PieceCounter, Span

AHEAD_CHARACTERS = 4_000_000
"""Text from which nothing more is read ahead: with its chunks about 65 MB of memory."""
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

_log = logging.getLogger(__name__)

Check = Callable[[], None]
"""Called four times a second; raises when the work is not wanted any more."""
CHECKED_EVERY_S = 0.25

RENEWED_EVERY_S = 20.0
"""Between two signs; others wait many times as long before they take over."""


def read_ahead(
    items: Iterable[_Item],
    work: Callable[[_Item], _Result],
    *,
    depth: int = 4,
    room: int = AHEAD_CHARACTERS,
    size: Callable[[_Result], int] = lambda _: 0,
    check: Check | None = None,
    waits: Callable[[_Item], None] = lambda _: None,
) -> Generator[_Result, None, None]:
    """Yield `work(item)` for each item in order, worked on in a thread.

    Closing the iterator ends the thread after the item that it is working on, and waits for that. With a `check`, which
    is made four times a second while a result is waited for and may raise, nobody waits: the thread ends by itself.

    Args:
        items: What to work on.
        work: Called in the thread, for one item after the other.
        depth: The most items that are begun before they are asked for.
        room: No item is begun while the results that wait, and the one that was yielded last, hold this much: a large
            one waits alone, and at most `room` and one more result are held.
        size: What a result holds, in the unit of `room`.
        check: Ends the wait by raising.
        waits: Told for which item, for every quarter of a second that it is not ready.
    """
    todo: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
    waiting: deque[tuple[_Item, Future[_Result]]] = deque()
    held = _Held(room)
    reader = Thread(target=_do_all, args=(todo,), name="ingest-read", daemon=True)  # a program may end before it
    reader.start()
    try:
        for item in items:
            waiting.append((item, Future()))
            todo.put(partial(_settle, waiting[-1][1], work, item, held, size))
            if len(waiting) > depth:
                yield _oldest(waiting, check, waits)
                held.free_oldest()
        while waiting:
            yield _oldest(waiting, check, waits)
            held.free_oldest()
    finally:
        for _, future in waiting:
            future.cancel()
        held.end()
        todo.put(None)
        if check is None:
            reader.join()


def _oldest(
    waiting: "deque[tuple[_Item, Future[_Result]]]", check: Check | None, waits: Callable[[_Item], None]
) -> _Result:
    item, future = waiting.popleft()
    while not wait([future], CHECKED_EVERY_S).done:
        waits(item)
        if check:
            check()
    return awaited(future, check)


class _Held:
    """What the results that wait hold, oldest first; the reader waits here while that is too much."""

    def __init__(self, room: int) -> None:
        self._room, self._sizes, self._is_ended = room, deque[int](), False
        self._changed = Condition()

    def wait_for_room(self) -> None:
        """Wait until an item may be begun: one may always where nothing is held."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_ended or not any(self._sizes) or sum(self._sizes) < self._room)

    def add(self, size: int) -> None:
        """Note a result."""
        with self._changed:
            self._sizes.append(size)

    def free_oldest(self) -> None:
        """Note that the oldest result was used."""
        with self._changed:
            self._sizes.popleft()
            self._changed.notify_all()

    def end(self) -> None:
        """Let the reader go: nothing is wanted any more."""
        with self._changed:
            self._is_ended = True
            self._changed.notify_all()


def _do_all(todo: "SimpleQueue[Callable[[], None] | None]") -> None:
    while (call := todo.get()) is not None:
        call()
        del call  # else the last result would be held while nothing is to be done


def _settle(
    future: "Future[_Result]",
    work: Callable[[_Item], _Result],
    item: _Item,
    held: _Held,
    size: Callable[[_Result], int],
) -> None:
    held.wait_for_room()
    if future.set_running_or_notify_cancel():
        try:
            result = work(item)
        except BaseException as error:  # whoever waits for the result is told
            held.add(0)
            future.set_exception(error)
        else:
            held.add(size(result))
            future.set_result(result)


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
    is_ours = current_thread() is main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not is_ours:
        yield
        return
    pressed = 0

    def handle(*_: object) -> None:
        nonlocal pressed
        pressed += 1
        if pressed == 1:
            _log.warning("Interrupted: finishing the current batch first.")
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
