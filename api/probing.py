"""What is looked at now and then: by one thread at a time, however many ask, and believed for a moment."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, Future
from threading import Lock
from time import monotonic
from typing import Generic, TypeVar

from api.turns import seen

Seen = TypeVar("Seen")


class Probe(Generic[Seen]):
    """Something to be looked at.

    Args:
        look: Looks; may block.
        pool: Where looking is done.
        kept_s: Seconds for which what was seen is believed.
    """

    def __init__(self, look: Callable[[], Seen], pool: Executor, *, kept_s: float) -> None:
        self._look, self._pool, self._kept_s = look, pool, kept_s
        self._lock = Lock()
        self._looking: Future[Seen] | None = None
        self._until = 0.0

    async def seen(self, *, within_s: float | None = None) -> Seen | None:
        """Return what is to be seen, or None where looking takes longer than `within_s` seconds.

        Raises:
            Exception: What looking has raised; the next who asks looks anew.
        """
        with self._lock:
            if self._looking is None or (self._looking.done() and monotonic() >= self._until):
                self._looking = self._pool.submit(self._look_once)
            looking = asyncio.wrap_future(self._looking)
        looking.add_done_callback(seen)
        await asyncio.wait({looking}, timeout=within_s)
        return looking.result() if looking.done() else None

    def _look_once(self) -> Seen:
        self._until = 0.0
        found = self._look()
        self._until = monotonic() + self._kept_s
        return found
