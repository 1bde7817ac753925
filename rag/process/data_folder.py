"""The folder that Candor keeps everything in: made private, and whether it can be written. Ground floor.

Asking writes too: the embedded index takes a lock and maps its files for writing, and an answer is recorded. So there
is no way of reading only, and a folder that cannot be written is refused before the engine or the database fails at
it, each in its own words.
"""

import os
from pathlib import Path

from rag.errors import FolderUnwritable

_PARTS = ("index", "catalogue.db", "sessions.db")  # what is written in place in a data folder
RESTORING, RESTORED = "restoring", "restored"
"""Folders in a data folder while a backup takes its place: only the restore itself may use it then."""


class FolderNotMade(FolderUnwritable, OSError):
    """A data folder that is missing and cannot be made.

    An `OSError` too, as making a folder raises: the log, which is no reason to fail, goes on without its folder then.
    """


def has_folder(path: Path) -> bool:
    """Whether a folder stands there; one that may not be looked at, or of no possible name, does not stand there.

    What is wrong with it is told where it is to be written: see `require_writable`.
    """
    return os.path.isdir(path)  # noqa: PTH112 - raises nothing, which `Path.is_dir` does of closed folders above it


def has_file(path: Path) -> bool:
    """Whether a file stands there. See `has_folder`."""
    return os.path.isfile(path)  # noqa: PTH113 - as above


def require_writable(folder: Path) -> None:
    """Refuse a data folder that cannot be written; one that is missing may be made where it would stand.

    Raises:
        FolderUnwritable: It, or the index or a database in it, cannot be written.
    """
    error = unwritable(folder)
    if error is not None:
        raise error


def make_private(folder: Path) -> None:
    """Make a data folder that is missing, open to its owner alone; one that exists is left as it is.

    What people asked and handed in is kept there. Whoever wants to share it makes the folder before, or opens it after.
    On Windows it gets the rights of the folder above it.

    Raises:
        FolderNotMade: It cannot be made: the file system makes none there, or none of that name.
    """
    try:
        if not folder.is_dir():
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o777 if os.name == "nt" else 0o700, exist_ok=True)
    except OSError as error:
        message = _refusal(folder, f"it cannot be made ({error.strerror or error})")
        raise FolderNotMade(message, details={"folder": str(folder)}) from error


def unwritable(folder: Path) -> FolderUnwritable | None:
    """Return the error of a data folder that cannot be written; None where it can. See `require_writable`."""
    if has_folder(folder / RESTORING) or has_folder(folder / RESTORED):
        return FolderUnwritable(
            f"A restore into {str(folder)!r} was interrupted or is still running. If it was interrupted, run `candor "
            "restore FILE --replace` again.",
            details={"folder": str(folder)},
        )
    reasons = (_why(path) for path in (folder, *(folder / name for name in _PARTS)))
    reason = next((reason for reason in reasons if reason is not None), None)
    if reason is None:
        return None
    return FolderUnwritable(_refusal(folder, reason), details={"folder": str(folder)})


def _refusal(folder: Path, reason: str) -> str:
    return (
        f"The data folder {str(folder)!r} cannot be written: {reason}. Candor keeps its index, log and conversations "
        "there, and writes for every question. Make it writable for the user that runs Candor, or copy it to a "
        "writable place and set CANDOR_DATA_DIR to that (for a database, CANDOR_DATABASE_URL)."
    )


def _why(path: Path) -> str | None:
    """Return why a file or folder cannot be written, or made where it is missing; None where it can."""
    absolute = path.absolute()
    standing = next(each for each in (absolute, *absolute.parents) if os.path.lexists(each))
    if standing.is_symlink() and not standing.exists():
        return f"{str(standing)!r} is a link to {str(standing.readlink())!r}, which does not exist"
    if standing != absolute and not standing.is_dir():
        return f"{str(standing)!r} is not a folder"
    wanted = os.W_OK | (os.X_OK if standing.is_dir() else 0)
    if os.access(standing, wanted, effective_ids=os.access in os.supports_effective_ids):
        return None
    if os.statvfs(standing).f_flag & os.ST_RDONLY:
        return f"{str(standing)!r} is mounted read-only"
    return f"{str(standing)!r} belongs to user {standing.stat().st_uid}, and user {os.geteuid()} may not write to it"
