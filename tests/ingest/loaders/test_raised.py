"""Raised and lowered figures: a power, a note's mark and a fraction never join the number before them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.ingest.loaders.raised import lowered, raised, settle


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (f"10{raised('3')} cells", "10³ cells"),
        (f"3.5 × 10{raised('-')}{raised('6')}", "3.5 × 10⁻⁶"),
        (f"10{raised('2.5')} and 2{raised('n')} and 2{raised('n+1')}", "10^2.5 and 2^n and 2^(n+1)"),
        (f"12 m{raised('2')} at 3 kg m{raised('−3')}", "12 m² at 3 kg m⁻³"),
        (f"40 in{raised('2')}", "40 in²"),
        (f"(x + 1){raised('2')}", "(x + 1)²"),
        (f"Ca{raised('2+')} and E = mc, e{raised('x')}", "Ca²⁺ and E = mc, e^x"),
    ],
)
def test_a_raised_figure_after_a_number_a_unit_or_a_letter_is_a_power(text: str, read: str) -> None:
    assert settle(text) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (f"opened in 1923{raised('3')} by", "opened in 1923 [3] by"),
        (f"opened in 1923.{raised('3')} The", "opened in 1923.[3] The"),
        (f"a fee of 12,500{raised('2')} or $90{raised('2')}", "a fee of 12,500 [2] or $90 [2]"),
        (f"the limit{raised('1,2')} of toluene{raised('a')}", "the limit [1,2] of toluene [a]"),
        (f"held in{raised('2')} places", "held in [2] places"),
        (f"{raised('1')}Measured at noon", "[1] Measured at noon"),
    ],
)
def test_a_raised_figure_after_a_year_an_amount_or_a_word_is_the_mark_of_a_note(text: str, read: str) -> None:
    assert settle(text) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (f"1{raised('1')}/{lowered('2')} cups", "1 1/2 cups"),
        (f"1{raised('3')}⁄{lowered('4')} cups", "1 3/4 cups"),
        (f"2{raised('1/2')} cups", "2 1/2 cups"),
        (f"{raised('1')}/{lowered('2')} cup", "1/2 cup"),
        (f"10{raised('3')}/mm{raised('3')}", "10³/mm³"),
        (f"x{raised('1/2')}", "x^(1/2)"),
    ],
)
def test_a_fraction_set_with_raised_figures_stands_apart_from_the_whole_number(text: str, read: str) -> None:
    assert settle(text) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (f"the 5{raised('th')} and the 1{raised('st')} day", "the 5th and the 1st day"),
        (f"H{lowered('2')}O and {raised('14')}C", "H2O and 14C"),
        (f"1010{lowered('2')} and log{lowered('10')}5", "1010_2 and log10 5"),
        (f"Teflon{raised('®')} 50{raised('*')}", "Teflon® 50*"),
        (f"Settings{raised('beta')}", "Settings beta"),
        ("no marks at all: 10³", "no marks at all: 10³"),
    ],
)
def test_what_else_is_raised_or_lowered_stands_as_a_reader_says_it(text: str, read: str) -> None:
    assert settle(text) == read


@given(st.lists(st.tuples(st.text(), st.sampled_from(["on", "up", "down"]))))
def test_nothing_is_lost_no_mark_stays_and_no_two_figures_join(pieces: list[tuple[str, str]]) -> None:
    """The letters of all pieces stand in the result in their order; a digit never follows a raised digit's own."""
    marks = {"on": str, "up": raised, "down": lowered}
    text = settle("".join(marks[where](piece) for piece, where in pieces))
    assert not re.search(r"[\x0e-\x10]", text)
    told = "".join(re.findall(r"[^\W\d_]", "".join(piece for piece, _ in pieces)))
    assert "".join(re.findall(r"[^\W\d_]", text)) == told


@given(st.integers(2, 9999), st.integers(2, 99))
def test_a_raised_number_never_makes_one_number_with_the_one_before(base: int, power: int) -> None:
    assert f"{base}{power}" not in settle(f"{base}{raised(str(power))}")
