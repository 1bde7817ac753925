"""What the exact check vetoes, on pairs written by hand and on claims worked here."""

import json
from pathlib import Path

import pytest
from effort import turns_of

from rag.exact import Missing, missing_values, restated

PAIRS = [json.loads(line) for line in (Path(__file__).parent / "pairs.jsonl").read_text(encoding="utf-8").splitlines()]
FLOOR = 0.97
"""The share of faithful claims that pass, and of changed ones that are vetoed: with less the check has become worse."""


def vetoed(pair):
    return bool(missing_values(pair["claim"], pair["evidence"], place=pair.get("place", "")))


def told(claim, evidence, **more):
    return [one.told for one in missing_values(claim, evidence, **more)]


@pytest.mark.parametrize("is_faithful", [True, False])
def test_faithful_claims_pass_and_claims_with_one_value_changed_are_vetoed(is_faithful):
    pairs = [pair for pair in PAIRS if pair["ok"] == is_faithful]
    right = sum(vetoed(pair) != is_faithful for pair in pairs)
    assert len(pairs) >= 75
    assert right / len(pairs) >= FLOOR, f"{right} of {len(pairs)}"


@pytest.mark.parametrize(
    ("claim", "evidence", "said"),
    [
        ("15 people may enter.", "At most 50 people may enter.", "The text says 50, not 15."),
        ("They sent Ann Ek and Bo Falk.", "They sent Ann Ask.", "The text does not name Ek, Bo, Falk."),
        ("The pass costs $20.", "The pass costs €20.", "The text says €20, not $20."),
        ("Charge the XR-200C.", "Charge the XR-200B.", "The text does not contain XR-200C."),
        ("It opens at 9 pm.", "It opens at 09:00.", "The text does not say 9 pm."),
        ("It was signed on 4 June 2025.", "Signed on 3 June 2025.", "The text does not say 4 June 2025."),
        ("Write to ann@example.org.", "Write to anna@example.org.", "The text does not contain ann@example.org."),
        ("Both together weigh 7 kg.", "One weighs 3 kg, the other 4 kg.", "The text says 3 kg, not 7 kg."),
    ],
)
def test_another_value_is_told_with_what_the_text_says(claim, evidence, said):
    assert told(claim, evidence) == [said]


def test_a_name_of_the_place_counts_as_evidence_and_nothing_is_missing_of_nothing():
    assert told("The Harrow Lease ends in May.", "It ends in May.", place="Harrow Lease") == []
    assert told("The Harrow Lease ends in May.", "It ends in May.") == ["The text does not name Harrow Lease."]
    assert missing_values("", "Wait.") == ()
    assert missing_values("Wait 5 hours.", "") == (Missing("number", "5 hours"),)


@pytest.mark.parametrize("unit", ["1,", "Aa ", "a-", "2 to ", "$1", "one ", "Mon "])
def test_twice_the_claim_takes_about_twice_as_long_to_check(unit):
    def check(length):
        return turns_of(lambda: missing_values((unit * length)[:length], f"{length}"))

    check(100)
    assert check(8_000) < 8 * max(check(2_000), 1)


@pytest.mark.parametrize(
    ("claim", "evidence", "said"),
    [
        ("Samples stay for 120 minutes.", "Samples stay for two hours.", "Samples stay for 2 hours."),
        ("The pass costs EUR 20.", "The pass costs 20 euros.", "The pass costs 20 euros."),
        ("It takes 5 minutes.", "It takes 50 minutes.", "It takes 5 minutes."),  # another value
        ("It takes about 120 minutes.", "It takes two hours.", "It takes about 120 minutes."),  # says that it is near
        ("It is tested every year.", "It is tested annually.", "It is tested every year."),  # no digits
    ],
)
def test_a_quantity_is_said_as_the_text_writes_it_where_both_are_the_same(claim, evidence, said):
    assert restated(claim, evidence) == said


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Staff may take 5 paid days.", "Staff may take 5 unpaid days."),
        ("It is due in 10 working days.", "It is due in 10 days."),
        ("The dose is 5 mg per kg.", "The dose is 5 mg."),
        ("It costs 20 euros per day.", "The deposit is 20 euros."),
        ("Rates rose by 5 percentage points.", "Rates rose by 5%."),
        ("It is kept at 200 °F.", "It is kept at 200 degrees."),
        ("It costs 20 AUD.", "It costs $20."),
        ("It is 200 minutes away.", "It is 200 m away."),
        ("It weighs 1250 kg.", "It weighs 1.250 kg."),
        ("It differs by 10 °C.", "It differs by 50 °F."),
        ("It is due in 30 days.", "It is due in one month."),
        ("It takes 120 minutes.", "It takes 2 hours 30 minutes."),
        ("It takes 60 to 120 minutes.", "It takes 1 to 2 hours."),
    ],
)
def test_a_quantity_stays_as_it_is_where_it_is_not_certainly_the_same(claim, evidence):
    assert restated(claim, evidence) == claim
