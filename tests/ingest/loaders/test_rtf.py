"""Rich Text Format."""

import pytest
from loader_checks import check

from rag.ingest.loaders import load_bytes
from rag.models import Document

STYLES = rb"{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}}"


def read(body: bytes, head: bytes = b"") -> Document:
    begins = rb"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}}"
    return check(load_bytes("a.rtf", begins + STYLES + head + body + b"}"))


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (rb"\pard The \b rent\b0  is.\par\pard Two days\'92 notice.\par", "The rent is.\n\nTwo days’ notice."),
        (rb"\trowd\intbl a\cell b\cell\row\trowd\intbl 4 m\cell 5\cell\row\pard c\par", "| a | b |\n| 4 m | 5 |\n\nc"),
        (rb"\pard Gr\u246?\u223?e, \'e9t\'e9.\par", "Größe, été."),
        (rb"\pard See {\field{\*\fldinst HYPERLINK x}{\fldrslt it}}.{\pict\pngblip 89504e47}\par", "See it."),
    ],
    ids=["formatting", "rows", "other code pages", "fields and pictures"],
)
def test_words_are_read_without_their_codes(body: bytes, text: str) -> None:
    assert read(body).text == text


def test_headings_are_known_by_their_outline_level() -> None:
    body = rb"\pard\s1\outlinelevel0 Rent\par\pard\outlinelevel1 Deposit\par\pard\outlinelevel9 Two months.\par"
    assert read(body).sections[-1].path == ("Rent", "Deposit")


def test_title_author_and_year_are_those_of_the_group_info() -> None:
    info = rb"{\info{\title Lease of \'dcnit 18}{\author Karin Holm}{\creatim\yr2024\mo3\dy5}}"
    said = read(rb"\pard Rent.\par", info).metadata
    assert (said.title, said.authors, said.year) == ("Lease of Ünit 18", ("Karin Holm",), 2024)
