"""PDFs that unpack to far more than they hold; all content here is made in the tests."""

import base64
import io
import zlib
from functools import lru_cache

import pypdfium2 as pdfium
import pytest
from loader_checks import SAMPLES, lines, make_pdf, shared
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from rag.errors import InvalidDocument
from rag.ingest.loaders import load_bytes
from rag.ingest.loaders.pdf_bombs import check_bombs, decrypted
from rag.ingest.loaders.pdf_words import open_pdf
from rag.ingest.loaders.source import Source

HELLO = b"BT /F1 12 Tf (hello) Tj ET\n"
"""27 bytes: 800,000 of them are 21.6 million, 20.6 MB, more than the 20 MB of a single stream."""
MANY = 800_000


@lru_cache
def packed(count: int, layers: int = 1) -> bytes:
    data = HELLO * count
    for _ in range(layers):
        data = zlib.compress(data, 9)
    return data


def one_page(stream: bytes, filters: bytes = b"/FlateDecode", more: bytes = b"") -> bytes:
    """Return a PDF whose only page has this content, without a cross-reference table, which PDFium makes anew."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d /Filter %b%b >>\nstream\n%b\nendstream" % (len(stream), filters, more, stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    body = b"".join(b"%d 0 obj\n%b\nendobj\n" % (k, text) for k, text in enumerate(objects, 1))
    return b"%PDF-1.5\n" + body + b"trailer << /Root 1 0 R /Size 6 >>\n%%EOF\n"


def refusal(data: bytes) -> str:
    with pytest.raises(InvalidDocument) as caught:
        load_bytes("a.pdf", data)
    return caught.value.message


def is_refused(data: bytes) -> bool:
    try:
        check_bombs("a.pdf", data)
    except InvalidDocument:
        return True
    return False


def test_the_pages_made_here_are_read_by_pdfium() -> None:
    assert load_bytes("a.pdf", one_page(packed(1))).text == "hello"


def test_a_page_that_unpacks_four_hundred_times_is_refused_with_its_figures_and_what_to_do() -> None:
    message = refusal(one_page(packed(MANY)))
    assert message.startswith("'a.pdf' was not ingested: a part of it unpacks to 21 MB from 0.0")
    assert message.endswith("Print it to a new PDF from a PDF reader, or split it, and ingest the result.")


WRITTEN = base64.a85encode(packed(MANY)) + b"~>"


@pytest.mark.parametrize(
    ("stream", "filters"),
    [
        (packed(MANY, layers=2), b"[/FlateDecode /FlateDecode]"),
        (packed(MANY), b"/Fl"),
        (packed(MANY), b"/#46lateDecode"),
        (packed(MANY), b"9 0 R"),
        (WRITTEN, b"[/ASCII85Decode /FlateDecode]"),
        (packed(MANY).hex().encode() + b">", b"[/ASCIIHexDecode /FlateDecode]"),
        (packed(1_000_000)[:-8], b"/FlateDecode"),
    ],
    ids=["packed twice", "a short name", "an escaped name", "a name elsewhere", "base 85", "base 16", "without an end"],
)
def test_no_way_of_writing_a_stream_hides_what_it_unpacks_to(stream: bytes, filters: bytes) -> None:
    assert "a part of it unpacks to 2" in refusal(one_page(stream, filters))


def test_streams_that_are_each_small_are_refused_together() -> None:
    small = zlib.compress(bytes(19 * 2**20), 9)
    data = one_page(packed(1)) + b"".join(b"%d 0 obj\n<<>>\nstream\n%b\n" % (k, small) for k in range(10, 37))
    assert "it unpacks to more than 500 MB from 0.5" in refusal(data)  # 27 of 19 MB are 513 MB.


def test_a_stream_that_unpacks_to_much_from_much_is_no_bomb() -> None:
    lines_of = b"".join(b"%d 0 m %d %d l\n" % (k, k * 7919 % 10**6, k * 104_729 % 10**6) for k in range(1_100_000))
    assert len(lines_of) > 20 * 2**20
    assert not is_refused(one_page(zlib.compress(lines_of)))


def test_an_empty_scanned_picture_is_no_bomb() -> None:
    assert is_refused(one_page(packed(MANY)))  # the same bytes, said to be no picture
    assert not is_refused(one_page(packed(MANY), more=b" /Type /XObject /Subtype /Image"))


def encrypted(text: str) -> bytes:
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=A4, encrypt=StandardEncryption("", "owner"), pageCompression=1)
    canvas._code.append(text)
    canvas.showPage()
    canvas.save()
    return target.getvalue()


def test_an_encrypted_file_is_looked_into_and_one_without_encryption_is_not_copied() -> None:
    with open_pdf(Source("a.pdf", encrypted("BT /F1 12 Tf (hello) Tj ET"))) as document:
        plain = decrypted(document)
    assert plain is not None
    assert b"/Encrypt" not in plain
    assert pdfium.PdfDocument(plain)[0].get_textpage().get_text_bounded() == "hello"
    assert "unpacks to 21 MB" in refusal(encrypted(HELLO.decode() * MANY))
    with open_pdf(Source("a.pdf", make_pdf(lines("A short page.")))) as document:
        assert decrypted(document) is None


def test_the_samples_pass() -> None:
    assert [is_refused(path.read_bytes()) for path in SAMPLES.rglob("*.pdf")] == [False]


@pytest.mark.data
def test_filings_pass_as_they_are_and_decrypted() -> None:
    filings = {path.name: path.read_bytes() for path in (shared("sec10q") / "documents").glob("*.pdf")}
    plain = {}
    for name, data in filings.items():
        with open_pdf(Source(name, data)) as document:
            plain[name] = decrypted(document)
    assert sum(data is not None for data in plain.values()) == 12  # one of the 13 has no encryption
    assert not any(is_refused(data) for data in (*filings.values(), *filter(None, plain.values())))
