"""Numbers that are names, scores and URLs: a claim keeps to them sign for sign."""

import pytest

from rag.grounding.claims import missing_terms
from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The pump runs version 4.2.11.", "The pump runs version 4.2.10."),
        ("The gateway has the address 192.168.2.1.", "The gateway has the address 192.168.1.1."),
        ("The guide has ISBN 9783161484900.", "The guide has ISBN 9783161484100."),
        ("See section 3.2.1.5 of the guide.", "See section 3.2.1.4 of the guide."),
        ("Tables 1,2,4 list the doses.", "Tables 1,2,3 list the doses."),
        ("The fund holds 1,234,567,891 euros.", "The fund holds 1,234,567,890 euros."),
        ("The well is at 59.3,18.2.", "The well is at 59.3,18.1."),
        ("Our team won 1-3.", "Our team won 3-1."),
        ("Our team won 1 to 3.", "Our team won 3–1."),
        ("The teams drew 1-3.", "The teams drew 1-1."),
        ("The board voted 2-7 for the plan.", "The board voted 7-2 for the plan."),
        ("The board voted 7-2 for the plan.", "The board voted 2-7 for the plan."),
        ("The form is at https://b.example.org/x.", "The form is at https://a.example.org/x."),
        ("The form is at b.example.org/x.", "The form is at https://a.example.org/x."),
        ("The form is at https://a.example.org/y.", "The form is at https://a.example.org/x."),
    ],
)
def test_another_number_score_or_url_is_not_supported(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The pump's version is 4.2.10.", "The pump has the version 4.2.10."),
        ("Our team won 3–1.", "Our team won 3-1."),
        ("Our team won 3 to 1.", "Our team won 3-1 on Sunday."),
        ("Rest for 3 to 5 days.", "Rest for 3-5 days after the dose."),
        ("Rest for 3-5 days.", "Rest for between 3 and 5 days."),
        (
            "The form is at https://a.example.org/x.",
            "The form is at https://a.example.org/x and the map at www.example.com.",
        ),
        ("The form is at (a.example.org/x).", "The form is at https://a.example.org/x."),
    ],
)
def test_the_same_number_score_or_url_is_supported(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


def test_a_reason_names_a_number_as_it_is_written() -> None:
    finding = CHECK.examine("The address is 10.0.0.21.", "The address is 10.0.0.12.")
    assert "another number than 10.0.0.21" in finding.twists
    finding = CHECK.examine("It was signed on 13.03.2024.", "It was signed on 12.03.2024.")
    assert "another number than 2024-03-13" in finding.twists


def test_a_long_number_is_missing_where_one_digit_differs() -> None:
    assert missing_terms("The serial number is 9783161484900.", "The serial number is 9783161484100.") == (
        "9783161484900",
    )
    assert missing_terms("It was signed on 12 March 2024.", "It was signed on 12.03.2024.") == ()
