"""Copies of the ingested files, so that a citation opens at its page though the source has moved."""

import hashlib
import os
import shlex
from contextlib import suppress
from pathlib import Path

from rag.errors import InvalidDocument, StoreUnavailable
from rag.ingest.incoming import Incoming
from rag.models import DocumentRecord


class Originals:
    """Copies of the ingested files, `<folder>/<hash>/<name>`, so that a citation opens though its source has moved."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def path(self, name: str, version: str) -> Path | None:
        """Return where the copy of a version is, or None where there is none."""
        path = self._folder / version / name if self._folder else None
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

    def require_same_place(self, incoming: Incoming, record: DocumentRecord | None) -> None:
        """Refuse a file whose name is that of another file, elsewhere, that is indexed and still there.

        The same content is no other file, and neither is a copy that is kept here.

        Raises:
            InvalidDocument: It would replace that file; the message says what can be done.
        """
        if record is None or record.path is None or incoming.source in (None, record.path):
            return
        there = Path(record.path)
        is_copy = self._folder is not None and self._folder.resolve() in there.parents
        if is_copy or not there.is_file() or _is_version(incoming, record):
            return
        raise InvalidDocument(
            f"{incoming.source!r} was not ingested: a document is known by its file name, and {record.document!r} was "
            f"read from {record.path!r}, which is still there. Rename one of them, run `candor forget "
            f"{shlex.quote(record.document)}` first, or replace it with `candor ingest --replace`."
        )

    def keep(self, incoming: Incoming, version: str) -> None:
        """Copy a file, all or nothing; one that changed since it was read is not kept under the old hash.

        Raises:
            StoreUnavailable: The copy cannot be written.
        """
        if self._folder is None or self.path(incoming.name, version):
            return
        try:
            data = incoming.path.read_bytes() if incoming.path else incoming.data or b""
            if hashlib.sha256(data).hexdigest() == version:
                _write(self._folder / version / incoming.name, data)
        except OSError as error:
            raise StoreUnavailable(
                f"No copy of {incoming.name!r} could be kept in {str(self._folder)!r}: {error.strerror}. "
                f"Check that the folder can be written and that the disk has space."
            ) from error

    def remove(self, name: str, *, keep: str | None = None) -> None:
        """Remove all copies of a document, but for the version to keep."""
        for copy in self._folder.glob(f"*/{_escaped(name)}") if self._folder else ():
            if copy.parent.name != keep:
                _unlink(copy)

    def remove_version(self, name: str, version: str) -> None:
        """Remove the copy of one version."""
        copy = self.path(name, version)
        if copy:
            _unlink(copy)


def _is_version(incoming: Incoming, record: DocumentRecord) -> bool:
    return incoming.size == record.size_bytes and incoming.hash() == record.hash


def _write(target: Path, data: bytes) -> None:
    """Write a file under another name and put it in place when it is whole and on disk."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.parent.parent / f"{target.parent.name}.part"
    with part.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    part.replace(target)


def _unlink(copy: Path) -> None:
    """Remove a copy, and its folder when it was the last there; what cannot be removed does no harm."""
    with suppress(OSError):
        copy.unlink()
        copy.parent.rmdir()


def _escaped(name: str) -> str:
    return "".join(f"[{character}]" if character in "*?[" else character for character in name)
