"""A stream followed from beside it: in a thread of its own, so that whoever waits for it can stop at any time.

A model that reads a long prompt sends nothing for seconds, and a read that waits for it cannot be left from within.
Followed, silence is a pulse every now and then, at which to look whether anybody still wants the answer.
"""

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any, TypeVar

Item = TypeVar("Item")
Pulse = TypeVar("Pulse")
Value = TypeVar("Value")
PULSE_S = 0.25  # how long nothing may come before whoever follows is called nevertheless


@dataclass(frozen=True, slots=True)
class _Ended:
    """The stream is over; with the error that ended it, if one did, else with its value."""

    value: Any = None
    error: BaseException | None = None


def followed(
    stream: Generator[Item, None, Value], *, pulse: Pulse, on_leave: Callable[[], None] | None = None
) -> Generator[Item | Pulse, None, Value]:
    """Yield what a stream yields, and `pulse` whenever nothing came for a while; the value is the stream's own.

    Closing it closes the stream as soon as that yields again, or ends because of `on_leave`.

    Args:
        stream: What to follow; nobody else may use it any more.
        pulse: What to yield in silence.
        on_leave: Called when whoever follows leaves before the end: frees a stream that is stuck in a read.
    """
    queue: SimpleQueue[Item | _Ended] = SimpleQueue()
    stopped = Event()
    Thread(target=_pump, args=(stream, queue, stopped), name="candor-follow", daemon=True).start()
    ended = False
    try:
        while True:
            try:
                item = queue.get(timeout=PULSE_S)
            except Empty:
                yield pulse
                continue
            if isinstance(item, _Ended):
                ended = True
                if item.error is not None:
                    raise item.error
                value: Value = item.value
                return value
            yield item
    finally:
        stopped.set()
        if on_leave is not None and not ended:
            on_leave()


def followed_call(
    call: Callable[[], Value], *, pulse: Pulse, on_leave: Callable[[], None]
) -> Generator[Pulse, None, Value]:
    """Return what a call returns, and yield `pulse` whenever it has not returned for a while.

    Closing it leaves the call to end by itself, or because of `on_leave`.
    """

    def only() -> Generator[Pulse, None, Value]:
        return call()
        yield  # makes it a generator

    return (yield from followed(only(), pulse=pulse, on_leave=on_leave))


def _pump(stream: Generator[Item, None, Value], queue: "SimpleQueue[Item | _Ended]", stopped: Event) -> None:
    """Put everything that a stream yields into a queue, until nobody listens any more."""
    try:
        with closing(stream):
            while not stopped.is_set():
                try:
                    queue.put(next(stream))
                except StopIteration as end:
                    queue.put(_Ended(value=end.value))
                    return
    except BaseException as error:  # it belongs to whoever follows
        queue.put(_Ended(error=error))
