"""A sign of life while something is being written, so that no other process takes it for what a crash left."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from rag.errors import CandorError

RENEWED_EVERY_S = 20.0
"""Between two signs; others wait many times as long before they take over."""


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
