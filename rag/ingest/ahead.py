"""Reading ahead in a thread, bounded by the number of files and by what they hold in memory."""

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, wait
from functools import partial
from queue import SimpleQueue
from threading import Condition, Thread
from typing import TypeVar

from rag.ingest.stopping import CHECKED_EVERY_S, Check, awaited

AHEAD_CHARACTERS = 4_000_000
"""Text from which nothing more is read ahead: with its chunks about 65 MB of memory."""
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


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
