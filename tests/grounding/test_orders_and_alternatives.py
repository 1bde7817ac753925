"""An order next to a ban, `and` next to `or`, and what another verb says behind a semicolon. All written by hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
LYE = "Never pour water into the lye; pour the lye into the water."
BOX = "Do not keep the box: keep the receipt."
LEVER = "Lift the cover or turn the lever."
BOTH = "Lift the cover and turn the lever."
DRIVER = "You need a licence or two years of practice."
LOAD = "The load of the raft is 300 kg or 4 persons."
BRIDGE = "The bridge was blocked for repairs; it was cleared on Friday."
MILL = "In 1910 the mill was shut; it restarted on 4 June 1912."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Never pour the lye into the water.", LYE),
        ("Do not pour the lye into the water.", LYE),
        ("Do not keep the receipt.", BOX),
        ("Never turn the key.", "Never force the lock; turn the key."),
    ],
)
def test_what_is_ordered_behind_a_ban_is_not_forbidden(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Never pour water into the lye.", LYE),
        ("Pour the lye into the water.", LYE),
        ("Do not keep the box.", BOX),
        ("Never open the hatch.", "Stand back; never open the hatch."),
    ],
)
def test_ban_and_order_are_supported_as_they_stand(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Lift the cover and turn the lever.", LEVER),
        ("Lift the cover or turn the lever.", BOTH),
        ("You need a licence and two years of practice.", DRIVER),
        ("The load of the raft is 300 kg and 4 persons.", LOAD),
        ("The lid is made of cork and wax.", "The lid is made of cork or wax."),
        ("Members must pay a fee or sign a form.", "Members must pay a fee and sign a form."),
    ],
)
def test_one_of_two_is_not_both_and_both_are_not_one_of_two(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("You need a licence or two years of practice.", DRIVER),
        ("Dogs and cats may sleep in the barn.", "Dogs or cats may sleep in the barn."),
        ("Guests can pay by card and in cash.", "Guests can pay by card or in cash."),
        ("Running and shouting are not allowed.", "Running or shouting is not allowed."),
        ("The shop opens on Monday or Friday.", "The shop opens on Monday and Friday."),
        ("Bring a map and a lamp.", "Bring a map and a lamp or a torch."),
    ],
)
def test_and_stands_for_or_where_both_are_allowed_or_denied(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The bridge was blocked on Friday.", BRIDGE),
        ("The mill was shut on 4 June 1912.", MILL),
        ("The choir was founded in Turin.", "The choir was founded in 1960; it sang in Turin."),
    ],
)
def test_what_it_did_behind_a_semicolon_is_not_said_of_the_verb_before(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The bridge was blocked for repairs.", BRIDGE),
        ("The bridge was cleared on Friday.", BRIDGE),
        ("The mill restarted on 4 June 1912.", MILL),
        ("The choir was founded in 1960.", "The choir was founded in 1960; it has 40 members."),
    ],
)
def test_each_verb_keeps_what_is_said_with_it(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5
