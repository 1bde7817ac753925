"""The same said in other words is supported; what the other word would make of something else is not."""

import pytest

from rag.grounding.claims import missing_terms
from rag.grounding.evidence import EvidenceCheck
from rag.language.phrases import in_one_word

CHECK = EvidenceCheck()
TRADE = "Exports rose while imports fell."
MAST = "The mast is 40 m high and the well 60 m deep."
KILN = "The kiln burns 20 logs an hour and 3 sacks a day."
LAMP = "The lamp was switched off in May and turned on in June."
TOLL = "The toll was raised from 4 euros to 7 euros in 2015."
TENANTS = "Tenants must pay in May and may not sublet."
JARS = "Store the jars at 4 °C. Discard them after 12 days."

SAME = [
    ("Exports increased.", TRADE),
    ("Imports decreased while exports increased.", TRADE),
    ("Imports dropped.", TRADE),
    ("Ice reduces the yield.", "Ice lowers the yield and lime raises it."),
    ("The mill acquired the farm in 1990.", "The mill bought the farm in 1990."),
    ("Germination occurs in the dark.", "Germination takes place in the dark."),
    ("The trial happened in Lyon.", "The trial took place in Lyon."),
    ("The town has approximately 9,000 inhabitants.", "The town has about 9,000 inhabitants."),
    ("The town has about 9,000 inhabitants.", "The town has roughly 9000 inhabitants."),
    ("Guests are required to leave by 9 p.m.", "Guests must leave by 9 p.m."),
    ("Staff are allowed to bring dogs.", "Staff may bring dogs."),
    ("Staff are not allowed to bring dogs.", "Staff may not bring dogs."),
    ("Turn off the fan before opening the hood.", "Switch off the fan before opening the hood."),
    ("Turn the fan off before opening the hood.", "Switch off the fan before opening the hood."),
    ("The lamp was turned off in May.", LAMP),
    ("The bakery sells 400 loaves per day.", "The bakery sells 400 loaves every day."),
    ("The bakery sells 400 loaves a day.", "The bakery sells 400 loaves daily."),
    ("The kiln burns 20 logs per hour.", KILN),
    ("The height of the mast is 40 m.", MAST),
    ("The weight of the lathe is 800 kg.", "The lathe weighs 800 kg and costs 9,000 euros."),
    ("The warranty lasts two years.", "The warranty lasts 24 months."),
    ("The alarm sounds when the pressure is above 6 bar.", "The alarm sounds when the pressure exceeds 6 bar."),
    ("Visits must not exceed 2 hours.", "Visits must not be longer than 2 hours."),
    ("A minimum of 20 volunteers is needed.", "At least 20 volunteers are needed."),
    ("At least 30 members must vote.", "No fewer than 30 members must vote."),
    ("The toll was raised to 7 euros.", TOLL),
    ("Tenants are required to pay in May.", TENANTS),
    ("Tenants are not allowed to sublet.", TENANTS),
    ("Store the jars at 4 °C and discard them after 12 days.", JARS),
    ("The plant is 60 m long.", "The plant is 60 m long and 9 m wide."),
]
OTHER = [
    ("Imports increased.", TRADE),
    ("Exports dropped.", TRADE),
    ("Imports increased while exports decreased.", TRADE),
    ("Lime reduces the yield.", "Ice lowers the yield and lime raises it."),
    ("He bought Swiss citizenship in 1990.", "He acquired Swiss citizenship in 1990."),
    ("Germination never occurs in the dark.", "Germination takes place in the dark."),
    ("The town has more than 9,000 inhabitants.", "The town has about 9,000 inhabitants."),
    ("Guests are allowed to leave by 9 p.m.", "Guests must leave by 9 p.m."),
    ("Guests are not required to leave by 9 p.m.", "Guests must not leave by 9 p.m."),
    ("Staff are required to bring dogs.", "Staff may bring dogs."),
    ("Staff are allowed to bring dogs.", "Staff may not bring dogs."),
    ("Switch on the fan before opening the hood.", "Switch off the fan before opening the hood."),
    ("Turn on the fan before opening the hood.", "Switch off the fan before opening the hood."),
    ("The lamp was switched on in May.", LAMP),
    ("The bakery sells 400 loaves per week.", "The bakery sells 400 loaves every day."),
    ("The kiln burns 20 logs per day.", KILN),
    ("The kiln burns 3 sacks per hour.", KILN),
    ("The height of the mast is 60 m.", MAST),
    ("The height of the well is 60 m.", MAST),
    ("The depth of the mast is 60 m.", MAST),
    ("The weight of the lathe is 9,000 kg.", "The lathe weighs 800 kg and costs 9,000 euros."),
    ("The warranty lasts 24 years.", "The warranty lasts 24 months."),
    ("Fewer than 30 members must vote.", "No fewer than 30 members must vote."),
    ("The toll was raised to 4 euros.", TOLL),
    ("The toll was raised from 7 euros.", TOLL),
    ("The toll was raised by 7 euros.", TOLL),
    ("Tenants are required to sublet.", TENANTS),
    ("Tenants are allowed to sublet.", TENANTS),
    ("Tenants are allowed to pay in May.", TENANTS),
    ("Store the jars at 12 °C and discard them after 4 days.", JARS),
    ("Store the jars at 4 °C and discard them after 12 days.", "Store the jars at 4 °C. Discard lids after 12 days."),
    ("The plant is 60 m wide.", "The plant is 60 m long and 9 m wide."),
]


@pytest.mark.parametrize(("claim", "evidence"), SAME)
def test_the_same_in_other_words_is_supported(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(("claim", "evidence"), OTHER)
def test_something_else_in_the_same_words_is_not(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The herd has more than 250 animals.", "The herd has 250 animals."),
        ("The herd has over 250 animals.", "The herd has at least 250 animals."),
        ("The herd has less than 250 animals.", "The herd has up to 250 animals."),
        ("The herd has 250 animals.", "The herd has more than 250 animals."),
        ("25 of the 3 wells were dry.", "3 of the 25 wells were dry."),
        ("Nine of the two jurors left.", "Two out of nine jurors left."),
        ("The bug is gone in version 2.10.", "The bug is gone in version 2.1."),
        ("Section 4.2 covers noise.", "Section 4.20 covers noise."),
        ("Python 3.1 has match statements.", "Python 3.10 has match statements."),
    ],
)
def test_a_number_that_only_resembles_the_stated_one_is_another(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The herd has over 250 animals.", "The herd has more than 250 animals."),
        ("3 of 25 wells were dry.", "3 of the 25 wells were dry."),
        ("Two of the nine jurors left.", "Two out of nine jurors left."),
        ("The density is 2.1 g/cm3.", "The density is 2.10 g/cm3."),
        ("The bug is gone in version 2.0.", "The bug is gone in version 2."),
    ],
)
def test_a_number_in_another_form_is_the_same(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    "claim",
    ["Whisk 3 eggs.", "The four hundred guests ate 3 eggs.", "The pump works at 18 MPa.", "It weighs 1.2 kg."],
)
def test_a_number_stands_in_the_evidence_by_its_value(claim: str) -> None:
    evidence = "Whisk three eggs. The 400 guests ate them. The pump works at 180 bar. It weighs 1,200 g."
    assert missing_terms(claim, evidence) == ()


@pytest.mark.parametrize(
    ("claim", "missing"),
    [("Whisk 4 eggs.", ("4",)), ("Whisk thirty eggs.", ("thirty",)), ("Whisk 3 Basel eggs.", ("Basel",))],
)
def test_a_number_or_name_that_the_evidence_lacks_is_missing(claim: str, missing: tuple[str, ...]) -> None:
    assert missing_terms(claim, "Whisk three eggs.") == missing


@pytest.mark.parametrize(
    "text",
    ["Use the switch on the left.", "The wheels turn on an axle.", "The lamp turns green.", "He went around the lake."],
)
def test_what_is_no_such_phrase_is_left_as_it_is(text: str) -> None:
    assert in_one_word(text) == text


@pytest.mark.parametrize(
    ("claim", "supported"),
    [("The fuse is 10 A.", True), ("The heater runs at 230 V.", True), ("The heater runs at 10 A.", False)],
)
def test_facts_of_two_sentences_do_not_mix_where_a_unit_of_one_letter_ends_the_first(
    claim: str, supported: bool
) -> None:
    evidence = "The heater runs at 230 V. The fuse is 10 A. Drain it after 3 h. Store it dry."
    assert (CHECK.support(claim, evidence) >= 0.5) is supported
