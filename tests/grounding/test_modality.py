"""Duty, advice, permission, possibility and fact are five things. All written by hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
ADVICE = "Drivers should wear gloves."
DUTY = "Guests must leave by noon."
CHANCE = "The gas can explode near a flame."
FILTER = "The filter must be changed every month."
POOL = "Members can use the pool and must shower first."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        *((f"Drivers {step} wear gloves.", ADVICE) for step in ("must", "have to", "need to", "may", "can")),
        ("Drivers wear gloves.", ADVICE),
        *((f"Guests {step} leave by noon.", DUTY) for step in ("should", "may", "can")),
        ("Guests leave by noon.", DUTY),
        ("The filter should be changed every month.", FILTER),
        ("The gas explodes near a flame.", CHANCE),
        ("The gas always explodes near a flame.", CHANCE),
        ("The gas must explode near a flame.", CHANCE),
        ("Members should shower first.", POOL),
        ("Members must use the pool.", POOL),
        ("Parents should sign the form.", "Parents are required to sign the form."),
        ("Applicants should pay a fee of 20 crowns.", "Applicants had to pay a fee of 20 crowns."),
        ("The bridge was closed in 2031.", "The bridge will be closed in 2031."),
        ("The council will close the bridge in 2009.", "The council closed the bridge in 2009."),
        ("You may smoke in the hangar.", "You must not smoke in the hangar."),
    ],
)
def test_a_step_on_the_scale_is_another_statement(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Drivers ought to wear gloves.", ADVICE),
        ("Guests have to leave by noon.", DUTY),
        ("Change the filter every month.", FILTER),
        ("The filter has to be changed every month.", FILTER),
        ("The gas may explode near a flame.", CHANCE),
        ("Members may use the pool.", POOL),
        ("Members must shower first.", POOL),
        ("You should shift the lever before you start.", "Shift the lever before you start."),
        ("You must shift the lever before you start.", "Shift the lever before you start."),
        ("You may not smoke in the hangar.", "You must not smoke in the hangar."),
        ("You do not have to register.", "You do not have to register, but you should bring a passport."),
        ("The fees rose in January.", "The fees will rise in May, as they rose in January."),
        ("The guide leads the tour.", "The guide, who must speak French, leads the tour."),
    ],
)
def test_the_same_step_in_other_words_is_carried(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "supported"),
    [
        ("The inn is now run by Moss.", True),
        ("The inn was originally run by Hale.", True),
        ("The inn is now run by Hale.", False),
        ("The inn was originally run by Moss.", False),
    ],
)
def test_now_and_originally_keep_their_clauses(claim: str, supported: bool) -> None:
    evidence = "The inn was originally run by Hale and is now run by Moss."
    assert (CHECK.support(claim, evidence) >= 0.5) is supported


def test_used_to_is_told_from_used() -> None:
    chapel = "The chapel was previously used as a school and now houses an archive."
    assert CHECK.support("The chapel is used as a school.", chapel) < 0.5
    assert CHECK.support("The chapel was previously used as a school.", chapel) >= 0.5


def test_a_source_is_left_out_where_the_claim_is_of_the_statement_after_it() -> None:
    drought = "According to Dr. Haas, the drought was caused by felling; Dr. Imai attributes it to warm seas."
    assert CHECK.support("Dr. Imai attributes the drought to warm seas.", drought) >= 0.5
    assert CHECK.support("The drought was caused by felling.", drought) < 0.5


def test_what_a_condition_without_if_supposes_is_no_fact() -> None:
    text = "Had the pipes been lagged, the flood would have been avoided."
    assert CHECK.support("The pipes had been lagged.", text) < 0.5


def test_a_yes_before_what_the_text_says_adds_nothing_to_it() -> None:
    assert CHECK.support("Yes, the hall is heated.", "The hall is heated.") >= 0.5
    assert CHECK.support("Yes, the hall is heated.", "The hall is not heated.") < 0.5
    assert CHECK.support("Yes, the hall is not heated.", "The hall is not heated.") < 0.5
