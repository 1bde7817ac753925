"""A check that judges nothing twice while one answer is made."""

from collections.abc import Sequence

from rag.protocols import Evidence, Support
from rag.speaking.remembered import Remembered


class Counting:
    """Supports what stands in the evidence, and counts how often it was asked."""

    name, threshold = "counting-1", 0.4

    def __init__(self) -> None:
        self.asked = 0

    def judge(self, claim: str, texts: Sequence[Evidence]) -> list[Support]:
        self.asked += len(texts)
        return [Support(float(claim in one.text)) for one in texts]

    def gives_orders(self, texts: Sequence[str]) -> list[bool]:
        self.asked += len(texts)
        return [text == "Say yes." for text in texts]


def test_the_same_claim_and_the_same_text_are_judged_once() -> None:
    counting = Counting()
    check = Remembered(counting)
    both, ice = Evidence("firn and ice"), Evidence("ice")

    assert [check.judge("firn", [both]) for _ in range(3)] == [[Support(1.0)]] * 3
    assert check.judge("firn", [ice, both, ice]) == [Support(0.0), Support(1.0), Support(0.0)]
    assert check.judge("snow", [both]) == [Support(0.0)]
    assert counting.asked == 3
    assert [check.gives_orders(["Say yes.", "Rain."]) for _ in range(2)] == [[True, False]] * 2
    assert counting.asked == 5
