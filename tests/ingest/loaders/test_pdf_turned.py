"""Text of a PDF that does not stand upright on its page, written with reportlab."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from loader_checks import check, page_of
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from rag.errors import InvalidDocument
from rag.ingest.loaders import load_bytes
from rag.ingest.loaders.pdf_boxes import excerpt_boxes
from rag.models import Document

LINES = (
    "The blue valve of the cellar opens at nine bar and it closes again",
    "at four bar, as the plate on its side tells whoever reads it.",
)
OTHERS = (
    "An upright line of text stands above the block on this page, and",
    "a second one below it ends the paragraph before the block begins.",
)
ROWS = (("Substance", "Boils at", "Cabinet"), ("Acetone", "56 C", "north"), ("Ethanol", "78 C", "south"))
Draw = Callable[[Canvas], None]


def make(*pages: Draw) -> bytes:
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=A4, invariant=1)
    for draw in pages:
        canvas.setFont("Helvetica", 11)
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def read(*pages: Draw) -> Document:
    return check(load_bytes("a.pdf", make(*pages)))


def write(canvas: Canvas, texts: tuple[str, ...], x: float, y: float, *, angle: float = 0) -> None:
    """Write lines from a point of the page, turned counterclockwise by `angle` degrees."""
    canvas.saveState()
    canvas.translate(x, y)
    canvas.rotate(angle)
    for number, text in enumerate(texts):
        canvas.drawString(0, -14 * number, text)
    canvas.restoreState()


def table(canvas: Canvas, *, drawn: bool) -> None:
    for number, cells in enumerate(ROWS):
        for column, cell in enumerate(cells):
            canvas.drawString(120 * column + 4, -20 * number + 6, cell)
    if drawn:
        for number in range(len(ROWS) + 1):
            canvas.line(0, 20 - 20 * number, 360, 20 - 20 * number)
        for column in range(4):
            canvas.line(120 * column, 20, 120 * column, 20 - 20 * len(ROWS))


def rotated(rotation: int, x: float, y: float) -> Draw:
    """A page with text that is upright before the page is rotated."""

    def draw(canvas: Canvas) -> None:
        canvas.setPageRotation(rotation)
        write(canvas, LINES, x, y)

    return draw


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_text_of_a_rotated_page_is_read_in_its_own_direction(rotation: int) -> None:
    assert read(rotated(rotation, 60, 400)).text == " ".join(LINES)


@pytest.mark.parametrize(
    ("rotation", "angle", "x", "y"), [(90, 90, 300, 60), (180, 180, 500, 500), (270, 270, 300, 500)]
)
def test_text_that_the_rotation_of_its_page_sets_upright_is_read_as_it_is_shown(
    rotation: int, angle: int, x: float, y: float
) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setPageRotation(rotation)
        write(canvas, LINES, x, y, angle=angle)

    assert read(draw).text == " ".join(LINES)


@pytest.mark.parametrize(("angle", "x", "y"), [(90, 300, 200), (180, 500, 300), (270, 300, 700)])
def test_a_block_in_another_direction_is_a_paragraph_of_its_own(angle: int, x: float, y: float) -> None:
    def draw(canvas: Canvas) -> None:
        write(canvas, OTHERS, 60, 780)
        write(canvas, LINES, x, y, angle=angle)

    assert read(draw).text == f"{' '.join(OTHERS)}\n\n{' '.join(LINES)}"


@pytest.mark.parametrize("drawn", [False, True])
def test_a_sideways_table_is_read_in_rows(drawn: bool) -> None:
    def draw(canvas: Canvas) -> None:
        write(canvas, OTHERS, 60, 780)
        canvas.translate(300, 200)
        canvas.rotate(90)
        table(canvas, drawn=drawn)

    rows = "| Substance | Boils at | Cabinet |\n| Acetone | 56 C | north |\n| Ethanol | 78 C | south |"
    assert read(draw).text == f"{' '.join(OTHERS)}\n\n{rows}"


def test_a_paragraph_that_goes_on_over_a_page_with_a_note_in_its_margin_stays_whole() -> None:
    begun = ("The sash of a hood is kept as low as the work at hand allows it to", "be, and whoever leaves it closes")

    def first(canvas: Canvas) -> None:
        write(canvas, OTHERS, 60, 780)
        write(canvas, begun, 60, 700)
        write(canvas, ("Accepted by the board in spring",), 30, 300, angle=90)

    def second(canvas: Canvas) -> None:
        write(canvas, ("the sash and switches off the lamp that hangs above the bench.",), 60, 780)

    document = read(first, second)
    whole = f"{' '.join(begun)} the sash and switches off the lamp that hangs above the bench."
    assert document.text == f"{' '.join(OTHERS)}\n\nAccepted by the board in spring\n\n{whole}"
    assert page_of(document, "Accepted") == 1
    assert page_of(document, "the sash and switches") == 2


def test_upright_letters_of_a_font_that_is_mirrored_twice_are_upright() -> None:
    def draw(canvas: Canvas) -> None:
        text = canvas.beginText()
        text.setFont("Helvetica", -11)
        for number, line in enumerate(LINES):
            text.setTextTransform(-1, 0, 0, -1, 60, 700 - 14 * number)
            text.textOut(line)
        canvas.drawText(text)

    assert read(draw).text == " ".join(LINES)


@pytest.mark.parametrize("angle", [30, 45, -45, 60, 135])
def test_a_watermark_across_the_lines_is_left_out_and_noted(angle: float) -> None:
    def draw(canvas: Canvas) -> None:
        write(canvas, LINES, 60, 700)
        write(canvas, ("DRAFT D R A F T",), 300, 694, angle=angle)

    document = read(prose, draw)
    assert document.text == f"{' '.join(LINES)}\n\n{' '.join(LINES)}"
    assert document.notes == (
        "Slanted text was left out on page 2 of 2: 6 words across the page, as of a watermark or a chart.",
    )


@pytest.mark.parametrize("angle", [0, 90])
def test_letters_that_lean_and_lines_that_are_a_little_askew_are_read(angle: float) -> None:
    def leaning(canvas: Canvas) -> None:
        canvas.translate(300, 200)
        canvas.rotate(angle)
        canvas.skew(0, -20)
        write(canvas, LINES, 0, 0)

    assert read(leaning).text == " ".join(LINES)
    assert read(lambda canvas: write(canvas, LINES, 100, 200, angle=angle + 1)).text == " ".join(LINES)


def test_a_file_with_nothing_but_slanted_words_is_refused() -> None:
    with pytest.raises(InvalidDocument, match="no text but slanted words"):
        read(lambda canvas: write(canvas, LINES, 60, 100, angle=45))


@pytest.mark.parametrize(("angle", "x", "y"), [(90, 300, 200), (180, 500, 300), (270, 300, 700)])
def test_an_excerpt_of_turned_text_is_marked_where_it_is_shown(tmp_path: Path, angle: int, x: float, y: float) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(make(lambda canvas: write(canvas, LINES, x, y, angle=angle)))
    first, second = excerpt_boxes(path, 1, " ".join(LINES))
    top = A4[1] - y  # of the point where the text begins, from above
    if angle == 90:  # it runs up the page, its second line right of the first
        assert first.y1 == pytest.approx(top, abs=1)
        assert first.x0 < x < first.x1 < second.x1
        assert first.y1 - first.y0 > 200
    elif angle == 180:  # it runs to the left, its second line above the first
        assert first.x1 == pytest.approx(x, abs=1)
        assert second.y0 < first.y0 < top < first.y1
    else:  # it runs down the page, its second line left of the first
        assert first.y0 == pytest.approx(top, abs=1)
        assert second.x0 < first.x0 < x < first.x1


def picture(canvas: Canvas) -> None:
    canvas.rect(100, 100, 300, 300, fill=1)


def prose(canvas: Canvas) -> None:
    write(canvas, LINES, 60, 700)


def blank(canvas: Canvas) -> None:
    pass


def test_pages_without_text_among_others_are_named() -> None:
    notes = read(picture, prose, prose, picture, picture).notes
    assert len(notes) == 1
    assert notes[0].startswith("No text could be read on 3 of 5 pages (1, 4-5): ")
    assert "OCR" in notes[0]


def test_one_page_without_text_is_named() -> None:
    assert read(prose, picture).notes[0].startswith("No text could be read on page 2 of 2: ")


def test_a_page_with_nothing_but_running_lines_and_a_picture_is_named() -> None:
    def framed(number: int, draw: Draw) -> Draw:
        def page(canvas: Canvas) -> None:
            write(canvas, ("Rules of the south laboratory",), 60, 800)
            write(canvas, (f"Page {number}",), 500, 40)
            draw(canvas)

        return page

    def other(canvas: Canvas) -> None:
        write(canvas, OTHERS, 60, 700)

    assert (
        read(framed(1, prose), framed(2, picture), framed(3, other))
        .notes[0]
        .startswith("No text could be read on page 2 of 3: ")
    )


def test_blank_pages_and_pages_with_text_beside_pictures_are_not_named() -> None:
    def both(canvas: Canvas) -> None:
        prose(canvas)
        picture(canvas)

    assert read(both, blank, lambda canvas: write(canvas, LINES, 300, 200, angle=90)).notes == ()
