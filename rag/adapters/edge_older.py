"""An embedded index that an older Candor wrote, with one vector for a chunk: put aside, for all is ingested again.

    index          what is searched, in today's layout
    index.older    the old files, until `clear`, with which the documents are ingested again

Where that cannot be, the old files stay, and the new index stays empty.
"""

import re
import shutil
from pathlib import Path
from typing import Final

import qdrant_edge as edge

from rag.adapters import points
from rag.adapters.edge_files import is_engine_error, read_segments

_EXPECTED: Final = re.compile(r"expected dim: (\d+)")
"""What the engine says of a question whose vector has another length."""


def is_older(index: Path) -> bool:
    """Return whether documents wait to be ingested again: of this index, or of one that was put aside before.

    The index is opened only where an older Candor made it. One that cannot be opened says no; whoever opens it is told
    what is wrong with it.
    """
    is_waiting = _older(index).exists()
    return is_waiting or (read_segments(index) is None and probed_dimension(index, points.OLDER_DENSE) is not None)


def put_aside(index: Path) -> None:
    """Put an older index aside, where this is one; call it before the index is opened.

    Raises:
        OSError: It cannot be put aside.
    """
    if is_older(index) and not _older(index).exists():
        index.rename(_older(index))


def drop(index: Path) -> None:
    """Remove the old files beside an index."""
    shutil.rmtree(_older(index), ignore_errors=True)


def probed_dimension(path: Path, vector: str) -> int | None:
    """Open an index and return the length of its vectors of a name, or None where it has none or cannot be opened."""
    try:
        shard = edge.EdgeShard.load(str(path))
        try:
            shard.query(edge.QueryRequest(limit=1, query=edge.Query.Nearest([0.0], using=vector)))
        finally:
            shard.close()
    except BaseException as error:
        if not is_engine_error(error):
            raise
        sizes = _EXPECTED.search(str(error))
        return int(sizes[1]) if sizes else None
    return None


def _older(index: Path) -> Path:
    return index.with_name(f"{index.name}.older")
