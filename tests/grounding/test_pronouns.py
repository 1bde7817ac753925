"""A noun and a pronoun on the two sides of a verb keep their sides, and a voice its subject. All written by hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
TUTOR = "He trained the sculptor Edda Roos, who later praised him."
SUIT = "Your pass is withdrawn if you open a dispute against a member."
GUEST = "She led him to the mayor."
FIRM = "Nadia engaged the cook in May."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The sculptor Edda Roos trained him.", TUTOR),
        ("He later praised the sculptor Edda Roos.", TUTOR),
        ("Your pass is withdrawn if a member opens a dispute against you.", SUIT),
        ("He led her to the mayor.", GUEST),
        ("He was early when she greeted him.", "She was early when he greeted her."),
        ("You must warn us by post.", "We must warn you by post."),
        ("Nadia was engaged in May.", FIRM),
        ("The board was audited in June.", "The board audited the mill in June."),
    ],
)
def test_who_does_something_is_not_to_whom_it_is_done(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("He trained the sculptor Edda Roos.", TUTOR),
        ("The sculptor Edda Roos later praised him.", TUTOR),
        ("If you open a dispute against a member, your pass is withdrawn.", SUIT),
        ("She led him to the mayor.", GUEST),
        ("He was led to the mayor.", GUEST),
        ("We must warn you.", "We must warn you by post."),
        ("The cook was engaged in May.", FIRM),
        ("The cook was engaged by Nadia in May.", FIRM),
        ("The kiosk was closed in winter.", "The kiosk closed in winter."),
        ("The oak was struck by lightning.", "Lightning struck the oak."),
    ],
)
def test_both_voices_and_both_sides_are_carried_where_they_stand_so(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5
