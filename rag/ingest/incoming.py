"""Files on their way in: what is known of one before it is read, and what stands in archives and mails.

The members of a ZIP archive, and what is attached to a mail, are documents of their own, named by their path:
`minutes.zip/2025/june.docx`, `offer.eml/prices.pdf`. Archives within archives are not opened.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path, PurePath, PurePosixPath
from unicodedata import category, normalize
from zipfile import ZipFile

from rag.errors import InvalidDocument
from rag.ingest.loaders import load, load_bytes
from rag.ingest.loaders.mail import letter_of
from rag.ingest.loaders.source import KINDS, MAX_BYTES, Source, check_size, open_archive, read_entry, refuse
from rag.ingest.report import FileOutcome
from rag.models import Document

LONGEST_NAME, LONGEST_PATH = 255, 1_000
"""Bytes of a file name, and of one with folders before it: what file systems and the catalogue take."""

ARCHIVE = ".zip"
_MAILS = (".eml", ".msg")
CONTAINERS = (ARCHIVE, *_MAILS)


@dataclass(frozen=True, slots=True)
class Incoming:
    """A file to ingest: one on disk, an upload's bytes, or a member of an archive or a mail."""

    name: str
    size: int
    path: Path | None = None
    data: bytes | None = field(default=None, repr=False)
    source: str | None = None
    """Where the person has it; `path` may be a copy."""
    link: str | None = None
    """The link that led to `source`, where one did."""
    member: Callable[[], bytes] | None = field(default=None, repr=False, compare=False)
    """Returns the bytes of a member of another file; raises `InvalidDocument`."""

    @classmethod
    def of_path(cls, path: Path) -> "Incoming":
        """Return a file on disk; one that has gone meanwhile has size 0, and reading it says so."""
        try:
            size = path.stat().st_size
        except OSError:
            size = 0
        link = valid(str(path.parent.resolve() / path.name)) if path.is_symlink() else None
        return cls(composed(path.name), size, path, source=valid(str(path.resolve())), link=link)

    @property
    def label(self) -> str:
        """The name as it can be shown: bytes that are not UTF-8 are written out."""
        return valid(self.name)

    @property
    def has_valid_name(self) -> bool:
        """Whether a catalogue can be asked for its name."""
        return self.label == self.name

    def hash(self) -> str:
        """Return the SHA-256 of the content, hexadecimal.

        Raises:
            InvalidDocument: The file cannot be read.
        """
        try:
            if self.path is None:
                return hashlib.sha256(self.content()).hexdigest()
            with self.path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise self.unreadable(error) from error

    def content(self) -> bytes:
        """Return the bytes of what is no file on disk.

        Raises:
            InvalidDocument: A member cannot be unpacked.
        """
        return self.member() if self.member else self.data or b""

    def unreadable(self, error: OSError) -> InvalidDocument:
        """Return the error that says why the file cannot be read."""
        return InvalidDocument(
            f"{self.name!r} was not ingested: it cannot be read ({error.strerror}). Check the path and permissions."
        )

    def check_name(self) -> None:
        """Refuse a name that no database or no folder can hold.

        Raises:
            InvalidDocument: The name has bytes that are not UTF-8, control characters, or more than 255 bytes.
        """
        try:
            self.name.encode()
        except UnicodeEncodeError as error:
            raise InvalidDocument(
                f"{self.label!r} was not ingested: its name is not valid Unicode. Rename the file."
            ) from error
        parts = PurePath(self.name).parts
        if max(len(part.encode()) for part in parts or ("",)) > LONGEST_NAME or len(self.name.encode()) > LONGEST_PATH:
            raise InvalidDocument(
                f"{self.name[:80] + '…'!r} was not ingested: its name has more than {LONGEST_NAME} bytes. Shorten it."
            )
        if any(category(character) == "Cc" for character in self.name):
            raise InvalidDocument(f"{self.name!r} was not ingested: its name has control characters. Rename the file.")

    def load(self, load: Callable[[Path], Document] = load, *, max_bytes: int = MAX_BYTES) -> Document:
        """Return the file, read.

        Args:
            load: Reads one on disk.
            max_bytes: Size of the largest upload to read.

        Raises:
            InvalidDocument: It cannot be ingested; the message says why.
        """
        if self.path is None:
            document = load_bytes(PurePath(self.name).name, self.content(), max_bytes=max_bytes)
        else:
            document = load(self.path)
        return document if document.name == self.name else document.model_copy(update={"name": self.name})


def composed(text: str) -> str:
    """Return a name or path in NFC, in which all systems spell a letter with the same characters."""
    return normalize("NFC", text)


def valid(text: str) -> str:
    """Return a text that can be shown: bytes that are not UTF-8 are written out."""
    return text.encode("utf-8", "backslashreplace").decode()


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
