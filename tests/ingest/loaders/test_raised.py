"""Raised and lowered figures: a power, a note's mark and a fraction never join the number before them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.ingest.loaders.raised import lowered, raised, settle


def marked(text: str) -> str:
    return re.sub(r"\^\{(.*?)\}", lambda one: raised(one[1]), re.sub(r"_\{(.*?)\}", lambda one: lowered(one[1]), text))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        # a power, after a number, a unit or a letter
        ("10^{3} cells", "10³ cells"),
        ("10^{2.5} and 2^{n} and 2^{n+1}", "10^2.5 and 2^n and 2^(n+1)"),
        ("12 m^{2} at 3 kg m^{−3}", "12 m² at 3 kg m⁻³"),
        ("Ca^{2+} and E = mc, e^{x}", "Ca²⁺ and E = mc, e^x"),
        # the mark of a note, after a year, an amount or a word
        ("opened in 1923^{3} by", "opened in 1923 [3] by"),
        ("opened in 1923.^{3} The", "opened in 1923.[3] The"),
        ("a fee of 12,500^{2} or $90^{2}", "a fee of 12,500 [2] or $90 [2]"),
        ("the limit^{1,2} of toluene^{a}", "the limit [1,2] of toluene [a]"),
        ("^{1}Measured at noon", "[1] Measured at noon"),
        # a fraction, apart from the whole number
        ("1^{1}/_{2} cups", "1 1/2 cups"),
        # what else a reader says
        ("the 5^{th} and the 1^{st} day", "the 5th and the 1st day"),
        ("H_{2}O and ^{14}C", "H2O and 14C"),
        ("1010_{2} and log_{10}5", "1010_2 and log10 5"),
        ("Teflon^{®} 50^{*}", "Teflon® 50*"),
    ],
)
def test_a_raised_or_lowered_figure_stands_on_the_line_as_a_reader_says_it(written: str, read: str) -> None:
    assert settle(marked(written)) == read


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
