"""Who stands behind `by`, where and for whom it is done, and whose title it is. All written by hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
PACT = "The pact was drafted by Lind and Sons in Lugano."
CARED = "The injured rider was examined by Dr Roy at Northgate Clinic."
SOLD = "The mill was sold by Baker to Miller."
CASHIER = "The cashier Ivo Kern counts the money; Lea Marti locks the safe."
CAPTAIN = "Captain Holt steered the boat; Ines Bo mended the sail."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Lugano drafted the pact.", PACT),
        ("Northgate Clinic examined Dr Roy.", CARED),
        ("Dr Roy was examined at Northgate Clinic.", CARED),
        ("Miller sold the mill.", SOLD),
        ("The school was founded by Otto.", "The school was founded by Clara for Otto."),
        ("The guild wrote the rules.", "The rules were written by Mr Hay for the guild."),
    ],
)
def test_where_to_whom_and_for_whom_is_not_who_did_it(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Lind and Sons drafted the pact in Lugano.", PACT),
        ("The rider was examined by Dr Roy.", CARED),
        ("Baker sold the mill to Miller.", SOLD),
        ("The council in Bergen approved the plan.", "The plan was approved by the council in Bergen."),
        ("The mayor approved the plan in June.", "The plan was approved by the board in May and the mayor in June."),
        ("Researchers at Lund ran the trial.", "The trial was run by researchers at Lund in 2019."),
        ("Ben wrote the play.", "The play was written by Ada in Rome and Ben in Bern."),
    ],
)
def test_who_stands_behind_by_did_it(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The cashier Lea Marti locks the safe.", CASHIER),
        ("Cashier Lea Marti locks the safe.", CASHIER),
        ("Captain Ines Bo mended the sail.", CAPTAIN),
        ("Nurse Ola Berg wrote the note.", "Nurse Eva Lind found the error and Ola Berg wrote the note."),
        ("The park was named after Emil Voss.", "The park of Clara Voss was named after her brother Emil."),
    ],
)
def test_a_title_or_a_family_name_of_one_is_not_given_to_another(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The cashier Ivo Kern counts the money.", CASHIER),
        ("Lea Marti locks the safe.", CASHIER),
        ("The cashier Lea Marti locks the safe.", "Lea Marti, the cashier, locks the safe."),
        ("Ines Bo mended the sail.", "Ines Maria Bo mended the sail."),
        ("Professor Holm led the course.", "Professors Lind and Holm led the course."),
        ("In Rome, Queen Ida met King Otto.", "King Otto met Queen Ida in Rome."),
    ],
)
def test_a_title_stands_with_the_name_that_has_it(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5
