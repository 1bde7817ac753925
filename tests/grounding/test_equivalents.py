"""A claim is carried that says in another form what the text says, and its near neighbour is not. By hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
BALL = "The ball may not be changed during the match without the referee's permission."
ROAD = "The road may be used only with a permit."
PROBE = "The probe sent back 600 pictures before contact was lost."
STAR = "Tavor is much fainter than the Sun."
RIVERS = "The Rhine is longer than the Thames."
CHESS = "White wins more often than Black in this event."
FILTER = "The pump may be restarted only after the filter has been cleaned."
KILN = "Do not open the kiln until it has cooled below 120 °C."
PROTEST = "The fee is returned only if the protest is upheld."
WEIGHT = "Women may weigh no more than 59 kg."
FAT = "Fat supplies more energy at low intensity than at high intensity."
LID = "Once the lid of the tank is closed, the light may be switched on."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The ball may be changed only with the referee's permission.", BALL),
        ("The ball may only be changed with the referee's permission.", BALL),
        ("The road must not be used without a permit.", ROAD),
        ("Contact was lost after the probe had sent back 600 pictures.", PROBE),
        ("After the must is cooled, the yeast is added.", "The must is cooled before the yeast is added."),
        ("The Sun is brighter than Tavor.", STAR),
        ("The Thames is shorter than the Rhine.", RIVERS),
        ("Black wins less often than White in this event.", CHESS),
        ("The pump must not be restarted until the filter has been cleaned.", FILTER),
        ("The pump may not be restarted before the filter has been cleaned.", FILTER),
        ("The kiln may only be opened once it has cooled below 120 °C.", KILN),
        ("The fee is not returned unless the protest is upheld.", PROTEST),
        ("Women must not exceed 59 kg.", WEIGHT),
        ("The light may be switched on as soon as the tank's lid is closed.", LID),
        ("Copyright arises once a work is recorded.", "Copyright arises when a work is recorded."),
        ("The fan can stop for as long as ten minutes.", "The fan can stop for up to ten minutes."),
        ("It must stand half a metre from the wall.", "It must stand 50 cm from the wall."),
        ("The time is shortened to 6.5 minutes.", "The time is shortened from nine minutes to six and a half."),
        ("Hems measure 40 mm.", "Hems are 4 cm."),
        ("Fat supplies less energy at high intensity than at low intensity.", FAT),
        ("Take it one hour before the start.", "Take it an hour before the start."),
        ("The referee alone may stop play.", "Only the referee may stop play."),
        ("A coda is optional.", "A coda may follow but is not obligatory."),
        ("Bags heavier than 32 kg are sent as freight.", "Bags weighing more than 32 kg are sent as freight."),
        ("Guests can choose refunds or vouchers.", "Guests may choose between refunds and vouchers."),
        ("The ferry departs from Kalmor at 06:15.", "The ferry leaves Kalmor at 06:15."),
    ],
)
def test_another_form_of_the_same_statement_is_carried(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The ball may be changed without the referee's permission.", BALL),
        ("The ball may be changed only with the captain's permission.", f"{BALL} The captain keeps it."),
        ("The road may be used without a permit.", ROAD),
        ("Contact was lost before the probe had sent back 600 pictures.", PROBE),
        ("The probe sent back 600 pictures after contact was lost.", PROBE),
        ("Tavor is brighter than the Sun.", STAR),
        ("The Rhine is shorter than the Thames.", RIVERS),
        ("The Thames is longer than the Rhine.", RIVERS),
        ("White wins less often than Black in this event.", CHESS),
        ("The filter must not be cleaned until the pump has been restarted.", FILTER),
        ("The pump may be restarted before the filter has been cleaned.", FILTER),
        ("The kiln may only be opened before it has cooled below 120 °C.", KILN),
        ("Dogs may enter only after noon.", "Dogs may not enter after noon."),
        ("The fee is returned unless the protest is upheld.", PROTEST),
        ("The protest is not upheld unless the fee is returned.", PROTEST),
        ("Women must exceed 59 kg.", WEIGHT),
        ("The light may be switched on before the lid is closed.", LID),
        ("He won the cup once.", "He won the cup twice."),
        ("The fan stops for as long as ten minutes.", "The fan stops for at least ten minutes."),
        ("Let it rest for half an hour.", "Let it rest for 45 minutes."),
        ("The time is shortened to 6 minutes.", "The time is shortened from nine minutes to six and a half."),
        ("Fat supplies less energy at low intensity than at high intensity.", FAT),
        ("Take it two hours before the start.", "Take it an hour before the start."),
        ("The tour lasts two hours.", "The tour starts in two hours."),
        ("The bag weighs 5 kg.", "The bag holds 5 kg."),
        ("The referee alone may stop play.", "The referee may stop play."),
        ("A coda is obligatory.", "A coda is optional."),
        ("Bags heavier than 23 kg are sent as freight.", "Bags weighing more than 32 kg are sent as freight."),
    ],
)
def test_a_near_neighbour_of_another_form_is_not_carried(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The pass costs 20% more than the ticket.", "The ticket costs 20% less than the pass."),
        ("The pass costs 20 percent more than the ticket.", "The ticket costs 20 percent less than the pass."),
        ("The pass costs 3 times more than the ticket.", "The ticket costs 3 times less than the pass."),
        ("The pass is half again dearer than the ticket.", "The ticket is half again cheaper than the pass."),
        ("The pass costs more than the ticket by half.", "The ticket costs less than the pass by half."),
        ("Wages are 20% higher in Graz than in Linz.", "Wages are 20% lower in Linz than in Graz."),
    ],
)
def test_a_comparison_by_a_share_or_ratio_is_not_turned_round(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The pass costs 5 euros more than the ticket.", "The ticket costs 5 euros less than the pass."),
        ("Anna is 3 years older than Karl.", "Karl is 3 years younger than Anna."),
        ("Wages are 200 euros higher in Graz than in Linz.", "Wages are 200 euros lower in Linz than in Graz."),
    ],
)
def test_a_comparison_by_an_absolute_amount_is_turned_round(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5
