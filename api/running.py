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
from contextlib import asynccontextmanager, contextmanager
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

    The models are loaded while the first requests come in. An application that mounts the API runs this itself: nobody
    starts what is mounted.

    Raises:
        IndexNotReady: Another process has the index open.
        ConfigurationError: Questions cannot be answered before the operator changes something.
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
            watching(desk.candor, folders_of(api.state.settings.watch)) as stop,
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
    """Load the models, so that the first questions need not wait for them; what was loaded is no garbage.

    The collector's rounds through all of it stopped every request for up to half a second. `started` puts it back.
    """
    try:
        candor.load()
    except CandorError as error:
        logger.warning("%s", error.message)
    except Exception:
        logger.exception("The models were not loaded; the first question tries again")
    gc.collect()
    gc.freeze()
    collect_seldom()


async def _forget_now_and_then(desk: Desk) -> None:
    while True:
        try:
            await desk.slow(lambda: forget_old(desk.candor))
        except CandorError as error:
            logger.warning("%s", error.message)
        except Exception:
            logger.exception("Records past their retention were not removed; the next try is in %d s", FORGET_EVERY_S)
        await asyncio.sleep(FORGET_EVERY_S)


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
        if folders:
            keep_true(folders, ingest, told=_told, stop=stop)
    except _Ended:
        return
    except CandorError as error:
        logger.error("The folders in CANDOR_WATCH are no longer watched: %s", error.message)
    except Exception:
        logger.exception("The folders in CANDOR_WATCH are no longer watched; restart the server")


def _told(found: IngestReport | CandorError) -> None:
    """Tell what went wrong; what went well stands in the log already."""
    if isinstance(found, CandorError) and not isinstance(found, _Ended):
        logger.warning("A watched folder was not ingested: %s It is tried again.", found.message)


@contextmanager
def told_to_end(call: Callable[[], None]) -> Iterator[None]:
    """Call something as soon as the process is told to end, and then the server's own handler.

    Without that, a server would wait for uploads that take minutes. Outside the main thread, where no signal can be
    handled, nothing is done.

    Args:
        call: Short, and safe between any two instructions: it takes no lock.
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
