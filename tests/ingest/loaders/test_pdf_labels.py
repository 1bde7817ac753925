"""The number that a PDF gives its pages, kept beside the file's own from the file to its chunks."""

import io
from types import SimpleNamespace

from reportlab.pdfgen.canvas import Canvas

from rag.ingest.chunking import chunk
from rag.ingest.loaders import load_bytes

PIECES = SimpleNamespace(spans=lambda text: [(place, place + 1) for place in range(0, len(text), 4)])


def pdf(pages: int) -> bytes:
    """Pages of a sentence each: the first two have Roman numbers from vii on, the others count from 1."""
    file = io.BytesIO()
    canvas = Canvas(file)
    canvas.addPageLabel(0, "ROMAN_LOWER", start=7)
    canvas.addPageLabel(2, "ARABIC", start=1)
    for number in range(pages):
        canvas.drawString(72, 700, f"The valve of room {number} is closed by the caretaker every evening at nine.")
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def test_a_page_has_the_label_that_the_file_gives_it_where_that_is_another_number() -> None:
    assert [page.label for page in load_bytes("a.pdf", pdf(3)).pages] == ["vii", "viii", "1"]


def test_a_chunk_knows_the_printed_numbers_of_its_own_pages_alone() -> None:
    chunks = chunk(load_bytes("a.pdf", pdf(30)), pieces=PIECES)
    assert len(chunks) > 1
    assert chunks[0].printed_pages[:3] == ((1, "vii"), (2, "viii"), (3, "1"))
    for one in chunks:
        assert one.printed_pages[0][0] == one.page
        assert one.printed_pages[-1][0] == one.last_page
