"""Room on the disk of the embedded index, looked at before the engine needs it.

The engine maps its files into memory, holes included. Where the disk is full, touching a hole ends the whole process
with SIGBUS, which no program can turn into a message; with this much room nothing that one call does can get there.
"""

import shutil
from pathlib import Path
from typing import Final

from rag.errors import StoreUnavailable

MEGABYTE: Final = 1 << 20
TO_OPEN: Final = 64 * MEGABYTE
"""Opening an index takes up to 40 MB: its log and the pages of its field indexes."""
TO_WRITE: Final = 64 * MEGABYTE
"""A batch of chunks takes a few MB and at times a new page of 32."""
TO_DELETE: Final = 4 * MEGABYTE
"""Little, so that removing documents stays possible."""
TO_SEAL: Final = 1024 * MEGABYTE
"""A second copy of 17,000 chunks and of what is small in all others, twice over."""


def require_room(path: Path, needed: int) -> None:
    """Refuse to go on where the disk has too little room left.

    Args:
        path: The index; it need not exist yet.
        needed: Bytes.

    Raises:
        StoreUnavailable: There is less; the message says how much there is.
    """
    free = _free(path)
    if free < needed:
        raise StoreUnavailable(
            f"The disk is full: {free / MEGABYTE:.1f} MB are left for the index in {str(path)!r}, and "
            f"{needed // MEGABYTE} MB are needed. Free some space and try again; nothing is lost."
        )


def has_room(path: Path, needed: int) -> bool:
    """Return whether the disk has so many bytes left for an index that may not exist yet."""
    return _free(path) >= needed


def _free(path: Path) -> int:
    standing = next(folder for folder in (path, *path.absolute().parents) if folder.exists())
    return shutil.disk_usage(standing).free
