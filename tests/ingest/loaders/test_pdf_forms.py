"""PDF forms: what stands in their fields."""

import io

import pytest
from loader_checks import check
from reportlab.pdfgen.canvas import Canvas

from rag.ingest.loaders import load_bytes


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
