"""Requests and answers of the OpenAI-compatible interface; what Candor alone knows stands beside a completion."""

from contextlib import suppress
from time import time
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from api.fields import StrictBool
from rag.errors import InvalidQuery
from rag.mcp.server import unconfirmed
from rag.models import Answer, Mode
from rag.models.complaints import shown
from rag.validate import clean_question

WITHOUT_EFFECT: Final[dict[str, object]] = {
    **dict.fromkeys(("tools", "functions", "function_call", "stop", "logprobs", "top_logprobs", "logit_bias")),
    **dict.fromkeys(("frequency_penalty", "presence_penalty", "modalities", "audio", "prediction")),
    **dict.fromkeys(("reasoning_effort", "verbosity", "web_search_options")),
    "n": 1,
    "top_p": 1,
    "parallel_tool_calls": True,
}
"""Fields of OpenAI's requests that would change an answer, and do not change Candor's; what each says by default."""
IGNORED: Final = "X-Candor-Ignored"  # the header that names those of them that a request had
MODEL: Final = "candor"


class Part(BaseModel):
    """A part of a message; only text is read."""

    type: str = Field(description="text; anything else is left out.")
    text: str | None = Field(None, description="The text.")


class Message(BaseModel):
    """One message of the conversation."""

    role: str = Field(description="user, assistant, system and so on; only what users said is read.")
    content: str | list[Part] | None = Field(None, description="Its text.")

    @property
    def text(self) -> str:
        """The message's text."""
        parts = self.content if isinstance(self.content, list) else [Part(type="text", text=self.content)]
        return "\n".join(part.text or "" for part in parts if part.type == "text")


class StreamOptions(BaseModel):
    """What a stream brings beside the answer; other options are ignored."""

    include_usage: StrictBool | None = Field(None, description="End with a chunk without choices that has the usage.")


class ResponseFormat(BaseModel):
    """The form of an answer; Candor writes text."""

    type: str = Field(description="`text`; any other is refused: a client that asks for JSON would break on text.")


class ChatRequest(BaseModel):
    """A request for a chat completion; fields that Candor has no use for are ignored.

    Those that would have changed an answer, `tools` for one, are named in the header `X-Candor-Ignored`.
    """

    model_config = ConfigDict(extra="allow")

    model: str = Field(MODEL, description="`candor`; any other name is taken for it.")
    messages: Annotated[list[Message], Field(min_length=1)] = Field(description="The conversation.")
    stream: bool | None = Field(None, description="Answer as server-sent events.")
    stream_options: StreamOptions | None = Field(None, description="Only looked at where the answer is streamed.")
    temperature: Annotated[float, Field(ge=0, le=2)] | None = Field(None, description="Above 1 counts as 1.")
    max_tokens: Annotated[int, Field(ge=1)] | None = Field(
        None, description="Longest answer; above 2000 counts as 2000."
    )
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = Field(None, description="The same.")
    seed: int | None = Field(None, description="Sampling seed; any whole number.")
    response_format: ResponseFormat | None = Field(None, description="Text, where it is named at all.")
    tool_choice: str | dict[str, Any] | None = Field(
        None, description="`auto` or `none`: Candor calls no tool, so one that must be called is refused."
    )

    def question(self) -> str:
        """Return the question: what a user said last.

        Raises:
            InvalidQuery: No user says anything, or the answer is wanted in a form that it cannot have.
        """
        if self.response_format is not None and self.response_format.type != "text":
            said = f"response_format.type = {shown(self.response_format.type)} is not supported: the answer is text "
            said += "with its sources. Leave response_format out; POST /api/v1/ask answers in JSON."
            raise InvalidQuery(said, details={"field": "response_format"})
        if self.tool_choice not in (None, "auto", "none"):
            said = f"tool_choice = {shown(self.tool_choice)} is not supported: Candor calls no tool. Leave it out, or "
            raise InvalidQuery(f"{said}set 'auto' or 'none'.", details={"field": "tool_choice"})
        if not self._said:
            said = "messages has no message of role 'user' with text. Add one; the last one is the question."
            raise InvalidQuery(said, details={"field": "messages"})
        return self._said[-1]

    @property
    def _said(self) -> list[str]:
        return [message.text for message in self.messages if message.role == "user" and message.text.strip()]

    def _previous(self) -> str | None:
        """Return the question before the last, if it could have been asked: it is read together with the last."""
        with suppress(InvalidQuery, IndexError):
            return clean_question(self._said[-2])
        return None

    def ignored(self) -> dict[str, str]:
        """Return the header that names what of the request has no effect; none where that is nothing."""
        given = {name: value for name, value in (self.model_extra or {}).items() if name in WITHOUT_EFFECT}
        named = sorted(name for name, value in given.items() if value and value != WITHOUT_EFFECT[name])
        return {IGNORED: ", ".join(named)} if named else {}

    def options(self) -> dict[str, Any]:
        """Return the options of the canonical query."""
        longest = self.max_completion_tokens or self.max_tokens
        return {
            "mode": Mode.BOOK_WIDE,
            "previous": self._previous(),
            "max_tokens": min(longest, 2000) if longest else None,
            "temperature": min(self.temperature, 1.0) if self.temperature is not None else None,
            "seed": self.seed % 2**31 if self.seed is not None else None,
        }


class ChatMessage(BaseModel):
    """What Candor says."""

    role: Literal["assistant"] = Field("assistant", description="Always `assistant`.")
    content: str = Field(
        description="The answer with its markers and sources; unsure: up to three quotations; else why there is none."
    )
    refusal: str | None = Field(None, description="Always null: why there is no answer stands in the content.")


class Choice(BaseModel):
    """The only choice."""

    index: int = Field(0, description="Always 0.")
    message: ChatMessage = Field(description="The answer, or why there is none.")
    finish_reason: Literal["stop"] = Field("stop", description="Always `stop`.")
    logprobs: None = Field(None, description="Always null.")


class Usage(BaseModel):
    """Tokens as the model server counted them; 0 where no model spoke."""

    prompt_tokens: int = Field(description="Tokens of the prompt.")
    completion_tokens: int = Field(description="Tokens of what the model wrote.")
    total_tokens: int = Field(description="Both together.")

    @classmethod
    def of(cls, answer: Answer) -> Self:
        """Return what an answer took."""
        draft = answer.draft
        prompt, completion = (draft.prompt_tokens or 0, draft.completion_tokens or 0) if draft else (0, 0)
        return cls(prompt_tokens=prompt, completion_tokens=completion, total_tokens=prompt + completion)


class ChatCompletion(BaseModel):
    """An answer as a chat completion, with Candor's own beside it."""

    id: str = Field(description="`chatcmpl-` and the id of the request.")
    object: Literal["chat.completion"] = Field("chat.completion", description="Always `chat.completion`.")
    created: int = Field(description="When it was answered: seconds since 1970.")
    model: str = Field(MODEL, description="Always `candor`.")
    choices: list[Choice] = Field(description="Always one.")
    usage: Usage = Field(description="What it took.")
    candor: dict[str, Any] = Field(
        description="outcome, confidence, citations, question (as it was read), notes (what to know), left_out (how "
        "many sentences the check did not let pass), generator, request_id."
    )

    @classmethod
    def of(cls, answer: Answer) -> Self:
        """Translate from the canonical answer."""
        choices = [Choice(message=ChatMessage(content="".join(pieces(answer))))]
        named, own = f"chatcmpl-{answer.request_id}", beside(answer)
        return cls(id=named, created=int(time()), choices=choices, usage=Usage.of(answer), candor=own)


class Model(BaseModel):
    """The model that Candor is."""

    id: str = Field(MODEL, description="Always `candor`.")
    object: Literal["model"] = Field("model", description="Always `model`.")
    created: int = Field(0, description="Always 0.")
    owned_by: str = Field(MODEL, description="Always `candor`.")


class Models(BaseModel):
    """All models: one."""

    object: Literal["list"] = Field("list", description="Always `list`.")
    data: list[Model] = Field(description="The models: one.")


class OpenAIError(BaseModel):
    """An error as OpenAI clients read it."""

    error: dict[str, Any] = Field(description="message, type, param, code.")


def pieces(answer: Answer) -> list[str]:
    """Return the text of an answer in the pieces it is streamed in: a sentence each, notes on it, its sources."""
    notes = [f"\n\nNote: {note}" for note in answer.notes]
    if answer.outcome == "unsure":
        return [unconfirmed(answer), *notes]
    if answer.answer is None:
        return [answer.message or "", *notes]
    sentences = [f"{one.text} {''.join(f'[{index + 1}]' for index in one.citations)} " for one in answer.sentences]
    sources = [f"[{number}] {citation.label[1:-1]}" for number, citation in enumerate(answer.citations, start=1)]
    return [*sentences, *notes, "\n\nSources:\n" + "\n".join(sources)]


def beside(answer: Answer) -> dict[str, Any]:
    """Return what a chat completion has no field for."""
    return {
        "outcome": answer.outcome,
        "confidence": answer.confidence,
        "citations": [citation.model_dump(mode="json") for citation in answer.citations],
        "question": answer.asked or answer.query.question,
        "notes": list(answer.notes),
        "left_out": len(answer.left_out),
        "generator": answer.generator.model_dump(mode="json"),
        "request_id": answer.request_id,
    }
