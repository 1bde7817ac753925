"""PDFs that unpack to far more than they hold, refused before PDFium reads their pages.

PDFium unpacks a page's content whole and makes an object of each of its operators, some twenty times the memory. What
a stream unpacks to is counted here in small pieces. Its own first bytes tell whether it is packed: its dictionary may
name the filter elsewhere, or in other words.
"""

import base64
import binascii
import io
import re
import zlib
from collections.abc import Callable, Iterator
from functools import partial

import pypdfium2 as pdfium  # type: ignore[import-untyped]
import pypdfium2.raw as raw  # type: ignore[import-untyped]

from rag.ingest.loaders.source import refuse

MAX_STREAM_BYTES = 20 * 2**20  # Largest content of one stream that may be packed as tightly as one likes
MAX_STREAM_RATIO = 50  # Largest compression ratio of a stream with more
MAX_UNPACKED_BYTES = 500 * 2**20  # Largest content of all streams together, without pictures

_BEGIN = re.compile(rb"stream[^\r\n]*(?:\r\n?|\n)")
_PICTURE = re.compile(rb"/Subtype\s*/Image\b")
_DICTIONARY = 4096  # bytes before a stream that are searched for its dictionary
_PIECE = 2**16  # Packed bytes that are looked at together.
_STEP = 2**20  # most bytes that are unpacked together, in each layer
_LAYERS = 5  # how often a stream may be packed within itself and is followed; some unpack to themselves for ever


def check_bombs(name: str, data: bytes) -> None:
    """Refuse a PDF with a stream that unpacks to very much from very little, or whose streams do together.

    Pictures are left out: PDFium unpacks none to read words, and an empty scanned page is honestly a thousandth.
    Streams of an encrypted file are not seen: see `decrypted`.

    Raises:
        InvalidDocument: A stream unpacks to more than `MAX_STREAM_BYTES` and more than `MAX_STREAM_RATIO` times its
            packed size, or all of them to more than `MAX_UNPACKED_BYTES`.
    """
    total = 0
    for begin in _streams(data):
        packed = unpacked = 0
        for taken, given in _sizes(data, begin):
            packed, unpacked, total = packed + taken, unpacked + given, total + given
            if total > MAX_UNPACKED_BYTES:
                raise _refusal(name, f"it unpacks to more than {_megabytes(MAX_UNPACKED_BYTES)}", len(data))
        if unpacked > MAX_STREAM_BYTES and unpacked > MAX_STREAM_RATIO * packed:
            raise _refusal(name, f"a part of it unpacks to {_megabytes(unpacked)}", packed)


def decrypted(document: pdfium.PdfDocument) -> bytes | None:
    """Return an open PDF's bytes without its encryption, its streams still packed; None where it has none."""
    if raw.FPDF_GetSecurityHandlerRevision(document) < 0:
        return None
    target = io.BytesIO()
    document.save(target, flags=raw.FPDF_REMOVE_SECURITY)
    return target.getvalue()


def _refusal(name: str, what: str, packed: int) -> Exception:
    advice = "Print it to a new PDF from a PDF reader, or split it, and ingest the result"
    return refuse(name, f"{what} from {_megabytes(packed)}, as a PDF bomb does", advice)


def _megabytes(size: int) -> str:
    """Return a size in MB, with as many digits as tell it from nothing."""
    return f"{size / 2**20:.{0 if size >= 10 * 2**20 else 1 if size >= 2**20 else 2}f} MB"


def _streams(data: bytes) -> Iterator[int]:
    """Yield where the bytes of each stream begin that is no picture, also of what stands within another."""
    for match in _BEGIN.finditer(data):
        before = data[max(0, match.start() - _DICTIONARY) : match.start()]
        if not _PICTURE.search(before, before.rfind(b"obj") + 1):
            yield match.end()


def _sizes(data: bytes, begin: int) -> Iterator[tuple[int, int]]:
    """Yield, piece by piece, how many bytes of a stream were taken and how many they unpack to, in all layers."""
    layer = _Layer(_LAYERS)
    try:
        for taken, piece in _packed(data, begin):
            yield taken, 0
            yield from ((0, given) for given in layer.feed(piece))
            if layer.unpacker.eof:
                yield -min(taken, len(layer.unpacker.unused_data)), 0
                return
    except (zlib.error, ValueError):  # PDFium too takes what came out until here.
        return


def _packed(data: bytes, begin: int) -> Iterator[tuple[int, bytes]]:
    """Yield pieces of a stream's packed bytes, however they are written; nothing where they are not packed."""
    for read in _READERS:
        try:
            _, head = next(read(data, begin, begin + 64), (0, b""))
        except ValueError:
            continue
        if _is_packed(head):
            yield from read(data, begin, len(data))
            return


def _is_packed(head: bytes) -> bool:
    """Whether bytes begin as zlib's do (RFC 1950, 2.2)."""
    return len(head) > 1 and head[0] & 0x8F == 8 and int.from_bytes(head[:2], "big") % 31 == 0


class _Layer:
    """Unpacks what it is fed, and what comes out again where that is packed too; holds `_STEP` bytes at most."""

    def __init__(self, depth: int) -> None:
        self.unpacker = zlib.decompressobj()
        self._depth = depth
        self._inner: _Layer | None = None
        self._head = b""

    def feed(self, piece: bytes) -> Iterator[int]:
        """Yield how many bytes come out, step by step.

        Raises:
            zlib.error: The bytes are not packed so.
        """
        while piece and not self.unpacker.eof:
            out = self.unpacker.decompress(piece, _STEP)
            piece = self.unpacker.unconsumed_tail
            yield len(out)
            if len(self._head) < 2:
                out = self._head + out
                self._head = out[:2]
                self._inner = _Layer(self._depth - 1) if self._depth > 1 and _is_packed(out) else None
            if self._inner is not None:
                try:
                    yield from self._inner.feed(out)
                except zlib.error:
                    self._inner = None


def _plain(data: bytes, begin: int, end: int) -> Iterator[tuple[int, bytes]]:
    """Yield pieces of the bytes from `begin` to `end`, each after its length."""
    for start in range(begin, end, _PIECE):
        piece = data[start : min(start + _PIECE, end)]
        yield len(piece), piece


def _written(
    mark: bytes, group: int, decode: Callable[[bytes], bytes], data: bytes, begin: int, end: int
) -> Iterator[tuple[int, bytes]]:
    """Yield pieces of bytes that are written as text, `group` characters at a time, until `mark` ends them."""
    at = data.find(mark, begin, end)
    rest = b""
    for taken, piece in _plain(data, begin, at if at >= 0 else end):
        text = rest + b"".join(piece.split()).replace(b"z", b"!!!!!")  # Base 85 writes a group of zeros as a z.
        cut = len(text) // group * group
        yield taken, decode(text[:cut])
        rest = text[cut:]


_READERS = (
    _plain,
    partial(_written, b">", 2, binascii.unhexlify),
    partial(_written, b"~", 5, base64.a85decode),
)
