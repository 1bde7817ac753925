"""What a list gives each of several things, what a person only told, what has ended, and cases that are left out."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
REFUND = "The fee is returned if the club cancels the trip, not if a member stays at home."
ABSENCE = "The fee is returned when the trip is cancelled, but not when the guest does not come."
ROUNDS = "Wardens check the lamps daily, the ladders weekly and the pump before each season."
PASSIVE = "The lamps are checked daily, the ladders weekly and the pump before each season."
PLOTS = "Plots 3 and 5 were limed on 11 June; plot 4 was left out because of rain and was limed on the 14th."
TICKET = "A ticket is refunded if the club cancels the trip, but not if a member stays at home."
TRAMS = "Trams may use the bridge, but not if the lamp is dark."
PONDS = "Carp ponds are limed in March, trout ponds in May and pike ponds in June."
BELLS = "The bronze bells hang in the west tower, the steel bell in the gatehouse and the ship's bell in the hall."
BAND = "Until 2015 the band rehearsed in the mill; since then it has met in the library."
GEESE = "Mr Aldous reported that the geese had eaten his seedlings; Mrs Penn denied it."
SEAL = "The supplier stated that the seal lasts ten years."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The fee is returned if a member stays at home.", REFUND),
        ("The fee is returned when the guest does not come.", ABSENCE),
        ("When the guest does not come, the fee is returned.", ABSENCE),
        ("He resigned because he was ill.", "He resigned not because he was ill but because the board was divided."),
        ("Trams may use the bridge if the lamp is dark.", TRAMS),
        ("Trams may not use the bridge.", TRAMS),
        ("Trout ponds are limed in March.", PONDS),
        ("The steel bell hangs in the west tower.", BELLS),
        (
            "Wash the foot bath every second day.",
            "Wash the pens daily, change the foot bath every second day and rest.",
        ),
        ("The council was met in May.", "He met the mayor in May, the council in June and the press in July."),
        ("Wardens check the ladders before each season.", ROUNDS),
        ("Wardens check the pump weekly and the ladders before each season.", ROUNDS),
        ("The ladders are checked before each season.", PASSIVE),
        ("The pump is checked weekly.", PASSIVE),
        ("Leave the bag at the desk.", "Leave the key at the desk and the bag in the hall."),
        ("The south gate opens at six.", "The north gate opens at six and the south gate at eight."),
        ("Plots 3, 4 and 5 were all limed on 11 June.", PLOTS),
        ("The band rehearses in the mill.", BAND),
        ("The geese had eaten the seedlings.", GEESE),
        ("The geese ate Mr Aldous's seedlings.", GEESE),
        ("The seal lasts ten years.", SEAL),
        ("The boiler was replaced in May.", "The tenant told us that the boiler was replaced in May."),
        ("The feed contains no soya.", "According to the supplier, the feed contains no soya."),
        (
            "The loft will be free of dust by May.",
            "The contractor has promised that the loft will be free of dust by May.",
        ),
        ("The skipper lost three anchors.", "The skipper told the harbour office that he had lost three anchors."),
        ("Moths came in with the rugs.", "Moths came in with the rugs, or so the caretaker says."),
        ("The yard is open to traders.", "The yard was open to traders, which it no longer is."),
        ("The tower is staffed by a pair of keepers.", "For thirty years the tower was staffed by a pair of keepers."),
        ("The club shares a kiln.", "The club shared a kiln with the school, an arrangement that ended with the fire."),
        ("Trainees are paid their fares.", "Trainees are paid their fares as long as they live outside the town."),
        ("Raw milk can be sold.", "Raw milk can be sold on condition that the herd has passed the test."),
        ("Plants need no quarantine.", "Plants need no quarantine if they have been dipped."),
        ("Sheep feed on hay.", "Sheep feed on hay if the pasture is under snow."),
    ],
)
def test_what_is_said_of_another_case_thing_time_or_by_somebody_is_not_carried(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The fee is returned if the club cancels the trip.", REFUND),
        ("The fee is returned when the trip is cancelled.", ABSENCE),
        ("Wardens check the ladders weekly.", ROUNDS),
        ("Wardens check the lamps daily and the ladders weekly.", ROUNDS),
        ("The pump is checked before each season.", PASSIVE),
        ("Leave the bag in the hall.", "Leave the key at the desk and the bag in the hall."),
        ("The south gate opens at eight.", "The north gate opens at six and the south gate at eight."),
        ("Plots 3 and 5 were limed on 11 June.", PLOTS),
        ("The band rehearsed in the mill until 2015.", BAND),
        ("Mr Aldous reported that the geese had eaten his seedlings.", GEESE),
        ("The supplier stated that the seal lasts ten years.", SEAL),
        ("The seal lasts ten years.", "The manual states that the seal lasts ten years."),
        ("The drug lowers blood pressure.", "The study reported that the drug lowers blood pressure."),
        ("Plants need no quarantine if they have been dipped.", "Plants need no quarantine if they have been dipped."),
        ("If a member stays at home, the ticket is not refunded.", TICKET),
        ("Trams may not use the bridge if the lamp is dark.", TRAMS),
        ("If the lamp is dark, trams may not use the bridge.", TRAMS),
        ("Trout ponds are limed in May.", PONDS),
        ("The steel bell hangs in the gatehouse.", BELLS),
        ("The inn was moved to Ulm.", "The inn was sold in 1990, and the new owners moved it to Ulm."),
    ],
)
def test_what_a_sentence_says_of_a_case_a_thing_a_time_or_a_speaker_is_carried(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Unless it rains, the gate stays open.", "The gate stays open unless it rains."),
        ("The gate stays open unless it rains.", "Unless it rains, the gate stays open."),
        (
            "Until its brake has been relined, lift 1 carries six persons at most.",
            "Lift 2 is closed. Lift 1 carries six persons at most until its brake has been relined.",
        ),
    ],
)
def test_a_clause_may_stand_first_or_last(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


def test_a_clause_that_is_moved_stays_with_its_own_statement() -> None:
    text = "If it rains, the gate is shut. The bridge stays open unless it is stormy."
    assert CHECK.support("Unless it is stormy, the gate is shut.", text) < 0.5
    assert CHECK.support("If it is stormy, the bridge stays open.", text) < 0.5
