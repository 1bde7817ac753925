"""One writer at a time at an index: threads of this process take turns, and a backup that another process makes waits.

What stands in a folder can be copied by another process only while nothing of it changes. So whoever writes holds a
lock on a file beside it, and a backup wants it for itself alone: it sees each document in its old or its new version.
Processes that write do not wait for each other here: the engine says at once that another has the index open.
"""

import fcntl
import logging
import math
import os
import time
from pathlib import Path
from threading import RLock

_log = logging.getLogger(__name__)
NAME = "writers.lock"  # the file in the data folder whose lock says that somebody writes
_LOOKED_EVERY_S = 0.05
_TOLD_AFTER_S = 1.0


class WritersLock:
    """A lock that a thread may take again while it holds it, between threads and, with a file, between processes.

    The file is made where it is missing. With `alone`, no other process may hold the lock meanwhile.
    """

    def __init__(self, path: Path | None = None, *, alone: bool = False) -> None:
        self._path, self._threads = path, RLock()
        self._kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
        self._depth, self._file = 0, -1

    def acquire(self, timeout: float = -1) -> bool:
        """Take the lock, waiting at most `timeout` seconds, -1: as long as it takes; return whether it was taken."""
        latest = time.monotonic() + timeout if timeout >= 0 else math.inf
        if not self._threads.acquire(timeout=timeout):
            return False
        is_held = False
        try:
            is_held = self._depth > 0 or self._path is None or self._lock_file(self._path, latest)
        finally:
            if not is_held:
                self._threads.release()
        self._depth += is_held
        return is_held

    def release(self) -> None:
        """Give it back; once for each time that it was taken."""
        self._depth -= 1
        if self._depth == 0 and self._file >= 0:
            os.close(self._file)
            self._file = -1
        self._threads.release()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def _lock_file(self, path: Path, latest: float) -> bool:
        """Return whether the lock of the file was had in time; who waits long is told for whom."""
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        told_at = time.monotonic() + _TOLD_AFTER_S
        try:
            while not _is_locked(file, self._kind):
                now = time.monotonic()
                if now >= latest:
                    return False
                if now > told_at:
                    told_at = math.inf
                    _log.warning(
                        "Another process is making a backup or writing to the index; waiting for it to finish."
                    )
                time.sleep(_LOOKED_EVERY_S)
            self._file, file = file, -1
            return True
        finally:
            if file >= 0:
                os.close(file)


def _is_locked(file: int, kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
