"""Models that read a sentence or a question against a passage."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from rag.protocols.vectors import Span


class Evidence(NamedTuple):
    """A text that may carry a claim, and where it stands: the title, the headings above it."""

    text: str
    place: str = ""


class Support(NamedTuple):
    """How strongly a text carries a claim: 0..1.

    Attributes:
        value: The probability that it does.
        part: Where it does, verbatim.
        why: What speaks against it, in a sentence; empty where nothing does.
        quoted: The sentence of the text that the claim quotes, word for word or nearly; empty where it quotes none.
        is_denied: Whether a part of the text says otherwise.
    """

    value: float
    part: str = ""
    why: str = ""
    quoted: str = ""
    is_denied: bool = False


class GroundingCheck(Protocol):
    """Judges one sentence against the texts that may carry it, and what kind of text something is."""

    @property
    def name(self) -> str:
        """Name and version of the check, recorded with every answer."""

    @property
    def threshold(self) -> float:
        """From this support on a claim counts as carried."""

    def judge(self, claim: str, texts: Sequence[Evidence]) -> list[Support]:
        """Return how strongly each text carries the claim, in the order given."""

    def gives_orders(self, texts: Sequence[str]) -> list[bool]:
        """Return of each text whether it gives orders to an assistant that reads it, in the order given."""

    def is_abstention(self, reply: str) -> bool:
        """Return whether a reply says that the passages do not answer."""


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

    def read(self, question: str, texts: Sequence[ReadingText]) -> list[Judgement]:
        """Return one judgement for each text, in the order given; all are read in one batch.

        Raises:
            EmbedderUnavailable: The reader cannot be loaded or run.
        """


class Verdict(NamedTuple):
    """How likely a text supports a claim, and how likely it contradicts it; else it says neither. Both are 0..1."""

    supported: float
    contradicted: float


class Entailment(Protocol):
    """Judges whether texts support claims."""

    @property
    def name(self) -> str:
        """Name and version, for records."""

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """Return one verdict for each claim and text, in the order given."""
