"""Figures of PDF files that stand above or below the line."""

import io
from pathlib import Path

import pytest
from loader_checks import check
from reportlab.pdfgen.canvas import Canvas

from rag.ingest.loaders import load_bytes
from rag.ingest.loaders.pdf_boxes import excerpt_boxes


def pdf(*parts: tuple[str, float]) -> bytes:
    """A line of text; each part with its rise in points, those off the line in smaller type."""
    target = io.BytesIO()
    canvas = Canvas(target, invariant=1)
    text = canvas.beginText(70, 700)
    for part, rise in parts:
        text.setFont("Helvetica", 7 if rise else 11)
        text.setRise(rise)
        text.textOut(part)
    canvas.drawText(text)
    canvas.showPage()
    canvas.save()
    return target.getvalue()


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ([("At most 10", 0), ("6", 4), (" germs a litre", 0)], "At most 10⁶ germs a litre"),
        ([("At most 10", 0), ("-3", 4), (" mol", 0)], "At most 10⁻³ mol"),
        ([("A hall of 5 m", 0), ("2", 4), (" or more", 0)], "A hall of 5 m² or more"),
        ([("It was built in 1923", 0), ("3", 4), (" by the town", 0)], "It was built in 1923 [3] by the town"),
        ([("The upper limit", 0), ("2", 4), (" is kept", 0)], "The upper limit [2] is kept"),
        ([("Vent the CO", 0), ("2", -3), (" at night", 0)], "Vent the CO2 at night"),
        ([("The code is 1010", 0), ("2", -3), (" at night", 0)], "The code is 1010_2 at night"),
        ([("3", 4), ("Smith gives the year", 0)], "[3] Smith gives the year"),
        ([("On the 5", 0), ("th", 4), (" of May", 0)], "On the 5th of May"),
    ],
)
def test_figures_off_the_line_do_not_join_the_number_before_them(parts: list[tuple[str, float]], said: str) -> None:
    assert check(load_bytes("a.pdf", pdf(*parts))).text == said


def test_smaller_figures_on_the_line_are_part_of_their_number() -> None:
    target = io.BytesIO()
    canvas = Canvas(target, invariant=1)
    text = canvas.beginText(70, 700)
    for part, size in (("The seal has number 10", 11), ("63", 8), (" on it", 11)):
        text.setFont("Helvetica", size)
        text.textOut(part)
    canvas.drawText(text)
    canvas.save()
    assert check(load_bytes("a.pdf", target.getvalue())).text == "The seal has number 1063 on it"


def test_an_excerpt_with_a_power_is_found_on_its_page(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf(("At most 10", 0), ("6", 4), (" germs a litre", 0)))
    assert len(excerpt_boxes(path, 1, "At most 10⁶ germs")) == 1
