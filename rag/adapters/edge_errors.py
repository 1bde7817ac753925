"""Our errors for those of the embedded engine, which has no classes of its own: they are told apart by their text."""

import re
from pathlib import Path

from rag.adapters import points
from rag.errors import CandorError, IndexNotReady, StoreUnavailable
from rag.process.data_folder import unwritable

_WRONG_SIZE = re.compile(r"expected vector size (\d+), but got (\d+)")


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
