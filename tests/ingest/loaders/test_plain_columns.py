"""Tables of plain text files that are set in columns with spaces."""

import pytest
from loader_checks import check

from rag.ingest.loaders import load_bytes
from rag.ingest.loaders.plain_lines import with_rows

ROWS = (("Item", "Price", "Stock"), ("Rope", "5.00 ", "12"), ("Hook", "9.50 ", "3"))

POOL = """The pool in the winter
Day          Lanes     Sauna     Tea room
-----------------------------------------
Monday       6-9       closed    closed
Tuesday      6-21      14-22     10-18
Wednesday    6-21                10-18
Prices are on page 2."""


def read(text: str) -> str:
    return check(load_bytes("a.txt", text.encode())).text


def test_lines_in_columns_are_rows_with_the_caption_above_and_the_note_below():
    assert read(POOL) == (
        "The pool in the winter\n\n"
        "| Day | Lanes | Sauna | Tea room |\n| Monday | 6-9 | closed | closed |\n"
        "| Tuesday | 6-21 | 14-22 | 10-18 |\n| Wednesday | 6-21 | | 10-18 |\n\n"
        "Prices are on page 2."
    )


def test_figures_set_to_the_right_stand_under_their_heads():
    text = "Source              2025      2026\nProperty tax      21,340    21,900\nParking              190       220"
    assert read(text).split("\n")[1:] == ["| Property tax | 21,340 | 21,900 |", "| Parking | 190 | 220 |"]


def test_a_cell_that_goes_on_in_the_next_line_is_one():
    text = "Post      Pay    Who\nPorter    1,900  nights, and\n                 Sundays\nCook      2,400  days"
    assert "| Porter | 1,900 | nights, and Sundays |" in read(text)


def test_prose_with_wide_spaces_two_columns_of_prose_lists_and_forms_are_no_tables():
    for text in (
        "It is a truth  universally known that\na single man  in possession of\na fortune  must be in want.",
        "He left.  She stayed.\nHe came.  She wept.\nHe sang.  She left.",
        "Harris    a hawk of the desert\nBarn      an owl of the farm\nGolden    an eagle of the hills",
        "1.   Boots     2\n2.   Coats     3\n3.   Hats      1",
        "To:      All      staff\nFrom:    The      office\nOn:      5        May",
        "Ham   4\nEgg   3",
    ):
        assert "|" not in read(text)


def test_a_full_row_below_an_empty_first_cell_is_a_row_of_its_own() -> None:
    text = (
        "Day       Course     Teacher\nMonday    Pottery    Lind\n          Weaving    Dahl\nTuesday   Dance      Voss"
    )
    assert "| | Weaving | Dahl |" in with_rows(text)


@pytest.mark.parametrize(("gap", "is_table"), [(380, True), (420, False)])
def test_a_table_in_columns_has_lines_of_four_hundred_characters_at_most(gap: int, is_table: bool) -> None:
    text = "\n".join(f"{item}{' ' * gap}{price}   {stock}" for item, price, stock in ROWS)
    assert (with_rows(text) == "| Item | Price | Stock |\n| Rope | 5.00 | 12 |\n| Hook | 9.50 | 3 |") is is_table
    assert is_table or with_rows(text) == text
