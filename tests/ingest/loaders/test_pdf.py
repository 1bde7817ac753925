"""PDF files, written with reportlab: paragraphs, pages, headings, raised figures, titles, and a whole manual."""

from functools import lru_cache
from pathlib import Path

import pytest
from loader_checks import SAMPLES, check, draw_pdf, lines, make_pdf, page_of
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFError, TTFont
from reportlab.pdfgen.canvas import Canvas

from rag.ingest.loaders import load, load_bytes
from rag.ingest.loaders.pdf_boxes import excerpt_boxes
from rag.ingest.loaders.pdf_prose import mend
from rag.models import Document

PROSE = (
    "The sash of a fume hood protects the face from splashes and from",
    "vapours, and it is kept as low as the work at hand allows it to be.",
)


def read(*pages: list[tuple[float, float, str]], **options: str) -> Document:
    return check(load_bytes("a.pdf", make_pdf(*pages, **options)))


# --- paragraphs and pages -------------------------------------------------------------------------------------------


def test_pages_count_from_one_and_empty_ones_count() -> None:
    document = read(lines("First page text."), [], lines("Third page text."))
    assert len(document.pages) == 3
    assert (page_of(document, "First"), page_of(document, "Third")) == (1, 3)
    assert document.pages[1].start == document.pages[1].end


def test_lines_of_a_paragraph_are_joined_and_space_or_a_short_line_parts_paragraphs() -> None:
    whole = " ".join(PROSE)
    assert read(lines(*PROSE) + lines(*PROSE, y=160)).text == f"{whole}\n\n{whole}"
    assert read(lines(*PROSE, "A short end.", *PROSE)).text == f"{whole} A short end.\n\n{whole}"


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        (["infor-", "mation"], "information"),
        (["state-of-the-", "art"], "state-of-the-art"),
        (["a well-", "known rule"], "a well-known rule"),
        (["the well-", "ness of"], "the wellness of"),
        (["九時に開", "きます。", "入館料"], "九時に開きます。入館料"),
        (["도서관은", "아홉 시에"], "도서관은 아홉 시에"),
    ],
)
def test_words_divided_at_line_ends_are_mended_and_compounds_keep_their_hyphen(parts: list[str], whole: str) -> None:
    assert mend(parts) == whole


def test_paragraph_goes_on_over_the_page() -> None:
    document = read(
        lines(*PROSE, "Whoever reaches into the hood while the alarm"),
        lines("sounds must leave the room.", "Next sentence."),
    )
    assert "while the alarm sounds must" in document.text
    assert (page_of(document, "the alarm"), page_of(document, "sounds must")) == (1, 2)


BRIDGE = "The bridge over the river Isel, which carries the road from Tarnby to the harbour,"


def test_a_divided_word_on_a_short_line_goes_on_in_the_next() -> None:
    text = read(lines(BRIDGE, "was designed in 1933 by the young engi-", "neer Sofie Brandt.")).text
    assert text == f"{BRIDGE} was designed in 1933 by the young engineer Sofie Brandt."


# --- headings -------------------------------------------------------------------------------------------------------


def test_headings_are_found_by_size_weight_and_number() -> None:
    document = read(
        [(70, 60, "++Chapter 2: Hoods"), (70, 100, "+2.1 How a hood protects"), *lines(*PROSE, y=125),
         (70, 175, "**Before you begin"), *lines(*PROSE, y=190)]
    )  # fmt: skip
    assert [one.path for one in document.sections] == [
        ("Chapter 2: Hoods",),
        ("Chapter 2: Hoods", "2.1 How a hood protects"),
        ("Chapter 2: Hoods", "2.1 How a hood protects", "Before you begin"),
    ]
    assert [(one.chapter, one.section_number) for one in document.sections] == [(2, None), (2, "2.1"), (2, "2.1")]


def test_outline_makes_a_heading_of_a_line_that_looks_like_text() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.bookmarkPage("a")
        canvas.addOutlineEntry("Gloves", "a", level=0)
        for x, y, text in [(70, 80, "Gloves"), *lines(*PROSE)]:
            canvas.drawString(x, 842 - y, text)

    assert check(load_bytes("a.pdf", draw_pdf(draw))).sections[0].path == ("Gloves",)


def test_contents_page_is_left_out() -> None:
    page = [(70, 60, "++Contents"), *lines(*[f"{n} Section . . . . . . . . . . . . {n + 3}" for n in range(1, 6)])]
    assert ". . ." not in read(page, lines(*PROSE)).text


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


# --- metadata -------------------------------------------------------------------------------------------------------


def test_properties_become_metadata() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setTitle("Laboratory Safety Manual")
        canvas.setAuthor("Ida Berg")
        canvas.setSubject("Document LS-001")
        canvas.drawString(70, 700, "Effective 2 February 2026")

    metadata = load_bytes("ls.pdf", draw_pdf(draw)).metadata
    assert (metadata.title, metadata.authors, metadata.year) == ("Laboratory Safety Manual", ("Ida Berg",), 2026)
    assert "Document LS-001" in metadata.identifiers


PARTED = lines("++++FORM 7", "a report to the board of", "++++NORTH LABORATORY", y=60, pitch=30)


PARTED = lines("++++FORM 7", "a report to the board of", "++++NORTH LABORATORY", y=60, pitch=30)


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ([(70, 60, "++++Glove Handbook"), *lines(*PROSE)], "Glove Handbook"),
        ([(70, 60, "++++Handbook of"), (70, 80, "++++Gloves"), *lines(*PROSE, y=120)], "Handbook of Gloves"),
        ([*PARTED, *lines(*PROSE, y=160)], "FORM 7 NORTH LABORATORY"),
        ([(70, 60, "++++1 Gloves"), *lines(*PROSE), (70, 160, "++++2 Aprons"), *lines(*PROSE, y=200)], "1 Gloves"),
    ],
)
def test_the_largest_lines_are_the_title_where_the_file_states_none(
    page: list[tuple[float, float, str]], title: str
) -> None:
    assert read(page).metadata.title == title


# --- a whole manual -------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def manual() -> Document:
    """The manual of the samples, which has every difficulty at once."""
    return check(load(SAMPLES / "safety_manual.pdf"))


def test_it_has_its_pages_and_chapters() -> None:
    assert len(manual().pages) == 14
    assert [one.chapter_title for one in manual().sections if len(one.path) == 1][-7:] == [
        "Scope and responsibilities", "Fume hoods and ventilation", "Chemicals", "Protective equipment",
        "Gases, cold and pressure", "Emergencies", "Special work and terms",
    ]  # fmt: skip
    assert "Laboratory Safety Manual LS-001" not in manual().text  # its running lines
    assert "· Edition" not in manual().text


def test_wrapped_cells_of_its_table_are_whole_rows() -> None:
    assert (
        "| Class A: flammable solvents | Acetone, ethanol, hexane | Protective eyewear and gloves, flame-resistant "
        "laboratory coat | Yellow safety cabinet, at most 10 litres in each laboratory |\n"
    ) in manual().text
    assert page_of(manual(), "| Class A: flammable") == 8


def test_its_two_columns_are_in_alphabetical_order() -> None:
    terms = ["Assembly point.", "Face velocity.", "Green permit card.", "Near miss.", "Two-person key."]
    places = [manual().text.index(term) for term in terms]
    assert places == sorted(places)
