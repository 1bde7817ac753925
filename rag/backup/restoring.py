"""`candor restore`: a backup into a data folder, all of it or nothing, whatever is cut off.

    restoring.new/   the backup is unpacked here and checked; until it is whole nothing else has changed
    restoring/       it is whole: from here on the restore only goes forward; what stood here goes to `replaced/`
    restored/        what was unpacked goes to its place

While one of the last two is there no other command takes the folder (`rag.process.data_folder`), and the next restore
completes this one first. Each step is a rename, so that a folder that is mounted by itself can be restored too.
"""

import gzip
import json
import os
import shutil
import tarfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from rag.backup.saving import FORMAT, MANIFEST, Manifest
from rag.errors import IndexNotReady, InvalidDocument, StoreUnavailable
from rag.ingest.writers import NAME as WRITERS
from rag.ingest.writers import WritersLock
from rag.process.data_folder import RESTORED, RESTORING, make_private

_UNPACKED: Final = "restoring.new"
_REPLACED: Final = "replaced"
_KEPT: Final = frozenset((WRITERS, "cache"))
"""What stays in the folder: it belongs to no backup, and nobody would miss it."""


def restore(source: Path, folder: Path, *, replace: bool = False) -> Manifest:
    """Put a backup into a data folder, and return what it says of itself.

    No server and no other command may use the folder: whoever calls this has made sure that nobody has the index open.

    Raises:
        InvalidDocument: It is no backup, or of a later form, or broken; or something stands in the folder. Nothing has
            changed then.
        IndexNotReady: Somebody writes to the index.
        StoreUnavailable: Something cannot be read or written.
    """
    try:
        make_private(folder)
        complete(folder)
        _require_empty(folder, replace=replace)
        lock = WritersLock(folder / WRITERS, alone=True)
        if not lock.acquire(timeout=0):
            raise IndexNotReady(f"Another process writes to the index in {str(folder)!r}. Stop it, then restore.")
        try:
            manifest = _unpack(source, folder / _UNPACKED)
            (folder / _UNPACKED).rename(folder / RESTORING)
            complete(folder)
        finally:
            lock.release()
    except OSError as error:
        raise StoreUnavailable(
            f"{str(folder)!r} was not restored: {error}. Check the disk, then restore again."
        ) from error
    return manifest


def complete(folder: Path) -> None:
    """Complete a restore that was cut off after its backup had been unpacked; do nothing where there is none.

    Raises:
        OSError: A file cannot be renamed.
    """
    unpacked, placed, old = folder / RESTORING, folder / RESTORED, folder / _REPLACED
    if unpacked.exists():
        old.mkdir(exist_ok=True)
        for path in folder.iterdir():
            if path not in (unpacked, old) and path.name not in _KEPT:
                path.rename(old / path.name)
        _sync(folder)
        unpacked.rename(placed)
    if placed.exists():
        for path in placed.iterdir():
            path.rename(folder / path.name)
        _sync(folder)
        placed.rmdir()
    shutil.rmtree(old, ignore_errors=True)


def _require_empty(folder: Path, *, replace: bool) -> None:
    there = sorted(path.name for path in folder.iterdir() if path.name not in _KEPT)
    if there and not replace:
        raise InvalidDocument(
            f"{str(folder)!r} holds {', '.join(there[:3])} already. Set CANDOR_DATA_DIR to another folder, or replace "
            "all files there: `candor restore FILE --replace`."
        )


def _unpack(source: Path, into: Path) -> Manifest:
    """Unpack a whole backup into a new folder; what is broken leaves nothing behind."""
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(mode=0o700)
    try:
        with gzip.open(source) as packed:
            with tarfile.open(fileobj=packed, mode="r|") as archive:
                archive.extractall(into, filter="data")
            while packed.read(1 << 20):  # to its end, where the checksum is
                pass
        manifest = _read(into / MANIFEST, source)
    except BaseException as error:
        shutil.rmtree(into, ignore_errors=True)
        if isinstance(error, EOFError | zlib.error | tarfile.TarError | gzip.BadGzipFile):
            raise InvalidDocument(
                f"{str(source)!r} is not a complete backup: {error}. Use another one; nothing was changed."
            ) from error
        raise
    (into / MANIFEST).unlink()
    for path in (into, *into.rglob("*")):
        _sync(path)
    return manifest


def _read(path: Path, source: Path) -> Manifest:
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        if told["format"] > FORMAT:
            raise InvalidDocument(
                f"{str(source)!r} was made by Candor {told['candor']}, which is newer. Use that version."
            )
        return Manifest.model_validate(told)
    except (FileNotFoundError, ValueError, KeyError, TypeError, ValidationError) as error:
        raise InvalidDocument(f"{str(source)!r} is not a backup of Candor: {error}. Nothing was changed.") from error


def _sync(path: Path) -> None:
    with suppress(OSError):  # some file systems do not sync folders
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
