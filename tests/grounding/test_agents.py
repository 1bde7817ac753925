"""Who did what to whom, where a verb stands twice, in a relative clause or behind `she`. All written by hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
SIEGE = "Carthage besieged Utica in spring, but it was besieged by Rome in autumn."
TRAINED = "Ines trained Marta, who was later promoted by Olga."
BARN = "Mr. Dale rented the barn to Mrs. Ross, who repaired it in 2011."
CHASE = "The wolf chased the fox, and the fox was chased by two dogs as well."
ALLOY = "Anna Lind, a chemist from Lund, who was trained by Karl Ek, discovered the alloy."
BAKERY = "Mrs. Kay met Mr. Low in 1999. He founded the bakery with his savings."
REGIMENT = "The regiment was founded by Duke Otto in 1705 and disbanded by his grandson in 1790."
CONVOY = "The brig overtook a sloop at dawn, but it was overtaken by the frigate at noon."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Carthage besieged Rome in autumn.", SIEGE),
        ("Ines was later promoted by Olga.", TRAINED),
        ("Marta was trained by Olga.", TRAINED),
        ("Mr. Dale repaired the barn in 2011.", BARN),
        ("The fox chased two dogs.", CHASE),
        ("Karl Ek discovered the alloy.", ALLOY),
        ("Mrs. Kay founded the bakery with his savings.", BAKERY),
        ("Duke Otto disbanded the regiment.", REGIMENT),
        ("The brig overtook the frigate at noon.", CONVOY),
        ("Professor Lin wrote the thesis in 1999.", "Professor Lin supervised Adam, who wrote the thesis in 1999."),
    ],
)
def test_who_does_it_is_not_put_in_the_place_of_another_of_the_same_sentence(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Carthage besieged Utica in spring.", SIEGE),
        ("Ines trained Marta.", TRAINED),
        ("Marta was trained by Ines.", TRAINED),
        ("Marta was later promoted by Olga.", TRAINED),
        ("Mrs. Ross repaired the barn in 2011.", BARN),
        ("The wolf chased the fox.", CHASE),
        ("The fox was chased by two dogs.", CHASE),
        ("Two dogs chased the fox.", CHASE),
        ("Anna Lind discovered the alloy.", ALLOY),
        ("Karl Ek trained Anna Lind.", ALLOY),
        ("Mr. Low founded the bakery with his savings.", BAKERY),
        ("Duke Otto founded the regiment.", REGIMENT),
        ("The plan was approved by a vote of 12 to 3.", "The council approved the plan by 12 votes to 3."),
        ("Mould developed in 3 of the 40 jars.", "In 3 of the 40 jars mould developed."),
        ("Ada, Karl and Rolf shared the prize.", "Ada shared the prize with Karl and Rolf."),
        (
            "The manuscript was bought by the abbey in 1420.",
            "The manuscript, bought by the abbey in 1420, was stolen by a monk.",
        ),
        (
            "The committee was dissolved by the minister.",
            "The committee of experts appointed in 1990, which was dissolved by the minister, met twice.",
        ),
    ],
)
def test_who_does_it_there_does_it_here(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Deliveries from the warehouse stopped in March.", "Deliveries to the warehouse stopped in March."),
        ("She moved to Oslo in 1990.", "She moved from Oslo in 1990."),
        ("The letter was sent from Vienna by courier.", "The letter was sent to Vienna by courier."),
        ("Water is pumped from the tower.", "Water is pumped into the tower."),
    ],
)
def test_from_is_not_to(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The letter was sent to Vienna.", "The letter was sent to Vienna by courier."),
        ("He walked to the mill.", "He walked to the mill from the station."),
        ("Silk came from Persia.", "Trade with Persia grew; silk came from Persia and glass went to Persia."),
        ("The fee was raised from 20 to 30 euros.", "The fee was raised from 20 to 30 euros in May."),
    ],
)
def test_a_direction_that_stands_there_is_kept(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5
