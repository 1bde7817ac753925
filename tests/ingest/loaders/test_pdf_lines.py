"""Lines of PDF files: divided words, names with what they mean, justified text, raised figures, direction."""

from pathlib import Path

import pytest
from loader_checks import check, draw_pdf, lines, make_pdf
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfbase.ttfonts import TTFError, TTFont
from reportlab.pdfgen.canvas import Canvas

from rag.ingest.loaders import load_bytes
from rag.ingest.loaders.pdf_boxes import excerpt_boxes

BRIDGE = "The bridge over the river Isel, which carries the road from Tarnby to the harbour,"
WIDE = "This page lists what the valve reports back to the panel in the hall of pumps."
ABOVE = "The hood is kept closed while nobody works in it, and it is opened"
BELOW = "only by the person who has booked it for the hours of the morning."


def text_of(*drawn: list[tuple[float, float, str]]) -> str:
    return check(load_bytes("a.pdf", make_pdf([one for part in drawn for one in part]))).text


def test_a_divided_word_on_a_short_line_goes_on_in_the_next() -> None:
    text = text_of(lines(BRIDGE, "was designed in 1933 by the young engi-", "neer Sofie Brandt."))
    assert text == f"{BRIDGE} was designed in 1933 by the young engineer Sofie Brandt."


# --- names with what they mean --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second"), [("VALVE_STUCK", "VALVE_OPEN"), ("--stuck", "--open"), ("stuck()", "open()")]
)
def test_a_name_goes_with_the_condition_below_it(first: str, second: str) -> None:
    text = text_of(
        lines(WIDE),
        lines(first, y=140),
        lines("if the valve does not move", "or moves by less than a turn", x=80, y=154),
        lines(second, y=182),
        lines("otherwise", x=80, y=196),
    )
    assert text.split("\n\n")[1:] == [
        f"{first} if the valve does not move or moves by less than a turn", f"{second} otherwise",
    ]  # fmt: skip


# --- lines spread to their width ------------------------------------------------------------------------------------


def spread(text: str, gap: float, after_sentence: float, *, y: float) -> list[tuple[float, float, str]]:
    """Words of a line with these gaps between them, in font heights."""
    x, placed = 70.0, []
    for word in text.split():
        placed.append((x, y, word))
        x += stringWidth(word, "Helvetica", 11) + 11 * (after_sentence if word.endswith(".") else gap)
    return placed


@pytest.mark.parametrize(
    ("spaced", "gap", "after"),
    [
        (["for as short a time as can be. Each time it is opened"], 0.55, 1.7),
        (["for as short a time as they all can be"], 1.5, 1.5),
        (["for as short a time. Each time it is opened", "the alarm is off. Then it sounds again"], 0.5, 1.5),
    ],
)
def test_lines_spread_to_their_width_are_no_rows_and_do_not_cut_their_paragraph(
    spaced: list[str], gap: float, after: float
) -> None:
    middle = [one for at, line in enumerate(spaced) for one in spread(line, gap, after, y=114 + 14 * at)]
    text = text_of(lines(ABOVE, y=100), middle, lines(BELOW, y=114 + 14 * len(spaced)))
    assert text == " ".join([ABOVE, *spaced, BELOW])


@pytest.mark.parametrize(
    ("rows", "width"),
    [
        ([("Pump", "Owner", "Room", "Floor"), ("North", "Dorn", "West", "Ground")], 80),
        ([("The hood in the hall", "is kept closed at night"), ("The hood in the shed", "is kept open at night")], 130),
    ],
)
def test_rows_of_words_stay_a_table(rows: list[tuple[str, ...]], width: int) -> None:
    cells = [(70 + width * k, 100 + 16 * n, text) for n, row in enumerate(rows) for k, text in enumerate(row)]
    assert text_of(cells) == "\n".join(f"| {' | '.join(row)} |" for row in rows)


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
