"""Which files an ingest is about: those named, those in folders and archives, and what could not be looked at.

The members of a ZIP archive, and what is attached to a mail, are documents of their own, named by their path:
`minutes.zip/2025/june.docx`, `offer.eml/prices.pdf`. Archives within archives are not opened.
"""

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

from rag.errors import InvalidDocument
from rag.ingest.incoming import Incoming, composed, valid
from rag.ingest.loaders import SUPPORTED_SUFFIXES
from rag.ingest.loaders.mail import letter_of
from rag.ingest.loaders.source import KINDS, Source, check_size, open_archive, read_entry, refuse
from rag.ingest.report import FileOutcome
from rag.models import DocumentRecord

_ARCHIVE, _MAILS = ".zip", (".eml", ".msg")
CONTAINERS = (_ARCHIVE, *_MAILS)  # suffixes of files that hold documents
_LABELS = "questions.jsonl"  # the questions of a data set would be found instead of the documents beside them
_CATALOGUE = "catalogue.db"  # what tells a data folder of Candor from others; beside it lies what Candor keeps:
_OWN = ("answers", "cache", "columns", "evaluation", "files", "index", "logs", "reader-heads", "requests", "runs")


@dataclass
class Found:
    """What stands in the paths that were named: files, each once, and folders, links resolved."""

    files: dict[Path, None] = field(default_factory=dict)
    failures: list[FileOutcome] = field(default_factory=list)  # what could not be looked at, or leads nowhere
    folders: set[Path] = field(default_factory=set)
    away: set[Path] = field(default_factory=set)  # links to files that are not there now, as on a disk that is away
    unlisted: set[Path] = field(default_factory=set)  # folders that could not be listed: what is in them is not known
    passed_over: Counter[str] = field(default_factory=Counter)  # how many files are of no type that is read, by suffix
    _members: set[str] = field(default_factory=set)

    def opened(self, files: Sequence[Incoming], *, max_bytes: int) -> list[Incoming]:
        """Return the files, in the place of archives their members, and after mails what is attached to them."""
        found = [each for file in files for each in self._opened(file, max_bytes)]
        self._members = {str(each.source) for each in found if each.member}
        return found

    def _opened(self, file: Incoming, max_bytes: int) -> Iterator[Incoming]:
        if PurePosixPath(file.name).suffix.lower() != _ARCHIVE:
            yield from _with_attached(file, max_bytes)
            return
        try:
            yield from self._packed(file, max_bytes)
        except InvalidDocument as error:
            failed = FileOutcome(document=file.label, outcome="failed", reason=error.message, path=file.source)
            self.failures.append(failed)

    def _packed(self, file: Incoming, max_bytes: int) -> Iterator[Incoming]:
        check_size(file.label, file.size, max_bytes)
        archive = _archive(file)
        count = 0
        for entry in archive.infolist():
            path = PurePosixPath(entry.filename.replace("\\", "/"))
            if entry.is_dir() or path.parts[:1] == ("__MACOSX",):
                continue
            count += 1
            if any(part.startswith(".") for part in path.parts) or path.suffix.lower() not in KINDS:
                self.passed_over[path.suffix.lower()] += 1
                continue
            held = None if file.path else archive
            member = _member(file, str(path), entry.file_size, partial(_entry, file, held, entry.filename))
            yield from _with_attached(member, max_bytes)
        if not count:
            raise refuse(file.name, "it is an empty archive", "Pack it again with its files")

    def incoming(self) -> tuple[list[Incoming], list[FileOutcome]]:
        """Return the files on their way in, and what becomes of links to files that are among them themselves."""
        files = [Incoming.of_path(path) for path in self.files]
        themselves = {file.source for file in files if not file.link}
        kept, folded = [], []
        for one in files:
            if one.link and one.source in themselves:
                there, reason = valid(str(one.path)), f"a link to {one.source!r}"
                folded.append(FileOutcome(document=one.label, outcome="unchanged", reason=reason, path=there))
            else:
                kept.append(one)
        return kept, folded

    def is_gone(self, record: DocumentRecord) -> bool:
        """Return whether a document's file, or the link to it, stood in one of the folders and is known to be gone."""
        place = Path(record.link or record.path or "")
        above = set(place.parents)
        if not record.path or not above & self.folders or above & self.unlisted:
            return False
        name = composed(record.document)
        paths = (*self.files, *self.away)
        if any(name.endswith(composed(one.name)) and valid(str(one.resolve())) == record.path for one in paths):
            return False  # another path leads to it
        try:
            place.stat(follow_symlinks=not record.link)  # a link whose target is away, as on a disk, is still there
        except OSError as error:  # of another kind where a folder above it is not open to us: it may be there
            return isinstance(error, FileNotFoundError | NotADirectoryError) and str(place) not in self._members
        return False


def find(paths: Sequence[Path], *, kept: Path | None = None, leaving: Collection[Path] = ()) -> Found:
    """Return the files to ingest: those named, and those of a supported type in the folders named, sorted.

    Files and folders whose name begins with a dot are skipped in folders, never when named themselves. A file named
    itself is taken whatever its type, so that reading it can say what is wrong with it. Links to folders are not
    followed. Copies of what was ingested are skipped, for they would stand in the way of newer versions: those that
    this Candor has `kept`, and those of others, of evaluation runs for example, by the catalogue beside them.

    Args:
        paths: Files and folders.
        kept: Where this Candor keeps its copies.
        leaving: Files in the folders to leave for now; they are there.

    Raises:
        InvalidDocument: A path does not exist, or cannot be looked at.
    """
    found, links = Found(), list[Path]()
    for path in paths:
        if _is_folder(path):
            found.folders.add(path.resolve())
            walked = _walked(path, found, links, kept=kept.resolve() if kept else None)
            found.files.update(dict.fromkeys(each for each in sorted(walked) if each not in leaving))
        else:
            found.files.setdefault(path)
    for link in sorted(links):
        target = link.resolve()
        if not found.folders & {target, *target.parents}:
            why = f"it is a link to the folder {valid(str(target))!r}, and links to folders are not followed."
            found.failures.append(_failure(link, f"{why} Name that folder too.", what="What is in "))
    return found


def _is_folder(path: Path) -> bool:
    try:
        if path.exists():
            return path.is_dir()
        raise refuse(valid(str(path)), "there is no such file or folder", "Check the path")
    except OSError as error:
        reason = f"it cannot be accessed ({error.strerror})"
        raise refuse(valid(str(path)), reason, "Check its name and its permissions") from error


def _walked(folder: Path, found: Found, links: list[Path], *, kept: Path | None) -> Iterator[Path]:
    """Yield the files of a folder; note the folders that cannot be listed, and collect the links to folders."""

    def note(error: OSError) -> None:
        found.unlisted.add(Path(error.filename).resolve())
        why = f"it cannot be listed ({error.strerror}). Check its permissions."
        found.failures.append(_failure(Path(error.filename), why, what="What is in the folder "))

    for above, names, files in os.walk(folder, onerror=note):
        skipped = _OWN if _CATALOGUE in files else ()
        shown = (name for name in names if not name.startswith(".") and name not in skipped)
        names[:] = [name for name in shown if Path(above, name).resolve() != kept]
        links += [Path(above, name) for name in names if Path(above, name).is_symlink()]
        for path in sorted(Path(above, name) for name in files if not name.startswith(".") and name != _LABELS):
            is_document = path.suffix.lower() in SUPPORTED_SUFFIXES
            if is_document and path.is_file():
                yield path
            elif (is_document or not path.suffix) and path.is_symlink() and not path.exists():
                found.away.add(path)
                why = f"it is a link to {valid(str(path.readlink()))!r}, which does not exist."
                found.failures.append(_failure(path, f"{why} Correct or remove the link."))
            else:
                found.passed_over[valid(path.suffix.lower())] += 1


def _with_attached(file: Incoming, max_bytes: int) -> Iterator[Incoming]:
    """Yield a file and, of a mail, what is attached; where it cannot be read its loader says what is wrong with it."""
    yield file
    if PurePosixPath(file.name).suffix.lower() not in _MAILS:
        return
    attachments: Sequence[tuple[str, bytes]] = ()
    with suppress(Exception):  # parsers of mails raise anything at all
        check_size(file.label, file.size, max_bytes)
        attachments = letter_of(Source(PurePosixPath(file.name).name, file.content())).attachments
    for name, data in attachments:
        attached = PurePosixPath(name.replace("\\", "/")).name
        if PurePosixPath(attached).suffix.lower() in KINDS:
            yield _member(file, attached, len(data), partial(bytes, data))


def _member(file: Incoming, path: str, size: int, read: Callable[[], bytes]) -> Incoming:
    source = f"{file.source}/{path}" if file.source else None
    return Incoming(composed(f"{file.name}/{path}"), size, source=source, member=read)


def _archive(file: Incoming) -> ZipFile:
    if file.path is None:
        return open_archive(file.name, file.content())
    try:
        return _archive_on_disk(file.name, file.path, file.path.stat().st_mtime_ns)
    except OSError as error:
        raise file.unreadable(error) from error


@lru_cache(maxsize=4)
def _archive_on_disk(name: str, path: Path, changed: int) -> ZipFile:
    """Return an archive; the last few stay open, since their members are read one after the other."""
    return open_archive(name, path)


def _entry(file: Incoming, archive: ZipFile | None, path: str) -> bytes:
    return read_entry(file.name, archive or _archive(file), path)


def _failure(path: Path, why: str, *, what: str = "") -> FileOutcome:
    reason = f"{what}{valid(str(path))!r} was not ingested: {why}"
    return FileOutcome(document=valid(path.name), outcome="failed", reason=reason, path=valid(str(path)))
