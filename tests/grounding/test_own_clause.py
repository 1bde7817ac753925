"""What is said of one thing, or with one verb, claimed of another. By hand, over many subjects."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
SET = "Helmets are included in the price of the children's set but cost 6 euros extra for adults."
POOL = "The pool opens at 7:00 on weekdays but closes at noon in winter."
FOOD = "Volunteers sort the donated food in the morning and hand it out between 14:00 and 17:00."
NEW = "Employees receive their badge on the first day and their laptop within a week."
HOUR = "Visitors park on the street, where the first hour is free and each further hour costs 1.50 euros."
TOWER = "The tower, restored in 1988, is 40 m high and the chapel 12 m."
PIANO = "The piano, tuned every spring, stands in the small hall."
TICKET = "A family ticket costs 22 euros; it covers a boat trip."
VEST = "Volunteers, who wear a green vest, guide the visitors."
LOG = "Defects are entered in the log, which the foreman signs every evening."
JURY = "The jury consists of the chairman and four teachers."
WARNED = "An overgrown plot gets a warning, and after two warnings the contract ends."
PUMPS = "If the pressure falls below 2 bar, half of the pumps are switched off."
BOXES = "Households with more than four members receive two boxes a week, all others one."
KEY = "A new key costs 35 euros, which are paid back if the old one is found within a month."
FALSE = [
    ("The old key costs 35 euros.", KEY),
    ("The 35 euros are paid back.", KEY),
    ("Helmets are included in the price for adults.", SET),
    ("Helmets cost 6 euros extra in the children's set.", SET),
    ("The pool closes at noon on weekdays.", POOL),
    ("The pool opens at 7:00 in winter.", POOL),
    ("Volunteers hand out the donated food in the morning.", FOOD),
    ("Employees receive their laptop on the first day.", NEW),
    ("Employees receive their badge within a week.", NEW),
    ("Each further hour is free.", HOUR),
    ("The first hour costs 1.50 euros.", HOUR),
    ("The chapel was restored in 1988.", TOWER),
    ("The small hall is tuned every spring.", PIANO),
    ("A boat trip costs 22 euros.", TICKET),
    ("Visitors wear a green vest.", VEST),
    ("Defects are signed every evening.", LOG),
    ("The jury consists of four chairmen.", JURY),
    ("An overgrown plot gets two warnings.", WARNED),
    ("Guests need a letter from their parents.", "Guests under 18 need a letter from their parents."),
    ("Parcels go by van.", "Parcels above 30 kg go by van."),
    ("Half of the pumps are switched off.", PUMPS),
    ("All households receive two boxes a week.", BOXES),
]
TRUE = [
    ("The porter blocks a lost key at once.", "A lost key is reported to the porter, who blocks it at once."),
    ("The cost of a new key is 35 euros.", KEY),
    ("If the old key is found within a month, the 35 euros are paid back.", KEY),
    ("CCL19 is a ligand for CCR7.", "It resembles the second CCR7 ligand, CCL19, which forms gradients."),
    ("Karl Voss was arrested in 1988.", "The first man arrested in 1988, Karl Voss, was a clerk."),
    ("Guests under 18 need a letter.", "Guests under 18 need a letter from their parents."),
    ("Helmets are advised for children.", "Helmets are recommended for children."),
    ("Helmets cost 6 euros extra for adults.", SET),
    ("Helmets are included in the price of the children's set.", SET),
    ("The pool closes at noon in winter.", POOL),
    ("The pool opens at 7:00 on weekdays.", POOL),
    ("In winter the pool closes at noon.", "In winter the pool opens at 9:00 but closes at noon."),
    ("Volunteers hand out the donated food between 14:00 and 17:00.", FOOD),
    ("Employees receive their badge on the first day.", NEW),
    ("Employees receive their laptop within a week.", NEW),
    ("The first hour is free on the street.", HOUR),
    ("Each further hour costs 1.50 euros.", HOUR),
    ("The tower was restored in 1988.", TOWER),
    ("The piano is tuned every spring.", PIANO),
    ("A family ticket covers a boat trip.", TICKET),
    ("Volunteers wear a green vest.", VEST),
    ("The log is signed every evening by the foreman.", LOG),
    ("The jury consists of four teachers and the chairman.", JURY),
    ("After two warnings the contract ends.", WARNED),
    ("If the pressure falls below 2 bar, half of the pumps are switched off.", PUMPS),
    ("Two lifeguards speak French.", "Two of the lifeguards speak French."),
    ("Children pay 4 euros.", "Adults pay 9 euros, children 4 euros."),
    ("Operators cannot delete accounts.", "Administrators can delete accounts; operators cannot."),
    ("The chapel closes at 6:00.", "The tower closes at 6:00, as does the chapel."),
    ("The shirts are dried by nurses.", "The shirts are washed and dried by nurses."),
]


@pytest.mark.parametrize(("claim", "evidence"), FALSE)
def test_what_is_said_of_another_is_not_supported(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(("claim", "evidence"), TRUE)
def test_what_is_said_of_it_is_supported(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize("joint", ["; therefore, they are kept", ". Therefore, they are kept"])
def test_what_stands_before_a_semicolon_must_hold_by_itself(joint):
    evidence = f"Oak barrels (OB) are vessels in cellars that lie below the old mill{joint} cool, dark and damp."
    claim = "Oak barrels are vessels in cellars that lie {} the old mill; therefore, they are kept cool, dark and damp."

    assert CHECK.support(claim.format("below"), evidence) >= 0.5
    assert CHECK.support(claim.format("above"), evidence) < 0.5
    assert CHECK.support(claim.format("without"), evidence) < 0.5
