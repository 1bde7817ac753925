"""Two clauses joined by `and`, a comma or `while` keep their subjects and places apart. All written by hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
GARDEN = "Hens scratch the beds and snails eat the lettuce."
FLOCK = "Hens scratch the beds and eat the lettuce."
CABINETS = "The printer is in Basel and the scanner is in Ulm."
KNOBS = "The dial is on the left and the lever is on the right."
TANK = "The drain is at the bottom and the vent is at the top."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Hens eat the lettuce.", GARDEN),
        ("Hens eat the lettuce.", "Hens scratch the beds, while snails eat the lettuce."),
        ("Hens eat the lettuce.", "Hens scratch the beds, and snails eat the lettuce."),
        ("Hens eat the lettuce.", "Hens scratch the beds, snails eat the lettuce."),
        ("Snails scratch the beds.", GARDEN),
        ("Porters clean the floors.", "Porters carry the trunks and maids clean the floors."),
        ("Weavers sell rope.", "Weavers make cloth and chandlers sell rope."),
        ("Readers fix errors.", "Readers send letters and most editors fix errors."),
    ],
)
def test_the_second_verb_has_the_second_subject_where_both_are_plain_plurals(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Hens scratch the beds.", GARDEN),
        ("Snails eat the lettuce.", GARDEN),
        ("Hens eat the lettuce.", FLOCK),
        ("Hens often eat the lettuce.", "Hens scratch the beds and often eat the lettuce."),
        ("Hens eat the lettuce.", "Hens, ducks and snails eat the lettuce."),
        ("Hens eat the lettuce.", "Hens with brown feathers and snails eat the lettuce."),
        ("Hens eat the lettuce.", "Hens, on warm spring days, eat the lettuce."),
        ("Hens eat the lettuce.", "Hens scratch the beds, paths and lawns and then eat the lettuce."),
        ("Porters clean the floors.", "Porters carry trunks, sort letters and clean the floors."),
        ("Guests pay the fee.", "Guests using the large hall and members pay the fee."),
        ("Mills make white card.", "Mills make brown paper and white card."),
    ],
)
def test_one_subject_keeps_the_verbs_that_it_shares(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The printer is in Ulm and the scanner is in Basel.", CABINETS),
        ("The scanner is in Basel and the printer is in Ulm.", CABINETS),
        ("The printer is in Ulm.", CABINETS),
        (
            "The printer is in Ulm, while the scanner is in Basel.",
            "The printer is in Basel, while the scanner is in Ulm.",
        ),
        ("The dial is on the right and the lever is on the left.", KNOBS),
        ("The drain is at the top and the vent is at the bottom.", TANK),
        ("Ada was born in Ulm and Karl was born in Basel.", "Ada was born in Basel and Karl was born in Ulm."),
        ("The barge lies in Ulm and the ferry lies in Basel.", "The barge lies in Basel and the ferry lies in Ulm."),
    ],
)
def test_two_places_are_not_exchanged_across_and(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The scanner is in Ulm and the printer is in Basel.", CABINETS),
        ("The printer is in Basel.", CABINETS),
        ("The lever is on the right and the dial is on the left.", KNOBS),
        ("Ada was born in Basel in 1900.", "Ada was born in 1900 in Basel."),
        ("Ada was born in Basel and in 1900.", "Ada was born in 1900 and in Basel."),
        ("The choir sang in Ulm and in Basel.", "The choir sang in Basel and in Ulm."),
        ("The fair was held in Ulm and Basel in 1990.", "The fair was held in 1990 in Ulm and Basel."),
    ],
)
def test_places_may_stand_in_either_order_where_that_changes_nothing(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5
