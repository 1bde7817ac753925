"""Folders that a server keeps the index true to while it runs: `CANDOR_WATCH`."""

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

from rag.candor import Candor
from rag.errors import CandorError
from rag.ingest.report import IngestReport, Progress
from rag.ingest.watching import keep_true

logger = logging.getLogger("candor.api")


class _Ended(CandorError):
    """The server ends while a folder is ingested; every document is left in its old version or its new one."""


def folders_of(setting: str) -> list[Path]:
    """Return the folders that a setting names, separated as those of PATH are."""
    return [Path(part).expanduser() for part in setting.split(os.pathsep) if part.strip()]


@contextmanager
def watching(candor: Candor, folders: Sequence[Path]) -> Iterator[Event]:
    """Keep the index true to folders in a thread of its own; the event that is given ends it, as does leaving."""
    stop = Event()
    thread = Thread(target=_watch, args=(candor, folders, stop), name="candor-watch", daemon=True)
    if folders:
        thread.start()
    try:
        yield stop
    finally:
        stop.set()
        if folders:
            thread.join()


def _watch(candor: Candor, folders: Sequence[Path], stop: Event) -> None:
    def ending(_: Progress) -> None:
        if stop.is_set():
            raise _Ended("The server ends.")

    def ingest(paths: Sequence[Path], *, prune: bool, leaving: frozenset[Path]) -> IngestReport:
        return candor.ingest(paths, prune=prune, leaving=leaving, progress=ending)

    try:
        keep_true(folders, ingest, told=_told, stop=stop)
    except _Ended:
        return
    except CandorError as error:
        logger.error("CANDOR_WATCH is watched no more: %s", error.message)
    except Exception:
        logger.exception("CANDOR_WATCH is watched no more; restart the server")


def _told(found: IngestReport | CandorError) -> None:
    """Tell what went wrong; what went well stands in the log already."""
    if isinstance(found, CandorError) and not isinstance(found, _Ended):
        logger.warning("A watched folder was not ingested: %s It is tried again.", found.message)
