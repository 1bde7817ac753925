"""The same words in each other's place, and paraphrases that only look like it. All written by hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
CABLES = "The red cable carries power and the grey cable carries signals."
DIRECTORY = "| Desk | Phone |\n| --- | --- |\n| Lost property | 5120 |\n| Ticket office | 5177 |"
PORT = "Guests of allied ports may rest up to 9 hours a week. Crews are paid by us."
SWAPPED = [
    ("The grey cable carries power and the red cable carries signals.", CABLES),
    ("The red cable carries signals and the grey cable carries power.", CABLES),
    ("Owls hunt mice at night and hawks hunt hares by day.", "Hawks hunt mice at night and owls hunt hares by day."),
    ("The outer wheels turn faster than the hub.", "The hub of a cart turns faster than its outer wheels."),
    ("Seal the jar, then boil the fruit.", "Boil the fruit, then seal the jar."),
    ("Peel, slice and fry the onions.", "Slice, peel and fry the onions."),
    ("The bus halts in Tarvik.", "The bus halts near Tarvik."),
    ("The well lies within the castle.", "The well lies outside the castle."),
    ("The camp was in the village.", "The camp was close to the village."),
]
NUMBERED = [
    ("The tour starts at gate 3.", "The tour starts at 3 from gate 9."),
    ("The tour starts at 9.", "The tour starts at 3 from gate 9."),
    ("Add 50 g of sugar.", "Add 0.5 kg of sugar."),
    ("The dose is 2 mg/l.", "The dose is 0.2 g/l."),
    ("The ticket office is reached at 5120.", DIRECTORY),
    ("Lost property is closed at 5120.", DIRECTORY),
    (
        "Crews may rest up to 9 hours a week.",
        "Guests of allied ports may rest up to 9 hours a week. Crews are paid by us.",
    ),
]
CARRIED = [
    (CABLES, CABLES),
    ("The grey cable carries signals and the red cable carries power.", CABLES),
    ("The red cable carries power, and the grey cable carries signals.", CABLES),
    ("Pears, plums and quinces are sold here.", "Quinces, plums and pears are sold here."),
    ("The blue and green lamps flash at night.", "The green and blue lamps flash at night."),
    ("The curator of the museum is Ada Brink.", "Ada Brink is the curator of the museum."),
    ("In winter the lake freezes over completely.", "The lake freezes over completely in winter."),
    ("Fresh pears and quinces are sold.", "Fresh quinces and pears are sold."),
    ("The clerk files the claim every week.", "The claim is filed by the clerk every week."),
    ("Before the shift, the guard checks the doors.", "The guard checks the doors before the shift."),
    ("Boil the fruit, and then seal the jar.", "Boil the fruit, then seal the jar."),
    ("The hub turns faster than the outer wheels.", "The hub of a cart turns faster than its outer wheels."),
    ("The bus halts at the station in Tarvik.", "In Tarvik the bus halts at the station."),
    ("The well lies in the castle.", "The well lies inside the castle."),
    ("The bus halts close to Tarvik, near the mill.", "The bus halts near the mill, close to Tarvik."),
    ("The tour starts at 3.", "The tour starts at 3 from gate 9."),
    ("The crew took 3 crates.", "The crew took 5 barrels and 3 crates."),
    ("Add 500 g of sugar.", "Add 0.5 kg of sugar."),
    ("The pipe is 1.2 m long.", "The pipe is 120 cm long."),
    ("The dose is 200 mg/l.", "The dose is 0.2 g/l."),
    ("The trial lasts 14 days.", "The trial lasts two weeks."),
    ("Lost property is reached at 5120.", DIRECTORY),
    ("The ticket office is listed with phone 5177.", DIRECTORY),
    ("Crews are paid by us.", PORT),
    (
        "Guests may rest up to 9 hours a week. Crews are paid by us.",
        "Guests may rest up to 9 hours a week. Crews are paid by us. Meals are free.",
    ),
]


@pytest.mark.parametrize(("claim", "evidence"), [*SWAPPED, *NUMBERED], ids=lambda text: text)
def test_words_in_another_place_are_not_supported(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(("claim", "evidence"), CARRIED, ids=lambda text: text)
def test_another_order_of_the_same_statement_is_supported(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5
