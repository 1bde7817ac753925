"""What an Ollama server says, read: its models, a chat's parts, how a chat ended."""

from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from time import sleep
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from rag.adapters.ollama_trouble import Wordless, is_refused
from rag.errors import GeneratorUnavailable
from rag.protocols import ModelInfo, StreamEnd

if TYPE_CHECKING:
    from ollama import ChatResponse, Client

T = TypeVar("T")

RETRY_PAUSE_S = 0.2
"""Pause before the one retry after a refused connection: a server that restarts listens again soon."""


@dataclass(frozen=True, slots=True)
class Described:
    """What a probe found: the model that would speak, or what stands in its way, or both."""

    info: ModelInfo | None
    thinks: bool = False
    chats: bool = True
    problem: GeneratorUnavailable | None = None


def forget_frames(error: BaseException | None) -> None:
    """Take the tracebacks off an error that is kept, and off what led to it: they hold all that was being answered."""
    while error is not None:
        error.__traceback__ = None
        error = error.__cause__ or error.__context__


def listed(client: "Client") -> list[str]:
    """Return the names of the server's models, in its order."""
    return [each.model for each in client.list().models if each.model]


def described(client: "Client", name: str) -> Described:
    """Return what the server says of one model; what it does not say is unknown."""
    from pydantic import ValidationError

    try:
        shown = client.show(name)
    except ValidationError:  # servers that only resemble Ollama leave `model_info` out
        return Described(ModelInfo(name, None))
    lengths = [value for key, value in (shown.modelinfo or {}).items() if key.endswith(".context_length")]
    length = next((value for value in lengths if isinstance(value, int) and value > 0), None)
    able = shown.capabilities
    return Described(ModelInfo(name, length), thinks="thinking" in (able or ()), chats=not able or "completion" in able)


def once_more(ask: Callable[[], T]) -> T:
    """Return what `ask` returns; when the connection is refused, after a pause and a second try."""
    try:
        return ask()
    except Exception as error:
        if not is_refused(error):
            raise
    sleep(RETRY_PAUSE_S)
    return ask()


def begun(client: "Client", request: Mapping[str, Any]) -> "Generator[ChatResponse]":
    """Return a chat whose first part has arrived: only before it can a connection be refused."""
    parts: Iterator[ChatResponse] = client.chat(**request)
    first = next(parts, None)

    def all_parts() -> "Generator[ChatResponse]":
        if first is not None:
            yield first
        yield from parts

    return all_parts()


def end_of(part: "ChatResponse", *, silent: bool) -> StreamEnd:
    """Return how a chat ended, from its last part."""
    if silent:
        raise Wordless("no text")
    reason: Literal["stop", "length"] = "length" if part.done_reason == "length" else "stop"
    return StreamEnd(reason, prompt_tokens=part.prompt_eval_count, completion_tokens=part.eval_count)
