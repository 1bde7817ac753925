"""What a PDF says beside its text: the fields of forms, and the numbers of its pages."""

import io
from types import SimpleNamespace

import pytest
from loader_checks import check
from reportlab.pdfgen.canvas import Canvas

from rag.ingest.chunking import chunk
from rag.ingest.loaders import load_bytes

PIECES = SimpleNamespace(spans=lambda text: [(place, place + 1) for place in range(0, len(text), 4)])


@pytest.mark.parametrize("rotation", [0, 90])
def test_values_of_fields_stand_beside_their_labels(rotation: int) -> None:
    target = io.BytesIO()
    canvas = Canvas(target, invariant=1)
    canvas.setPageRotation(rotation)
    canvas.setFont("Helvetica", 11)
    canvas.drawString(60, 700, "Applicant:")
    canvas.acroForm.textfield(name="who", x=130, y=694, width=200, height=18, value="Erika Dorn")
    canvas.drawString(60, 660, "Approved amount:")
    canvas.acroForm.textfield(name="sum", x=160, y=654, width=200, height=18, value="7,300 EUR")
    canvas.drawString(60, 620, "Paid by:")
    canvas.acroForm.choice(name="how", x=130, y=614, width=90, height=18, value="card", options=["card", "cash"])
    canvas.drawString(60, 580, "The form is kept for ten years.")
    canvas.save()
    text = " ".join(check(load_bytes("a.pdf", target.getvalue())).text.replace("|", " ").split())
    assert text == ("Applicant: Erika Dorn Approved amount: 7,300 EUR Paid by: card The form is kept for ten years.")


def test_boxes_show_whether_they_are_ticked_and_what_is_secret_is_left_out() -> None:
    target = io.BytesIO()
    canvas = Canvas(target, invariant=1)
    canvas.setFont("Helvetica", 11)
    for y, ticked, label in ((700, True, "Goggles were worn"), (670, False, "An alarm was heard")):
        canvas.acroForm.checkbox(name=label, x=60, y=y - 2, size=12, checked=ticked)
        canvas.drawString(78, y, label)
    canvas.drawString(60, 640, "Password:")
    canvas.acroForm.textfield(name="secret", x=130, y=634, width=90, height=18, value="tulip", fieldFlags="password")
    canvas.save()
    text = " ".join(check(load_bytes("a.pdf", target.getvalue())).text.replace("|", " ").split())
    assert text == "☒ Goggles were worn ☐ An alarm was heard Password:"


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
