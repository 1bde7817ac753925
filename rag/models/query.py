"""One question, with everything that decides its answer."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Final, Self
from uuid import UUID, uuid4

from pydantic import AwareDatetime, Field, model_validator

from rag.models.value import EstimatorName, Score, Value

MAX_LENGTH: Final = 1000  # the longest question, in characters
MAX_PLACE: Final = 2**31 - 1
"""Largest chapter or page that can be asked for, with either sign: a vector store's integers end at 64 bits."""


class Mode(StrEnum):
    """Where an answer may come from."""

    BOOK_WIDE = "book-wide"
    CHAPTER_AWARE = "chapter-aware"
    SELECTED_TEXT_ONLY = "selected-text-only"


class Filters(Value):
    """Only chunks whose metadata match; null means any."""

    source: str | None = Field(None, description="File name of a document.")
    collection: str | None = Field(None, description="Name of a collection: only its documents.")
    sources: tuple[str, ...] | None = Field(
        None, min_length=1, description="Only these documents; of a collection those that it had when it was asked."
    )
    chapter: int | None = Field(
        None, ge=-MAX_PLACE, le=MAX_PLACE, description="Chapter number; in chapter-aware mode a preference, not a wall."
    )
    section: str | None = Field(None, description="Section number, or number and title.")
    module: str | None = Field(None, description="Module of the document.")
    page: int | None = Field(None, ge=1, le=MAX_PLACE, description="Page number, from 1.")

    @property
    def is_empty(self) -> bool:
        """Whether nothing is filtered."""
        return self == Filters()

    @property
    def named(self) -> dict[str, object]:
        """What was asked for, by name: the documents of a collection are named by it."""
        return self.model_dump(exclude_none=True, exclude={"sources"} if self.collection else None)

    def holds(self, document: str) -> bool:
        """Return whether a document is among those that are searched."""
        return self.source in (None, document) and (self.sources is None or document in self.sources)


def request_id_of(query_id: UUID, timestamp: datetime) -> str:
    """Return `req_`, the UTC date, `_` and the first 12 hexadecimal digits of the UUID.

    >>> request_id_of(UUID("12345678-9abc-4def-8123-456789abcdef"), datetime(2026, 1, 21, tzinfo=UTC))
    'req_20260121_123456789abc'
    """
    return f"req_{timestamp.astimezone(UTC):%Y%m%d}_{query_id.hex[:12]}"


class Query(Value):
    """One question with everything that decides its answer. `rag.validate` makes it and enforces the limits."""

    question: str = Field(description="The question: 3 to 1000 characters after stripping, no control characters.")
    query_id: UUID = Field(default_factory=uuid4, description="UUID v4.")
    request_id: str = Field("", description="Id in the log; from date and query_id unless the client names one.")
    timestamp: AwareDatetime = Field(default_factory=lambda: datetime.now(UTC), description="When it was asked (UTC).")
    top_k: int = Field(5, ge=1, le=20, description="How many chunks the answer may rest on.")
    similarity_threshold: Score = Field(0.0, description="Chunks less similar than this are dropped. Not the gate.")
    confidence_threshold: Score | None = Field(None, description="Refuse below this; null: the estimator's own.")
    unsure_threshold: Score | None = Field(None, description="Show passages from here on; null: the estimator's own.")
    estimator: EstimatorName | None = Field(None, description="How confidence is computed; null: the configured one.")
    filters: Filters = Field(default_factory=Filters, description="Where to look.")
    mode: Mode = Field(Mode.BOOK_WIDE, description="Book-wide, chapter-aware or selected-text-only.")
    context: str | None = Field(
        None, description="The selected text, cleaned as a document is; only in selected-text-only mode."
    )
    previous: str | None = Field(
        None, description="The question before it in the conversation, as that was read; null: it stands alone."
    )
    session_id: str | None = Field(None, description="Conversation that the question belongs to.")
    max_tokens: int = Field(500, ge=1, le=2000, description="Longest answer, in the model's tokens.")
    temperature: float = Field(0.0, ge=0.0, le=1.0, description="Sampling temperature of the model.")
    seed: int | None = Field(None, ge=0, le=2**31 - 1, description="Sampling seed of the model.")
    talks: bool = Field(True, description="Whether a greeting is answered as one; false: it is a question like any.")
    model: str | None = Field(
        None,
        max_length=200,
        description="Which of several models answers, as `ollama/llama3.2:3b`; null: as configured.",
    )
    no_llm: bool = Field(False, description="Answer by quoting only, even where a model answers.")
    as_asked: bool = Field(
        False,
        description="Whether it is read in no other way than it is written: without house words, as it is spelt, by "
        "itself.",
    )

    @model_validator(mode="after")
    def _name_request(self) -> Self:
        if not self.request_id:
            object.__setattr__(self, "request_id", request_id_of(self.query_id, self.timestamp))
        return self


class HouseWord(Value):
    """A word that means the same as others: an abbreviation, or what people here call a thing."""

    word: str = Field(min_length=2, max_length=100, description="The word or abbreviation, as `PPE`.")
    means: str = Field(min_length=2, max_length=200, description="What it stands for, as the documents may have it.")
    by: str = Field("", max_length=200, description="Who said so.")
    created_at: AwareDatetime | None = Field(None, description="When (UTC); set when it is kept.")

    def __str__(self) -> str:
        """Return it as an equation."""
        return f"{self.word} = {self.means}"
