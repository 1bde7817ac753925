"""PDFs that unpack to far more than they hold; all content here is made in the tests."""

import base64
import zlib
from functools import lru_cache

import pytest
from loader_checks import lines, make_pdf, raw_pdf
from reportlab.lib.pdfencrypt import StandardEncryption

from rag.errors import InvalidDocument
from rag.ingest.loaders import load_bytes
from rag.ingest.loaders.pdf_bombs import check_bombs, decrypted
from rag.ingest.loaders.pdf_words import open_pdf
from rag.ingest.loaders.source import Source

HELLO = b"BT /F 12 Tf (hello) Tj ET\n"
"""26 bytes: 850,000 of them are 22.1 million, 21.1 MB, more than the 20 MB of a single stream."""
MANY = 850_000


@lru_cache
def packed(count: int, layers: int = 1) -> bytes:
    data = HELLO * count
    for _ in range(layers):
        data = zlib.compress(data, 9)
    return data


def one_page(stream: bytes, filters: bytes = b"/FlateDecode", more: bytes = b"") -> bytes:
    return raw_pdf(stream, more=b"/Filter %b %b" % (filters, more))


def refusal(data: bytes) -> str:
    with pytest.raises(InvalidDocument) as caught:
        load_bytes("a.pdf", data)
    return caught.value.message


def test_a_page_that_unpacks_four_hundred_times_is_refused_with_its_figures_and_what_to_do() -> None:
    assert load_bytes("a.pdf", one_page(packed(1))).text == "hello"
    message = refusal(one_page(packed(MANY)))
    assert message.startswith("'a.pdf' was not ingested: a part of it unpacks to 21 MB from 0.0")
    assert message.endswith("Print it to a new PDF from a PDF reader, or split it, and ingest the result.")


HIDDEN = {
    "packed twice": (packed(MANY, layers=2), b"[/FlateDecode /FlateDecode]"),
    "a short name": (packed(MANY), b"/Fl"),
    "an escaped name": (packed(MANY), b"/#46lateDecode"),
    "a name elsewhere": (packed(MANY), b"9 0 R"),
    "base 85": (base64.a85encode(packed(MANY)) + b"~>", b"[/ASCII85Decode /FlateDecode]"),
    "base 16": (packed(MANY).hex().encode() + b">", b"[/ASCIIHexDecode /FlateDecode]"),
    "without an end": (packed(1_000_000)[:-8], b"/FlateDecode"),
}


@pytest.mark.parametrize(("stream", "filters"), HIDDEN.values(), ids=HIDDEN)
def test_no_way_of_writing_a_stream_hides_what_it_unpacks_to(stream: bytes, filters: bytes) -> None:
    assert "a part of it unpacks to 2" in refusal(one_page(stream, filters))


def test_streams_that_are_each_small_are_refused_together() -> None:
    small = zlib.compress(bytes(19 * 2**20), 9)
    data = one_page(packed(1)) + b"".join(b"%d 0 obj\n<<>>\nstream\n%b\n" % (k, small) for k in range(10, 37))
    assert "it unpacks to more than 500 MB from 0.5" in refusal(data)  # 27 of 19 MB are 513 MB.


def test_a_stream_that_unpacks_to_much_from_much_and_an_empty_scanned_picture_are_no_bombs() -> None:
    lines_of = b"".join(b"%d 0 m %d %d l\n" % (k, k * 7919 % 10**6, k * 104_729 % 10**6) for k in range(1_100_000))
    assert len(lines_of) > 20 * 2**20
    check_bombs("a.pdf", one_page(zlib.compress(lines_of)))
    check_bombs("a.pdf", one_page(packed(MANY), more=b" /Type /XObject /Subtype /Image"))


def encrypted(text: str) -> bytes:
    options = {"encrypt": StandardEncryption("", "owner"), "pageCompression": 1}
    return make_pdf(lambda canvas: canvas._code.append(text), **options)


def test_an_encrypted_file_is_looked_into_and_one_without_encryption_is_not_copied() -> None:
    with open_pdf(Source("a.pdf", encrypted("BT /F 12 Tf (hello) Tj ET"))) as document:
        plain = decrypted(document)
    assert plain is not None
    assert b"/Encrypt" not in plain
    assert load_bytes("a.pdf", plain).text == "hello"
    assert "unpacks to 21 MB" in refusal(encrypted(HELLO.decode() * MANY))
    with open_pdf(Source("a.pdf", make_pdf(lines("A short page.")))) as document:
        assert decrypted(document) is None
