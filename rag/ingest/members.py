"""What stands in other files: the documents of a ZIP archive, and what is attached to a mail.

Each is a document of its own, named by its path: `minutes.zip/2025/june.docx`, `offer.eml/prices.pdf`. Archives within
archives are not opened.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

from rag.errors import InvalidDocument
from rag.ingest.incoming import Incoming, composed
from rag.ingest.loaders.archives import open_archive, read_entry
from rag.ingest.loaders.mail import letter_of
from rag.ingest.loaders.source import KINDS, MAX_BYTES, Source, check_size, refuse
from rag.ingest.report import FileOutcome

ARCHIVE = ".zip"
_MAILS = (".eml", ".msg")
CONTAINERS = (ARCHIVE, *_MAILS)


class Members:
    """Opens archives and mails.

    Attributes:
        passed_over: How many members have a type that is not read, by suffix.
        failures: What became of archives that cannot be opened, and of members that cannot be read.
    """

    def __init__(self, *, max_bytes: int = MAX_BYTES) -> None:
        self.passed_over: Counter[str] = Counter()
        self.failures: list[FileOutcome] = []
        self._max_bytes = max_bytes

    def opened(self, file: Incoming) -> Iterator[Incoming]:
        """Yield a file, or its members in its place where it is an archive; a mail and then what is attached to it."""
        suffix = PurePosixPath(file.name).suffix.lower()
        if suffix != ARCHIVE:
            yield file
        if suffix not in CONTAINERS:
            return
        try:
            yield from self._of_archive(file) if suffix == ARCHIVE else self._of_mail(file)
        except InvalidDocument as error:
            if suffix == ARCHIVE:  # of a broken mail its loader tells
                self.failures.append(_failed(file, error.message))

    def _of_archive(self, file: Incoming) -> Iterator[Incoming]:
        check_size(file.label, file.size, self._max_bytes)
        archive = _archive(file)
        found = 0
        for entry in archive.infolist():
            path = PurePosixPath(entry.filename.replace("\\", "/"))
            if entry.is_dir() or path.parts[:1] == ("__MACOSX",):
                continue
            found += 1
            if any(part.startswith(".") for part in path.parts) or path.suffix.lower() not in KINDS:
                self.passed_over[path.suffix.lower()] += 1
                continue
            held = None if file.path else archive
            member = self._member(file, str(path), entry.file_size, partial(_entry, file, held, entry.filename))
            yield member
            yield from self._of_mail(member) if path.suffix.lower() in _MAILS else ()
        if not found:
            raise refuse(file.name, "it is an empty archive", "Pack it again with its files")

    def _of_mail(self, file: Incoming) -> Iterator[Incoming]:
        try:
            letter = letter_of(Source(PurePosixPath(file.name).name, self._bytes(file)))
        except InvalidDocument:
            return  # its loader says what is wrong with it
        for name, data in letter.attachments:
            attached = PurePosixPath(name.replace("\\", "/")).name
            if PurePosixPath(attached).suffix.lower() in KINDS:
                yield self._member(file, attached, len(data), partial(bytes, data))

    def _member(self, file: Incoming, path: str, size: int, read: Callable[[], bytes]) -> Incoming:
        source = f"{file.source}/{path}" if file.source else None
        return Incoming(composed(f"{file.name}/{path}"), size, source=source, member=read)

    def _bytes(self, file: Incoming) -> bytes:
        """Return what a file holds.

        Raises:
            InvalidDocument: It cannot be read, or is too large.
        """
        check_size(file.label, file.size, self._max_bytes)
        try:
            return file.path.read_bytes() if file.path else file.content()
        except OSError as error:
            raise file.unreadable(error) from error


def _archive(file: Incoming) -> ZipFile:
    if file.path is None:
        return open_archive(file.name, file.content())
    try:
        return _opened(file.name, file.path, file.path.stat().st_mtime_ns)
    except OSError as error:
        raise file.unreadable(error) from error


@lru_cache(maxsize=4)
def _opened(name: str, path: Path, changed: int) -> ZipFile:
    """Return an archive on disk; the last few stay open, since their members are read one after the other."""
    return open_archive(name, path)


def _entry(file: Incoming, archive: ZipFile | None, path: str) -> bytes:
    return read_entry(file.name, archive or _archive(file), path)


def _failed(file: Incoming, reason: str) -> FileOutcome:
    return FileOutcome(document=file.label, outcome="failed", reason=reason, path=file.source)


def holder(path: Path) -> Path | None:
    """Return the file in which a document stands by its path; the file itself, or None where there is none."""
    return next((place for place in (path, *path.parents) if place.is_file()), None)
