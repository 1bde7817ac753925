"""What an Ollama server says, read: its models, and how a chat ended."""

from typing import TYPE_CHECKING, Literal

from rag.adapters.server_generator import Described
from rag.protocols import ModelInfo, StreamEnd

if TYPE_CHECKING:
    from ollama import ChatResponse, Client


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


def end_of(part: "ChatResponse") -> StreamEnd:
    """Return how a chat ended, from its last part."""
    reason: Literal["stop", "length"] = "length" if part.done_reason == "length" else "stop"
    return StreamEnd(reason, prompt_tokens=part.prompt_eval_count, completion_tokens=part.eval_count)
