"""Copies of the ingested files, so that a citation opens at its page though the source has moved."""

import dataclasses
import errno
import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from typing import Final
from uuid import uuid4

from rag.errors import InvalidDocument, StoreUnavailable
from rag.ingest.incoming import Incoming, composed, holder
from rag.models import DocumentRecord
from rag.records.replacing import replace

_READING: Final = ".reading"  # the folder of copies whose documents are not yet in the index


class Originals:
    """Copies of the ingested files, `<folder>/<hash>/<name>`; without a folder none are kept."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._staged: dict[str, Path] = {}

    def path(self, name: str, version: str) -> Path | None:
        """Return where the copy of a version is, or None where there is none."""
        path = self.folder / version / name if self.folder else None
        return path if path and path.is_file() else None

    def source(self, record: DocumentRecord) -> Path | None:
        """Return a file that holds the indexed version of a document: the copy, or where it was read from."""
        kept = self.path(record.document, record.hash)
        if kept or not record.path:
            return kept
        with suppress(InvalidDocument):
            file = Incoming.of_path(Path(record.path))
            return file.path if file.hash() == record.hash else None
        return None

    def under_its_name(self, incoming: Incoming) -> Incoming:
        """Return a file; a copy that is kept here under the name of its document, folders included."""
        place = incoming.path.resolve() if incoming.path else None
        if place is None or self.folder is None or self.folder.resolve() not in place.parents:
            return incoming
        name = "/".join(place.relative_to(self.folder.resolve()).parts[1:])
        return dataclasses.replace(incoming, name=composed(name))

    def stands(self, record: DocumentRecord) -> bool:
        """Return whether a document's file is still where it was read from; a copy that is kept here is none."""
        there = Path(record.path or "")
        is_copy = self.folder is not None and self.folder.resolve() in there.parents
        return bool(record.path) and not is_copy and holder(there) is not None

    def read_again(self, records: Iterable[DocumentRecord]) -> tuple[list[Incoming], list[DocumentRecord]]:
        """Return the files from which documents can be read again, and the documents that cannot be read again here."""
        files, lost = [], []
        for record in records:
            if path := self.source(record):
                file, name = Incoming.of_path(path), composed(record.document)
                files.append(dataclasses.replace(file, name=name, source=record.path, link=record.link))
            else:
                lost.append(record)
        return files, lost

    def stage(self, incoming: Incoming, version: str) -> bool:
        """Copy a file that has just been read, to be kept once its document is; an upload's bytes are at hand anyway.

        Returns False where the file has changed since it was read. Raises `InvalidDocument` where it cannot be read any
        more, and `StoreUnavailable` where the copy cannot be written.
        """
        if self.folder is None or incoming.path is None or self.path(incoming.name, version):
            return True
        part, digest = self.folder / _READING / f"{uuid4().hex}.part", hashlib.sha256()
        self._staged[incoming.name] = part
        with self._writing(incoming.name):
            part.parent.mkdir(parents=True, exist_ok=True)
            with part.open("wb") as file:
                for block in incoming.parts():
                    digest.update(block)
                    file.write(block)
                file.flush()
                os.fsync(file.fileno())
        if digest.hexdigest() != version:
            _unlinked(self._staged.pop(incoming.name))
            return False
        return True

    def keep(self, incoming: Incoming, version: str) -> None:
        """Keep the copy of a file, all or nothing: what was staged, or an upload's bytes. Raises `StoreUnavailable`."""
        if self.folder is None or self.path(incoming.name, version):
            return
        staged, target = self._staged.pop(incoming.name, None), self.folder / version / incoming.name
        if staged is None and incoming.path is not None:
            return
        with self._writing(incoming.name):
            target.parent.mkdir(parents=True, exist_ok=True)
            if staged:
                staged.replace(target)
            else:
                replace(target, incoming.content())

    def drop_staged(self) -> None:
        """Remove the copies whose documents have come to nothing."""
        while self._staged:
            _unlinked(self._staged.popitem()[1])

    def sweep(self) -> None:
        """Remove what a crash left of copies; call it only where no other process writes here."""
        for part in (self.folder / _READING).glob("*.part") if self.folder else ():
            if part not in self._staged.values():
                _unlinked(part)

    @contextmanager
    def _writing(self, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            why = "the disk is full. Free space" if full else f"{error.strerror}. Check that the folder can be written"
            raise StoreUnavailable(
                f"No copy of {name!r} could be kept in {str(self.folder)!r}: {why} and ingest again."
            ) from error

    def remove(self, name: str, *, keep: str | None = None) -> None:
        """Remove all copies of a document, but for the version to keep."""
        for folder in self.folder.glob("*") if self.folder else ():
            if folder.name not in (keep, _READING):
                self.remove_version(name, folder.name)

    def remove_version(self, name: str, version: str) -> None:
        """Remove the copy of one version, and its folders when it was the last there; no harm where that fails."""
        copy = self.path(name, version)
        with suppress(OSError):
            if copy:
                copy.unlink()
                for folder in takewhile(lambda above: above != self.folder, copy.parents):
                    folder.rmdir()


def _unlinked(part: Path) -> None:
    with suppress(OSError):
        part.unlink()
