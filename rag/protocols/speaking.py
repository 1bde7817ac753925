"""Whoever writes the draft of an answer."""

from collections.abc import Generator as Stream
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol, Self, TypeVar

from rag.models import ModelKind, PromptContext, ServiceStatus

Pulse = TypeVar("Pulse")
UNKNOWN_MODEL = "unknown"  # the name in messages and answers while a server has not told it


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What is known of the model that would speak: its name, and the tokens of its context window."""

    name: str
    context_length: int | None


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """How a stream of text ended; the value that the generator function behind a stream returns."""

    finish_reason: Literal["stop", "length"] = "stop"
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class SignOfLife(str):
    """A piece of a draft without text.

    Attributes:
        share: How much is done, 0..1.
        is_loading: Whether that is of the model's file, which is being loaded; else of the prompt, which is being read.
    """

    share: float
    is_loading: bool

    def __new__(cls, share: float, *, is_loading: bool = False) -> Self:
        """Return an empty piece."""
        made = super().__new__(cls)
        made.share, made.is_loading = share, is_loading
        return made


class Generator(Protocol):
    """Writes a draft as a stream of text. Closing the iterator cancels the model."""

    @property
    def name(self) -> ModelKind:
        """What the model speaks through."""

    @property
    def away(self) -> str | None:
        """Address of the server that questions and passages are sent to; None: they stay on this machine."""

    def model(self) -> ModelInfo | None:
        """Return the model that would speak, or None where no server answers. Bounded in time, never raises.

        One that was asked for is returned in any case; `stream` says what is wrong.
        """

    def find_model(self, *, pulse: Pulse) -> Stream[Pulse, None, ModelInfo | None]:
        """Return what `model` returns, and yield `pulse` while a server is silent; closing it ends the asking."""

    def stream(
        self, prompt: PromptContext, *, max_tokens: int, temperature: float, seed: int | None = None
    ) -> Iterator[str]:
        """Yield pieces of the draft as they are written; an empty one, or a `SignOfLife`, where none came for a while.

        The empty pieces let whoever reads stop a model that is silent.

        Raises:
            GeneratorUnavailable: Connection refused, model missing, time out, server error, garbage, a model file that
                cannot be loaded.
        """

    def check(self) -> ServiceStatus:
        """Say which server and model there are, or what is wrong; never raises."""
