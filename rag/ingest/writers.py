"""One writer at a time at an index: threads of this process take turns, and a backup that another process makes waits.

What stands in a folder can be copied by another process only while nothing of it changes. So whoever writes holds a
lock on a file beside it, and a backup wants it for itself alone: it sees each document in its old or its new version.
Processes that write do not wait for each other here: the engine says at once that another has the index open.
"""

import fcntl
import logging
import os
import time
from pathlib import Path
from threading import RLock
from types import TracebackType

_log = logging.getLogger(__name__)
NAME = "writers.lock"
"""The file in the data folder whose lock says that somebody writes."""
_LOOKED_EVERY_S = 0.05
_TOLD_AFTER_S = 1.0


class WritersLock:
    """A lock that a thread may take again while it holds it, between threads and, with a file, between processes.

    Args:
        path: The file; made where it is missing. None: for the threads of this process alone.
        alone: Whether no other process may hold it meanwhile, as a backup wants it.
    """

    def __init__(self, path: Path | None = None, *, alone: bool = False) -> None:
        self._path, self._threads = path, RLock()
        self._kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
        self._depth, self._file = 0, -1

    def acquire(self, timeout: float = -1) -> bool:
        """Take the lock, waiting at most `timeout` seconds, -1: as long as it takes; return whether it was taken."""
        begun = time.monotonic()
        if not self._threads.acquire(timeout=timeout):
            return False
        if self._depth == 0 and self._path is not None and not self._lock_file(begun, timeout):
            self._threads.release()
            return False
        self._depth += 1
        return True

    def release(self) -> None:
        """Give it back; once for each time that it was taken."""
        self._depth -= 1
        if self._depth == 0 and self._file >= 0:
            os.close(self._file)
            self._file = -1
        self._threads.release()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _lock_file(self, begun: float, timeout: float) -> bool:
        try:
            file = os.open(str(self._path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except BaseException:
            self._threads.release()
            raise
        try:
            is_locked = _locked(file, self._kind, begun, timeout)
        except BaseException:
            os.close(file)
            self._threads.release()
            raise
        if is_locked:
            self._file = file
        else:
            os.close(file)
        return is_locked


def _locked(file: int, kind: int, begun: float, timeout: float) -> bool:
    """Return whether the lock of a file was had in time; who waits long is told for whom."""
    is_told = False
    while True:
        try:
            fcntl.flock(file, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            waited = time.monotonic() - begun
            if 0 <= timeout <= waited:
                return False
            if waited > _TOLD_AFTER_S and not is_told:
                is_told = True
                _log.warning("Another process is making a backup or writing to the index; waiting for it to finish.")
            time.sleep(_LOOKED_EVERY_S)
        else:
            return True
