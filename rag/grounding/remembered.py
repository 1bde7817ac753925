"""A check that judges nothing twice: a model's sentences are checked as they come, and again with the whole draft."""

from rag.protocols import GroundingCheck


class Remembered:
    """Implements `GroundingCheck` by another one, for as long as one answer is made.

    Args:
        check: Judges what was not asked before.
    """

    def __init__(self, check: GroundingCheck) -> None:
        self.name = check.name
        self._check = check
        self._known: dict[tuple[str, str], float] = {}

    def support(self, claim: str, evidence: str) -> float:
        """Return how strongly the evidence carries the claim: 0..1, supported from 0.5."""
        pair = (claim, evidence)
        if pair not in self._known:
            self._known[pair] = self._check.support(claim, evidence)
        return self._known[pair]
