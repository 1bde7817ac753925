"""The folder of an embedded index: its id, a note on its segments, room on its disk, the engine's errors in words."""

import os
import re
import shutil
from pathlib import Path
from typing import Final, Self

from pydantic import BaseModel, ConfigDict, NonNegativeInt, PositiveInt, ValidationError

from rag.adapters import points
from rag.adapters.vector_layout import Quantization
from rag.errors import CandorError, IndexNotReady, StoreUnavailable
from rag.process.data_folder import unwritable
from rag.records.replacing import replace

_NAME: Final = "candor_index_id"
_SEGMENTS: Final = "candor_segments.json"
MEGABYTE: Final = 1 << 20
TO_OPEN: Final = 64 * MEGABYTE  # opening an index takes up to 40 MB: its log and the pages of its field indexes
TO_WRITE: Final = 64 * MEGABYTE  # a batch of chunks takes a few MB and at times a new page of 32
TO_DELETE: Final = 4 * MEGABYTE  # little, so that removing documents stays possible
TO_SEAL: Final = 256 * MEGABYTE
"""Beside a copy of the index, closing a segment takes as much as the closed one, 5 kB a chunk."""
_WRONG_SIZE = re.compile(r"expected vector size (\d+), but got (\d+)")


def read_id(index: Path) -> str | None:
    """Return the id of an index, or None where it has none; raises `OSError` where it cannot be read."""
    try:
        return (index / _NAME).read_text(encoding="utf-8").strip() or None
    except FileNotFoundError:
        return None


def write_id(index: Path, index_id: str) -> None:
    """Write the id of an index, whole and on disk on return; raises `OSError` where it cannot be written."""
    replace(index / _NAME, f"{index_id}\n".encode())


class Segments(BaseModel):
    """What the engine does not tell of an index. Where the file is missing or damaged, work is done once more."""

    model_config = ConfigDict(frozen=True, strict=True)

    dimension: PositiveInt  # length of the vectors
    chunks: NonNegativeInt  # chunks in the index when this was noted
    unsealed: NonNegativeInt
    """Chunks written since the open segment was last closed, deleted ones included: it holds them in memory."""
    ungraphed: NonNegativeInt  # chunks written since graphs were last built, deleted ones included
    graphs: Quantization | None  # how vectors in graphs are kept small; None: there is no graph

    def grown(self, chunks: int) -> Self:
        """Return this with so many chunks more in the open segment."""
        return self.model_copy(update={"unsealed": self.unsealed + chunks, "ungraphed": self.ungraphed + chunks})


def read_segments(index: Path) -> Segments | None:
    """Return what was noted of an index that may be open elsewhere, or None where nothing usable was."""
    try:
        return Segments.model_validate_json((index / _SEGMENTS).read_bytes())
    except (OSError, ValidationError):
        return None


def write_segments(index: Path, segments: Segments) -> None:
    """Note this of an index, whole and on disk on return; raises `OSError` where it cannot be written."""
    if read_segments(index) != segments:
        replace(index / _SEGMENTS, segments.model_dump_json().encode())


def copied(source: str, target: str) -> str:
    """Copy a file with its holes, on disk on return: the engine's files have 32 MB from the start, mostly holes."""
    with Path(source).open("rb") as old, Path(target).open("wb") as new:
        while block := old.read(1 << 16):
            if block == bytes(len(block)):
                new.seek(len(block), os.SEEK_CUR)
            else:
                new.write(block)
        new.truncate(old.tell())
        new.flush()
        os.fsync(new)  # the original is removed before the system would write this down by itself
    shutil.copystat(source, target)
    return target


def used_bytes(index: Path) -> int:
    """Return how many bytes of the disk an index takes, without holes: as many as a copy of it."""
    return sum(file.stat().st_blocks * 512 for file in index.rglob("*"))


def require_room(path: Path, needed: int) -> None:
    """Refuse to go on where the disk of an index, which need not exist yet, has fewer bytes left than are needed.

    Raises:
        StoreUnavailable: There is less; the message says how much there is.
    """
    free = free_bytes(path)
    if free < needed:
        raise StoreUnavailable(
            f"The disk is full: {free / MEGABYTE:.1f} MB are left for the index in {str(path)!r}, and "
            f"{needed // MEGABYTE} MB are needed. Free some space and try again; nothing is lost."
        )


def free_bytes(path: Path) -> int:
    """Return how many bytes the disk has left for an index that may not exist yet."""
    standing = next(folder for folder in (path, *path.absolute().parents) if folder.exists())
    return shutil.disk_usage(standing).free


def is_engine_error(error: BaseException) -> bool:
    """Return whether the engine may have raised this: bare `Exception`, or a Rust panic, which is a `BaseException`."""
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"


def translated(error: BaseException, path: Path, *, opening: bool, closed: bool) -> CandorError:
    """Return our error for one of the engine's, told apart by its text: it has no classes of its own."""
    text = str(error)
    if "WouldBlock" in text:
        return IndexNotReady(
            f"The index in {str(path)!r} is in use by another process: an embedded index belongs to one process at a "
            f"time. Stop that process (`candor serve`, or an ingest that is still running) or ask through it; "
            f"or set QDRANT_URL to a Qdrant server, which many processes can share.",
            details={"in_use": True},
        )
    if sizes := _WRONG_SIZE.search(text):
        return points.wrong_dimension(int(sizes[1]), int(sizes[2]))
    if closed:
        return StoreUnavailable(f"The index in {str(path)!r} has been closed. Open it again.")
    if (folder_error := unwritable(path.parent)) is not None:
        return folder_error
    if opening:
        return IndexNotReady(
            f"The index in {str(path)!r} cannot be opened: {text[:300]}. Check that the folder can be written; where "
            f"its files are damaged, restore it from a copy together with the catalogue, or delete it and run "
            f"`candor ingest --rebuild`."
        )
    return StoreUnavailable(
        f"The index in {str(path)!r} failed: {text[:300]}. Check the disk for space and errors; "
        f"if it goes on, delete the folder and run `candor ingest --rebuild`."
    )
