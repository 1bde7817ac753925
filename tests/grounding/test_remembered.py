"""A check that judges nothing twice while one answer is made."""

from rag.grounding.remembered import Remembered


class Counting:
    """Supports what stands in the evidence, and counts how often it was asked."""

    name = "counting-1"

    def __init__(self) -> None:
        self.asked = 0

    def support(self, claim: str, evidence: str) -> float:
        self.asked += 1
        return float(claim in evidence)


def test_the_same_claim_against_the_same_evidence_is_judged_once() -> None:
    counting = Counting()
    check = Remembered(counting)

    assert [check.support("firn", "firn and ice") for _ in range(3)] == [1.0] * 3
    assert counting.asked == 1
    assert (check.support("snow", "firn and ice"), check.support("firn", "ice")) == (0.0, 0.0)
    assert counting.asked == 3
    assert check.name == "counting-1"
