"""Whose answer an id stands for: the first to have it. Later ones are told, and have an id of their own."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Protocol


class Named(Protocol):
    """Who a request is, as far as ids go."""

    request_id: str
    named: str

    def rename(self) -> None:
        """Go on under ids of its own, because those that the client has named stand for another answer."""
        ...


class Recorded(Protocol):
    """Where answers are kept."""

    def has_answer(self, request_id: str) -> bool:
        """Return whether an answer is kept under an id."""
        ...


class Claims:
    """The ids of answers that are being made: no two have the same, and none has that of a recorded one."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._held: set[str] = set()

    @contextmanager
    def held(self, identity: Named, recorded: Recorded) -> Iterator[None]:
        """Hold a request's id until its answer is recorded; rename the request where another had the id first."""
        if not self._is_free(identity, recorded):
            identity.rename()
            self._hold(identity.request_id)
        try:
            yield
        finally:
            self._release(identity.request_id)

    def _is_free(self, identity: Named, recorded: Recorded) -> bool:
        """Return whether a request's id was free and unused, and hold it then.

        Raises:
            ServiceUnavailable: What is recorded cannot be read; the id is not held then.
        """
        if not self._hold(identity.request_id):
            return False
        is_free = False
        try:
            is_free = not (identity.named and recorded.has_answer(identity.request_id))
        finally:
            if not is_free:
                self._release(identity.request_id)
        return is_free

    def _hold(self, request_id: str) -> bool:
        """Return whether an id was free, and hold it then."""
        with self._lock:
            free = request_id not in self._held
            self._held.add(request_id)
            return free

    def _release(self, request_id: str) -> None:
        with self._lock:
            self._held.discard(request_id)
