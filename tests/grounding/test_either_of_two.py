"""Who a pronoun may be as well, what stands behind `over it`, and other parts left out. All written by hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
FOLLOWED = "The organist, Piers Dahl, followed Vera Moos in 2011, after she had run the school for 30 years."
QUARREL = "Tove Lie ran the mill with Amir Khan; he sold it in 2003 when she refused to lend her savings."
TITLED = "Mr Dahl followed Ms Moos in 2011, after she had run the school for 30 years."
ICING = "Lay the cake on the rack first and pour the icing over it."
SHUT = "The bakery is shut on Sunday mornings and, in February, on Mondays."
BOOTS = "Sandals are allowed, boots and skates are not."
SMOKE = "Neither the guests nor the porters may leave wet boots in the lobby."
BELT = "Because the old belt tore in March 2019, it was exchanged for a wider one."
OIL = "If the level falls below 3 litres, the drivers should refill the tank and call the garage."


@pytest.mark.parametrize(
    "claim", ["Piers Dahl had run the school for 30 years.", "Piers Dahl ran the school for 30 years."]
)
def test_what_she_did_is_not_told_of_one_of_two_whom_no_title_tells_apart(claim: str) -> None:
    assert CHECK.support(claim, FOLLOWED) < 0.5


def test_what_he_or_she_did_is_not_told_of_either_of_two() -> None:
    assert CHECK.support("Tove Lie sold the mill in 2003.", QUARREL) < 0.5
    assert CHECK.support("Amir Khan refused to lend his savings.", QUARREL) < 0.5


def test_what_she_did_is_told_of_the_one_whose_title_says_so() -> None:
    assert CHECK.support("Ms Moos had run the school for 30 years.", TITLED) >= 0.5
    assert CHECK.support("Mr Dahl had run the school for 30 years.", TITLED) < 0.5


def test_what_she_did_is_told_of_the_only_one_named() -> None:
    assert CHECK.support("Ada Holt sold the mill.", "Ada Holt moved to Bern, where she sold the mill.") >= 0.5


def test_what_is_poured_over_something_is_not_what_it_is_poured_over() -> None:
    assert CHECK.support("Pour the cake over the icing.", ICING) < 0.5
    assert CHECK.support("Pour the icing over the cake.", "Pour the icing over the cake and let it set.") >= 0.5


def test_what_is_so_only_in_a_phrase_between_commas_keeps_it() -> None:
    assert CHECK.support("The bakery is shut on Mondays.", SHUT) < 0.5
    assert CHECK.support("The bakery is shut on Sunday mornings.", SHUT) >= 0.5
    assert CHECK.support("The bakery is shut on Mondays in February.", SHUT) >= 0.5


def test_what_a_short_end_denies_of_its_subject_is_not_denied_of_both() -> None:
    assert CHECK.support("Skates and sandals are not allowed.", BOOTS) < 0.5
    assert CHECK.support("Skates are not allowed.", BOOTS) >= 0.5
    assert CHECK.support("Boots and skates are not allowed.", BOOTS) >= 0.5


def test_neither_and_nor_deny_of_each() -> None:
    assert CHECK.support("Porters may not leave wet boots in the lobby.", SMOKE) >= 0.5
    assert CHECK.support("Porters may leave wet boots in the lobby.", SMOKE) < 0.5


def test_a_number_in_a_clause_with_if_or_because_belongs_to_the_verb_of_that_clause() -> None:
    assert CHECK.support("The belt was exchanged because it tore in March 2019.", BELT) >= 0.5
    assert CHECK.support("Drivers should refill the tank if the level falls below 3 litres.", OIL) >= 0.5
    assert CHECK.support("The belt was exchanged in March 2019.", BELT) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence", "supported"),
    [
        ("Bags have to weigh 9 kg or less.", "Bags must weigh at most 9 kg.", True),
        ("Bags have to weigh 9 kg or more.", "Bags must weigh at most 9 kg.", False),
        ("Guests must be at least 16 years old.", "Guests must be 16 years or more old.", True),
        ("Guests must be at most 16 years old.", "Guests must be 16 years or more old.", False),
        ("Words must have at most 12 letters.", "Words must have at least 12 letters.", False),
        ("Words must have at most 12 letters.", "Words must have 12 letters or more.", False),
        ("Words must have 12 letters or fewer.", "Words must have at least 12 letters.", False),
        ("Words must have 12 letters or fewer.", "Words must have 12 letters or more.", False),
        ("Words must have 12 letters or more.", "Words must have at least 12 letters.", True),
    ],
)
def test_five_or_more_is_at_least_five(claim: str, evidence: str, supported: bool) -> None:
    assert (CHECK.support(claim, evidence) >= 0.5) is supported
