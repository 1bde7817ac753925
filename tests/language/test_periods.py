"""How often something is done is one quantity, however it is put."""

import pytest

from rag.grounding.evidence import EvidenceCheck
from rag.language.periods import periods
from rag.language.quantities import quantities
from rag.language.quantity_equality import comparable, same_quantity

CHECK = EvidenceCheck()


@pytest.mark.parametrize(
    ("text", "interval", "unit"),
    [
        ("every week", 7.0, "d"),
        ("weekly", 7.0, "d"),
        ("once a week", 7.0, "d"),
        ("every two weeks", 14.0, "d"),
        ("every other day", 2.0, "d"),
        ("twice a week", 3.5, "d"),
        ("each quarter", 3.0, "mo"),
        ("quarterly", 3.0, "mo"),
        ("twice a year", 6.0, "mo"),
        ("every six months", 6.0, "mo"),
        ("every 12 months", 12.0, "mo"),
        ("annually", 12.0, "mo"),
        ("four times per year", 3.0, "mo"),
        ("every half hour", 0.5 / 24, "d"),
    ],
)
def test_a_frequency_is_the_time_from_one_to_the_next(text: str, interval: float, unit: str) -> None:
    (found,) = periods(f"Pumps are tested {text}.")
    assert found.interval == pytest.approx(interval)
    assert found.unit == unit


@pytest.mark.parametrize(
    "text",
    ["It lasts a week.", "10 kg per year.", "Every Monday.", "Bi-weekly.", "Every two to three weeks.", "Twice."],
)
def test_lengths_rates_and_weekdays_are_no_frequencies(text: str) -> None:
    assert list(periods(text)) == []


def test_two_frequencies_can_be_confused_whatever_their_units() -> None:
    (weekly,), (monthly,) = quantities("Pumps are tested weekly."), quantities("Pumps are tested monthly.")
    assert comparable(weekly, monthly)
    assert not same_quantity(weekly, monthly)


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Showers are tested monthly.", "Showers are tested every month."),
        ("Hoods are tested twice per year.", "Hoods are tested twice a year."),
        ("Hoods are tested every six months.", "Hoods are tested twice a year."),
        ("Training is due every year.", "Training is due every twelve months."),
        ("Training lasts an hour and a half.", "Training lasts ninety minutes."),
        ("Training lasts one and a half hours.", "Training lasts 90 minutes."),
        (
            "Training is due every year and lasts an hour and a half.",
            "Training is due every twelve months and lasts ninety minutes.",
        ),
    ],
)
def test_the_same_time_in_other_words_is_supported(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Training is due every two years.", "Training is due every twelve months."),
        ("Training lasts two hours and a half.", "Training lasts ninety minutes."),
        ("Backups run every two weeks.", "Backups run every week. Two copies are kept."),
        ("Backups run twice a week.", "Backups run twice a month."),
    ],
)
def test_another_time_is_not_supported(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5
