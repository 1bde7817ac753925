"""Models that read a sentence or a question against a passage."""

from collections.abc import Sequence
from typing import Protocol


class GroundingCheck(Protocol):
    """Judges one sentence against the text that it cites."""

    @property
    def name(self) -> str:
        """Name and version of the check, recorded with every answer."""
        ...

    def support(self, claim: str, evidence: str) -> float:
        """Return how strongly the evidence carries the claim: 0..1, supported from 0.5."""
        ...


class Reader(Protocol):
    """Reads passages for a question and says how likely each answers it."""

    @property
    def name(self) -> str:
        """Name and version of the weights."""
        ...

    def read(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return for each passage the probability, 0..1, that it answers the question."""
        ...
