"""What a quantifier holds for. All written by hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
OFFICERS = "Retired officers receive a pension."
GUESTS = "Guests with a ticket enter at gate 4."
PUMPS = "Only two of the ten pumps failed."
HOUSES = "Most of the houses are of brick, but a few are of stone."
BOTH = "The lamp lights if both switches are on."
EITHER = "The lamp lights if either switch is on."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("All officers receive a pension.", OFFICERS),
        ("Every officer receives a pension.", OFFICERS),
        ("All guests enter at gate 4.", GUESTS),
        ("All pumps failed.", PUMPS),
        ("Most pumps failed.", PUMPS),
        ("Most of the houses are of stone.", HOUSES),
        ("All guides speak Finnish.", "All guides speak German, while two of them speak Finnish."),
        ("A permit or a deposit is required.", "A permit and a deposit are required."),
        ("A permit and a deposit are required.", "A permit or a deposit is required."),
        ("The lamp lights if either switch is on.", BOTH),
        ("The lamp lights if both switches are on.", EITHER),
        ("Pilots may only enter the tower.", "Only pilots may enter the tower."),
    ],
)
def test_a_quantifier_holds_for_no_more_and_for_no_others(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Retired officers receive a pension.", OFFICERS),
        ("All retired officers receive a pension.", "All retired officers receive a pension from 2020 on."),
        ("Guests with a ticket enter at gate 4.", GUESTS),
        ("Two of the ten pumps failed.", PUMPS),
        ("Most of the houses are of brick.", HOUSES),
        ("A few are of stone.", HOUSES),
        ("All guides speak German.", "All guides speak German, while two of them speak Finnish."),
        ("A deposit and a permit are required.", "A permit and a deposit are required."),
        ("Trees stand on either side of the road.", "Trees stand on both sides of the road."),
        ("You may only enter with a pass.", "You may enter only with a pass."),
        ("Pilots may enter the tower.", "Only pilots may enter the tower."),
        ("All jars were checked.", "Workers inspected the hall. All jars were checked."),
        ("Spare jars will work, but at most two.", "Spare jars will work, but at most two of them."),
    ],
)
def test_a_quantifier_that_stands_there_is_carried(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5
