"""Rich Text Format."""

from loader_checks import check

from rag.ingest.loaders import load_bytes
from rag.models import Document

STYLES = rb"{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}}"


def read(body: bytes, head: bytes = b"") -> Document:
    return check(
        load_bytes("a.rtf", rb"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}}" + STYLES + head + body + b"}")
    )


def test_paragraphs_lose_their_formatting() -> None:
    assert read(rb"\pard The \b monthly\b0  rent.\par\pard Two months\'92 notice.\par").text == (
        "The monthly rent.\n\nTwo months’ notice."
    )


def test_headings_are_known_by_their_outline_level() -> None:
    body = rb"\pard\s1\outlinelevel0 Rent\par\pard\outlinelevel1 Deposit\par\pard\outlinelevel9 Two months.\par"
    assert read(body).sections[-1].path == ("Rent", "Deposit")


def test_rows_of_tables_are_rows() -> None:
    body = rb"\trowd\intbl Size\cell Price\cell\row\trowd\intbl 4 m\cell 52 euros\cell\row\pard After.\par"
    assert read(body).text == "| Size | Price |\n| 4 m | 52 euros |\n\nAfter."


def test_unicode_and_other_code_pages_are_read() -> None:
    assert read(rb"\pard Gr\u246?\u223?e, \'e9t\'e9.\par").text == "Größe, été."


def test_title_author_and_year_are_those_of_the_group_info() -> None:
    info = rb"{\info{\title Lease of \'dcnit 18}{\author Karin Holm}{\creatim\yr2024\mo3\dy5}}"
    said = read(rb"\pard Rent.\par", info).metadata
    assert (said.title, said.authors, said.year) == ("Lease of Ünit 18", ("Karin Holm",), 2024)


def test_pictures_and_fields_leave_no_codes() -> None:
    link = rb"{\field{\*\fldinst HYPERLINK x}{\fldrslt the page}}"
    assert read(rb"\pard See " + link + rb".{\pict\pngblip 89504e47}\par").text == "See the page."
