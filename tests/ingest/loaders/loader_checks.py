"""What every loaded document must satisfy, and small files to load."""

import io
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import docx
import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from rag.ingest.loaders import load_bytes
from rag.models import Document

SAMPLES = Path(__file__).parents[3] / "samples"
Placed = tuple[float, float, str] | tuple[float, float, str, float]
"""A text with its place from the top left corner of an A4 page, and its size where that is not 11 points."""
Draw = Callable[[Canvas], object]


def shared(name: str) -> Path:
    """Return a folder of the shared data sets, or skip."""
    folder = Path(__file__).parents[4] / "shared" / "data" / name
    if not folder.is_dir():
        pytest.skip(f"the shared data set {name} is not beside this repository")
    return folder


def check(document: Document) -> Document:
    """Assert what holds for every document, whatever its format, and return it."""
    length = len(document.text)
    assert document.text == unicodedata.normalize("NFC", document.text)
    assert not [c for c in document.text if unicodedata.category(c) == "Cc" and c != "\n"]
    assert document.sections[0].start == 0
    assert document.sections[-1].end == length
    assert all(a.end == b.start for a, b in zip(document.sections, document.sections[1:], strict=False))
    starts = [block.start for block in document.blocks]
    assert starts == sorted(set(starts))
    assert starts[0] == 0
    assert all(not document.text[at].isspace() for at in starts)
    assert all(at == 0 or document.text[at - 1] == "\n" for at in starts)
    between = zip([0, *(block.end for block in document.blocks)], [*starts, len(document.text)], strict=True)
    assert not any(document.text[a:b].strip() for a, b in between)
    assert all(block.kind == "row" or block.table is None for block in document.blocks)
    assert all(block.number <= block.count for block in document.blocks)
    if document.pages:
        assert [page.number for page in document.pages] == list(range(1, len(document.pages) + 1))
        assert (document.pages[0].start, document.pages[-1].end) == (0, length)
        assert all(a.end == b.start for a, b in zip(document.pages, document.pages[1:], strict=False))
    for section in document.sections:
        if section.path:
            assert document.text[section.start :].startswith(section.path[-1])
    return document


def make_pdf(*pages: list[Placed] | Draw, **options: Any) -> bytes:
    """Return a PDF; each page is drawn by a function, or holds texts: `**` makes one bold, each `+` larger too."""
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=A4, invariant=1, **options)
    for page in pages:
        canvas.setFont("Helvetica", 11)
        if callable(page):
            page(canvas)
        else:
            write(page, canvas)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def write(page: list[Placed], canvas: Canvas) -> None:
    """Write texts on a page."""
    for x, y, text, *size in page:
        larger = len(text) - len(text.lstrip("+"))
        canvas.setFont(f"Helvetica{'-Bold' if larger or text.startswith('**') else ''}", (*size, 11)[0] + 4 * larger)
        canvas.drawString(x, A4[1] - y, text.lstrip("+").removeprefix("**"))


def turned(texts: Sequence[str], x: float = 60, y: float = 700, *, angle: float = 0, rotation: int = 0) -> Draw:
    """Write lines from a point of the page, turned counterclockwise by `angle` degrees; the page may be rotated too."""

    def draw(canvas: Canvas) -> None:
        canvas.setPageRotation(rotation)
        canvas.saveState()
        canvas.translate(x, y)
        canvas.rotate(angle)
        for number, text in enumerate(texts):
            canvas.drawString(0, -14 * number, text)
        canvas.restoreState()

    return draw


def all_of(*parts: Draw) -> Draw:
    """Draw several things on a page."""
    return lambda canvas: [part(canvas) for part in parts]


def read_pdf(*pages: list[Placed] | Draw, **options: Any) -> Document:
    """Return the document of a PDF with such pages."""
    return check(load_bytes("a.pdf", make_pdf(*pages, **options)))


def raw_pdf(*contents: bytes, more: bytes = b"", catalog: bytes = b"", packet: bytes = b"") -> bytes:
    """Return a PDF with these contents of pages and no list of its objects, which PDFium makes anew.

    `more` are entries of the streams, `catalog` of the file, and `packet` is what object 4 holds.
    """
    kids = b" ".join(b"%d 0 R" % (6 + 2 * at) for at in range(len(contents)))
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F 5 0 R >> >> /Contents"
    stream = b"<< /Length %d %b >>\nstream\n%b\nendstream"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R %b >>" % catalog,
        b"<< /Type /Pages /Count %d /Kids [%b] >>" % (len(contents), kids),
        b"null",
        stream % (len(packet), b"", packet),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for at, content in enumerate(contents):
        objects += [b"%b %d 0 R >>" % (page, 7 + 2 * at), stream % (len(content), more, content)]
    body = b"".join(b"%d 0 obj\n%b\nendobj\n" % (number, text) for number, text in enumerate(objects, start=1))
    return b"%%PDF-1.5\n%btrailer << /Root 1 0 R /Size %d >>\n%%%%EOF\n" % (body, len(objects) + 1)


def lines(*texts: str, x: float = 70, y: float = 100, pitch: float = 14) -> list[Placed]:
    """Return lines of text below each other."""
    return [(x, y + k * pitch, text) for k, text in enumerate(texts)]


def make_docx(word: "docx.document.Document") -> bytes:
    """Return a Word document's bytes."""
    target = io.BytesIO()
    word.save(target)
    return target.getvalue()


def page_of(document: Document, text: str) -> int:
    """Return the page on which `text` begins."""
    at = document.text.index(text)
    return next(page.number for page in document.pages if page.start <= at < page.end)
