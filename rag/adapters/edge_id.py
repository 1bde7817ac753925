"""The id of an embedded index, in a file of its folder: copied, restored and lost together with the chunks."""

from pathlib import Path
from typing import Final

from rag.recording.replacing import replace

_NAME: Final = "candor_index_id"


def read(index: Path) -> str | None:
    """Return the id of an index, or None where it has none.

    Raises:
        OSError: There is one that cannot be read.
    """
    try:
        return (index / _NAME).read_text(encoding="utf-8").strip() or None
    except FileNotFoundError:
        return None


def write(index: Path, index_id: str) -> None:
    """Write the id of an index, whole and on disk on return.

    Raises:
        OSError: It cannot be written.
    """
    replace(index / _NAME, f"{index_id}\n".encode())
