"""The answers of the OpenAI-compatible interface: completions, with what Candor knows beside them."""

from typing import Any, Final, Literal, Self

from pydantic import BaseModel, Field

from api.chat_requests import MODEL
from rag.mcp.unconfirmed import unconfirmed
from rag.models import Answer


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


BESIDE: Final = (
    "outcome, confidence, citations, question (as it was read), notes (what to know), generator, request_id."
)
"""What stands beside a completion, for the description."""


class ChatCompletion(BaseModel):
    """An answer as a chat completion, with Candor's own beside it."""

    id: str = Field(description="`chatcmpl-` and the id of the request.")
    object: Literal["chat.completion"] = Field("chat.completion", description="Always `chat.completion`.")
    created: int = Field(description="When it was answered: seconds since 1970.")
    model: str = Field(MODEL, description="Always `candor`.")
    choices: list[Choice] = Field(description="Always one.")
    usage: Usage = Field(description="What it took.")
    candor: dict[str, Any] = Field(description=BESIDE)


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
    sentences = [
        f"{sentence.text} {''.join(f'[{index + 1}]' for index in sentence.citations)} " for sentence in answer.sentences
    ]
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
        "generator": answer.generator.model_dump(mode="json"),
        "request_id": answer.request_id,
    }
