"""Lines of PDF files: divided words, raised figures, direction."""

from pathlib import Path

import pytest
from loader_checks import check, draw_pdf, lines, make_pdf
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFError, TTFont
from reportlab.pdfgen.canvas import Canvas

from rag.ingest.loaders import load_bytes
from rag.ingest.loaders.pdf_boxes import excerpt_boxes

BRIDGE = "The bridge over the river Isel, which carries the road from Tarnby to the harbour,"


def text_of(*drawn: list[tuple[float, float, str]]) -> str:
    return check(load_bytes("a.pdf", make_pdf([one for part in drawn for one in part]))).text


def test_a_divided_word_on_a_short_line_goes_on_in_the_next() -> None:
    text = text_of(lines(BRIDGE, "was designed in 1933 by the young engi-", "neer Sofie Brandt."))
    assert text == f"{BRIDGE} was designed in 1933 by the young engineer Sofie Brandt."


# --- figures off the line -------------------------------------------------------------------------------------------


def raised(*parts: tuple[str, float, float]) -> bytes:
    """A line of text; each part with its size and its rise in points."""

    def draw(canvas: Canvas) -> None:
        text = canvas.beginText(70, 700)
        for part, size, rise in parts:
            text.setFont("Helvetica", size)
            text.setRise(rise)
            text.textOut(part)
        canvas.drawText(text)

    return draw_pdf(draw)


@pytest.mark.parametrize(
    ("before", "figure", "size", "rise", "after", "said"),
    [
        ("At most 10", "6", 7, 4, " germs a litre", "At most 10⁶ germs a litre"),
        ("It was built in 1923", "3", 7, 4, " by the town", "It was built in 1923 [3] by the town"),
        ("Vent the CO", "2", 7, -3, " at night", "Vent the CO2 at night"),
        ("The code is 1010", "2", 7, -3, " at night", "The code is 1010_2 at night"),
        ("", "3", 7, 4, "Smith gives the year", "[3] Smith gives the year"),
        ("The seal has number 10", "63", 8, 0, " on it", "The seal has number 1063 on it"),
    ],
)
def test_figures_off_the_line_do_not_join_the_number_before_them_and_smaller_ones_on_it_do(
    before: str, figure: str, size: float, rise: float, after: str, said: str
) -> None:
    assert check(load_bytes("a.pdf", raised((before, 11, 0), (figure, size, rise), (after, 11, 0)))).text == said


# --- direction ------------------------------------------------------------------------------------------------------


def test_a_hebrew_line_is_read_from_the_right_and_its_excerpt_is_found(tmp_path: Path) -> None:
    line, path = "המשאבה פועלת בשעה שמונה בבוקר בכל יום של השבוע", tmp_path / "a.pdf"
    try:
        pdfmetrics.registerFont(TTFont("Hebrew", "DejaVuSans.ttf"))
    except TTFError:
        pytest.skip("the font DejaVu Sans is not installed")
    path.write_bytes(
        draw_pdf(lambda canvas: (canvas.setFont("Hebrew", 12), canvas.drawRightString(530, 780, line[::-1])))
    )
    assert check(load_bytes("a.pdf", path.read_bytes())).text == line
    (whole,) = excerpt_boxes(path, 1, line)
    (first,) = excerpt_boxes(path, 1, "המשאבה פועלת בשעה")
    assert first.x0 > whole.x0 + 100
    assert first.x1 == whole.x1
