"""Dates in digits: which they are, and which other dates they may be."""

import pytest

from rag.grounding.evidence import EvidenceCheck
from rag.language.dates import dates

CHECK = EvidenceCheck()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("12.03.2024", [(2024, 3, 12)]),
        ("on 1/2/2024.", [(2024, 2, 1)]),
        ("25-12-2024", [(2024, 12, 25)]),
        ("03/25/2024", [(2024, 3, 25)]),
        ("12.03.2024-15.03.2024", [(2024, 3, 12), (2024, 3, 15)]),
        ("12.03.2024 to 15.03.2024", [(2024, 3, 12), (2024, 3, 15)]),
        ("2024-03-12", [(2024, 3, 12)]),
    ],
)
def test_a_date_in_digits_is_read_day_first_where_it_can_be(text: str, parts: list[tuple[int, ...]]) -> None:
    assert [found.parts for found in dates(text)] == parts


@pytest.mark.parametrize(
    "text", ["25.13.2024", "32.01.2024", "0.5.2024", "10.12.11.2024", "12.03.24", "12.03/2024", "$12.03.2024", "1.2.3"]
)
def test_what_is_no_date_is_none(text: str) -> None:
    assert list(dates(text)) == []


def test_a_date_may_have_its_month_first_where_both_are_months_and_differ() -> None:
    text = "03.04.2024, 03.03.2024, 25.03.2024"
    assert [found.either for found in dates(text)] == [True, False, False]


@pytest.mark.parametrize(
    ("claimed", "stated"),
    [
        ("12.03.2025", "12.03.2024"),
        ("12.04.2024", "12.03.2024"),
        ("03.12.2024", "12.03.2024"),
        ("04/03/2024", "03/04/2024"),
        ("13 March 2024", "12.03.2024"),
        ("5 March 2024", "03/04/2024"),
        ("25 April 2024", "25.03.2024"),
        ("12.03.2024", "March 2024"),
    ],
)
def test_another_date_is_not_supported(claimed: str, stated: str) -> None:
    assert CHECK.support(f"The lease was signed on {claimed}.", f"The lease was signed on {stated}.") < 0.5


@pytest.mark.parametrize(
    ("claimed", "stated"),
    [
        ("12 March 2024", "12.03.2024"),
        ("12.03.2024", "12 March 2024"),
        ("03/12/2024", "March 12, 2024"),
        ("3 April 2024", "03/04/2024"),
        ("4 March 2024", "03/04/2024"),
        ("12.3.2024", "12.03.2024"),
        ("12/03/2024", "12.03.2024"),
        ("12.03.2024", "2024-03-12"),
        ("March 12, 2024", "12 March 2024"),
        ("12 March", "12.03.2024"),
    ],
)
def test_the_same_date_in_another_form_is_supported(claimed: str, stated: str) -> None:
    assert CHECK.support(f"The lease was signed on {claimed}.", f"The lease was signed on {stated}.") >= 0.5
