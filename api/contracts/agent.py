"""Seed 002, "RAG Agent Construction": `POST /api/agent/query` and `GET /api/agent/health`."""

from typing import Any, Final, Literal, Self
from uuid import uuid4

from fastapi import APIRouter, Response
from pydantic import AwareDatetime, Field, model_validator
from starlette.requests import Request

from api.contracts import common
from api.contracts.common import WRITTEN_RULE, address_of, place_of, title_of, told_message, used_chunks
from api.desk import desk_of
from api.fields import UUID4_PATTERN, Contract, Filled, Fraction, GivenFraction, QuestionText, StrictBool, UpTo2000
from api.problems import errors
from rag import models
from rag.standalone import READ_AS
from rag.workspace.conversation import NOT_KEPT

router = APIRouter(prefix="/agent", tags=["agent (seed 002)"])
VECTOR_ID_PATTERN: Final = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
Connection = Literal["connected", "disconnected"]
REQUIRED_SERVICES: Final = ("qdrant", "openai")


class APIRequest(Contract):
    """The structure of requests to the RAG agent API."""

    query: QuestionText = Field(description="The user's question or request.", examples=["Who may use a fume hood?"])
    max_tokens: UpTo2000 | None = Field(500, description="Maximum tokens for the response.")
    temperature: GivenFraction | None = Field(0.7, description="Temperature for response generation.")
    include_sources: StrictBool | None = Field(True, description="Whether to include source references.")
    session_id: str | None = Field(None, max_length=200, description="Session identifier for conversation history.")

    def options(self) -> dict[str, Any]:
        """Return the options of the canonical query."""
        temperature = 0.7 if self.temperature is None else self.temperature
        session = self.session_id or None
        return {**WRITTEN_RULE, "max_tokens": self.max_tokens or 500, "temperature": temperature, "session_id": session}


class UserQuery(Contract):
    """A question or request submitted by the user for the RAG agent to process."""

    query_text: Filled = Field(description="The user's question or request text.")
    query_id: str = Field(pattern=UUID4_PATTERN, description="Unique identifier for the query.")
    timestamp: AwareDatetime = Field(description="When the query was submitted.")
    user_context: dict[str, Any] | None = Field(None, description="Additional context about the user or session.")
    metadata: dict[str, Any] | None = Field(None, description="Additional metadata for the query.")


class ChunkMetadata(Contract):
    """Where a chunk stands; nothing is empty: what is unknown is named by what is known."""

    module: Filled = Field(description="The book module.")
    page: Filled = Field(description="The page title.")
    heading: Filled = Field(description="The section heading.")
    url: Filled = Field(description="The source URL.")
    title: Filled = Field(description="The page title.")


class RetrievedChunk(Contract):
    """A content chunk returned from the Qdrant vector store during processing."""

    text: Filled = Field(description="The retrieved text content.")
    similarity_score: Fraction = Field(description="The semantic similarity score (0.0 to 1.0).")
    metadata: ChunkMetadata = Field(description="Where it stands.")
    vector_id: str = Field(pattern=VECTOR_ID_PATTERN, description="The unique identifier in the vector store: a UUID.")
    source_reference: Filled = Field(description="Formatted reference to the source location.")

    @classmethod
    def of(cls, chunk: models.RetrievedChunk) -> Self:
        """Translate from the canonical chunk."""
        title, place = title_of(chunk), f", page {chunk.page}" if chunk.page is not None else ""
        place = place or (f", section {chunk.section}" if chunk.section else "")
        return cls(
            text=chunk.content,
            similarity_score=chunk.similarity_score,
            metadata=ChunkMetadata(
                module=chunk.metadata.module or chunk.chapter_title or title,
                page=place_of(chunk),
                heading=chunk.section or chunk.chapter_title or title,
                url=address_of(chunk.document, chunk.metadata.url),
                title=title,
            ),
            vector_id=chunk.chunk_id,
            source_reference=f"[{chunk.document}{place}]",
        )


class GroundingValidation(Contract):
    """Results of grounding validation."""

    is_valid: bool = Field(description="Whether the response is properly grounded; false where nothing was answered.")
    validation_issues: list[str] = Field(
        description="Any issues found during validation; for a follow-up `Read as: ` and the question answered."
    )

    @classmethod
    def of(cls, answer: models.Answer) -> Self:
        """Translate from the canonical answer; the seed has no other place for what a reader must know beside it."""
        issues = [answer.refusal.reason] if answer.refusal else []
        issues += [note for note in answer.notes if note.startswith((READ_AS, NOT_KEPT))]
        issues += answer.grounding.validation_issues if answer.grounding else ()
        return cls(is_valid=answer.answer is not None, validation_issues=issues)


class GeneratedResponse(Contract):
    """The final answer generated by the agent based on retrieved content."""

    response_text: Filled = Field(description="The generated answer text.")
    response_id: str = Field(pattern=UUID4_PATTERN, description="Unique identifier for the response.")
    query_id: str = Field(description="Reference to the original query.")
    retrieved_chunks: list[RetrievedChunk] = Field(min_length=1, description="Chunks that informed the response.")
    source_references: list[Filled] = Field(description="Formatted references to source materials.")
    confidence_score: Fraction = Field(description="Confidence level in the response accuracy (0.0 to 1.0).")
    timestamp: AwareDatetime = Field(description="When the response was generated.")
    grounding_validation: GroundingValidation = Field(description="Results of grounding validation.")

    @model_validator(mode="after")
    def _grounded(self) -> Self:
        if not self.grounding_validation.is_valid:
            raise ValueError("grounding_validation.is_valid must be true for a valid response")
        return self

    @classmethod
    def of(cls, answer: models.Answer) -> Self:
        """Translate from a canonical answer that is no refusal."""
        return cls.taking(
            answer,
            response_text=answer.answer,
            response_id=str(uuid4()),
            query_id=str(answer.query_id),
            retrieved_chunks=[RetrievedChunk.of(chunk) for chunk in used_chunks(answer)],
            source_references=list(dict.fromkeys(citation.label for citation in answer.citations)),
            confidence_score=answer.confidence,
            grounding_validation=GroundingValidation.of(answer),
        )


class Source(Contract):
    """A source reference used in the answer."""

    text: Filled = Field(description="Snippet of the source text.")
    url: Filled = Field(description="URL to the source; `file:` and its name where it has none.")
    page: Filled = Field(description="Page/module reference.")

    @classmethod
    def of(cls, citation: models.Citation) -> Self:
        """Translate from the canonical citation."""
        return cls(text=citation.excerpt, url=address_of(citation.document, citation.url), page=place_of(citation))


class RetrievalStats(Contract):
    """Statistics about the retrieval process."""

    chunks_retrieved: int = Field(ge=0, description="Number of chunks retrieved.")
    processing_time_ms: float = Field(gt=0, description="Time taken for processing.")


class APIResponse(Contract):
    """The structure of responses from the RAG agent API, with what a Generated Response names beside it."""

    query: str = Field(description="Echo of the original query.")
    answer: Filled = Field(description="The generated answer, or the sentence that says why there is none.")
    sources: list[Source] = Field(description="Source references used in the answer.")
    confidence: Fraction = Field(description="Confidence score for the answer.")
    retrieval_stats: RetrievalStats = Field(description="Statistics about the retrieval process.")
    query_id: str = Field(pattern=UUID4_PATTERN, description="Unique identifier for the query.")
    response_id: str | None = Field(None, description="Unique identifier for the response; null without an answer.")
    retrieved_chunks: list[RetrievedChunk] | None = Field(None, description="Chunks that informed the answer.")
    source_references: list[str] | None = Field(None, description="Formatted references to source materials.")
    timestamp: AwareDatetime = Field(description="When the response was generated.")
    grounding_validation: GroundingValidation = Field(description="Results of grounding validation.")

    @classmethod
    def of(cls, answer: models.Answer, body: APIRequest) -> Self:
        """Translate from the canonical answer; a refusal has a text that says so and no sources."""
        sourced = body.include_sources is not False
        generated = GeneratedResponse.of(answer) if answer.answer is not None else None
        query = answer.query
        asked = UserQuery(query_text=body.query, query_id=str(query.query_id), timestamp=query.timestamp)
        shown = generated if sourced else None
        return cls.taking(
            answer,
            query=asked.query_text,
            answer=generated.response_text if generated else told_message(answer),
            sources=[Source.of(citation) for citation in answer.citations] if sourced else [],
            confidence=common.told_confidence(answer, answer.confidence),
            retrieval_stats=RetrievalStats(
                chunks_retrieved=len(answer.retrieved[: query.top_k]),  # what follows them was not read by the gate
                processing_time_ms=max(answer.timings_ms.total, 0.001),
            ),
            query_id=asked.query_id,
            response_id=generated.response_id if generated else None,
            retrieved_chunks=shown and shown.retrieved_chunks,
            source_references=shown and shown.source_references,
            grounding_validation=GroundingValidation.of(answer),
        )


class HealthStatus(Contract):
    """Health check response for the service."""

    status: Literal["healthy", "degraded", "unavailable"] = Field(description="Overall service status.")
    timestamp: AwareDatetime = Field(description="When the status was checked.")
    services: dict[str, Connection] = Field(
        description="Status of dependent services; `openai` is the language model, whatever it speaks through, and is "
        "named a second time by that: `ollama` or `gguf`."
    )
    response_time_ms: float = Field(gt=0, description="Time taken to perform health check.")

    @model_validator(mode="after")
    def _complete(self) -> Self:
        missing = [name for name in REQUIRED_SERVICES if name not in self.services]
        if missing:
            raise ValueError(f"services must contain {', '.join(missing)}")
        return self

    @classmethod
    def of(cls, health: models.Health) -> Self:
        """Translate from the canonical health."""
        services = {name: service.state for name, service in health.services.items()}
        llm = health.services["llm"]
        used = {llm.kind: llm.state} if llm.kind else {}
        return cls.taking(health, services={**services, **used, "openai": llm.state})


@router.post("/query", responses=errors())
async def query(body: APIRequest, request: Request) -> APIResponse:
    """Answer a question from what is retrieved; a refusal says so, without sources."""
    return APIResponse.of(await desk_of(request).ask(request, body.query, **body.options()), body)


@router.get("/health", responses={503: {"model": HealthStatus, "description": "Unavailable."}})
async def health(request: Request, response: Response) -> HealthStatus:
    """Return the health of the service."""
    found = HealthStatus.of(await desk_of(request).health())
    response.status_code = 503 if found.status == "unavailable" else 200
    return found
