"""The server-sent events of streamed answers: what each holds, for the routes and for the description of the API."""

from collections.abc import Iterable
from typing import Any, Final, Literal

from pydantic import BaseModel, Field
from pydantic.json_schema import models_json_schema

from rag.asking.clock import Stage

DONE: Final = "[DONE]"  # the last data of an OpenAI stream


class StageEvent(BaseModel):
    """A stage has ended."""

    stage: Stage = Field(description="Which.")
    processing_time_ms: float = Field(ge=0, description="How long it took, in milliseconds.")


class TokenEvent(BaseModel):
    """A piece of the model's draft."""

    text: str = Field(description="As the model wrote it, citation markers included.")
    checked: Literal[False] = Field(False, description="Always false: a sign of life, never to be shown as an answer.")


class ChunkDelta(BaseModel):
    """What a chunk adds to the message; empty in the last."""

    role: Literal["assistant"] | None = Field(None, description="In the first chunk alone.")
    content: str | None = Field(None, description="More of the text: a checked sentence with its markers, or sources.")


class ChunkChoice(BaseModel):
    """The only choice of a chunk."""

    index: int = Field(description="Always 0.")
    delta: ChunkDelta = Field(description="What it adds.")
    finish_reason: Literal["stop"] | None = Field(description="`stop` in the last chunk of the answer.")
    logprobs: None = Field(description="Always null.")


class ChatChunk(BaseModel):
    """A chunk of a chat completion."""

    id: str = Field(description="`chatcmpl-` and the id of the request; the same in all chunks.")
    object: Literal["chat.completion.chunk"] = Field(description="Always `chat.completion.chunk`.")
    created: int = Field(description="When it was asked: seconds since 1970.")
    model: str = Field(description="Always `candor`.")
    choices: list[ChunkChoice] = Field(max_length=1, description="One; none in the chunk that brings the usage.")
    usage: dict[str, int] | None = Field(
        None, description="Only with `include_usage`: prompt_tokens, completion_tokens, total_tokens in the last chunk."
    )
    candor: dict[str, Any] | None = Field(
        None, description="In the last chunk of the answer, as beside a completion that is not streamed."
    )


def _kind(name: str, told: str, model: str = "") -> dict[str, Any]:
    """Return the schema of a kind of event: its `event` if it has one, what it means, its data; none means `[DONE]`."""
    data: dict[str, Any] = {"type": "string", "description": "No JSON: the stream is over.", "const": DONE}
    if model:
        content = {"contentMediaType": "application/json", "contentSchema": {"$ref": f"#/components/schemas/{model}"}}
        data = {"type": "string", "description": "One JSON object.", **content}
    fields = {"data": data}
    if name:
        fields["event"] = {"type": "string", "const": name, "description": "What the data are."}
    return {"type": "object", "description": told, "required": sorted(fields), "properties": fields}


_WRONG: Final = "What went wrong after the stream had begun"
ASKED: Final = (
    _kind("stage", "A stage has ended.", "StageEvent"),
    _kind("token", "A piece of the model's unchecked draft, where a model answers.", "TokenEvent"),
    _kind(
        "sentence",
        "A sentence of the draft has been checked. Its `passages` are numbers from 1, in the order of the passages "
        "that were used; `citations` of the answer's own sentences are indexes from 0 into its `citations`. One that "
        "is not supported is not in the answer.",
        "GroundedSentence",
    ),
    _kind("answer", "The answer, or what there is in its place, as without a stream; the last event.", "Answer"),
    _kind("error", f"{_WRONG}, in place of the answer; the last event.", "ErrorObject"),
)
"""Events of `POST /api/v1/ask`."""
CHATTED: Final = (
    _kind("", "A chunk of the completion.", "ChatChunk"),
    _kind("", f"{_WRONG}.", "OpenAIError"),
    _kind("", "The end of the stream, after an error too."),
)
"""Events of `POST /api/openai/v1/chat/completions`."""


def own_schemas() -> dict[str, Any]:
    """Return the schemas that only events have, by name."""
    models = [(model, "serialization") for model in (StageEvent, TokenEvent, ChatChunk)]
    schemas = models_json_schema(models, ref_template="#/components/schemas/{model}")[1]  # type: ignore[arg-type]
    return dict(schemas["$defs"])


def events(described: str, kinds: Iterable[dict[str, Any]]) -> dict[int | str, dict[str, Any]]:
    """Return the response of a route that can also answer with server-sent events: the schema is that of one event."""
    return {200: {"content": {"text/event-stream": {"schema": {"anyOf": [*kinds]}}}, "description": described}}
