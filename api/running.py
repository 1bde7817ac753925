"""What a server does from its start to its end beside answering: it loads, watches folders, forgets, and ends in time.

A server tells its application of its end only when all requests have been answered, so signals are listened to here.
"""

import asyncio
import gc
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Event, Thread, current_thread, main_thread
from types import FrameType
from typing import Any, Final

from fastapi import FastAPI

from api.desk import Desk
from api.routes import health
from rag.candor import Candor
from rag.errors import CandorError, FolderUnwritable, ServiceUnavailable
from rag.ingest.report import IngestReport, Progress
from rag.ingest.version import is_outdated
from rag.ingest.watching import keep_true
from rag.process.collector import collect_seldom
from rag.process.deferred import made_once
from rag.workspace import in_force as inforce
from rag.workspace.retention import forget_old

FORGET_EVERY_S = 6 * 3600
ANSWERED_WITHIN_S: Final = 4.0
"""What questions have left when the server is told to end; `candor serve` breaks connections off after 5 s."""
SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
logger = logging.getLogger("candor.api")


class OwnCandor:
    """Opens one Candor when it is first asked for, and closes it."""

    @made_once
    def candor(self) -> Candor:
        """With the promoted settings in force; where they cannot be read, with those of the environment."""
        opened = Candor.open()
        try:
            inforce.put_in_force(opened)
        except (ServiceUnavailable, FolderUnwritable) as error:
            logger.warning("Promoted settings are not in force: %s", error.message)
        return opened

    def close(self) -> None:
        """Close it, where it was opened."""
        with OwnCandor.candor.lock(self):
            if (opened := vars(self).pop("candor", None)) is not None:
                opened.close()


@asynccontextmanager
async def started(api: FastAPI) -> AsyncIterator[None]:
    """Open the index before the first request; close the threads, and a Candor of the API's own, after the last.

    The models are loaded while the first requests come in. An application that mounts the API runs this itself.

    Raises IndexNotReady and ConfigurationError, which only the operator can mend.
    """
    desk: Desk = api.state.desk
    if api.state.settings.log_stdout:
        await desk.light(lambda: desk.candor.wiring.recorder.repeat_log(sys.stdout.buffer))
    api.state.metrics = await desk.light(lambda: health.observe(desk.candor))
    await desk.light(lambda: _open_index(desk.candor))
    loading = asyncio.ensure_future(desk.slow(lambda: _load_models(desk.candor)))
    forgetting = asyncio.ensure_future(_forget_now_and_then(desk))
    try:
        with (
            watching(desk.candor, api.state.settings.watch) as stop,
            told_to_end(partial(_end, desk, asyncio.get_running_loop(), stop)),
        ):
            yield
    finally:
        forgetting.cancel()
        await loading
        gc.unfreeze()  # else all that this API holds would stay for as long as the process does
        try:
            await api.state.mcp.close()
        finally:
            desk.close()
            api.state.own.close()


def _open_index(candor: Candor) -> None:
    try:
        candor.pipeline  # noqa: B018
    except (ServiceUnavailable, FolderUnwritable) as error:
        logger.warning("%s", error.message)  # what does not answer now may answer later, and health says so


def _load_models(candor: Candor) -> None:
    with told_of("The models were not loaded; the first question tries again"):
        candor.load()
    gc.collect()
    gc.freeze()  # rounds through all that was loaded stopped every request for up to half a second
    collect_seldom()


@contextmanager
def told_of(failed: str) -> Iterator[None]:
    """Let what fails stop nothing: an expected error is a line of the server's log, a bug has its traceback there."""
    try:
        yield
    except CandorError as error:
        logger.warning("%s", error.message)
    except Exception:
        logger.exception(failed)


async def _forget_now_and_then(desk: Desk) -> None:
    while True:
        with told_of(f"Records past their retention were not removed; the next try is in {FORGET_EVERY_S} s"):
            await desk.slow(lambda: forget_old(desk.candor))
        await asyncio.sleep(FORGET_EVERY_S)


class _Ended(CandorError):
    """The server ends while a folder is ingested; every document is left in its old version or its new one."""


@contextmanager
def watching(candor: Candor, setting: str) -> Iterator[Event]:
    """Keep the index true to folders, named as those of PATH are; the event that is given ends it, as does leaving."""
    stop, folders = Event(), [Path(part).expanduser() for part in setting.split(os.pathsep) if part.strip()]
    thread = Thread(target=_watch, args=(candor, folders, stop), name="candor-watch", daemon=True)
    thread.start()
    try:
        yield stop
    finally:
        stop.set()
        thread.join()


def _watch(candor: Candor, folders: Sequence[Path], stop: Event) -> None:
    def ending(_: Progress) -> None:
        if stop.is_set():
            raise _Ended("The server is shutting down.")

    def ingest(paths: Sequence[Path], *, prune: bool, leaving: frozenset[Path]) -> IngestReport:
        return candor.ingest(paths, prune=prune, leaving=leaving, progress=ending)

    try:
        with told_of("Documents of another version were not read again; restart the server"), suppress(_Ended):
            _read_outdated(candor, ending, stop)
        if folders:
            keep_true(folders, ingest, told=_told, stop=stop)
    except _Ended:
        return
    except CandorError as error:
        logger.error("The folders in CANDOR_WATCH are no longer watched: %s", error.message)
    except Exception:
        logger.exception("The folders in CANDOR_WATCH are no longer watched; restart the server")


def _read_outdated(candor: Candor, ending: Callable[[Progress], None], stop: Event) -> None:
    """Read the documents again that another version of Candor read, a few at a time; questions are answered meanwhile.

    Raises _Ended where the server ends meanwhile; the next start goes on.
    """
    done: dict[str, str] = {}
    while is_outdated(candor.wiring.catalogue) and not stop.is_set():
        report = candor.read_outdated(leaving=done.keys(), progress=ending)
        if not report.files:
            break
        done |= {one.document: one.reason or "" if one.outcome == "failed" else "" for one in report.files}
        logger.info("Documents that another version of Candor read are read again: %d are done.", len(done))
    for name, reason in done.items():
        if reason:
            logger.warning("%r stays as another version of Candor read it: %s", name, reason)


def _told(found: IngestReport | CandorError) -> None:
    if isinstance(found, CandorError) and not isinstance(found, _Ended):
        logger.warning("A watched folder was not ingested: %s It is tried again.", found.message)


@contextmanager
def told_to_end(call: Callable[[], None]) -> Iterator[None]:
    """Call something as soon as the process is told to end, and then the server's own handler.

    Else a server would wait for uploads that take minutes. The call must be short and take no lock. Outside the main
    thread, where no signal can be handled, nothing is done.
    """
    before: dict[int, Callable[[int, FrameType | None], Any]] = {}
    if current_thread() is main_thread():
        handlers = {number: signal.getsignal(number) for number in SIGNALS}
        before = {number: handler for number, handler in handlers.items() if callable(handler)}

    def handle(number: int, frame: FrameType | None) -> None:
        call()
        before[number](number, frame)

    for number in before:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is handle:
                signal.signal(number, handler)


def _end(desk: Desk, loop: asyncio.AbstractEventLoop, watching: Event) -> None:
    """End uploads at their next batch, and what is still asked when the server would soon break it off."""
    watching.set()
    desk.filing.end()
    loop.call_soon_threadsafe(loop.call_later, ANSWERED_WITHIN_S, desk.turns.end)
