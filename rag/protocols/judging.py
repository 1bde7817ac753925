"""Models that read a sentence or a question against a passage."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from rag.protocols.vectors import Span


class GroundingCheck(Protocol):
    """Judges one sentence against the text that it cites."""

    @property
    def name(self) -> str:
        """Name and version of the check, recorded with every answer."""
        ...

    def support(self, claim: str, evidence: str) -> float:
        """Return how strongly the evidence carries the claim: 0..1, supported from 0.5."""
        ...


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the reader says of one window.

    Attributes:
        probability: That the text answers the question, 0..1.
        marks: For each sentence asked about, the probability, 0..1, that it is part of the answer if the text answers.
    """

    probability: float
    marks: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ReadingText:
    """A window as the reader gets it: where it stands, the text, and the spans of its sentences within the text."""

    place: str
    text: str
    sentences: tuple[Span, ...]

    @property
    def passage(self) -> str:
        """Place and text as one string."""
        return f"{self.place}\n{self.text}" if self.place else self.text


class Reader(Protocol):
    """Reads windows for a question and says how likely each answers it, and which of its sentences do."""

    @property
    def name(self) -> str:
        """Name and version of the weights."""
        ...

    def read(self, question: str, texts: Sequence[ReadingText]) -> list[Judgement]:
        """Return one judgement for each text, in the order given; all are read in one batch.

        Raises:
            EmbedderUnavailable: The reader cannot be loaded or run.
        """
        ...


class Verdict(NamedTuple):
    """How likely a text supports a claim, and how likely it contradicts it; else it says neither. Both are 0..1."""

    supported: float
    contradicted: float


class Entailment(Protocol):
    """Judges whether texts support claims."""

    @property
    def name(self) -> str:
        """Name and version, for records."""
        ...

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """Return one verdict for each claim and text, in the order given."""
        ...
