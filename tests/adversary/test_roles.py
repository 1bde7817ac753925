"""Relations turned round, clauses mixed, owners for what they own, names blended. All written by hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
GROUP = "Alden Ltd is a subsidiary of Corvan AG. Corvan AG was founded in 1954."
FATHER = "Erik Dahl is the father of Jonas Dahl."
HOUSE = "Anders Lind repaired the roof and Berit Holm painted the fence."
WORKSHOP = [
    "Anna Keller leads the workshop; Peter Novak orders the material.",
    "Anna Keller leads the workshop, while Peter Novak orders the material.",
    "Anna Keller leads the workshop and Peter Novak orders the material.",
]
BROTHER = "Maria's brother owns the house."
LAWYER = "The lawyer of Anders confessed."
TURNED = [
    ("Corvan AG is a subsidiary of Alden Ltd.", GROUP),
    (
        "Corvan AG, a subsidiary of Alden Ltd, was founded in 1954.",
        "Alden Ltd, a subsidiary of Corvan AG, was founded in 1954.",
    ),
    ("Jonas Dahl is the father of Erik Dahl.", FATHER),
    ("Erik Dahl's father is Jonas Dahl.", FATHER),
    ("Lund is the capital of Orsk.", "Orsk is the capital of Lund."),
    ("The Velin is a tributary of the Arna.", "The Arna is a tributary of the Velin."),
    ("The boiler is upstream of the pump.", "The pump is upstream of the boiler."),
    ("Sunvik is north of Tarvik.", "Tarvik is north of Sunvik."),
    ("Lake Toma is part of Orsk Park.", "Orsk Park is part of Lake Toma."),
    ("A mammal is a kind of whale.", "A whale is a kind of mammal, and it breathes air."),
    ("The mayor of Lund met the bishop.", "The mayor of Odda met the bishop of Lund in 1900."),
    ("Anna is Peter's tutor.", "Peter was the tutor of Anna."),
    ("Orsk lies north of Mount Keld.", "Mount Keld, the highest peak, lies north of Orsk."),
    ("Add acid to the water in the mixing tank.", "Add water to the acid in the mixing tank."),
]
EXCHANGED = [
    ("The editor of the Herald hired the owner of the Post.", "The owner of the Post hired the editor of the Herald."),
    ("In 1658 the Danes under Falk beat the Swedes.", "In 1658 the Swedes under Falk beat the Danes."),
    ("The House of Lords Council sat in Odda.", "The Council of Lords House sat in Odda."),
    ("The clerk told Anders that Berit had left.", "The clerk told Berit that Anders had left."),
    ("The founder Lind had Danish masons.", "The founder Danish had Lind masons."),
    ("The guild sold Odda to the mill of Lund.", "The guild sold the mill of Lund to Odda."),
    ("The towns around the Keld were Storm and Odda.", "The towns around the Storm were Keld and Odda."),
]
MIXED = [
    ("Berit Holm repaired the roof.", HOUSE),
    ("Holm repaired the roof.", HOUSE),
    ("Anders Lind painted the fence.", HOUSE),
    ("Anders Lind repaired the fence.", HOUSE),
    ("The roof was repaired by Berit Holm.", HOUSE),
    ("The fence was repaired by Anders Lind.", HOUSE),
    *((f"{name} leads the workshop.", text) for text in WORKSHOP for name in ("Peter Novak", "Novak")),
    *(("Anna Keller orders the material.", text) for text in WORKSHOP),
    *(("The workshop is led by Peter Novak.", text) for text in WORKSHOP),
    ("Berit repaired the roof.", "Anders repaired the roof, Berit painted the fence."),
    ("The lungs pump blood.", "The heart pumps blood and the lungs take up oxygen."),
    ("The clerk opens the gate.", "The guard opens the gate, but the clerk locks the office."),
    ("The guard opens the office.", "The guard opens the gate, but the clerk locks the office."),
    ("The clerk locks the gate.", "The guard opens the gate, but the clerk locks the office."),
    ("Wind filled the ditch and rain broke the fence.", "Rain filled the ditch and wind broke the fence."),
    ("Berit repaired the roof.", "Anders repaired the roof, which Berit had painted."),
]
BLENDED = [
    ("Anders Holm repaired the roof.", HOUSE),
    ("Berit Lind painted the fence.", HOUSE),
    *((f"{name} leads the workshop.", text) for text in WORKSHOP for name in ("Anna Novak", "Peter Keller")),
    ("In June Lind Anders repaired the roof.", "In June Anders Lind repaired the roof."),
]
OWNERS = [
    ("Anders confessed.", LAWYER),
    ("Maria owns the house.", BROTHER),
    ("The house is owned by Maria.", BROTHER),
    ("Maria Berg owns the house.", "Maria Berg's brother owns the house."),
    ("King Olaf signed the treaty.", "The son of King Olaf signed the treaty."),
    ("The pump caused the fire.", "The failure of the pump caused the fire."),
]
CARRIED = [
    ("Alden Ltd is a subsidiary of Corvan AG.", GROUP),
    ("Erik Dahl is the father of Jonas.", FATHER),
    ("Jonas Dahl's father is Erik Dahl.", FATHER),
    ("The father of Jonas Dahl is Erik Dahl.", FATHER),
    ("Erik Dahl is the father of Jonas Dahl.", "Erik Dahl, a miller, is the father of Jonas Dahl."),
    ("The capital of Norway is Oslo.", "Oslo is the capital of Norway."),
    ("Norway's capital is Oslo.", "Oslo is the capital of Norway."),
    ("Oslo is the capital of Norway.", "The capital of Norway, Oslo, lies on a fjord."),
    ("Mount Keld is part of Orsk.", "Mount Keld is part of the province of Orsk."),
    ("The mayor of Odda met the bishop.", "The mayor of Odda met the bishop of Lund in 1900."),
    ("Peter was Anna's tutor.", "Peter was the tutor of Anna."),
    ("The president of the club is Anna Berg.", "Anna Berg, the president of the club, opened the hall."),
    ("Ships sailed to Tarvik from Norway.", "Ships from Norway sailed to Tarvik."),
    ("The fee for adults is 20 euros.", "The fee is 20 euros for adults."),
    ("The mill is next to the school.", "The school is next to the mill."),
    ("Anna is married to Peter.", "Peter is married to Anna."),
    ("In Bern the club met on Monday.", "On Monday the club met in Bern."),
    ("The curator is the director.", "The director is the curator."),
    ("Each area has a map of that area.", "Each area has a map of that area, and a guide."),
    ("The limit for toluene is 50 ppm.", "The limit for acetone is 15 ppm, and for toluene it is 50 ppm."),
]
CARRIED_ON = [
    ("Anders Lind repaired the roof.", HOUSE),
    ("Lind repaired the roof.", HOUSE),
    ("Berit Holm painted the fence.", HOUSE),
    ("The fence was painted by Berit Holm.", HOUSE),
    *((f"{name} leads the workshop.", text) for text in WORKSHOP for name in ("Anna Keller", "Keller")),
    *((f"{name} orders the material.", text) for text in WORKSHOP for name in ("Peter Novak", "Novak")),
    *(("The workshop is led by Anna Keller.", text) for text in WORKSHOP),
    ("Anna orders the material.", "Anna leads the workshop and orders the material."),
    ("Anna orders the material.", "Anna leads the workshop and later orders the material."),
    ("The council approved the plan.", "The council met in May and a month later approved the plan."),
    ("Anders repaired the roof.", "Anders and Berit repaired the roof."),
    ("Berit repaired the roof.", "Anders and Berit repaired the roof."),
    ("Anders Lind repaired the roof.", "Anders Lind, the mayor, repaired the roof."),
    ("The mayor repaired the roof.", "Anders Lind, the mayor, repaired the roof."),
    ("Anders repaired the gate.", "Anders repaired the roof and the gate."),
    ("Anders repaired the tiles.", "Anders repaired the roof, including the tiles."),
    ("Berit found the letter.", "The letter was found by Anders and Berit."),
    ("The wax melted.", "The ice and the wax melted."),
    ("The clerk locks the gate.", "This is the gate, which the clerk locks."),
    ("The gate was repaired by Anders.", "The roof and the gate were repaired by Anders."),
    ("Visitors must wear badges.", "Staff must wear gloves and goggles, and visitors must wear badges."),
    ("The lungs take up oxygen.", "The heart pumps blood and the lungs take up oxygen."),
    ("Enzymes speed up reactions.", "Enzymes lower the activation energy and speed up reactions."),
    ("The pump controls the flow of water.", "The pump and the valve control the flow of water."),
    ("The museum shows ships.", "Founded in 1900, the museum shows ships and, since 1950, trains."),
]
WHOLE = [
    ("The lawyer of Anders confessed.", LAWYER),
    ("Anders's lawyer confessed.", LAWYER),
    ("The brother of Maria owns the house.", BROTHER),
    ("The house is owned by Maria's brother.", BROTHER),
    ("Bern was founded in 1191.", "The city of Bern was founded in 1191."),
    ("Pupils left the hall.", "A group of pupils left the hall."),
    ("George Hale built the tower.", "George W. Hale built the tower."),
    ("President Hale built the tower.", "Hale, the President, built the tower."),
]


@pytest.mark.parametrize(("claim", "evidence"), [*TURNED, *EXCHANGED, *MIXED, *BLENDED, *OWNERS], ids=lambda text: text)
def test_what_is_said_of_somebody_else_is_not_supported(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(("claim", "evidence"), [*CARRIED, *CARRIED_ON, *WHOLE], ids=lambda text: text)
def test_the_same_in_another_form_is_supported(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    "evidence", sorted({text for group in (TURNED, EXCHANGED, MIXED, BLENDED, OWNERS, CARRIED_ON) for _, text in group})
)
def test_the_sentence_itself_has_no_twist(evidence: str) -> None:
    assert CHECK.support(evidence, evidence) == 1.0
    assert CHECK.examine(evidence.split(". ")[0], evidence).twists == ()
