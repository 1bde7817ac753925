"""PDF files, written with reportlab."""

import io
from functools import lru_cache

import pytest
from loader_checks import SAMPLES, check, lines, make_pdf, page_of
from reportlab.lib.pagesizes import A4
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


def test_pages_count_from_one_and_empty_ones_count() -> None:
    document = read(lines("First page text."), [], lines("Third page text."))
    assert len(document.pages) == 3
    assert page_of(document, "First") == 1
    assert page_of(document, "Third") == 3
    assert document.pages[1].start == document.pages[1].end


def test_lines_of_a_paragraph_are_joined() -> None:
    assert read(lines(*PROSE)).text == " ".join(PROSE)


def test_paragraphs_are_parted_by_space_between_them() -> None:
    document = read(lines(*PROSE) + lines(*PROSE, y=160))
    assert document.text == f"{' '.join(PROSE)}\n\n{' '.join(PROSE)}"


def test_a_short_last_line_ends_a_paragraph() -> None:
    document = read(lines(*PROSE, "A short end.", *PROSE))
    assert document.text == f"{' '.join(PROSE)} A short end.\n\n{' '.join(PROSE)}"


def test_divided_words_are_mended() -> None:
    document = read(
        lines(
            "All of the laboratory staff must read the safety infor-",
            "mation that hangs beside the door of every room.",
        )
    )
    assert "safety information that" in document.text


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        (["infor-", "mation"], "information"),
        (["self-", "Contained"], "self-Contained"),
        (["pages 3-", "5"], "pages 3-5"),
        (["state-of-the-", "art"], "state-of-the-art"),
        (["a -", "b"], "a - b"),
        (["a well-", "known rule"], "a well-known rule"),
        (["by self-", "contained sets"], "by self-contained sets"),
        (["an x-", "ray"], "an x-ray"),
        (["the well-", "ness of"], "the wellness of"),
        (["a farewell-", "ing"], "a farewelling"),
        (["九時に開", "きます。", "入館料"], "九時に開きます。入館料"),
        (["版 2", "開館"], "版 2 開館"),
        (["도서관은", "아홉 시에"], "도서관은 아홉 시에"),
        (["one", "two"], "one two"),
    ],
)
def test_hyphens_at_line_ends(parts: list[str], whole: str) -> None:
    assert mend(parts) == whole


def test_paragraph_goes_on_over_the_page() -> None:
    document = read(
        lines(*PROSE, "Whoever reaches into the hood while the alarm"),
        lines("sounds must leave the room.", "Next sentence."),
    )
    assert "while the alarm sounds must" in document.text
    assert page_of(document, "the alarm") == 1
    assert page_of(document, "sounds must") == 2


def test_running_headers_footers_and_page_numbers_are_gone() -> None:
    pages = [
        [
            (70, 40, "Safety Manual, Edition 4"),
            *lines(*prose(n), f"This sentence is number {'abcdef'[n]}."),
            (290, 810, f"Page {n + 1}"),
        ]
        for n in range(5)
    ]
    document = read(*pages)
    assert "Edition" not in document.text
    assert "Page" not in document.text
    assert "number e." in document.text
    assert "Safety Manual, Edition 4" in document.metadata.identifiers


def test_lone_page_numbers_are_gone_but_numbers_in_the_text_stay() -> None:
    document = read(*[[*lines(*prose(n), f"Call {(4402, 4410, 4499)[n]}."), (290, 810, str(n + 7))] for n in range(3)])
    assert document.text.endswith("Call 4499.")


def test_page_numbers_right_below_the_text_are_gone() -> None:
    pages = [
        [*lines(*prose(n), *["More text stands here on this page."] * n), (290, 160 + 14 * n, str(n + 1))]
        for n in range(4)
    ]
    assert not any(character.isdigit() for character in read(*pages).text)


def test_two_columns_are_read_one_after_the_other() -> None:
    left = [f"The left column has line {word} of its own" for word in ("one", "two", "three", "four", "five", "six")]
    right = [line.replace("left", "right") for line in left]
    document = read(
        [
            (70, 60, "A line that goes over the whole width of the page, from the left to the right edge of it"),
            *lines(*left),
            *lines(*right, x=320),
        ]
    )
    assert document.text.index("right column has line one") > document.text.index("left column has line six")
    assert document.text.startswith("A line that goes over")


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
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=A4)
    canvas.bookmarkPage("a")
    canvas.addOutlineEntry("Gloves", "a", level=0)
    for x, y, text in [(70, 80, "Gloves"), *lines(*PROSE)]:
        canvas.setFont("Helvetica", 11)
        canvas.drawString(x, A4[1] - y, text)
    canvas.save()
    assert check(load_bytes("a.pdf", target.getvalue())).sections[0].path == ("Gloves",)


def test_bold_lines_of_a_cover_are_text() -> None:
    document = read(
        [*lines("**Larkfield Institute", "**Building A", "**Main Street 5", pitch=30), *lines(*PROSE, y=300)]
    )
    assert len([one for one in document.sections if one.path]) <= 1


def test_table_rows_keep_label_and_values_together() -> None:
    rows = [
        ("Item", "2023", "2024"),
        ("Net sales", "$ 1,200", "$ 1,350"),
        ("Costs", "(800)", "(900)"),
        ("Result", "400", "450"),
    ]
    page = [(x, 200 + 16 * k, text) for k, row in enumerate(rows) for x, text in zip((70, 300, 400), row, strict=True)]
    document = read([*lines(*PROSE), *page])
    assert document.text.endswith(
        "| Item | 2023 | 2024 |\n| Net sales | $ 1,200 | $ 1,350 |\n| Costs | (800) | (900) |\n| Result | 400 | 450 |"
    )


def test_wrapped_labels_of_a_table_are_mended() -> None:
    labels = [(70, 200, "Assets"), (70, 214, "Adjustment for gains that are"), (70, 228, "included in income")]
    values = [(300, 200, "10"), (300, 228, "20"), (70, 242, "Total"), (300, 242, "30")]
    page = [*labels, *values]
    assert "| Adjustment for gains that are included in income | 20 |" in read([*lines(*PROSE), *page]).text


def test_turned_page_is_read_as_it_is_shown() -> None:
    import pypdfium2 as pdfium

    pdf = pdfium.PdfDocument(make_pdf(lines(*PROSE)))
    pdf[0].set_rotation(90)
    target = io.BytesIO()
    pdf.save(target)
    pdf.close()
    assert "sash" in check(load_bytes("a.pdf", target.getvalue())).text


def test_properties_become_metadata() -> None:
    target = io.BytesIO()
    canvas = Canvas(target)
    canvas.setTitle("Laboratory Safety Manual")
    canvas.setAuthor("Ida Berg")
    canvas.setSubject("Document LS-001")
    canvas.drawString(70, 700, "Effective 2 February 2026")
    canvas.save()
    metadata = load_bytes("ls.pdf", target.getvalue()).metadata
    assert (metadata.title, metadata.authors, metadata.year) == ("Laboratory Safety Manual", ("Ida Berg",), 2026)
    assert "Document LS-001" in metadata.identifiers


def test_a_pdf_that_states_no_date_has_no_year_whenever_it_was_made() -> None:
    metadata = load_bytes("a.pdf", make_pdf(lines(*PROSE))).metadata
    assert (metadata.year, metadata.authors) == (None, ())
    assert metadata.identifiers == ()


def test_title_that_is_a_file_name_gives_way_to_the_largest_line() -> None:
    document = read([(70, 60, "++++Glove Handbook"), *lines(*PROSE)])
    assert document.metadata.title == "Glove Handbook"


def test_a_title_over_two_lines_is_whole() -> None:
    document = read([(70, 60, "++++Handbook of"), (70, 80, "++++Gloves"), *lines(*PROSE, y=120)])
    assert document.metadata.title == "Handbook of Gloves"


def test_a_title_in_two_parts_with_smaller_lines_between_them_is_whole() -> None:
    page = [(70, 60, "++++FORM 7"), (70, 90, "a report to the board of"), (70, 120, "++++NORTH LABORATORY")]
    assert read([*page, *lines(*PROSE, y=160)]).metadata.title == "FORM 7 NORTH LABORATORY"


def test_numbered_headings_are_not_one_title() -> None:
    page = [(70, 60, "++++1 Gloves"), *lines(*PROSE), (70, 160, "++++2 Aprons"), *lines(*prose(1), y=200)]
    assert read(page).metadata.title == "1 Gloves"


def test_a_divided_compound_that_stands_elsewhere_keeps_its_hyphen() -> None:
    divided = (
        "The drift of the laser in the north laboratory is long-",
        "lived and known to everybody who has ever worked with it.",
    )
    elsewhere = "Its long-lived drift is three percent of its power within each hour."
    assert "is long-lived and" in read(lines(*divided, elsewhere)).text
    assert "is longlived and" in read(lines(*divided)).text  # nothing tells that it is a compound


def test_a_divided_compound_at_the_end_of_a_page_keeps_its_hyphen() -> None:
    begun = (
        "Its long-lived drift is three percent of its power within each",
        "hour, and to everybody here it is long-",
    )
    assert "it is long-lived and" in read(lines(*begun), lines("lived and has been so for many years now.")).text


def test_contents_page_is_left_out() -> None:
    page = [(70, 60, "++Contents"), *lines(*[f"{n} Section . . . . . . . . . . . . {n + 3}" for n in range(1, 6)])]
    assert ". . ." not in read(page, lines(*PROSE)).text


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


def test_wrapped_cells_of_its_table_are_whole_rows() -> None:
    assert (
        "| Class A: flammable solvents | Acetone, ethanol, hexane | Protective eyewear and gloves, flame-resistant "
        "laboratory coat | Yellow safety cabinet, at most 10 litres in each laboratory |\n"
    ) in manual().text
    assert page_of(manual(), "| Class A: flammable") == 8


def test_its_running_lines_are_gone() -> None:
    assert "Laboratory Safety Manual LS-001" not in manual().text
    assert "· Edition" not in manual().text


def test_its_section_stays_below_deeper_headings() -> None:
    at = manual().text.index("Check the monitor, close the windows")
    section = next(one for one in manual().sections if one.start <= at < one.end)
    assert (section.chapter, section.section) == (2, "2.2 Working with hoods")
    assert section.path[-1] == "Before you begin"


def test_its_two_columns_are_in_alphabetical_order() -> None:
    terms = ["Assembly point.", "Face velocity.", "Green permit card.", "Near miss.", "Two-person key."]
    places = [manual().text.index(term) for term in terms]
    assert places == sorted(places)
    assert "It is valid for one night and one fume hood." in manual().text
