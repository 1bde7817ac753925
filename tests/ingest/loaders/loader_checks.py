"""What every loaded document must satisfy, and small files to load."""

import io
import unicodedata
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import docx
import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from rag.models import Document

SAMPLES = Path(__file__).parents[3] / "samples"


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


def draw_pdf(*pages: Callable[[Canvas], object], **options: Any) -> bytes:
    """Return a PDF; each page is drawn by a function, in upright letters of 11 points where it says nothing else."""
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=A4, invariant=1, **options)
    for draw in pages:
        canvas.setFont("Helvetica", 11)
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def make_pdf(*pages: list[tuple[float, float, str]], size: float = 11, **options: str) -> bytes:
    """Return a PDF; each page is a list of (x, y from the top, text)."""

    def draw(page: list[tuple[float, float, str]], canvas: Canvas) -> None:
        for x, y, text in page:
            bold, font_size = text.startswith("**"), size
            while text.startswith("+"):
                text, font_size = text[1:], font_size + 4
            canvas.setFont("Helvetica-Bold" if bold or font_size > size else "Helvetica", font_size)
            canvas.drawString(x, A4[1] - y, text.removeprefix("**"))

    return draw_pdf(*(partial(draw, page) for page in pages), **options)


def lines(*texts: str, x: float = 70, y: float = 100, pitch: float = 14) -> list[tuple[float, float, str]]:
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
