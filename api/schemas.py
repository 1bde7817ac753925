"""Requests and responses of the canonical interface."""

from typing import Annotated, Final
from uuid import UUID

from pydantic import AwareDatetime, ConfigDict, Field

from api.fields import Contract, GivenFraction, QuestionText, StrictBool, StrictFloat, StrictInt, Uuid4Text, Whole
from rag.models import MAX_PLACE, EstimatorName, Filters, GateDecision, Mode, RetrievedChunk, Score, Timings
from rag.validate import MAX_CONTEXT_LENGTH

MAX_NAME: Final = 1000
"""Longest name in a filter, in characters: no document, section or module is called longer."""


class AskFilters(Contract):
    """Only chunks whose metadata match; null means any."""

    source: str | None = Field(
        None, max_length=MAX_NAME, description="File name of a document.", examples=["safety_manual.pdf"]
    )
    collection: str | None = Field(
        None, max_length=MAX_NAME, description="Name of a collection: only its documents. GET /api/v1/collections."
    )
    chapter: Annotated[StrictInt, Field(ge=-MAX_PLACE, le=MAX_PLACE), Whole] | None = Field(
        None, description="Chapter number; in chapter-aware mode a preference."
    )
    section: str | None = Field(None, max_length=MAX_NAME, description="Section number, or number and title.")
    module: str | None = Field(None, max_length=MAX_NAME, description="Module of the document.")
    page: Annotated[StrictInt, Field(ge=1, le=MAX_PLACE), Whole] | None = Field(
        None, description="Page number, from 1."
    )

    def canonical(self) -> Filters:
        """Return the same as the core's value."""
        return Filters.model_construct(**self.__dict__)


class RetrieveRequest(Contract):
    """A question with everything that decides its answer; what is null takes the configured default."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        json_schema_extra={"examples": [{"question": "Which gloves are required for dichloromethane?", "top_k": 5}]},
    )

    question: QuestionText = Field(description="The question: 3 to 1000 characters, no control characters.")
    top_k: Annotated[StrictInt, Field(ge=1, le=20), Whole] | None = Field(None, description="Chunks to answer from.")
    similarity_threshold: GivenFraction | None = Field(None, description="Drops less similar chunks. Not the gate.")
    confidence_threshold: GivenFraction | None = Field(
        None, description="Answer from this confidence on; null: the estimator's own threshold."
    )
    unsure_threshold: GivenFraction | None = Field(
        None,
        description="Below the other threshold, show passages that may answer from this confidence on; refuse below "
        "it. Null: the estimator's own; `mean_similarity` and `max_similarity` have none and know no unsure.",
    )
    estimator: EstimatorName | None = Field(None, description="How confidence is computed.")
    filters: AskFilters | None = Field(None, description="Where to look.")
    mode: Mode | None = Field(None, description="Where the answer may come from; default book-wide.")
    context: str | None = Field(
        None, max_length=MAX_CONTEXT_LENGTH, description="The selected text, for selected-text-only."
    )
    session_id: Uuid4Text | None = Field(None, description="Conversation that the question belongs to: a UUID v4.")
    max_tokens: Annotated[StrictInt, Field(ge=1, le=2000), Whole] | None = Field(None, description="Longest answer.")
    temperature: Annotated[StrictFloat, Field(ge=0, le=1)] | None = Field(None, description="Sampling temperature.")
    seed: Annotated[StrictInt, Field(ge=0, le=2**31 - 1), Whole] | None = Field(
        None, description="Sampling seed of the model."
    )
    model: str | None = Field(
        None, max_length=200, description="Which model answers, as `ollama/llama3.2:3b`; null: the configured one."
    )
    no_llm: StrictBool | None = Field(None, description="Answer by quoting only, even where a model answers.")
    as_asked: StrictBool | None = Field(
        None, description="Read it as it is written: no house words put in, no spelling put right, by itself."
    )
    stream: StrictBool | None = Field(None, description="Answer as server-sent events.")

    def options(self) -> dict[str, object]:
        """Return the options of the core's query."""
        names = set(type(self).model_fields) - {"question", "stream", "filters", "session_id"}
        given: dict[str, object] = {name: getattr(self, name) for name in names}
        if self.session_id:
            given["session_id"] = self.session_id.lower()
        return {**given, "filters": self.filters.canonical() if self.filters else None}


class AskRequest(RetrieveRequest):
    """A question to be answered."""


class RetrieveResponse(Contract):
    """What a question found, and what the gate says of it."""

    request_id: str = Field(description="Id in the log.")
    query_id: UUID = Field(description="UUID v4 of the query.")
    timestamp: AwareDatetime = Field(description="When it was asked (UTC).")
    retrieved: tuple[RetrievedChunk, ...] = Field(description="The hits and, after them, the rest.")
    confidence: Score = Field(description="As the gate computed it.")
    gate: GateDecision = Field(description="The gate's decision.")
    notes: tuple[str, ...] = Field((), description="What to know, as: found outside the chapter asked for.")
    timings_ms: Timings = Field(description="Milliseconds per stage.")
