"""The requests of the OpenAI-compatible interface: which of their fields are read, refused and ignored."""

from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from api.fields import StrictBool
from rag.errors import InvalidQuery
from rag.models import Mode
from rag.models.complaints import shown
from rag.validate import clean_question

WITHOUT_EFFECT: Final = frozenset(
    (
        *("tools", "functions", "function_call", "parallel_tool_calls"),
        *("n", "top_p", "stop", "logprobs", "top_logprobs", "logit_bias", "frequency_penalty", "presence_penalty"),
        *("modalities", "audio", "prediction", "reasoning_effort", "verbosity", "web_search_options"),
    )
)
"""Fields of OpenAI's requests that would change an answer, and do not change Candor's."""
IGNORED: Final = "X-Candor-Ignored"
"""The header that names those of them that a request had."""
MODEL: Final = "candor"


class Part(BaseModel):
    """A part of a message; only text is read."""

    model_config = ConfigDict(extra="ignore")

    type: str = Field(description="text; anything else is left out.")
    text: str | None = Field(None, description="The text.")


class Message(BaseModel):
    """One message of the conversation."""

    model_config = ConfigDict(extra="ignore")

    role: str = Field(description="user, assistant, system and so on; only what users said is read.")
    content: str | list[Part] | None = Field(None, description="Its text.")

    @property
    def text(self) -> str:
        """The message's text."""
        if isinstance(self.content, list):
            return "\n".join(part.text or "" for part in self.content if part.type == "text")
        return self.content or ""


class StreamOptions(BaseModel):
    """What a stream brings beside the answer; other options are ignored."""

    model_config = ConfigDict(extra="ignore")

    include_usage: StrictBool | None = Field(None, description="End with a chunk without choices that has the usage.")


class ResponseFormat(BaseModel):
    """The form of an answer; Candor writes text."""

    model_config = ConfigDict(extra="ignore")

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
        self._require_text()
        if not self._said:
            raise InvalidQuery(
                "messages holds no text of a user; the last one is the question.", details={"field": "messages"}
            )
        return self._said[-1]

    @property
    def _said(self) -> list[str]:
        """What users said, in order."""
        return [message.text for message in self.messages if message.role == "user" and message.text.strip()]

    def _previous(self) -> str | None:
        """Return the question before the last, if it could have been asked: it is read together with the last."""
        try:
            return clean_question(self._said[-2]) if len(self._said) > 1 else None
        except InvalidQuery:
            return None

    def _require_text(self) -> None:
        if self.response_format is not None and self.response_format.type != "text":
            raise InvalidQuery(
                f"response_format.type = {shown(self.response_format.type)} is not supported: the answer is text "
                "with its sources. Leave response_format out; POST /api/v1/ask answers in JSON.",
                details={"field": "response_format"},
            )
        if self.tool_choice not in (None, "auto", "none"):
            raise InvalidQuery(
                f"tool_choice = {shown(self.tool_choice)} is not supported: Candor calls no tool. Leave it out, or "
                "set 'auto' or 'none'.",
                details={"field": "tool_choice"},
            )

    def ignored(self) -> dict[str, str]:
        """Return the header that names what the request had and the answer does not heed; none where that is nothing.

        What a field says by default changes nothing: null, an empty list, one choice.
        """
        given = (self.model_extra or {}).items()
        named = sorted(name for name, value in given if name in WITHOUT_EFFECT and _has_effect(name, value))
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


def _has_effect(name: str, value: object) -> bool:
    """Return whether a field would change an answer of a model that heeds it.

    >>> _has_effect("n", 1), _has_effect("n", 2), _has_effect("tools", []), _has_effect("tool_choice", "auto")
    (False, True, False, False)
    """
    return bool(value) and (name, value) not in (
        ("n", 1),
        ("top_p", 1),
        ("tool_choice", "auto"),
        ("parallel_tool_calls", True),
    )
