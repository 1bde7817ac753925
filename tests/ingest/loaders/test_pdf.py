"""PDF files, written with reportlab: paragraphs, pages, headings, raised figures, titles, and a whole manual."""

from pathlib import Path

import pytest
from loader_checks import SAMPLES, Placed, check, lines, make_pdf, page_of, read_pdf
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFError, TTFont
from reportlab.pdfgen.canvas import Canvas

from rag.ingest.loaders import load, load_bytes
from rag.ingest.loaders.pdf_boxes import excerpt_boxes
from rag.ingest.loaders.pdf_prose import mend
from rag.ingest.loaders.source import listening

PROSE = (
    "The sash of a fume hood protects the face from splashes and from",
    "vapours, and it is kept as low as the work at hand allows it to be.",
)
BRIDGE = "The bridge over the river Isel, which carries the road from Tarnby to the harbour,"


def test_pages_count_from_one_and_empty_ones_count() -> None:
    document = read_pdf(lines("First page text."), [], lines("Third page text."))
    assert len(document.pages) == 3
    assert (page_of(document, "First"), page_of(document, "Third")) == (1, 3)
    assert document.pages[1].start == document.pages[1].end


def test_each_page_is_told_of_before_it_is_read() -> None:
    begun: list[tuple[int, int]] = []
    with listening(lambda number, of: begun.append((number, of))):
        read_pdf(lines("First page text."), lines("Second page text."))
    assert begun == [(1, 2), (2, 2)]


def test_lines_of_a_paragraph_are_joined_and_space_or_a_short_line_parts_paragraphs() -> None:
    whole = " ".join(PROSE)
    assert read_pdf(lines(*PROSE) + lines(*PROSE, y=160)).text == f"{whole}\n\n{whole}"
    assert read_pdf(lines(*PROSE, "A short end.", *PROSE)).text == f"{whole} A short end.\n\n{whole}"
    divided = read_pdf(lines(BRIDGE, "was designed in 1933 by the young engi-", "neer Sofie Brandt."))
    assert divided.text == f"{BRIDGE} was designed in 1933 by the young engineer Sofie Brandt."


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


def test_headings_are_found_by_size_weight_and_number() -> None:
    document = read_pdf(
        [(70, 60, "++Chapter 2: Hoods"), (70, 100, "+2.1 How a hood protects"), *lines(*PROSE, y=125),
         (70, 175, "**Before you begin"), *lines(*PROSE, y=190)]
    )  # fmt: skip
    path = ("Chapter 2: Hoods", "2.1 How a hood protects", "Before you begin")
    assert [one.path for one in document.sections] == [path[:1], path[:2], path]
    assert [(one.chapter, one.section_number) for one in document.sections] == [(2, None), (2, "2.1"), (2, "2.1")]


def test_outline_makes_a_heading_of_a_line_that_looks_like_text() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.bookmarkPage("a")
        canvas.addOutlineEntry("Gloves", "a", level=0)
        for x, y, text in [(70, 80, "Gloves"), *lines(*PROSE)]:
            canvas.drawString(x, 842 - y, text)

    assert read_pdf(draw).sections[0].path == ("Gloves",)


def test_contents_page_is_left_out() -> None:
    page = [(70, 60, "++Contents"), *lines(*[f"{n} Section . . . . . . . . . . . . {n + 3}" for n in range(1, 6)])]
    assert ". . ." not in read_pdf(page, lines(*PROSE)).text


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
    def draw(canvas: Canvas) -> None:
        text = canvas.beginText(70, 700)
        for part, part_size, part_rise in ((before, 11, 0), (figure, size, rise), (after, 11, 0)):
            text.setFont("Helvetica", part_size)
            text.setRise(part_rise)
            text.textOut(part)
        canvas.drawText(text)

    assert read_pdf(draw).text == said


def test_a_hebrew_line_is_read_from_the_right_and_its_excerpt_is_found(tmp_path: Path) -> None:
    line, path = "המשאבה פועלת בשעה שמונה בבוקר בכל יום של השבוע", tmp_path / "a.pdf"
    try:
        pdfmetrics.registerFont(TTFont("Hebrew", "DejaVuSans.ttf"))
    except TTFError:
        pytest.skip("the font DejaVu Sans is not installed")
    path.write_bytes(
        make_pdf(lambda canvas: (canvas.setFont("Hebrew", 12), canvas.drawRightString(530, 780, line[::-1])))
    )
    assert check(load(path)).text == line
    (whole,) = excerpt_boxes(path, 1, line)
    (first,) = excerpt_boxes(path, 1, "המשאבה פועלת בשעה")
    assert first.x0 > whole.x0 + 100
    assert first.x1 == whole.x1


def test_properties_become_metadata() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setTitle("Laboratory Safety Manual")
        canvas.setAuthor("Ida Berg")
        canvas.setSubject("Document LS-001")
        canvas.drawString(70, 700, "Effective 2 February 2026")

    metadata = load_bytes("ls.pdf", make_pdf(draw)).metadata
    assert (metadata.title, metadata.authors, metadata.year) == ("Laboratory Safety Manual", ("Ida Berg",), 2026)
    assert "Document LS-001" in metadata.identifiers


PARTED = lines("++++FORM 7", "a report to the board of", "++++NORTH LABORATORY", y=60, pitch=30)


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ([(70, 60, "++++Handbook of"), (70, 80, "++++Gloves"), *lines(*PROSE, y=120)], "Handbook of Gloves"),
        ([*PARTED, *lines(*PROSE, y=160)], "FORM 7 NORTH LABORATORY"),
        ([(70, 60, "++++1 Gloves"), *lines(*PROSE), (70, 160, "++++2 Aprons"), *lines(*PROSE, y=200)], "1 Gloves"),
    ],
)
def test_the_largest_lines_are_the_title_where_the_file_states_none(page: list[Placed], title: str) -> None:
    assert read_pdf(page).metadata.title == title


def test_the_manual_of_the_samples_which_has_every_difficulty_at_once_is_read_whole() -> None:
    manual = check(load(SAMPLES / "safety_manual.pdf"))
    assert len(manual.pages) == 14
    assert [one.chapter_title for one in manual.sections if len(one.path) == 1][-7:] == [
        "Scope and responsibilities", "Fume hoods and ventilation", "Chemicals", "Protective equipment",
        "Gases, cold and pressure", "Emergencies", "Special work and terms",
    ]  # fmt: skip
    assert "Laboratory Safety Manual LS-001" not in manual.text  # its running lines
    assert "· Edition" not in manual.text
    row = (
        "| Class A: flammable solvents | Acetone, ethanol, hexane | Protective eyewear and gloves, flame-resistant "
        "laboratory coat | Yellow safety cabinet, at most 10 litres in each laboratory |\n"
    )
    assert page_of(manual, row) == 8  # its cells are wrapped
    terms = ["Assembly point.", "Face velocity.", "Green permit card.", "Near miss.", "Two-person key."]
    places = [manual.text.index(term) for term in terms]
    assert places == sorted(places)  # they stand in two columns
