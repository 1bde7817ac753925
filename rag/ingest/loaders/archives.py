"""ZIP archives from anywhere: opened only within bounds, and read entry by entry."""

import io
import lzma
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from rag.ingest.loaders.source import MAX_RATIO, MAX_UNPACKED_BYTES, refuse

MOST_ENTRIES = 10_000
"""Entries of an archive; a folder of documents has fewer."""
_SMALL = 20 * 2**20
"""Bytes that may be packed however tightly."""
_ENCRYPTED = 0x1


def open_archive(name: str, packed: Path | bytes) -> zipfile.ZipFile:
    """Return an archive that is whole, of bearable size, and whose entries all lie within it.

    Args:
        name: How it is called.
        packed: Where it is, or its bytes.

    Raises:
        InvalidDocument: It is not; the message says what is wrong with it.
    """
    try:
        archive = zipfile.ZipFile(packed if isinstance(packed, Path) else io.BytesIO(packed))
        size = packed.stat().st_size if isinstance(packed, Path) else len(packed)
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise refuse(name, "it is broken, or no ZIP archive", "Pack it again") from error
    entries = archive.infolist()
    unpacked = sum(entry.file_size for entry in entries)
    if unpacked > MAX_UNPACKED_BYTES or (unpacked > _SMALL and unpacked > MAX_RATIO * size):
        reason = f"it unpacks to {unpacked / 2**20:.0f} MB from {size / 2**20:.1f} MB, as a zip bomb does"
        raise refuse(name, reason, "Unpack it yourself if you trust it, and ingest what is in it")
    if len(entries) > MOST_ENTRIES:
        reason = f"it has {len(entries):,} entries; at most {MOST_ENTRIES:,} are read"
        raise refuse(name, reason, "Unpack it and ingest the folder")
    for entry in entries:
        if leads_out(entry.filename):
            reason = f"its entry {entry.filename[:80]!r} leads out of the archive"
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
    """Return an entry's bytes.

    Raises:
        InvalidDocument: It is encrypted, damaged, or packed in a way that is not known.
    """
    try:
        if archive.getinfo(path).flag_bits & _ENCRYPTED:
            raise refuse(name, f"its entry {path!r} is encrypted", "Pack it again without a password")
        return archive.read(path)
    except (
        KeyError,
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        RuntimeError,
        EOFError,
        OSError,
        ValueError,
    ) as error:
        raise refuse(name, f"its entry {path!r} cannot be unpacked", "Pack it again") from error
