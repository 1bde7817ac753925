"""What bounds a condition, comes first, is excepted or is somebody's view is not left out or turned. By hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
LATE = "If the delivery is late by more than two weeks, the order may be cancelled by either side."
PARK = "Residents who park for more than two hours pay 50 euros."
POOL = "The pool is open daily except between 12:00 and 13:00."
SMELL = "Members detect leaks by smell, whereas guards use a meter."
METER = "Track guards count wheels, whereas old meters show the speed of a train."
TOWER = "The tower was built by Ada Holt, and Ben Roe painted the doors."
TITLE = "Title passes on payment, the risk on handover."
DOORS = "Doors on the first floor are red, all the others are painted grey."
JAR = "Rinse the jar with water, dry it and store it."
SWIM = "Wait two hours after eating before you swim."
VIEW = "In the view of the warden, the tower is the oldest in the county."
RIVER = "The river rose, which is why the road was closed."
FEE = "The fee includes breakfast but not dinner."
CHAIR = "Only the front of the chair is painted, not the back."
EARLY = "Guests are advised, but not required, to book early."
PIECE = "A player who touches a piece must move it if it can be moved."
FAN = "Spray only when the air moves at 0.3 metres per second or more; the air is cut off when the fan stops."
DUE = "The return must be filed by 31 July; if a clerk prepares it, the deadline is the end of May."
MAST = "A second mast is to be built in 2031."
DOGS = "You may bring dogs, and in summer only if they are on a lead."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("If the delivery is late, the order may be cancelled.", LATE),
        ("Residents who park pay 50 euros.", PARK),
        ("The pool is open between 12:00 and 13:00.", POOL),
        ("Guards detect leaks by smell.", SMELL),
        ("Track guards show the speed of a train.", METER),
        ("Ben Roe built the tower.", TOWER),
        ("The risk passes on payment.", TITLE),
        ("Title passes on handover.", TITLE),
        ("All doors are painted grey.", DOORS),
        ("Dry the jar and then rinse it with water.", JAR),
        ("Wait two hours before eating.", SWIM),
        ("The tower is the oldest in the county.", VIEW),
        ("The river rose because the road was closed.", RIVER),
        ("The fee includes dinner.", FEE),
        ("The fee does not include breakfast.", FEE),
        ("The back of the chair is painted.", CHAIR),
        ("The front of the chair is not painted.", CHAIR),
        ("Guests are required to book early.", EARLY),
        ("Guests are not advised to book early.", EARLY),
        ("A player who touches a piece may move it if it can be moved.", PIECE),
        ("A second mast was built in 2031.", MAST),
        ("If a clerk prepares the return, the deadline is 31 July.", DUE),
        ("You may bring dogs in summer.", DOGS),
        ("The door may be opened.", "The door may be opened and closed only if the alarm is off."),
        ("Drive faster than 30 km/h.", "Drive no faster than 30 km/h and stop at the gate."),
    ],
)
def test_what_is_turned_or_left_out_is_another_statement(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("If the delivery is late by over two weeks, the order may be cancelled.", LATE),
        ("Residents who park for more than two hours pay 50 euros.", PARK),
        ("The air is cut off when the fan stops.", FAN),
        ("The pool is open except between 12:00 and 13:00.", POOL),
        ("Members detect leaks by smell.", SMELL),
        ("Ben Roe painted the doors.", TOWER),
        ("Ben Roe built the tower.", "The tower was built by Ada Holt and Ben Roe in 1901."),
        ("The risk passes on handover.", TITLE),
        ("Title passes on payment.", TITLE),
        ("She lives in the mill.", "She lives in the mill, the house in the valley."),
        ("All doors are locked at night.", "All doors are locked at night, and the others in the yard are open."),
        ("Rinse the jar and then dry it.", JAR),
        ("Wait two hours after eating.", SWIM),
        ("The expert was heard after lunch.", "The witness was heard before lunch and the expert after it."),
        ("In the view of the warden, the tower is the oldest.", VIEW),
        ("The tower in the view is the oldest.", "The tower in the view is the oldest in the county and the finest."),
        ("The road was closed because the river rose.", RIVER),
        ("The fee includes breakfast.", FEE),
        ("The fee does not include dinner.", FEE),
        ("The back of the chair is not painted.", CHAIR),
        ("Guests are advised to book early.", EARLY),
        ("The house was finished in May 1990.", "The house was finished in May 1990, earlier than expected."),
        ("You may bring dogs.", DOGS),
        ("If a clerk prepares the return, the deadline is the end of May.", DUE),
        ("The deadline is 31 July.", "The deadline, which is fixed by law, is 31 July."),
        ("Stop at the gate.", "Drive no faster than 30 km/h and stop at the gate."),
        ("The Ostra bridge replaced a wooden bridge.", "The Ostra bridge was new. It replaced a wooden bridge."),
    ],
)
def test_near_neighbours_go_on_being_carried(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5
