"""What happens while a question is answered, as those see it who watch; and what passes between its stages."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Self, TypeAlias

from rag.asking.clock import Stage
from rag.models import Answer, EditionsSearched, GateDecision, GroundedSentence, Query, Retrieval, Spoken, Timings
from rag.protocols import SignOfLife


@dataclass(frozen=True, slots=True)
class StageDone:
    """A stage has ended."""

    stage: Stage
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the model's draft, not checked yet: a sign of life, never to be shown as an answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing came from the model for a while: whoever watches may leave here, too."""

    share: float | None = None  # how much is done of what is waited for, 0..1; None: not known
    is_loading: bool = False  # whether the model's file is being loaded; else the model reads the prompt

    @classmethod
    def of(cls, piece: str) -> Self:
        """Return what a piece of a draft without text tells."""
        return cls(piece.share, is_loading=piece.is_loading) if isinstance(piece, SignOfLife) else cls()

    @property
    def told(self) -> str:
        """What is waited for, in words."""
        return "The model is being loaded" if self.is_loading else "The model is reading"


@dataclass(frozen=True, slots=True)
class SentenceChecked:
    """A sentence of the draft, supported or dropped."""

    sentence: GroundedSentence


@dataclass(frozen=True, slots=True)
class Finished:
    """The answer; always the last event."""

    answer: Answer


Event: TypeAlias = StageDone | Token | Waiting | SentenceChecked | Finished


@dataclass(frozen=True, slots=True)
class Found:
    """What retrieval and gate made of a question, before anything is generated."""

    query: Query
    retrieval: Retrieval
    decision: GateDecision
    timings_ms: Timings
    asked: Query | None = None
    """The question as it was searched for, where words that name an edition were left out of it."""
    editions_searched: EditionsSearched | None = None
    """Which editions were searched where the question itself did not say it: the latest, or all of them."""
    other: GateDecision | None = None  # what the gate says of the other choice of editions; None where there was none
    read_as: str | None = None
    """How the question was read where it found more in another way than as asked: joined to the one before, say."""
    house_words: tuple[str, ...] = ()
    """The house words that were put in where it was read so, as `PPE = protective gear`."""
    parts: tuple["Found", ...] = ()  # what each of two questions in one found by itself
    years: tuple[str, ...] = ()
    """Years of the question that name an edition: what is shown must come from what speaks of one of them."""
    is_judged: bool = True  # whether the gate decided: a place that was asked for is shown as it is


Speaking: TypeAlias = Generator[Event, None, Spoken]  # yields events while somebody speaks; its value is what was said
