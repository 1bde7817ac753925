"""Optimising an index beside the process that answers from it.

The engine holds Python's lock for as long as it optimises: while it built a graph over 8,000 vectors, a whole server
stood still for 17 s on a busy machine. So a copy of the index is optimised by a process of its own, at low priority,
while questions go on being answered from the old files; then the folders change places.

    index.optimizing.*   the copy, each under a name of its own; whatever is left of one is worthless
    index.before         the old files, between the two renames and until they are gone
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from glob import escape
from pathlib import Path
from typing import Final
from uuid import uuid4

from rag.adapters.edge_files import Segments, copied, write_segments
from rag.errors import StoreUnavailable

_COPY: Final = ".optimizing"  # how the name of a copy goes on after that of the index
_LOOKED_EVERY_S: Final = 0.25  # how long the process that optimises runs between two looks whether that is still wanted
_BOUND: Final = """
import ctypes, os, signal, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.getppid() != int(sys.argv[3]):
        raise SystemExit("the process that waits for this one has ended")
"""
"""Ends the process with the one that waits for it, where the system can: else it would go on for minutes for nobody."""
_SCRIPT: Final = """
import json, os, sys
import qdrant_edge
from rag.adapters.edge_config import index_config
os.nice(5)
shard = qdrant_edge.EdgeShard.load(sys.argv[1], index_config(**json.loads(sys.argv[2])))
shard.optimize()
shard.flush()
shard.close()
"""


def optimized_copy(
    index: Path, layout: Mapping[str, object], segments: Segments, *, is_wanted: Callable[[], bool] | None = None
) -> Path:
    """Return an optimised copy of an index that nobody is writing to and that has been flushed.

    Args:
        index: The folder of the index.
        layout: What `index_config` is to be given.
        segments: What is to be noted of the copy.
        is_wanted: Asked four times a second; where it says no, it is broken off. None: it goes on to its end.

    Raises:
        OSError: The copy cannot be written; `RuntimeError`: the engine failed on it.
        StoreUnavailable: It was broken off.
    """
    copy = index.with_name(f"{index.name}{_COPY}.{uuid4().hex[:12]}")
    try:
        shutil.copytree(index, copy, copy_function=copied)
        write_segments(copy, segments)
        with subprocess.Popen(  # noqa: S603
            [sys.executable, "-c", _BOUND + _SCRIPT, str(copy), json.dumps(layout), str(os.getpid())],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        ) as process:
            try:
                said = _waited_for(process, index, is_wanted)
            except BaseException:
                process.kill()
                raise
        if process.returncode:
            raise RuntimeError(f"optimising ended with {process.returncode}: {said.strip()[-200:]}")
    except BaseException:
        shutil.rmtree(copy, ignore_errors=True)
        raise
    return copy


def _waited_for(process: "subprocess.Popen[str]", index: Path, is_wanted: Callable[[], bool] | None) -> str:
    """Return what a process has said of a failure once it has ended."""
    while is_wanted is None or is_wanted():
        try:
            return process.communicate(timeout=_LOOKED_EVERY_S if is_wanted else None)[1]
        except subprocess.TimeoutExpired:
            continue
    raise StoreUnavailable(
        f"Optimising the index in {str(index)!r} was stopped, because the request for it has ended. If this happens "
        "often, raise CANDOR_INGEST_TIMEOUT_S."
    )


def take_place(copy: Path, index: Path) -> None:
    """Put the copy where the index is. Whoever has the old files open goes on reading them; `tidy` removes them.

    Raises:
        OSError: A folder cannot be renamed; the index stays where it is.
    """
    shutil.rmtree(_before(index), ignore_errors=True)  # of an earlier time, where it was not removed then
    index.rename(_before(index))
    try:
        copy.rename(index)
    except OSError:
        restore(index)
        raise


def restore(index: Path) -> None:
    """Put back an index that a crash left between the two renames; call it before the index is opened."""
    if not index.exists() and _before(index).exists():
        _before(index).rename(index)


def tidy(index: Path) -> None:
    """Remove what is left beside an index; call it once the index is open, so that nobody else is at work on it."""
    for left in (_before(index), *index.parent.glob(f"{escape(index.name)}{_COPY}*")):
        shutil.rmtree(left, ignore_errors=True)


def _before(index: Path) -> Path:
    return index.with_name(f"{index.name}.before")
