"""Folders watched: whatever is added, changed or removed in them is soon so in the index, too.

The system tells of changes (by watchfiles); what is done then is an ordinary ingest of the folders that removes what is
gone. It compares contents, so that no change is missed and none is done twice. A file that is still being written is
left until it has rested.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Final

from rag.errors import CandorError, InvalidDocument
from rag.ingest.loaders import SUPPORTED_SUFFIXES
from rag.ingest.report import IngestReport

REST_S: Final = 2.0  # how long nothing must have been written to a file before it is read
AGAIN_S: Final = 30.0  # how long after an error the next try is made, where nothing else changes
_SKEW_S: Final = 1.0  # how far the clock of a file system may be ahead of ours


def keep_true(
    folders: Sequence[Path],
    ingest: Callable[..., IngestReport],
    *,
    told: Callable[[IngestReport | CandorError], None],
    stop: Event | None = None,
    rest_s: float = REST_S,
    poll: bool = False,
) -> None:
    """Ingest folders now and after each change, until `stop` is set or the process is interrupted.

    Args:
        folders: They must be there.
        ingest: Brings them in, as `Candor.ingest` does. An error after the first time is told, and tried again.
        told: Told what became of each ingest that found something to do.
        stop: Ends it.
        rest_s: Seconds for which a file must not have been written to.
        poll: Look again and again, for network drives that tell nothing.

    Raises:
        InvalidDocument: A folder is not there.
        CandorError: The first ingest failed.
    """
    from watchfiles import watch

    real = [folder.resolve() for folder in folders]
    for folder in real:
        if not folder.is_dir():
            raise InvalidDocument(f"{str(folder)!r} cannot be watched: there is no such folder. Check the path.")
    watched = Watched(real, ingest, told=told, rest_s=rest_s)
    for changes in watch(
        *real,
        watch_filter=None,
        stop_event=stop,
        rust_timeout=max(50, int(rest_s * 500)),
        yield_on_timeout=True,
        force_polling=poll or None,
        ignore_permission_denied=True,
    ):
        watched.look({Path(path) for _, path in changes})


@dataclass
class Watched:
    """What of some folders is not in the index yet. Its parts are the arguments of `keep_true`."""

    folders: Sequence[Path]
    ingest: Callable[..., IngestReport]
    told: Callable[[IngestReport | CandorError], None]
    rest_s: float
    _waiting: set[Path] = field(default_factory=set)
    _has_begun: bool = False
    _not_before: float = 0.0

    def look(self, changed: set[Path]) -> None:
        """Ingest where something is new that rests; all of it the first time."""
        self._waiting |= {path for path in changed if not self._is_hidden(path)}
        moving = frozenset(self._moving())
        is_due = bool(self._waiting - moving) and (changed or time.monotonic() >= self._not_before)
        if not self._has_begun or is_due:
            self._bring_in(moving)

    def _bring_in(self, moving: frozenset[Path]) -> None:
        # A folder that has nothing at all may be one whose disk is not mounted: then nothing is removed.
        is_empty = any(folder.is_dir() and not os.listdir(folder) for folder in self.folders)  # noqa: PTH208
        try:
            report = self.ingest(self.folders, prune=not is_empty, leaving=moving)
        except CandorError as error:
            if not self._has_begun:
                raise
            self._not_before = time.monotonic() + AGAIN_S
            self.told(error)
            return
        self._has_begun, self._waiting = True, set(moving)
        if any(file.outcome != "unchanged" for file in report.files):
            self.told(report)

    def _is_hidden(self, path: Path) -> bool:
        within = next((path.relative_to(folder) for folder in self.folders if path.is_relative_to(folder)), path)
        return any(part.startswith(".") for part in within.parts)

    def _moving(self) -> Iterator[Path]:
        """Yield the files that were written to, or came, a moment ago."""
        for folder in self.folders:
            for above, names, files in os.walk(folder):
                names[:] = [name for name in names if not name.startswith(".")]
                for path in (Path(above, name) for name in files if name.lower().endswith(SUPPORTED_SUFFIXES)):
                    with suppress(OSError):
                        found, now = path.stat(), time.time()
                        if any(-_SKEW_S <= now - at < self.rest_s for at in (found.st_mtime, found.st_ctime)):
                            yield path
