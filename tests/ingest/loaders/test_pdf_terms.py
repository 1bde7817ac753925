"""Names on lines of their own in PDF files, with what they mean below them."""

import pytest
from loader_checks import check, lines, make_pdf

from rag.ingest.loaders import load_bytes

WIDE = "This page lists what the valve reports back to the panel in the hall of pumps."


def text_of(*drawn: list[tuple[float, float, str]]) -> str:
    return check(load_bytes("a.pdf", make_pdf([one for part in drawn for one in part]))).text


@pytest.mark.parametrize(
    ("first", "second"),
    [("VALVE_STUCK", "VALVE_OPEN"), ("--stuck", "--open"), ("isStuck", "isOpen"), ("stuck()", "open()")],
)
def test_a_name_goes_with_the_condition_below_it(first: str, second: str) -> None:
    text = text_of(
        lines(WIDE),
        lines(first, y=140),
        lines("if the valve does not move", "or moves by less than a turn", x=80, y=154),
        lines(second, y=182),
        lines("otherwise", x=80, y=196),
    )
    assert text.split("\n\n")[1:] == [
        f"{first} if the valve does not move or moves by less than a turn", f"{second} otherwise",
    ]  # fmt: skip


def test_a_text_of_several_sentences_below_a_name_stays_one_paragraph() -> None:
    said = (
        "Returned when the valve did not move although it was told to do so. The",
        "reason is dirt in most cases, which the next service of the valve takes",
    )
    text = text_of(lines("VALVE_STUCK", y=140), lines(*said, "out.", x=90, y=154))
    assert text == f"VALVE_STUCK {said[0]} {said[1]} out."


def test_a_name_that_ends_a_paragraph_stays_in_it() -> None:
    assert text_of(lines(WIDE.replace(".", " as"), "VALVE_STUCK")) == f"{WIDE[:-1]} as VALVE_STUCK"


def test_names_below_each_other_are_apart() -> None:
    assert text_of(lines(WIDE), lines("valve_open", "valve_close", y=140)).endswith("\n\nvalve_open\n\nvalve_close")
