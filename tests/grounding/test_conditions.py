"""Conditions and causes keep their sides. All written by hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
FERRY = "The ferry takes the northern route if the swell is high, otherwise the captain picks the canal."
MOSS = "Because the wall is damp, moss spreads quickly on it."
DAM = "The mill stood still because the dam had burst."
LEAK = "The valve leaked. The cellar was therefore pumped dry."
FLOOD = "The dyke broke and the meadow was therefore given up."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("If the swell is high, the captain picks the canal.", FERRY),
        ("The wall is damp because moss spreads quickly on it.", MOSS),
        ("The dam had burst because the mill stood still.", DAM),
        ("Because the meadow was given up, the dyke broke.", FLOOD),
        ("The frost was late because of the harvest.", "Because of frost the harvest was late."),
        ("Due to the spreading moss, the wall is damp.", "Due to the damp wall, the moss is spreading."),
    ],
)
def test_what_holds_otherwise_or_is_the_effect_is_neither_condition_nor_cause(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("If the swell is high, the ferry takes the northern route.", FERRY),
        ("Otherwise the captain picks the canal.", FERRY),
        ("Moss spreads quickly on the wall because it is damp.", MOSS),
        ("Because the dam had burst, the mill stood still.", DAM),
        ("The mill stood still because the dam had burst.", DAM),
        ("The harvest was late because of frost.", "Because of frost the harvest was late."),
        ("The cellar was pumped dry.", LEAK),
        ("The meadow was given up because the dyke broke.", FLOOD),
        ("Unless otherwise agreed, the rent is due in May.", "Unless otherwise agreed, the rent is due in May."),
    ],
)
def test_a_condition_or_cause_may_stand_before_or_behind_what_it_is_of(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5
