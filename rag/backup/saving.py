"""`candor backup`: a data folder into one file, whole and of one moment, while a server goes on answering.

    index, catalogue, copies of the documents      of one moment: writers wait until they are in the file
    conversations, labels, promotions, keys        a copy that SQLite makes of its own database
    answers, requests, feedback, logs, runs        whole lines; what is asked meanwhile may be in it or not
    gates and the reader's lessons, data sets      as they stand

Left out is what is made again: compiled models, indexes of evaluations. What is kept elsewhere (a Qdrant server,
another database) is named in the file and must be saved by its own means.
"""

import gzip
import io
import json
import os
import sqlite3
import tarfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from pydantic import Field, SecretStr

from rag.errors import InvalidDocument, StoreUnavailable
from rag.ingest.writers import NAME as WRITERS
from rag.ingest.writers import WritersLock
from rag.models import Value
from rag.process.data_folder import has_folder
from rag.process.product import product_version
from rag.settings import Settings

FORMAT: Final = 1
MANIFEST: Final = "candor-backup.json"  # the first file in a backup: what it is of
_MADE_AGAIN: Final = ("cache", "evaluation", "logs/columns", "files/.reading", WRITERS)
_PASSING: Final = ("index.", "restoring", "restored", "replaced")
"""How names in a data folder begin that stand for work under way."""
_OF_SQLITE: Final = ("-wal", "-shm", "-journal")
_AT_ONCE: Final = ("index", "catalogue.db", "files")  # what belongs together, and is written by one writer at a time
_BLOCK: Final = 1 << 16
_COMPRESSION: Final = 1  # vectors hardly become smaller, text does at once


class Manifest(Value):
    """What a backup is of."""

    format: int = Field(description="Version of this form of backup.")
    candor: str = Field(description="Version of Candor that made it.")
    created_at: datetime = Field(description="When, UTC.")
    settings: dict[str, str] = Field(description="Settings that were not the default, secrets left out.")
    elsewhere: tuple[str, ...] = Field(description="What belongs to this Candor and is not in the file.")


def back_up(settings: Settings, target: Path) -> Manifest:
    """Write a data folder into a file, and return what the file says of itself.

    The file is whole or not there: it is written beside its place and put there in one step. Nothing that belongs to a
    running server is opened for writing.

    Raises:
        InvalidDocument: There is no such data folder, or the file would stand in it.
        StoreUnavailable: Something cannot be read or written.
    """
    folder = settings.data_dir
    if not has_folder(folder):
        raise InvalidDocument(
            f"There is nothing to back up: {str(folder)!r} is not a folder. Set CANDOR_DATA_DIR to the data folder."
        )
    if folder.resolve() in target.resolve().parents:
        raise InvalidDocument(f"{str(target)!r} is inside the data folder. Choose a file outside it.")
    manifest = _manifest(settings)
    beside = target.with_name(f".{target.name}.part")
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=_COMPRESSION, mtime=0) as packed:
                _write(folder, packed, manifest, beside.parent)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    except (OSError, sqlite3.Error, tarfile.TarError) as error:
        beside.unlink(missing_ok=True)
        raise StoreUnavailable(
            f"No backup was made of {str(folder)!r}: {error}. Check the disk, then try again."
        ) from error
    return manifest


def _manifest(settings: Settings) -> Manifest:
    chosen = {name: getattr(settings, name) for name in sorted(settings.model_fields_set - {"database_url"})}
    shown = {name: str(value) for name, value in chosen.items() if not isinstance(value, SecretStr)}
    elsewhere = [f"the index, on the Qdrant server {settings.qdrant_url}"] if settings.qdrant_url else []
    if settings.database_url:
        elsewhere.append("conversations, labels, promotions and keys, in the database of CANDOR_DATABASE_URL")
    return Manifest(
        format=FORMAT,
        candor=product_version(),
        created_at=datetime.now(UTC),
        settings=shown,
        elsewhere=tuple(elsewhere),
    )


def _write(folder: Path, packed: gzip.GzipFile, manifest: Manifest, room: Path) -> None:
    with tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as archive:
        content = json.dumps(manifest.model_dump(mode="json"), indent=1).encode()
        entry = tarfile.TarInfo(MANIFEST)
        entry.size, entry.mode = len(content), 0o600
        archive.addfile(entry, io.BytesIO(content))
        with WritersLock(folder / WRITERS, alone=True):
            for name in _AT_ONCE:
                _add_all(archive, folder, folder / name, room)
        for path in sorted(folder.iterdir()):
            if path.name not in _AT_ONCE:
                _add_all(archive, folder, path, room)


def _add_all(archive: tarfile.TarFile, folder: Path, start: Path, room: Path) -> None:
    """Add a file, or all below a folder; looked at again until nothing new is there, for files may be renamed."""
    done: set[Path] = set()
    while new := [path for path in _files(folder, start) if path not in done]:
        for path in new:
            done.add(path)
            try:
                _add(archive, path, path.relative_to(folder).as_posix(), room)
            except FileNotFoundError:  # renamed, or removed, since its folder was listed
                continue


def _files(folder: Path, start: Path) -> Iterator[Path]:
    name = start.relative_to(folder).as_posix()
    if name in _MADE_AGAIN or (start.parent == folder and name.startswith(_PASSING)) or start.is_symlink():
        return
    if start.is_dir():
        for path in sorted(start.iterdir()):
            yield from _files(folder, path)
    elif start.is_file() and not name.endswith((*_OF_SQLITE, ".part")):
        yield start


def _add(archive: tarfile.TarFile, path: Path, name: str, room: Path) -> None:
    if path.suffix == ".db":
        _add_database(archive, path, name, room)
        return
    with path.open("rb") as file:
        entry = archive.gettarinfo(arcname=name, fileobj=file)
        if ".jsonl" in path.name:
            entry.size = _whole_lines(file, entry.size)
        archive.addfile(entry, file)


def _whole_lines(file: io.BufferedReader, size: int) -> int:
    """Return how much of a file is whole lines: the last may be on its way."""
    whole = 0
    for start in range((size - 1) // _BLOCK * _BLOCK, -1, -_BLOCK):
        file.seek(start)
        found = file.read(min(_BLOCK, size - start)).rfind(b"\n")
        if found >= 0:
            whole = start + found + 1
            break
    file.seek(0)
    return whole


def _add_database(archive: tarfile.TarFile, path: Path, name: str, room: Path) -> None:
    """Add a copy that SQLite makes of a database, whoever writes to it meanwhile."""
    with TemporaryDirectory(dir=room, prefix=".candor-backup-") as made:
        copy = Path(made) / path.name
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        with copy.open("rb") as file:
            entry = archive.gettarinfo(arcname=name, fileobj=file)
            entry.mode = path.stat().st_mode & 0o777
            archive.addfile(entry, file)
