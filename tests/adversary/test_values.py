"""A number that belongs to something else: halves of a list, shares, exceptions, limits, steps. By hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck
from rag.language.quantities import quantities

CHECK = EvidenceCheck()
DOSE = "The daily dose of Corvil is 30 mg for cows and 8 mg for calves."
THREE = "The dose is 30 mg for cows, 12 mg for goats and 8 mg for calves."
TRADE = "The mill sold 4 million litres in 2011 and 9 million litres in 2012."
LINE = "The line carries 400 volts by day and 60 volts at night."
SALES = "Revenue was $3.4 billion in 2018 compared to $2.9 billion in 2017."
GROWTH = "Output grew from 3 tonnes in 2011 to 5 tonnes in 2012."
FARE = "The fare is 40 euros, reduced to 15 for pupils."
PORTIONS = "The dose is 30 mg for cows and 8 mg for calves, given in two portions."

HALVES = [
    ("The daily dose of Corvil is 30 mg for calves.", DOSE),
    ("The daily dose of Corvil is 8 mg for cows.", DOSE),
    ("The daily dose of Corvil is 30 mg for cows and calves.", DOSE),
    ("The daily dose of Corvil is 8 mg for cows and calves.", DOSE),
    ("The daily dose of Corvil is 30 mg for calves and 8 mg for cows.", DOSE),
    ("The dose is 30 mg for goats.", THREE),
    ("The dose is 30 mg for calves.", THREE),
    ("The dose is 12 mg for calves.", THREE),
    ("The mill sold 4 million litres in 2012.", TRADE),
    ("The mill sold 9 million litres in 2011.", TRADE),
    ("The line carries 400 volts at night.", LINE),
    ("The mill was built in 1885.", "The mill was built in the 1870s and sold in 1885."),
    ("Revenue was $3.4 billion in 2017.", SALES),
    ("Revenue was $2.9 billion in 2018.", SALES),
    ("Output grew to 5 tonnes in 2011.", GROWTH),
    ("The fare for pupils is 40 euros.", FARE),
    ("The press was bought in 1988 and sold in 1971.", "The press was bought in 1971 and sold in 1988."),
    ("The press was bought in 1988 and sold.", "The press was bought in 1971 and sold in 1988."),
    ("Dahl tuned organs in 1690, and built a harp.", "Dahl tuned organs in 1679, and built a harp in 1690."),
    (
        "The fair is held on the first May in Thursday (1999, 2003).",
        "The fair is held on the first Thursday in May (1999, 2003).",
    ),
    ("Tickets cost 9 euros for pupils.", "Tickets cost 9 euros for adults, 4 euros for pupils."),
]
SHARES = [
    ("Five hens died.", "One in five hens died."),
    ("One hen died.", "One in five hens died."),
    ("Twelve valves leaked.", "Four of the twelve valves leaked."),
    ("The twelve valves leaked.", "Four of the twelve valves leaked."),
    ("Twelve valves leaked.", "Four out of twelve valves leaked."),
    ("Twelve valves leaked.", "One of the twelve valves leaked."),
    ("The 40 hens died.", "Half of the 40 hens died."),
    ("The 40 hens died.", "15% of the 40 hens died."),
]
EXCEPTIONS = [
    ("All valves leaked.", "All but three valves leaked."),
    ("Three valves leaked.", "All but three valves leaked."),
    ("Three valves leaked.", "All valves except three leaked."),
]
OTHER_USES = [
    ("The mill burnt in 1870.", "The mill burnt in the 1870s."),
    ("The mill burnt in the 1870s.", "The mill burnt in 1870."),
    ("Output fell to 7%.", "Output fell by 7%."),
    ("Output fell by 7%.", "Output fell to 7%."),
    ("Output fell to about 7%.", "Output fell 7%."),
    ("The trip takes 9 hours.", "The trip takes up to 9 hours."),
    ("The repair costs 9 euros.", "The repair costs at most 9 euros."),
]
CARRIED = [
    ("The daily dose of Corvil is 30 mg for cows.", DOSE),
    ("The daily dose of Corvil is 8 mg for calves.", DOSE),
    ("For calves, the daily dose of Corvil is 8 mg.", DOSE),
    ("The daily dose of Corvil is 8 mg for calves and 30 mg for cows.", DOSE),
    ("The dose is 12 mg for goats.", THREE),
    ("The dose is 30 mg for cows, given in two portions.", PORTIONS),
    ("The mill sold 4 million litres in 2011.", TRADE),
    ("In 2012 the mill sold 9 million litres.", TRADE),
    ("The line carries 400 volts by day.", LINE),
    ("The line carries 60 volts at night.", LINE),
    ("The board has 30 days to lift the ban.", "The board has 30 days to lift the ban by a vote of two thirds."),
    ("The press was sold in 1988.", "The press was bought in 1971 and sold in 1988."),
    ("Revenue was $3.4 billion in 2018.", SALES),
    ("Revenue was $2.9 billion in 2017.", SALES),
    ("Output grew to 5 tonnes in 2012.", GROWTH),
    ("The fare is 40 euros.", FARE),
    ("The fare is reduced to 15 for pupils.", FARE),
    ("The fare of 40 euros is reduced to 15 for pupils.", FARE),
    ("A reply is due 10 days after receipt.", "A reply is due 5 or 10 days after receipt."),
    ("A reply is due 5 to 10 days after receipt.", "A reply is due between 5 and 10 days after receipt."),
    ("The farm keeps 3 horses in the north barn.", "The farm keeps 3 horses and 12 cows in the north barn."),
    (
        "The yard has two gates, a well and a shed.",
        "The yard has two gates, a well and a shed, and three iron gates.",
    ),
    ("After a year about one in five hens died.", "About one in five hens died after a year."),
    ("Four valves leaked.", "Four of the twelve valves leaked."),
    ("Of the twelve valves, four leaked.", "Four of the twelve valves leaked."),
    ("The twelve valves leaked.", "Each of the twelve valves leaked."),
    ("Norland has nine counties.", "Velm is one of nine counties of Norland."),
    ("The pumps were tested in 14 plants.", "The pumps were tested in 1990 in 14 plants."),
    ("In the 1870s the mill burnt.", "The mill burnt in the 1870s."),
    ("Output fell 7%.", "Output fell by 7%."),
    ("In June output fell to 7%.", "Output fell to 7% in June."),
    ("The trip takes at most 9 hours.", "The trip takes up to 9 hours."),
    ("The hall has room for 60 guests.", "The hall has room for up to 60 guests."),
    ("The trip can take 9 hours.", "The trip takes up to 9 hours."),
    ("Files of 9 MB are accepted.", "Files up to 9 MB are accepted."),
]


@pytest.mark.parametrize(("claim", "evidence"), [*HALVES, *SHARES, *EXCEPTIONS, *OTHER_USES], ids=lambda text: text)
def test_a_number_of_something_else_is_not_supported(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(("claim", "evidence"), CARRIED, ids=lambda text: text)
def test_a_number_of_its_own_stays_supported(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    "evidence", sorted({text for group in (HALVES, SHARES, EXCEPTIONS, OTHER_USES, CARRIED) for _, text in group})
)
def test_the_sentence_with_the_number_is_supported_word_for_word(evidence: str) -> None:
    assert CHECK.examine(evidence, evidence).support >= 0.5


def test_a_year_has_no_unit_of_the_amount_after_it() -> None:
    assert [(found.values, found.unit) for found in quantities("4 kg in 2011 and 9 kg in 2012")] == [
        ((4.0,), "kg"),
        ((2011.0,), ""),
        ((9.0,), "kg"),
        ((2012.0,), ""),
    ]


def test_two_listed_amounts_share_a_unit() -> None:
    assert [(found.values, found.unit) for found in quantities("boxes of 5 and 9 kg")] == [
        ((5.0,), "kg"),
        ((9.0,), "kg"),
    ]


def test_a_decade_is_no_length_of_time() -> None:
    assert [(found.kind, found.values, found.unit) for found in quantities("in the 1870s, for 90 s")] == [
        ("decade", (1870.0,), ""),
        ("number", (90.0,), "s"),
    ]
