"""Run as a program by the crash tests: does one thing to an index, and dies at the n-th step of writing it.

python killed.py ACTION FINGERPRINT     ACTION: ingest | rebuild | shorten | forget

For every line `STEP FOLDER` that it is given (STEP from 1; 0: lives) a process is forked that does it, so that all is
imported once; it is answered with how many steps there were, 0 where that process was killed.

`shorten` is a rebuild with vectors of 64 dimensions in place of 384.

Its vectors are made up, for speed: what is tested is the order of writes. Engine and database are the real ones.
"""

import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from indexes import Index
from standins import MadeUpEmbedder

from rag.ingest import embedding, indexer

STEPS = {"upsert", "delete", "begin", "commit", "begin_removal", "finish", "set_meta", "clear", "set_index_id"}
ABOVE_FILES = {"upsert", "delete"}
"""Writes after which a copy of a file may be made or removed before the next; after the others nothing is written."""


class Deadly:
    """Passes everything on; before each write it counts, and after some; at the given count the process dies."""

    def __init__(self, inner: object, step: Callable[[], None]) -> None:
        self._inner, self._step = inner, step

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._inner, name)
        if name not in STEPS:
            return method

        def call(*arguments: object, **options: object) -> object:
            self._step()
            result = method(*arguments, **options)
            if name in ABOVE_FILES:
                self._step()
            return result

        return call


def act(folder: Path, action: str, deadly_step: int, fingerprint: str) -> int:
    """Do it, and return how many steps there were."""
    taken = 0

    def step() -> None:
        nonlocal taken
        taken += 1
        if taken == deadly_step:
            os.kill(os.getpid(), signal.SIGKILL)

    embedding.WRITTEN_AT_ONCE = indexer.EMBEDDED_AT_ONCE = 4  # So that a document is written in several parts.
    index = Index(folder, MadeUpEmbedder(fingerprint, 64 if action == "shorten" else 384))
    index.catalogue = Deadly(index.catalogue, step)
    deadly = index.another(store=Deadly(index.store, step))
    if action == "forget":
        deadly.forget("manual.md")
    elif action == "shorten":
        deadly.rebuild()
    else:
        deadly.ingest([folder / "in" / "manual.md"], force=action == "rebuild", replace=True)
    index.store.close()
    return taken


def forked(folder: Path, action: str, deadly_step: int, fingerprint: str) -> int:
    """Do it in a process of its own; return how many steps there were, 0 where it was killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        status = 1
        try:
            os.write(writing, str(act(folder, action, deadly_step, fingerprint)).encode())
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)  # what this process has of its parent's is not its own to end
    os.close(writing)
    with os.fdopen(reading) as said:
        steps = said.read()
    _, status = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(status) not in (0, -signal.SIGKILL):
        raise SystemExit(f"the process ended with {status}")
    return int(steps or 0)


if __name__ == "__main__":
    for line in sys.stdin:
        step, _, path = line.rstrip("\n").partition(" ")
        sys.stdout.write(f"{forked(Path(path), sys.argv[1], int(step), sys.argv[2])}\n")
        sys.stdout.flush()
