"""Files on their way in: what is known of one before it is read."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from unicodedata import category, normalize

from rag.errors import InvalidDocument
from rag.ingest.loaders import load, load_bytes
from rag.ingest.loaders.source import refuse
from rag.models import Document

LONGEST_NAME, LONGEST_PATH = 255, 1_000
"""Bytes of a file name, and of one with folders before it: what file systems and the catalogue take."""
_PART = 1 << 20  # bytes of a file that are read at once


@dataclass(frozen=True, slots=True)
class Incoming:
    """A file to ingest: one on disk, an upload's bytes, or a member of an archive or a mail."""

    name: str
    size: int
    path: Path | None = None
    data: bytes | None = field(default=None, repr=False)
    source: str | None = None  # where the person has it; `path` may be a copy
    link: str | None = None  # the link that led to `source`, where one did
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
        """Return the SHA-256 of the content, hexadecimal. Raises what `parts` raises."""
        digest = hashlib.sha256()
        for part in self.parts():
            digest.update(part)
        return digest.hexdigest()

    def content(self) -> bytes:
        """Return all bytes. Raises what `parts` raises."""
        return b"".join(self.parts())

    def parts(self) -> Iterator[bytes]:
        """Yield the bytes, of a file a megabyte at a time; raises `InvalidDocument` where they cannot be read."""
        if self.path is None:
            yield self.member() if self.member else self.data or b""
            return
        try:
            with self.path.open("rb") as file:
                while part := file.read(_PART):
                    yield part
        except OSError as error:
            raise self.unreadable(error) from error

    def unreadable(self, error: OSError) -> InvalidDocument:
        """Return the error that says why the file cannot be read."""
        return refuse(self.name, f"it cannot be read ({error.strerror})", "Check the path and permissions")

    def check_name(self) -> None:
        """Raise `InvalidDocument` for a name that no database or no folder can hold."""
        if not self.has_valid_name:
            raise refuse(self.label, "its name is not valid Unicode", "Rename the file")
        longest = max((len(part.encode()) for part in PurePath(self.name).parts), default=0)
        if longest > LONGEST_NAME or len(self.name.encode()) > LONGEST_PATH:
            raise refuse(f"{self.name[:80]}…", f"its name has more than {LONGEST_NAME} bytes", "Shorten it")
        if any(category(character) == "Cc" for character in self.name):
            raise refuse(self.name, "its name has control characters", "Rename the file")

    def load(self, *, max_bytes: int) -> Document:
        """Return the file, read; raises `InvalidDocument` where it cannot be ingested, or has more than `max_bytes`."""
        if self.path is None:
            document = load_bytes(PurePath(self.name).name, self.content(), max_bytes=max_bytes)
        else:
            document = load(self.path, max_bytes=max_bytes)
        return document if document.name == self.name else document.model_copy(update={"name": self.name})


def composed(text: str) -> str:
    """Return a name or path in NFC, in which all systems spell a letter with the same characters."""
    return normalize("NFC", text)


def valid(text: str) -> str:
    """Return a text that can be shown: bytes that are not UTF-8 are written out."""
    return text.encode("utf-8", "backslashreplace").decode()


def holder(path: Path) -> Path | None:
    """Return the file in which a document stands by its path; the file itself, or None where there is none."""
    return next((place for place in (path, *path.parents) if place.is_file()), None)
