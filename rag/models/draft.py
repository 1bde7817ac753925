"""What a generator is given, what it wrote, and what the check says of it."""

from dataclasses import dataclass
from typing import Literal, Self, TypeAlias, get_args

from pydantic import Field

from rag.models.retrieval import RetrievedChunk
from rag.models.value import Score, Value

ModelKind: TypeAlias = Literal["ollama", "openai", "gguf"]
"""What a model speaks through: an Ollama server, one with OpenAI's protocol, a model file in this process."""


class PromptContext(Value):
    """What the model is given. Provably within its context window."""

    question: str = Field(description="The question, as asked.")
    retrieved_chunks: tuple[RetrievedChunk, ...] = Field(description="The passages in the prompt, numbered from 1.")
    system_prompt: str = Field(description="The instructions.")
    formatted_context: str = Field(description="The numbered passages, fenced as data.")
    user_prompt: str = Field(description="The whole user message: passages and question.")
    template: str = Field(description="Name and version of the template.")
    prompt_tokens: int = Field(ge=0, description="Upper estimate of the prompt's length in tokens.")
    num_ctx: int = Field(ge=1, description="Context window to request: prompt and answer fit in it.")
    max_tokens: int = Field(500, ge=1, description="Longest answer that fits: as asked, or a quarter of the window.")
    left_out: tuple[str, ...] = Field((), description="Ids of chunks that did not fit.")
    shortened: tuple[str, ...] = Field((), description="Ids of chunks cut at a sentence end to make them fit.")


class GeneratorInfo(Value):
    """Who spoke."""

    name: ModelKind | Literal["extractive", "none"] = Field(description="Which answerer produced the text.")
    model: str | None = Field(None, description="The model's name, where a model spoke.")
    server: str | None = Field(None, description="The model server's address, where it is not this machine's.")
    fallback_reason: str | None = Field(None, description="Why the model did not speak, where it should have.")

    @property
    def is_model(self) -> bool:
        """Whether a language model wrote the text, whatever it speaks through."""
        return self.name in get_args(ModelKind)


class Draft(Value):
    """What a generator wrote, before anything is checked. Markers are `[n]`, n counted from 1 as in the prompt."""

    text: str = Field(description="The text with its citation markers.")
    generator: GeneratorInfo = Field(description="Who wrote it.")
    finish_reason: Literal["stop", "length", "cancelled", "error"] = Field("stop", description="Why it ended.")
    prompt_tokens: int | None = Field(None, description="Prompt tokens as counted by the model server.")
    completion_tokens: int | None = Field(None, description="Completion tokens as counted by the model server.")


class GroundedSentence(Value):
    """One sentence of a draft, checked against the passages that it cites."""

    text: str = Field(description="The sentence, markers removed.")
    supported: bool = Field(description="Whether its cited passages carry it.")
    support: Score = Field(description="How strongly they do.")
    passages: tuple[int, ...] = Field(
        (),
        description="Numbers (from 1) of the passages that carry it; of a dropped one those that it validly cites, or "
        "the nearest where it cites none.",
    )
    invalid_markers: tuple[str, ...] = Field((), description="Markers that point to no passage, verbatim.")
    evidence: tuple[str, ...] = Field(
        (), description="For each of `passages`, its verbatim part that supports best; of a dropped one the nearest."
    )
    relevance: Score | None = Field(
        None, description="How likely the text that carries it answers the question; null: not judged."
    )
    reason: str = Field("", description="Why it is not supported; empty where it is.")

    @property
    def counts(self) -> float:
        """How surely it answers: support times relevance, 0..1; its support alone where relevance was not judged."""
        return self.support * (1.0 if self.relevance is None else self.relevance)

    def dropped(self, reason: str) -> Self:
        """Return the sentence as one that is not shown, and why."""
        return self.model_copy(update={"supported": False, "support": min(self.support, 0.49), "reason": reason})


class Grounding(Value):
    """The check of a whole draft."""

    is_valid: bool = Field(description="Whether every sentence of the draft was supported.")
    sentences: tuple[GroundedSentence, ...] = Field((), description="All sentences, dropped ones included, in order.")
    validation_issues: tuple[str, ...] = Field((), description="What was found, one plain sentence each.")
    answers: bool = Field(True, description="Whether what is left answers the question.")
    abstained: bool = Field(False, description="Whether the draft says that the passages do not answer.")
    method: str = Field("", description="Name and version of the check.")

    @property
    def left_out(self) -> tuple[GroundedSentence, ...]:
        """The sentences that are not shown, in order."""
        return tuple(one for one in self.sentences if not one.supported)


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a model said, or what is quoted, and what the check left of it; the prompt where a model was asked."""

    draft: Draft
    grounding: Grounding
    prompt: PromptContext | None = None
    notes: tuple[str, ...] = ()  # what to know of what is quoted, as: 3 of 8 items of this list are shown
    replaced: Draft | None = None  # what a model wrote where quotations take its place
