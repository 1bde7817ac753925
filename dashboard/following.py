"""A stream of events followed from a page: in a thread of its own, so that a page that waits can still be stopped.

Streamlit ends a run at its next message. A model that is reading a long prompt sends nothing for seconds; without a
pulse of our own the person's Stop would wait for it. Imports no streamlit.
"""

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TypeVar

Item = TypeVar("Item")
PULSE_S = 0.25
"""How long nothing may come before the page is called nevertheless."""


@dataclass(frozen=True, slots=True)
class _Ended:
    """The stream is over; with the error that ended it, if one did."""

    error: BaseException | None = None


def followed(stream: Generator[Item, None, None], *, pulse_s: float = PULSE_S) -> Generator[Item | None, None, None]:
    """Yield what a stream yields, and None whenever nothing came for a while.

    Closing it closes the stream as soon as that yields again: a model stops with its next token.

    Args:
        stream: What to follow; nobody else may use it any more.
        pulse_s: Seconds until None is yielded.
    """
    queue: SimpleQueue[Item | _Ended] = SimpleQueue()
    stopped = Event()
    Thread(target=_pump, args=(stream, queue, stopped), name="candor-follow", daemon=True).start()
    try:
        while True:
            try:
                item = queue.get(timeout=pulse_s)
            except Empty:
                yield None
                continue
            if isinstance(item, _Ended):
                if item.error is not None:
                    raise item.error
                return
            yield item
    finally:
        stopped.set()


def _pump(stream: Generator[Item, None, None], queue: "SimpleQueue[Item | _Ended]", stopped: Event) -> None:
    """Put everything that a stream yields into a queue, until nobody listens any more."""
    try:
        with closing(stream):
            for item in stream:
                if stopped.is_set():
                    return
                queue.put(item)
        queue.put(_Ended())
    except BaseException as error:  # it belongs to whoever follows
        queue.put(_Ended(error))
