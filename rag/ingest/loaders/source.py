"""A file's bytes, what they are by content, and the one way to say that a file cannot be ingested."""

import hashlib
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from rag.errors import InvalidDocument

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_BYTES = 200 * 2**20  # Largest file that is read; the default of `CANDOR_MAX_UPLOAD_MB`
MAX_UNPACKED_BYTES = 512 * 2**20  # Largest content of a zipped document; a bomb unpacks to more
MAX_RATIO = 200  # Largest compression ratio of a zipped document of more than a few megabytes
TOO_DEEP = "it is nested too deeply"
FLATTER = "Copy its text into a plain text file (.txt) or a new document, and ingest that"

FORMATS = {  # the suffixes and the media type of each
    "pdf": (".pdf", "application/pdf"),
    "docx": (".docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    "html": (".html .htm", "text/html"),
    "markdown": (".md .markdown .mdx", "text/markdown"),
    "plain": (".txt", "text/plain"),
    "epub": (".epub", "application/epub+zip"),
    "mail": (".eml", "message/rfc822"),
    "msg": (".msg", "application/vnd.ms-outlook"),
    "pptx": (".pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    "xlsx": (".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "csv": (".csv .tsv", "text/csv"),
    "json": (".json .jsonl", "application/json"),
    "ipynb": (".ipynb", "application/x-ipynb+json"),
    "rst": (".rst", "text/x-rst"),
    "odt": (".odt", "application/vnd.oasis.opendocument.text"),
    "rtf": (".rtf", "application/rtf"),
    "picture": (".png .jpg .jpeg .tif .tiff .webp", "image/*"),
}
KINDS = {suffix: kind for kind, (suffixes, _) in FORMATS.items() for suffix in suffixes.split()}
_ZIPPED = {  # what a file of each zipped format is, and the name of a part that each has
    "docx": ("a Word document", r"word/document\d*\.xml"),
    "pptx": ("a PowerPoint presentation", r"ppt/presentation\d*\.xml"),
    "xlsx": ("an Excel workbook", r"xl/workbook\d*\.xml"),
    "odt": ("an OpenDocument text", r"content\.xml"),
}
_SIGNATURES = {
    b"%PDF-": "a PDF",
    b"PK\x03\x04": "a ZIP archive",
    b"PK\x05\x06": "an empty ZIP archive",
    b"\xd0\xcf\x11\xe0": "an old or encrypted Office file",
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"II*\x00": "a TIFF picture",
    b"MM\x00*": "a TIFF picture",
    b"RIFF": "a WebP picture, or sound",
    b"{\\rtf": "an RTF file",
    b"\x1f\x8b": "a gzip archive",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"\x7fELF": "a program",
    b"MZ\x90": "a program",
    b"SQLite format 3": "a database",
}

MOST_ENTRIES = 10_000  # Entries of an archive; a folder of documents has fewer
_SMALL = 20 * 2**20  # bytes that may be packed however tightly
_RENAME = "Give the file the suffix of what it is, or export it again"
_ENCRYPTED = 0x1
_UNPACKING = (KeyError, OSError, EOFError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)

Listener = Callable[[int, int], None]  # told the number of a page and how many there are; what it raises ends reading
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@dataclass(frozen=True, slots=True)
class Source:
    """One file as it was handed in: its name (the document's identity) and its bytes."""

    name: str
    data: bytes = field(repr=False)

    @property
    def hash(self) -> str:
        """SHA-256 of the bytes, hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def media_type(self) -> str:
        """The media type of its format."""
        return FORMATS[self.kind][1]

    @property
    def kind(self) -> str:
        """The format that the suffix announces, a key of `FORMATS`; raises `InvalidDocument` where it is none."""
        suffix = Path(self.name).suffix.lower()
        if suffix not in KINDS:
            raise refuse(self.name, f"its type {suffix!r} is not supported", f"Supported are {' '.join(KINDS)}")
        return KINDS[suffix]


def refuse(name: str, reason: str, advice: str) -> InvalidDocument:
    """Return the error that says which file cannot be ingested, why, and what to do about it.

    >>> refuse("a.pdf", "it is empty", "Export it again").message
    "'a.pdf' was not ingested: it is empty. Export it again."
    """
    details = {"document": name, "reason": reason, "advice": advice}
    return InvalidDocument(f"{name!r} was not ingested: {reason}. {advice.rstrip('.')}.", details=details)


def read_source(path: Path, *, max_bytes: int = MAX_BYTES) -> Source:
    """Return a file's bytes; raises `InvalidDocument` where it is missing, unreadable, empty or too large."""
    try:
        check_size(path.name, path.stat().st_size, max_bytes)
        return Source(path.name, path.read_bytes())
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise refuse(path.name, f"it cannot be read ({reason})", "Check the path and its permissions") from error


def check_size(name: str, size: int, max_bytes: int = MAX_BYTES) -> None:
    """Raise `InvalidDocument` for an empty file and for one that is larger than `max_bytes`."""
    if size == 0:
        raise refuse(name, "it is empty (0 bytes)", "Save it again with its content")
    if size > max_bytes:
        reason = f"it is too large ({size / 2**20:.0f} MB; at most {max_bytes / 2**20:.0f} MB)"
        raise refuse(name, reason, "Split it, or raise CANDOR_MAX_UPLOAD_MB")


def check_content(source: Source) -> None:
    """Raise `InvalidDocument` for a file whose bytes are not what its suffix announces; it names what they are."""
    kind, data = source.kind, source.data
    found = next((name for signature, name in _SIGNATURES.items() if data.startswith(signature)), None)
    if kind in _ZIPPED and found == "an old or encrypted Office file":
        advice = f"Open it in its own program and save it without a password as .{kind}"
        raise refuse(source.name, f"it is encrypted, or in the old .{kind[:-1]} format", advice)
    match kind:
        case "epub" | "msg":
            return  # their loaders look for themselves
        case "pdf":
            said, is_right = "a PDF", b"%PDF-" in data[:1024]
        case "rtf":
            said, is_right = "RTF", found == "an RTF file"
        case "picture":
            said, is_right = "a picture", "picture" in (found or "")
        case _ if kind in _ZIPPED:
            said, is_right = _ZIPPED[kind][0], found == "a ZIP archive"
        case _:
            said, is_right = "text", not found and not _is_binary(data)
            found = found or "binary data"
    if not is_right:
        raise refuse(source.name, f"its content is not {said} but {found or 'something else'}", _RENAME)
    if kind in _ZIPPED:
        names = open_archive(source.name, data).namelist()
        if not any(re.fullmatch(_ZIPPED[kind][1], name) for name in names):
            raise refuse(source.name, f"it is a ZIP archive but not {said}", _RENAME)


def _is_binary(data: bytes) -> bool:
    """Whether the bytes hold NULs as no text encoding would; UTF-16 and UTF-32 have them in every other place."""
    head = data[:4096]
    is_marked, nulls = head.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")), head.count(0)
    one_sided = max(head[0::2].count(0), head[1::2].count(0)) >= 0.9 * nulls
    return nulls > 0 and not is_marked and not (one_sided and nulls > 0.2 * len(head))


def open_archive(name: str, packed: Path | bytes) -> zipfile.ZipFile:
    """Return an archive, on disk or in memory, that is whole, of bearable size, and whose entries all lie within it.

    Raises:
        InvalidDocument: It is not; the message says what is wrong with it.
    """
    try:
        archive = zipfile.ZipFile(packed if isinstance(packed, Path) else io.BytesIO(packed))
        size = packed.stat().st_size if isinstance(packed, Path) else len(packed)
    except _UNPACKING as error:
        raise refuse(name, "it is broken, or no ZIP archive", "Save or pack it again") from error
    entries = archive.infolist()
    unpacked = sum(entry.file_size for entry in entries)  # as declared; what unpacks to more than that cannot be read
    if unpacked > MAX_UNPACKED_BYTES or (unpacked > _SMALL and unpacked > MAX_RATIO * size):
        reason = f"it unpacks to {unpacked / 2**20:.0f} MB from {size / 2**20:.1f} MB, as a zip bomb does"
        raise refuse(name, reason, "Save it again from its own program, or unpack it yourself if you trust it")
    if len(entries) > MOST_ENTRIES:
        reason = f"it has {len(entries):,} entries; at most {MOST_ENTRIES:,} are read"
        raise refuse(name, reason, "Unpack it and ingest the folder")
    if outside := next((entry.filename for entry in entries if leads_out(entry.filename)), None):
        reason = f"its entry {outside[:80]!r} points outside the archive"
        raise refuse(name, reason, "Do not trust it; pack the files again")
    return archive


def leads_out(path: str) -> bool:
    """Return whether a path within an archive leads out of it.

    >>> [leads_out(path) for path in ("a/b.md", "../b.md", "/etc/b.md", "C:/b.md", "a/../../b.md")]
    [False, True, True, True, True]
    """
    parts = PurePosixPath(path.replace("\\", "/"))
    return parts.is_absolute() or ".." in parts.parts or ":" in (parts.parts[:1] or ("",))[0] or "\x00" in path


def read_entry(name: str, archive: zipfile.ZipFile, path: str) -> bytes:
    """Return an entry's bytes; raises `InvalidDocument` where it is encrypted, damaged, or packed in no known way."""
    try:
        if archive.getinfo(path).flag_bits & _ENCRYPTED:
            raise refuse(name, f"its entry {path!r} is encrypted", "Pack it again without a password")
        return archive.read(path)
    except _UNPACKING as error:
        raise refuse(name, f"its entry {path!r} cannot be unpacked", "Pack it again") from error


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Let `listener` be told of each page that is begun in this thread while the block runs."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


def page_begun(number: int, of: int) -> None:
    """Say that a page, counted from 1, is begun."""
    if (listener := _listener.get()) is not None:
        listener(number, of)


def parsed_xml(data: bytes) -> "_Element":
    """Return the root of a document in XML; entities of its own are not followed, and nothing is fetched."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    return etree.parse(io.BytesIO(data), parser).getroot()


def xml_part(archive: zipfile.ZipFile, name: str) -> "_Element | None":
    """Return the root of an XML part of an archive; None where the archive lacks it."""
    return parsed_xml(archive.read(name)) if name in archive.namelist() else None
