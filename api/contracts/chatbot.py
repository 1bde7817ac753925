"""Seed 003, "RAG Chatbot": `POST /api/chatbot/query`."""

from typing import Annotated, Any, Final, Literal, Self

from fastapi import APIRouter
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError
from starlette.requests import Request

from api.contracts.common import WRITTEN_RULE, fitted_answer, title_of, told_message, used_chunks
from api.desk import desk_of
from api.fields import Contract, Filled, Fraction, QuestionText, StrictBool, StrictInt, Whole
from api.problems import FIELDS_DISAGREE, Problem, errors
from rag import models
from rag.errors import ErrorCode
from rag.validate import MAX_CONTEXT_LENGTH

router = APIRouter(prefix="/chatbot", tags=["chatbot (seed 003)"])
MOST_SOURCES: Final = 10
PREVIEW_LENGTH: Final = 200
ONLY_CHAPTER: Final = 1
"""The chapter of a document that has none: it counts as one chapter."""
AWAY: Final = {
    ErrorCode.LLM_ERROR: "The answer could not be written, because the language model does not answer.",
    ErrorCode.VECTOR_DB_ERROR: "The book cannot be searched at the moment.",
}
"""What is said to whoever chats instead of what whoever runs the service must know."""
AnswerMode = Literal["book-wide", "selected-text-only", "chapter-aware"]


class ChatQuery(Contract):
    """A user's question with context constraints for the RAG chatbot."""

    question: QuestionText = Field(description="User's natural language question.")
    context: str | None = Field(
        None, max_length=MAX_CONTEXT_LENGTH, description="Selected text passage (for selected-text-only mode)."
    )
    use_context_only: StrictBool = Field(False, description="Restrict answers ONLY to the provided context.")
    top_k: Annotated[StrictInt, Field(ge=1, le=20), Whole] = Field(
        5, description="Number of relevant chunks to retrieve."
    )
    chapter_id: Annotated[StrictInt, Field(ge=-models.MAX_PLACE, le=models.MAX_PLACE), Whole] | None = Field(
        None, description="Current chapter context (for chapter-aware mode)."
    )

    @model_validator(mode="after")
    def _context_where_only_context(self) -> Self:
        if self.use_context_only and not (self.context or "").strip():
            said = "context must be non-empty when use_context_only is true; send the passage to answer from."
            raise PydanticCustomError(FIELDS_DISAGREE, "{said}", {"said": said, "field": "context"})
        return self

    @property
    def mode(self) -> models.Mode:
        """Where the answer may come from: a selection first, else a chapter, else everything."""
        if self.use_context_only:
            return models.Mode.SELECTED_TEXT_ONLY
        return models.Mode.BOOK_WIDE if self.chapter_id is None else models.Mode.CHAPTER_AWARE

    def options(self) -> dict[str, Any]:
        """Return the options of the canonical query; without `use_context_only` the context is ignored."""
        aware = self.mode is models.Mode.CHAPTER_AWARE
        return {
            **WRITTEN_RULE,
            "top_k": self.top_k,
            "mode": self.mode,
            "context": self.context if self.use_context_only else None,
            "filters": models.Filters(chapter=self.chapter_id if aware else None),
        }


class RetrievedChunk(Contract):
    """A single piece of textbook content retrieved from vector database."""

    chunk_id: Filled = Field(description="Unique identifier for the content chunk.")
    chapter_id: int = Field(description="Chapter that this chunk belongs to; 1 where a document has no chapters.")
    section_id: Filled = Field(description="Section identifier within the chapter.")
    section_title: Filled = Field(description="Human-readable title of the section.")
    preview_text: str = Field(max_length=PREVIEW_LENGTH, description="First 200 characters of chunk content.")
    full_text: str = Field(description="Complete content of the chunk.")
    relevance_score: Fraction = Field(description="Semantic similarity score from vector search (0.0 to 1.0).")

    @classmethod
    def of(cls, chunk: models.RetrievedChunk) -> Self:
        """Translate from the canonical chunk."""
        section_id = chunk.section_number or (f"page-{chunk.page}" if chunk.page else f"part-{chunk.chunk_index + 1}")
        return cls(
            chunk_id=chunk.chunk_id,
            chapter_id=ONLY_CHAPTER if chunk.chapter is None else chunk.chapter,
            section_id=section_id,
            section_title=chunk.section or chunk.chapter_title or title_of(chunk),
            preview_text=chunk.content[:PREVIEW_LENGTH],
            full_text=chunk.content,
            relevance_score=chunk.similarity_score,
        )


class ChatError(Contract):
    """Why a question was not worked on."""

    type: Literal["validation_error", "service_unavailable", "rate_limit_exceeded"] = Field(description="Error type.")
    message: Filled = Field(description="User-friendly error message.")


class ErrorResponse(Contract):
    """What a failed request gets."""

    error: ChatError = Field(description="Present only on failure.")


class ChatResponse(Contract):
    """The answer generated by the RAG chatbot and returned to the user."""

    answer: str = Field(min_length=10, max_length=5000, description="Explanation, or that the book does not cover it.")
    sources: list[RetrievedChunk] = Field(
        max_length=MOST_SOURCES, description="Chunks used to generate the answer; empty: not covered in the book."
    )
    query_time_ms: int = Field(ge=0, description="Time taken to process the query.")
    mode: AnswerMode = Field(description="Answering mode used for this response.")

    @classmethod
    def of(cls, answer: models.Answer) -> Self:
        """Translate from the canonical answer."""
        refused = answer.answer is None
        return cls(
            answer=told_message(answer)[:5000] if refused else fitted_answer(answer, minimum=10, maximum=5000),
            sources=[RetrievedChunk.of(chunk) for chunk in used_chunks(answer)[:MOST_SOURCES]],
            query_time_ms=round(answer.timings_ms.total),
            mode=answer.query.mode.value,
        )


def render_error(problem: Problem) -> dict[str, Any]:
    """Return an error in this contract's shape."""
    if problem.code is ErrorCode.RATE_LIMIT_EXCEEDED:
        kind = "rate_limit_exceeded"
    else:
        kind = "validation_error" if problem.status < 500 else "service_unavailable"
    return {"error": {"type": kind, "message": _friendly(problem)}}


def _friendly(problem: Problem) -> str:
    """Return a message for whoever chats: no addresses, and the id under which the log has the rest."""
    if problem.code not in AWAY:
        return problem.message
    told = (
        f"Ask again in a moment. The operator can find the cause in the log under {problem.details.get('request_id')}."
    )
    return f"{AWAY[problem.code]} {told}"


@router.post("/query", responses=errors(model=ErrorResponse))
async def query(body: ChatQuery, request: Request) -> ChatResponse:
    """Answer book-wide, with a chapter preferred, or only from the selected text."""
    return ChatResponse.of(await desk_of(request).ask(request, body.question, **body.options()))
