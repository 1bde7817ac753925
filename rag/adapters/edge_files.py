"""The folder of an embedded index: its id, its segments, room on its disk, and the engine's errors in our words."""

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from rag.adapters import points
from rag.adapters.edge_optimizer import SEALED
from rag.adapters.vector_layout import Quantization
from rag.errors import CandorError, IndexNotReady, StoreUnavailable
from rag.process.data_folder import unwritable
from rag.records.replacing import replace

_NAME: Final = "candor_index_id"
_KINDS: Final[Mapping[str, Quantization]] = {"scalar": "int8", "turbo": "int4"}
"""The engine's names of quantizations."""
_MERGED: Final = ".deleted"
"""How the name of a segment ends that was merged into another and is being removed; a crash may leave part of it."""
_VERSION_BYTES: Final = 8
"""What the open segment keeps on disk as the version of one chunk, deleted ones included."""
MEGABYTE: Final = 1 << 20
TO_OPEN: Final = 64 * MEGABYTE
"""Opening an index takes up to 40 MB: its log and the pages of its field indexes."""
TO_WRITE: Final = 64 * MEGABYTE
"""A batch of chunks takes a few MB and at times a new page of 32."""
TO_DELETE: Final = 4 * MEGABYTE
"""Little, so that removing documents stays possible."""
TO_SEAL: Final = 1024 * MEGABYTE
"""A second copy of 17,000 chunks and of what is small in all others, twice over."""
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


def lacks_graph(index: Path, chunks: int, exact_up_to: int, quantization: Quantization) -> bool:
    """Return whether a graph is wanted that is not there; no file is read where there are too few chunks for one.

    An index of `chunks` compares all vectors up to `exact_up_to`, in a segment as in what is in no graph. A graph with
    another quantization is to be built anew. Raises `OSError` where a file cannot be read, `ValueError` where it is
    damaged.
    """
    if chunks < exact_up_to:
        return False
    found = [graph for graph in map(_graph, _closed(index)) if graph[0] >= exact_up_to]
    outside = chunks - sum(size for size, _ in found)
    return outside >= exact_up_to or any(kept != quantization for _, kept in found)


def has_graph(index: Path, exact_up_to: int) -> bool:
    """Return whether there is a closed segment in which a graph was built, whatever was deleted of it since.

    What cannot be read counts as none: that a file is damaged is for the engine to say when it opens the index.
    """
    for segment in _closed(index):
        with suppress(OSError, ValueError, KeyError, TypeError):
            if _built(segment) >= exact_up_to:
                return True
    return False


def open_chunks(index: Path) -> int:
    """Return how many chunks the segment that is written to holds in memory, deleted ones included."""
    versions = (index / "segments").glob("*/mutable_id_tracker.versions")
    return sum(file.stat().st_size // _VERSION_BYTES for file in versions)


def _closed(index: Path) -> Iterator[Path]:
    """Yield the folders of closed segments, but for what is left of those that were merged into others."""
    found = (marker.parent for marker in (index / "segments").glob(f"*/{SEALED}"))
    return (segment for segment in found if segment.suffix != _MERGED)


def _built(segment: Path) -> int:
    """Return over how many vectors a segment's graph was built; 0 without one."""
    described = segment / f"vector_index-{points.DENSE}" / "hnsw_config.json"
    if not described.exists():
        return 0
    return int(json.loads(described.read_text(encoding="utf-8"))["indexed_vector_count"])


def _graph(segment: Path) -> tuple[int, Quantization]:
    """Return how many chunks of a closed segment's graph are not deleted, and how its small vectors are kept."""
    deleted = int.from_bytes((segment / "id_tracker.deleted").read_bytes(), "little").bit_count()
    config = json.loads((segment / "segment.json").read_text(encoding="utf-8"))["config"]
    quantized = config["vector_data"][points.DENSE].get("quantization_config") or {}
    return _built(segment) - deleted, next((kind for name, kind in _KINDS.items() if name in quantized), "none")


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
