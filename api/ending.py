"""The end of the server, known at once: a server tells its application only when all requests have been answered."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def told_to_end(call: Callable[[], None]) -> Iterator[None]:
    """Call something as soon as the process is told to end, and then the server's own handler.

    Without that, a server would wait for uploads that take minutes. Outside the main thread, where no signal can be
    handled, nothing is done.

    Args:
        call: Short, and safe between any two instructions: it takes no lock.
    """
    if current_thread() is not main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    ours = {number: _first(call, handler) for number, handler in before.items() if callable(handler)}
    for number, handler in ours.items():
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number, handler in ours.items():
            if signal.getsignal(number) is handler:
                signal.signal(number, before[number])


def _first(call: Callable[[], None], then: Callable[[int, FrameType | None], Any]) -> Callable[..., None]:
    def handle(number: int, frame: FrameType | None) -> None:
        call()
        then(number, frame)

    return handle
