"""Optimising an index beside the process that answers from it.

The engine holds Python's lock for as long as it optimises: while it built a graph over 8,000 vectors, a whole server
stood still for 17 s on a busy machine. So a copy of the index is optimised by a process of its own, at low priority,
while questions go on being answered from the old files; then the folders change places.

    index.optimizing   the copy; whatever is left of one is worthless
    index.before       the old files, between the two renames and until they are gone
"""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

_SCRIPT: Final = """
import os, sys, qdrant_edge
os.nice(5)
shard = qdrant_edge.EdgeShard.load(sys.argv[1])
shard.optimize()
shard.flush()
shard.close()
"""


def optimized_copy(index: Path) -> Path:
    """Return an optimised copy of an index that nobody is writing to and that has been flushed.

    Raises:
        OSError: The copy cannot be written.
        RuntimeError: The engine failed on it.
    """
    copy = _copy_of(index)
    try:
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(index, copy)
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-c", _SCRIPT, str(copy)], capture_output=True, text=True, errors="replace", check=False
        )
        if done.returncode:
            raise RuntimeError(f"optimising ended with {done.returncode}: {done.stderr.strip()[-200:]}")
    except BaseException:
        shutil.rmtree(copy, ignore_errors=True)
        raise
    return copy


def take_place(copy: Path, index: Path) -> None:
    """Put the copy where the index is. Whoever has the old files open goes on reading them; `tidy` removes them."""
    index.rename(_before(index))
    copy.rename(index)


def restore(index: Path) -> None:
    """Put back an index that a crash left between the two renames; call it before the index is opened."""
    if not index.exists() and _before(index).exists():
        _before(index).rename(index)


def tidy(index: Path) -> None:
    """Remove what is left beside an index; call it once the index is open, so that nobody else is at work on it."""
    shutil.rmtree(_before(index), ignore_errors=True)
    shutil.rmtree(_copy_of(index), ignore_errors=True)


def _copy_of(index: Path) -> Path:
    return index.with_name(f"{index.name}.optimizing")


def _before(index: Path) -> Path:
    return index.with_name(f"{index.name}.before")
