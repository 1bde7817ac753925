"""Words before a noun that a number, a share, `only`, a right or a duty depends on. All written by hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
DIVERS = "Only trained divers may enter the cave."
WELDER = "A licensed welder must seal the pipe."
COPIES = "You must submit three printed copies and two photos."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The parcel must be sent within six days.", "The parcel must be sent within six business days."),
        ("The fee is due on the second day of each month.", "The fee is due on the second working day of each month."),
        ("The course lasts six months.", "The course lasts six teaching months."),
        ("The visa is valid for 90 days.", "The visa is valid for 90 consecutive days."),
        ("The levy is 5% of the rent.", "The levy is 5% of the net rent."),
        ("A third of the cars failed.", "A third of the imported cars failed."),
        ("Most officers receive a pension.", "Most retired officers receive a pension."),
        ("Every officer receives a pension.", "All retired officers receive a pension."),
        ("No users complained.", "No registered users complained."),
        ("Only divers may enter the cave.", DIVERS),
        ("Divers may enter the cave.", DIVERS),
        ("The cave may be entered by divers.", DIVERS),
        ("A welder must seal the pipe.", WELDER),
        ("The pipe must be sealed by a welder.", WELDER),
        ("Visitors must register.", "Foreign visitors are required to register."),
        ("Members may vote.", "Senior members may vote."),
        ("Divers must not dive alone.", "Trained divers must not dive alone."),
        ("Members may bring up to three guests.", "Members may bring up to three registered guests."),
        ("You must submit three copies.", COPIES),
    ],
)
def test_a_word_that_a_count_right_or_duty_depends_on_is_not_left_out(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The shed holds two boxes.", "The shed holds two large boxes."),
        ("The storm destroyed three bridges.", "The heavy storm destroyed three wooden bridges."),
        ("The trip lasted two years.", "The trip lasted two full years."),
        ("The notice must be given within ten days.", "The notice must be given within ten calendar days."),
        ("On the second working day, the fee is due.", "The fee is due on the second working day."),
        ("Pay within 30 days.", "Pay within 30 days after receipt."),
        ("20% of the workers left.", "20% of the workers left and 30% of the old workers stayed."),
        ("Some officers receive a pension.", "Some retired officers receive a pension."),
        ("Most recovered within a week.", "Most patients recovered within a week."),
        ("All register at the desk.", "All users register at the desk."),
        ("Trained divers may enter the cave.", DIVERS),
        ("The pipe must be sealed by a licensed welder.", WELDER),
        ("Licensed welders must seal the pipe.", WELDER),
        ("The valve must be opened.", "The relief valve must be opened."),
        ("Brandt must sign the form.", "Sofie Brandt must sign the form."),
        ("Visitors must register.", "Visitors normally must register."),
        ("Trained divers may enter.", "Properly trained divers may enter."),
        ("You must submit two photos.", COPIES),
        ("You must submit three printed copies.", COPIES),
    ],
)
def test_a_word_that_nothing_depends_on_may_be_left_out(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5
