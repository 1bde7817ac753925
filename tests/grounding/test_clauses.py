"""Clauses of one sentence keep what each of them says: semicolons, spliced and shortened clauses. Written by hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
TUGS = "Small tugs tow barges on the canal; large tugs tow tankers in the bay."
TOLL = "Use of the ford by carts with iron wheels requires a toll; hikers are exempt."
RENTS = "The rent is 70 crowns for a stall and 30 crowns for a table; charities pay nothing."
HIRE = "Skis can be borrowed, poles must be paid for."
BINS = "Ash may be emptied here, hot coals may not."
LOCKER = "Renting a single locker is allowed, renting a whole row is not."
RIGHTS = "The guild can leave with two weeks' warning at the start of a term, the mill after four strikes."
NURSE = "She fell ill in Turin in 1931 and was treated in Genoa."
KILN = "The kiln is grey; it weighs 80 kg and burns wood."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Small tugs tow tankers in the bay.", TUGS),
        ("Use of the ford by hikers requires a toll.", TOLL),
        ("Charities pay 30 crowns.", RENTS),
        ("Every ladder sold costs 8 crowns.", "Two joiners sold chairs in May; every ladder repaired costs 8 crowns."),
        (
            "Short notices are printed by the editor.",
            "Short notices are printed by the clerk; all other notices are printed by the editor.",
        ),
    ],
)
def test_what_stands_on_the_other_side_of_a_semicolon_is_said_of_something_else(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Small tugs tow barges on the canal.", TUGS),
        ("Large tugs tow tankers.", TUGS),
        ("Use of the ford by carts with iron wheels requires a toll.", TOLL),
        ("The rent is 30 crowns for a table.", RENTS),
        ("The grey kiln burns wood.", KILN),
        ("The kiln weighs 80 kg.", KILN),
        ("Cell 3 is the only cell with a stove.", "Cell 3 is dry; it is also the only cell with a stove."),
        ("Scouts pay a rent of 5 crowns.", "The rent is 9 crowns; scouts pay 5 crowns."),
        ("Scouts pay half the rent.", "The rent is 9 crowns per tent; scouts pay half."),
        ("At 90 °C the kettle stops.", "Above 60 °C the kettle hums; at 90 °C it stops."),
        ("60 went to towns that had none.", "Of the 99 lamps, 60 went to towns that had none, 39 to ports."),
    ],
)
def test_one_side_of_a_semicolon_may_be_said_with_the_subject_of_the_other(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Poles can be borrowed.", HIRE),
        ("Skis must be paid for.", HIRE),
        ("Hot coals may be emptied here.", BINS),
        ("Renting a whole row is allowed.", LOCKER),
        ("The mill can leave with two weeks' warning.", RIGHTS),
        ("The guild can leave after four strikes.", RIGHTS),
        ("She was treated in Turin.", NURSE),
        ("She fell ill in Genoa.", NURSE),
        ("Clerks who are new are paid on Fridays.", "Clerks who are new must wait, porters are paid on Fridays."),
    ],
)
def test_clauses_joined_by_a_comma_or_shortened_keep_their_subjects(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Skis can be borrowed.", HIRE),
        ("Poles must be paid for.", HIRE),
        ("Ash may be emptied here.", BINS),
        ("Hot coals may not be emptied here.", BINS),
        ("Renting a single locker is allowed.", LOCKER),
        ("The guild can leave with two weeks' warning.", RIGHTS),
        ("She fell ill in Turin.", NURSE),
        ("She was treated in Genoa.", NURSE),
        ("He taught in Turin.", "He was born in Turin, studied in Genoa and taught in Turin."),
        ("When the bell is rung, the door is opened.", "When the bell is rung, the door is opened."),
        ("In May the sluice is shut.", "In May the sluice is shut, and the weir is swept."),
        (
            "The toll can be paid in two parts.",
            "The toll is 9 crowns and can be paid in two parts, the first at the "
            "gate and the second with the next toll.",
        ),
        ("You must show the pass to Ola.", "You must show the pass to Ola, the guard at the gate."),
    ],
)
def test_each_of_such_clauses_is_carried_by_itself(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The number of pupils fell by a tenth.", "The number of pupils rose, while the budget fell by a tenth."),
        ("The booth sells skates.", "The booth sells tea and hires out skates."),
        ("The barn was spared.", "The barn collapsed in May; the horses were spared."),
        (
            "The deputy had spoken for the plan.",
            "The council adopted the plan although its deputy had spoken against it.",
        ),
        ("She is three years older than Olaf Brun.", "Her cousin, Olaf Brun, is three years older than she is."),
    ],
)
def test_a_verb_keeps_its_own_subject_object_and_side(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The number of pupils rose.", "The number of pupils rose, while the budget fell by a tenth."),
        ("The booth sells tea.", "The booth sells tea and hires out skates."),
        ("The booth sells pies.", "The booth sells tea and pies."),
        ("The horses were spared.", "The barn collapsed in May; the horses were spared."),
        ("The deputy had spoken against the plan.", "The deputy had spoken against the plan."),
        ("Olaf Brun is three years older than she is.", "Her cousin, Olaf Brun, is three years older than she is."),
    ],
)
def test_what_a_verb_has_as_its_own_is_carried(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5
