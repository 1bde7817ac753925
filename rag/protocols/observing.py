"""Who watches questions from outside: how long each stage of one took, and what became of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from rag.models import Answer


@dataclass(frozen=True, slots=True)
class StageSpan:
    """One run of a stage; nanoseconds since 1970."""

    stage: str
    begun_ns: int
    ended_ns: int
    facts: Mapping[str, object]
    error: str | None = None  # code of what it failed with


@dataclass(frozen=True, slots=True)
class Asked:
    """One question from its beginning to its end."""

    request_id: str
    begun_ns: int
    ended_ns: int
    stages: tuple[StageSpan, ...]
    answer: Answer | None  # None where there is none: it failed, or whoever asked has left
    error: str | None = None  # code of what it failed with; `stopped` where whoever asked has left


class Observer(Protocol):
    """Is told of each question once it has ended."""

    def asked(self, question: Asked) -> None:
        """Take note of a question; quickly, for its answer waits."""

    def close(self) -> None:
        """Hand on what was noted."""
