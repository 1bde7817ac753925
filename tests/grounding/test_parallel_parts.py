"""What one of two parallel parts says is not said of the other. All written by hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
DOSES = "Adults may take the drops five times a day, children twice."
TREES = "Birches live for ninety years, hazels rather less, and the yew up to two thousand years."
TEACHERS = "Ms Ravn restores clocks and barometers, Mr Boll violas and lutes."
KEEPERS = "Dr Hahn treats horses and Dr Silva parrots."
COWS = "The farmer milks the goats in spring and shears them in summer."
BOATS = "Skippers fetch the keys between 7 and 9 in the morning and return them before 8 pm."
LOCKS = "Canoes are free for members and cost 9 euros for visitors."
CLAIMS = "Claims over 900 euros are settled the same week, all others within a month."
CHAIRS = "Toddlers ride in the trailer, and children from the age of six need a bicycle of their own."
CLAY = "The clay dries for six hours at 40 °C, or overnight in the cellar."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Children may take the drops five times a day.", DOSES),
        ("Hazels live for ninety years.", TREES),
        ("Birches live up to two thousand years.", TREES),
        ("Hazels live up to two thousand years.", TREES),
        ("Ms Ravn restores lutes.", TEACHERS),
        ("Mr Boll restores barometers.", TEACHERS),
        ("Dr Hahn treats parrots.", KEEPERS),
        ("Dr Silva treats horses.", KEEPERS),
        ("The farmer milks the goats in summer.", COWS),
        ("Skippers return the keys between 7 and 9 in the morning.", BOATS),
        ("Canoes cost 9 euros for members.", LOCKS),
        ("Canoes are free for visitors.", LOCKS),
        ("Claims over 900 euros are settled within a month.", CLAIMS),
        ("Toddlers need a bicycle of their own.", CHAIRS),
        ("Children from the age of six ride in the trailer.", CHAIRS),
        ("The clay dries for six hours in the cellar.", CLAY),
    ],
)
def test_what_one_of_two_parts_says_is_not_said_with_the_words_of_the_other(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Adults may take the drops five times a day.", DOSES),
        ("Birches live for ninety years.", TREES),
        ("Ms Ravn restores barometers.", TEACHERS),
        ("Dr Hahn treats horses.", KEEPERS),
        ("The farmer milks the goats in spring.", COWS),
        ("The farmer shears the goats in summer.", COWS),
        ("Skippers fetch the keys between 7 and 9 in the morning.", BOATS),
        ("Skippers return the keys before 8 pm.", BOATS),
        ("Canoes are free for members.", LOCKS),
        ("Canoes cost 9 euros for visitors.", LOCKS),
        ("Claims over 900 euros are settled the same week.", CLAIMS),
        ("Toddlers ride in the trailer.", CHAIRS),
        ("Children from the age of six need a bicycle of their own.", CHAIRS),
        ("The clay dries for six hours at 40 °C.", CLAY),
        ("The clay dries overnight in the cellar.", CLAY),
        ("He works in Bavaria.", "He works in Passau, a city in Bavaria."),
        ("The museum opens at 9 and closes at 5.", "The museum opens at 9 and closes at 5 on all days of the week."),
        ("The kiosk sells maps for 3 euros.", "The kiosk sells stamps for 1 euro, maps for 3 euros and flags for 7."),
        ("The mill was built in Delft in 1690.", "The mill was built in Delft in 1690 and moved to Gouda in 1911."),
        ("The mill was moved to Gouda in 1911.", "The mill was built in Delft in 1690 and moved to Gouda in 1911."),
        ("The path is 9 km long.", "The path is 9 km long and climbs 400 m."),
        ("The path climbs 400 m.", "The path is 9 km long and climbs 400 m."),
        ("The inn was moved to Ulm.", "The inn was sold in 1990, and the new owners moved it to Ulm."),
    ],
)
def test_each_part_carries_what_it_says(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5
