"""Text of a PDF that does not stand upright on its page, and pages of which nothing could be read."""

from collections.abc import Callable
from pathlib import Path

import pytest
from loader_checks import make_pdf, page_of, read_pdf
from reportlab.pdfgen.canvas import Canvas

from rag.ingest.loaders.pdf import load_pdf
from rag.ingest.loaders.pdf_boxes import excerpt_boxes
from rag.ingest.loaders.source import Source

LINES = (
    "The blue valve of the cellar opens at nine bar and it closes again",
    "at four bar, as the plate on its side tells whoever reads it.",
)
OTHERS = (
    "An upright line of text stands above the block on this page, and",
    "a second one below it ends the paragraph before the block begins.",
)
ROWS = (("Substance", "Boils at", "Cabinet"), ("Acetone", "56 C", "north"), ("Ethanol", "78 C", "south"))
TURNED = [(90, 300, 200), (180, 500, 300), (270, 300, 700)]
"""Angles, each with the point of a page where a block turned by it has room."""
Draw = Callable[[Canvas], None]


def write(texts: tuple[str, ...], x: float = 60, y: float = 700, *, angle: float = 0, rotation: int = 0) -> Draw:
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
    def draw(canvas: Canvas) -> None:
        for part in parts:
            part(canvas)

    return draw


def picture(canvas: Canvas) -> None:
    canvas.rect(100, 100, 300, 300, fill=1)


PROSE = write(LINES)


# Text that is rotated with its page, and text that its page sets upright.
@pytest.mark.parametrize(
    ("rotation", "angle", "x", "y"),
    [
        (90, 0, 60, 400),
        (180, 0, 60, 400),
        (270, 0, 60, 400),
        (90, 90, 300, 60),
        (180, 180, 500, 500),
        (270, 270, 300, 500),
    ],
)
def test_text_of_a_rotated_page_is_read_in_its_own_direction(rotation: int, angle: int, x: float, y: float) -> None:
    assert read_pdf(write(LINES, x, y, angle=angle, rotation=rotation)).text == " ".join(LINES)


@pytest.mark.parametrize(("angle", "x", "y"), TURNED)
def test_a_block_in_another_direction_is_a_paragraph_of_its_own(angle: int, x: float, y: float) -> None:
    document = read_pdf(all_of(write(OTHERS, 60, 780), write(LINES, x, y, angle=angle)))
    assert document.text == f"{' '.join(OTHERS)}\n\n{' '.join(LINES)}"


@pytest.mark.parametrize("drawn", [False, True])
def test_a_sideways_table_is_read_in_rows(drawn: bool) -> None:
    def table(canvas: Canvas) -> None:
        canvas.translate(300, 200)
        canvas.rotate(90)
        for number, cells in enumerate(ROWS):
            for column, cell in enumerate(cells):
                canvas.drawString(120 * column + 4, -20 * number + 6, cell)
        if drawn:
            canvas.grid([0, 120, 240, 360], [20, 0, -20, -40])

    rows = "\n".join(f"| {' | '.join(row)} |" for row in ROWS)
    assert read_pdf(all_of(write(OTHERS, 60, 780), table)).text == f"{' '.join(OTHERS)}\n\n{rows}"


def test_a_paragraph_that_goes_on_over_a_page_with_a_note_in_its_margin_stays_whole() -> None:
    begun = ("The sash of a hood is kept as low as the work at hand allows it to", "be, and whoever leaves it closes")
    goes_on = "the sash and switches off the lamp that hangs above the bench."
    note = write(("Accepted by the board in spring",), 30, 300, angle=90)
    document = read_pdf(all_of(write(OTHERS, 60, 780), write(begun), note), write((goes_on,), 60, 780))
    whole = f"{' '.join(begun)} {goes_on}"
    assert document.text == f"{' '.join(OTHERS)}\n\nAccepted by the board in spring\n\n{whole}"
    assert (page_of(document, "Accepted"), page_of(document, "the sash and switches")) == (1, 2)


@pytest.mark.parametrize("angle", [30, -45, 135])
def test_a_watermark_across_the_lines_is_left_out_and_noted(angle: float) -> None:
    document = read_pdf(PROSE, all_of(PROSE, write(("DRAFT D R A F T",), 300, 694, angle=angle)))
    assert document.text == f"{' '.join(LINES)}\n\n{' '.join(LINES)}"
    [note] = document.notes
    assert note.startswith("Slanted text was left out on page 2 of 2: 6 words across the page")


@pytest.mark.parametrize(
    ("at", "edge", "place", "towards"),
    [(0, "y1", 641.89, "x1"), (1, "x1", 500, "-y0"), (2, "y0", 141.89, "-x0")],
    ids=["up the page, the second line on the right", "leftwards, the second above", "down, the second on the left"],
)
def test_an_excerpt_of_turned_text_is_marked_where_it_is_shown(
    tmp_path: Path, at: int, edge: str, place: float, towards: str
) -> None:
    (angle, x, y), path = TURNED[at], tmp_path / "a.pdf"
    path.write_bytes(make_pdf(write(LINES, x, y, angle=angle)))
    first, second = excerpt_boxes(path, 1, " ".join(LINES))
    assert getattr(first, edge) == pytest.approx(place, abs=1)  # the page is 841.89 points high
    apart = getattr(second, towards.strip("-")) - getattr(first, towards.strip("-"))
    assert 10 < (-apart if towards.startswith("-") else apart) < 18


def framed(number: int, draw: Draw) -> Draw:
    """A page with running lines around what is drawn."""
    return all_of(write(("Rules of the south laboratory",), 60, 800), write((f"Page {number}",), 500, 40), draw)


@pytest.mark.parametrize(
    ("pages", "note"),
    [
        ((picture, PROSE, PROSE, picture, picture), "No text could be read on 3 of 5 pages (1, 4-5): "),
        ((PROSE, picture), "No text could be read on page 2 of 2: "),
        ((framed(1, PROSE), framed(2, picture), framed(3, write(OTHERS))), "No text could be read on page 2 of 3: "),
    ],
    ids=["several", "one", "running lines around a picture"],
)
def test_pages_without_text_among_others_are_named(pages: tuple[Draw, ...], note: str) -> None:
    [told] = load_pdf(Source("a.pdf", make_pdf(*pages))).notes
    assert told.startswith(note)
    assert "OCR" in told


def test_blank_pages_and_pages_with_text_beside_pictures_are_not_named() -> None:
    assert read_pdf(all_of(PROSE, picture), all_of(), write(LINES, 300, 200, angle=90)).notes == ()
