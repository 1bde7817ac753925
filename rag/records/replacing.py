"""Files that are whole at any moment: written beside their place, brought to disk, and put there in one step."""

import os
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def replace(path: Path, content: "bytes | memoryview", *, mode: int | None = None) -> None:
    """Put a file with this content at a place; a reader sees the old or the new one, never half of it.

    Any number of threads and processes may do so at once: the last one's content stays.

    Args:
        path: In a folder that is there.
        content: All of it.
        mode: Rights of the file; None: those of the file that stood there, else the usual ones.

    Raises:
        OSError: It could not be written; what stood there stays.
    """
    with _written(path, [content], mode if mode is not None else _mode_of(path)) as beside:
        beside.replace(path)


def replace_lines(path: Path, lines: "Iterable[bytes]") -> None:
    """Put a file of these lines at a place, as `replace` does; they are written as they come, one in memory at a time.

    Raises:
        OSError: It could not be written; what stood there stays.
    """
    with _written(path, lines, _mode_of(path)) as beside:
        beside.replace(path)


def place(path: Path, content: bytes, *, mode: int | None = None) -> bool:
    """Put a file where there is none; return whether it was: of several at once, one puts it and all find it whole.

    Raises:
        OSError: It could not be written.
    """
    with _written(path, [content], mode) as beside:
        try:
            os.link(beside, path)
        except FileExistsError:
            return False
        except OSError:  # a file system without links
            if path.exists():
                return False
            beside.replace(path)
    return True


def sweep(path: Path) -> None:
    """Remove what a killed process left beside a file that it was writing anew; only while nobody else is writing it.

    Raises:
        OSError: It could not be removed.
    """
    for left in path.parent.glob(f".{escape(path.name)}.*.part"):
        left.unlink(missing_ok=True)


@contextmanager
def _written(path: Path, parts: "Iterable[bytes | memoryview]", mode: int | None) -> "Iterator[Path]":
    """Write a file beside `path`, under a name of its own; gone afterwards, unless it was put into place."""
    beside = path.with_name(f".{path.name}.{token_hex(8)}.part")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode)
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None and _mode_of(beside) != mode:  # the process's mask took some away
            beside.chmod(mode)
        yield beside
    finally:
        beside.unlink(missing_ok=True)


def _mode_of(path: Path) -> int | None:
    try:
        return path.stat().st_mode & 0o7777
    except FileNotFoundError:
        return None
