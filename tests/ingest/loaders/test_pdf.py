"""PDF files, written with reportlab: paragraphs, pages, headings, titles, and a whole manual."""

from functools import lru_cache

import pytest
from loader_checks import SAMPLES, check, draw_pdf, lines, make_pdf, page_of
from reportlab.pdfgen.canvas import Canvas

from rag.ingest.loaders import load, load_bytes
from rag.ingest.loaders.pdf_prose import mend
from rag.models import Document

PROSE = (
    "The sash of a fume hood protects the face from splashes and from",
    "vapours, and it is kept as low as the work at hand allows it to be.",
)


def prose(number: int) -> tuple[str, ...]:
    """Lines of a page that differ from page to page."""
    word = ("apron", "bottle", "cabinet", "drawer", "exhaust")[number]
    return tuple(line.replace("hood", word).replace("work", word) for line in PROSE)


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
        ([(70, 60, "++++1 Gloves"), *lines(*PROSE), (70, 160, "++++2 Aprons"), *lines(*prose(1), y=200)], "1 Gloves"),
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
