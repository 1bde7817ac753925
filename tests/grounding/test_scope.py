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


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Cycling is allowed in all lanes.", "Cycling is allowed in lane 4."),
        ("Cycling is allowed in every lane.", "Cycling is allowed in lane 4."),
        ("Cycling is allowed in any lane.", "Cycling is allowed in lane 4."),
        ("Bonfires are permitted on every beach.", "Bonfires are permitted on beach C only."),
        ("The levy applies to all rent.", "The levy applies to rent above 900 crowns."),
        ("The levy applies to any rent.", "The levy applies to rent above 900 crowns."),
        ("The voucher is valid for every order.", "The voucher is valid for orders over 30 euros."),
        ("The rule holds for all ponds.", "The rule holds for ponds deeper than 2 m."),
        ("A key was given to all clubs.", "A key was given to clubs with more than 50 members."),
        ("All ferries are free.", "Ferries between Arn and Holm are free."),
        ("The fee is waived for every child.", "The fee is waived for children under 6."),
        ("Heating is on in all offices.", "Heating is on in offices on the third floor."),
        (
            "All drivers get 30 days of leave.",
            "Drivers with more than five years of service get 30 days of leave; all others get 25.",
        ),
    ],
)
def test_all_is_more_than_those_of_a_number_or_bound(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The levy applies to all rent above 900 crowns.", "The levy applies to rent above 900 crowns."),
        ("The levy applies to any rent above 900 crowns.", "The levy applies to rent above 900 crowns."),
        ("The voucher is valid for every order over 30 euros.", "The voucher is valid for orders over 30 euros."),
        ("All passengers over 60 travel free.", "Passengers over 60 travel free."),
        ("All users of lane 4 need a bell.", "Users of lane 4 need a bell."),
        ("All lamps were replaced in 2012.", "The lamps were replaced in 2012."),
        ("Guards locked all doors.", "Guards locked the doors at night."),
        ("She painted all the doors.", "She painted the doors on Monday."),
        ("All visitors pay 4 euros.", "Visitors pay 4 euros."),
        ("All tours start at noon.", "Tours in the north hall cost 5 euros, but all tours start at noon."),
        ("Every door has a lock.", "Doors on floor 2 are red; every door has a lock."),
        ("If any pump fails, call the desk.", "If a pump fails, call the desk."),
        ("The rule applies to all members.", "The rule applies to members without exception."),
        ("The club tells all members.", "The club tells members in advance."),
        ("Report any fault to the desk.", "Report a fault to the desk."),
    ],
)
def test_all_may_be_added_where_nothing_is_narrowed_down(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5
