"""Where pages take seconds each: loaders say which one they begin, and whoever reads the file listens."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[int, int], None]
"""Told the number of a page and how many there are; what it raises ends the reading."""
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Let `listener` be told of each page that is begun in this thread while the block runs."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


def page_begun(number: int, of: int) -> None:
    """Say that a page, counted from 1, is begun."""
    if (listener := _listener.get()) is not None:
        listener(number, of)
