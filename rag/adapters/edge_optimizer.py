"""Optimising an index beside the process that answers from it.

The engine holds Python's lock for as long as it optimises: while it built a graph over 8,000 vectors, a whole server
stood still for 17 s on a busy machine. So a copy of the index is optimised by a process of its own, at low priority,
while questions go on being answered from the old files; then the folders change places.

    index.optimizing.*   the copy, each under a name of its own; whatever is left of one is worthless
    index.before         the old files, between the two renames and until they are gone

The large files of a segment that is no longer written to never change, also where some of its chunks are deleted or
moved. The copy shares them with the index (hard links), so that it costs the time and the room of the rest only: else
an ingest of a million chunks would copy hundreds of gigabytes. Which files these are is the engine's own affair, and
known of one version alone; of any other, all is copied.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from glob import escape
from importlib.metadata import version
from pathlib import Path
from typing import Final
from uuid import uuid4

from rag.errors import StoreUnavailable

_KNOWN_ENGINE: Final = "0.9.0"
"""The version of `qdrant-edge-py` whose files were looked through; the tests hold it against what it writes."""
_SHARED: Final = (
    "chunk_",
    "quantized.",
    "inverted_index.dat",
    "indices_tracker.json",
    "page_",
    "point_to_values.bin",
    "values_to_points.bin",
)
"""How the names of files begin that are written once: vectors, words, payload, fields."""
SEALED: Final = "id_tracker.i2e"
"""A file that only segments have which are no longer written to."""
_COPY: Final = ".optimizing."
"""How the name of a copy goes on after that of the index."""
_STEP: Final = 1 << 20
"""Bytes copied at once."""
_LOOKED_EVERY_S: Final = 0.25
"""How long the process that optimises runs between two looks whether that is still wanted."""
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


def optimized_copy(index: Path, layout: Mapping[str, object], *, is_wanted: Callable[[], bool] | None = None) -> Path:
    """Return an optimised copy of an index that nobody is writing to and that has been flushed.

    Args:
        index: The folder of the index.
        layout: What `index_config` is to be given.
        is_wanted: Asked four times a second; where it says no, it is broken off. None: it goes on to its end.

    Raises:
        OSError: The copy cannot be written; `RuntimeError`: the engine failed on it.
        StoreUnavailable: It was broken off.
    """
    copy = index.with_name(f"{index.name}{_COPY}{uuid4().hex[:12]}")
    try:
        shutil.copytree(index, copy, copy_function=copied)
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


def copied(source: str, target: str) -> str:
    """Copy a file, or share it where it never changes and the file system can."""
    file = Path(source)
    if _is_known() and file.name.startswith(_SHARED) and any((above / SEALED).exists() for above in file.parents[:3]):
        with suppress(OSError):  # a file system without hard links
            os.link(source, target)
            return target
    with file.open("rb") as old, Path(target).open("wb") as new:
        while block := old.read(_STEP):
            if block == bytes(len(block)):  # the engine's files have 32 MB from the start, mostly holes
                new.seek(len(block), os.SEEK_CUR)
            else:
                new.write(block)
        new.truncate(old.tell())
    shutil.copystat(source, target)
    return target


@cache
def _is_known() -> bool:
    """Return whether the engine is the version whose files are known."""
    return version("qdrant-edge-py") == _KNOWN_ENGINE


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
    older = index.with_name(f"{index.name}{_COPY[:-1]}")  # as an earlier Candor named it
    for left in (_before(index), older, *index.parent.glob(f"{escape(index.name)}{_COPY}*")):
        shutil.rmtree(left, ignore_errors=True)


def _before(index: Path) -> Path:
    return index.with_name(f"{index.name}.before")
