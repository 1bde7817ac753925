"""No paragraph begins within a divided word, however ragged the lines are."""

import pytest
from loader_checks import check, lines, make_pdf

from rag.ingest.loaders import load_bytes

LONG = "The bridge over the river Isel, which carries the road from Tarnby to the harbour,"


def text_of(*page: str) -> str:
    return check(load_bytes("a.pdf", make_pdf(lines(*page)))).text


@pytest.mark.parametrize("size_of_line", ["was designed by the engi-", "was designed in 1933 by the young engi-"])
def test_a_divided_word_on_a_short_line_goes_on_in_the_next(size_of_line: str) -> None:
    text = text_of(LONG, size_of_line, "neer Sofie Brandt.")
    assert text == f"{LONG} {size_of_line.removesuffix('engi-')}engineer Sofie Brandt."


@pytest.mark.parametrize(
    ("above", "below"),
    [
        ("It was designed in two years -", "the plans are kept."),
        ("It is kept in room B-", "The plans are kept."),
        ("It was built in 1933-", "the plans are kept."),
    ],
)
def test_a_short_line_without_a_divided_word_ends_its_paragraph_as_before(above: str, below: str) -> None:
    assert text_of(LONG, above, below).count("\n\n") == 1
