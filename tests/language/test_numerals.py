"""Numbers compared as written: no digit of a long number, a version, a list or a date may change."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.language.numerals import Written, share_of, value_of
from rag.language.quantities import quantities
from rag.language.quantity_equality import same_quantity


def are_same(claimed: str, stated: str) -> bool:
    """Return whether two texts have the same quantities, each of the first the one of the second at its place."""
    one, other = quantities(claimed), quantities(stated)
    return len(one) == len(other) > 0 and all(map(same_quantity, one, other))


@st.composite
def one_digit_changed(draw: st.DrawFn) -> tuple[str, str]:
    """Return two numerals of 1 to 40 digits, with a mark between groups or none, that differ in one digit."""
    digits = draw(st.text("0123456789", min_size=1, max_size=40))
    mark = draw(st.sampled_from(["", ".", ",", "-"]))
    cuts = draw(st.sets(st.integers(1, len(digits)), max_size=6)) - {len(digits)}
    place = draw(st.integers(0, len(digits) - 1))
    other = draw(st.sampled_from("0123456789".replace(digits[place], "")))
    changed = digits[:place] + other + digits[place + 1 :]
    return _grouped(digits, cuts, mark), _grouped(changed, cuts, mark)


def _grouped(digits: str, cuts: set[int], mark: str) -> str:
    return "".join((mark if place in cuts else "") + digit for place, digit in enumerate(digits))


@given(one_digit_changed())
def test_a_number_with_one_digit_changed_is_another(pair: tuple[str, str]) -> None:
    claimed, stated = pair
    assert not are_same(f"The code is {claimed}.", f"The code is {stated}.")


@given(st.integers(0, 10**40))
def test_a_whole_number_is_the_same_with_and_without_marks_between_thousands(number: int) -> None:
    assert are_same(f"{number} litres", f"{number:,} litres")


@given(one_digit_changed())
def test_a_number_is_the_same_as_itself(pair: tuple[str, str]) -> None:
    assert are_same(f"The code is {pair[0]}.", f"It has the code {pair[0]}.")


@pytest.mark.parametrize(
    ("claimed", "stated"),
    [
        ("9" * 5000, "1" * 5000),
        ("192.168.2.1", "192.168.1.1"),
        ("12.3.25", "12.3.24"),
        ("1.2.3", "1,2,3"),
        ("3,474726102343", "3,474726102340"),
        ("version 2.10", "version 2.1"),
        ("149597870700 m", "149597870701 m"),
        ("149597870700 m", "149597870.701 km"),
        ("0.00000000001 kg", "0.00000000002 kg"),
        ("123456789012345678 mg", "-123456789012345678 mg"),
        ("versions 1.2.3 to 1.2.9", "versions 1.2.3 to 1.2.8"),
    ],
)
def test_numbers_that_differ_are_not_the_same(claimed: str, stated: str) -> None:
    assert not are_same(claimed, stated)


@pytest.mark.parametrize(
    ("claimed", "stated"),
    [
        ("500 mg", "0.5 g"),
        ("0.1 mm", "100 µm"),
        ("1.5 h", "90 minutes"),
        ("36 km/h", "10 m/s"),
        ("1,500", "1500"),
        ("1.5 million", "1,500,000"),
        ("16.1 million", "16,100,000"),
        ("2,5 ha", "2.50 ha"),
        ("three tenths", "0.3"),
        ("every half hour", "every 30 minutes"),
        ("149597870700 m", "149597870.7 km"),
        ("123456789012345678 bits", "123,456,789,012,345,678 bits"),
        ("0.12345678901234567890", "0.1234567890123456789"),
        ("12345678901234567 thousand", "12345678901234567000"),
    ],
)
def test_the_same_number_in_another_form_is_the_same(claimed: str, stated: str) -> None:
    assert are_same(claimed, stated)
    assert are_same(stated, claimed)


def test_what_is_compared_as_written_equals_only_its_like() -> None:
    one = Written("1.2.3")
    assert one == Written("1.2.3")
    assert one != Written("1.2.4")
    assert one != float(one)
    assert Written("5") != 5.0
    assert len({one, Written("1.2.3"), Written("1.2.4")}) == 2
    assert copy.copy(one) == one == pickle.loads(pickle.dumps(one))


def test_a_value_has_its_sign_its_scale_and_its_share() -> None:
    assert value_of("-1.5 million") == -1_500_000.0
    assert value_of("$3k") == 3000.0
    assert value_of("minus twenty-five") == -25.0
    assert share_of("two", "third") == 2 / 3
