"""Signs that look alike, spaces in numbers, fractions and rates are read as one; none hides a denial. By hand."""

import pytest

from rag.grounding.claims import missing_terms
from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
KEPT = "Keep it at 20 °C in the dark, in a gap of 5-10 mm."
MASS = "It weighs 1\u202f500 kg in all."
NIGHT = "Rooms cost 90 euros a night in summer."
CAMP = "Tents pay 14 euros a night and vans 22 euros."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("It weighs 1500 kg.", MASS),
        ("It weighs 1\u00a0500 kg.", "It weighs 1500 kg in all."),
        ("Keep it at 20 ºC.", KEPT),
        ("Keep it in a gap of 5\u201110 mm.", KEPT),
        ("Keep it in the da\u00adrk.", KEPT),
        ("Add 1½ cups of milk.", "Add 1.5 cups of milk and stir."),
        ("THE PUMP IS RED.", "The pump is red and heavy."),
        ("Rooms cost 90 euros per night.", NIGHT),
        ("Rooms cost 90 euros for each night.", NIGHT),
        ("Vans pay 22 euros a night.", CAMP),
        ("La pompe ne tourne pas la nuit.", "La pompe ne tourne pas la nuit, la valve est ouverte."),
        ("The wind blows hard at night.", "The wind blows hard from NE at night."),
    ],
)
def test_one_thing_may_be_written_in_several_ways(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5
    assert missing_terms(claim, evidence) == ()


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("It weighs 500 kg.", MASS),
        ("Keep it at 25 ºC.", KEPT),
        ("Add 1½ cups of milk.", "Add 1.25 cups of milk and stir."),
        ("THE PUMP IS NOT RED.", "The pump is red and heavy."),
        ("The pump isn‘t running at night.", "The pump is running at night."),
        ("The pump is no\u00adt red at night.", "The pump is red at night."),
        ("Rooms cost 90 euros per week.", NIGHT),
        ("Vans pay 14 euros a night.", CAMP),
        ("Vans pay 22 euros a night.", "Vans pay 22 euros."),
        ("La pompe tourne la nuit.", "La pompe ne tourne pas la nuit."),
        ("Die Pumpe läuft nachts nicht bei Regen im Sommer.", "Die Pumpe läuft nachts bei Regen im Sommer."),
    ],
)
def test_another_number_rate_or_denial_stays_another(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5
