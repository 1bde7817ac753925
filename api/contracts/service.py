"""Seed 000, "RAG LLM Service": `POST /api/service/query`, and its processing entities for inspection."""

import re
from typing import Annotated, Any, Final, Self

from fastapi import APIRouter
from pydantic import AfterValidator, Field, StringConstraints, WithJsonSchema, model_validator
from starlette.requests import Request

from api.contracts.common import REFUSE_BELOW, WRITTEN_RULE, embedded, told_confidence, told_message
from api.desk import desk_of, identity_of
from api.fields import Contract, Fraction, QuestionText, UpTo10
from api.problems import errors
from rag import models
from rag.errors import EmbedderUnavailable
from rag.events import Found
from rag.prompt import build_prompt

router = APIRouter(prefix="/service", tags=["service (seed 000)"])
MODEL_NAME: Final = "all-MiniLM-L6-v2"
DIMENSION: Final = 384
ADDRESSABLE: Final = r"^(?!(.*[/\\])?\.\.?([/\\]|$))[!-~]+$"


def _addressable(request_id: str) -> str:
    """Check that an answer can be read again under an id: clients and proxies fold `.` and `..` in an address."""
    if not all("!" <= character <= "~" for character in request_id):
        raise ValueError("it must be printable ASCII without spaces, as my-request-1")
    if {".", ".."} & {*re.split(r"[/\\]", request_id)}:
        raise ValueError("no part of it between slashes may be '.' or '..', because it is part of the answer's URL")
    return request_id


RequestId = Annotated[
    str,
    StringConstraints(min_length=1, max_length=200),
    AfterValidator(_addressable),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": 200, "pattern": ADDRESSABLE}),
]


class QueryFilters(Contract):
    """Optional metadata filters for vector store search."""

    source: str | None = Field(None, description="Filter by document source/name.")
    max_results: UpTo10 | None = Field(5, description="Maximum number of chunks to retrieve.")


class Query(Contract):
    """A user's natural language question submitted to the RAG service."""

    question: QuestionText = Field(
        description="The user's question in natural language.",
        examples=["What are the safety protocols for handling chemicals?"],
    )
    filters: QueryFilters | None = Field(None, description="Optional metadata filters for vector store search.")
    request_id: RequestId | None = Field(None, description="Unique identifier for logging; generated where missing.")

    def options(self) -> dict[str, Any]:
        """Return the options of the canonical query."""
        filters = self.filters or QueryFilters()
        return {**WRITTEN_RULE, "top_k": filters.max_results or 5, "filters": models.Filters(source=filters.source)}


class ChunkMetadata(Contract):
    """Metadata about the source document."""

    document_name: str = Field(description="Name of the source document.")
    page_number: int | None = Field(None, description="Page number (for PDFs).")
    section: str | None = Field(None, description="Section or heading within document.")
    chunk_index: int = Field(ge=0, description="Position of chunk within document.")


class RetrievedChunk(Contract):
    """A document chunk retrieved from the vector store."""

    chunk_id: str = Field(description="Unique identifier for the chunk in vector store.")
    content: str = Field(description="The text content of the chunk.")
    metadata: ChunkMetadata = Field(description="Metadata about the source document.")
    similarity_score: Fraction = Field(description="Cosine similarity score (0.0 to 1.0).")

    @classmethod
    def of(cls, chunk: models.RetrievedChunk) -> Self:
        """Translate from the canonical chunk."""
        place = ChunkMetadata.taking(chunk, document_name=chunk.document, page_number=chunk.page)
        return cls.taking(chunk, metadata=place)


class Citation(Contract):
    """A source reference extracted from the generated answer."""

    document_name: str = Field(description="Name of the source document.")
    excerpt: str = Field(max_length=200, description="Relevant text snippet from the source (max 200 chars).")
    page_number: int | None = Field(None, description="Page number (if available).")
    section: str | None = Field(None, description="Section or heading (if available).")
    chunk_id: str | None = Field(None, description="Reference to the original chunk ID.")

    @classmethod
    def of(cls, citation: models.Citation) -> Self:
        """Translate from the canonical citation."""
        return cls.taking(citation, document_name=citation.document, page_number=citation.page)


class Answer(Contract):
    """The complete response from the RAG service."""

    answer: str | None = Field(None, description="The generated answer text (null if no information found).")
    citations: list[Citation] = Field(
        default_factory=list, description="List of source citations (empty if no answer)."
    )
    confidence: Fraction = Field(description="Mean similarity of the retrieved chunks; below 0.5 without an answer.")
    message: str | None = Field(None, description="Explanatory message, always there without an answer.")
    request_id: str = Field(description="Same as input query request_id for tracing.")
    processing_time_ms: int = Field(ge=0, description="Time taken to process the query.")

    @model_validator(mode="after")
    def _cited_or_explained(self) -> Self:
        if self.answer is None:
            if self.citations:
                raise ValueError("Citations must be empty when answer is null")
            if not self.message:
                raise ValueError("A message must be provided when answer is null")
        elif not self.citations:
            raise ValueError("Answer must have at least one citation")
        elif self.confidence < REFUSE_BELOW:
            raise ValueError("Below a confidence of 0.5 there must be no answer")
        return self

    @classmethod
    def of(cls, answer: models.Answer) -> Self:
        """Translate from the canonical answer: its confidence is the gate's, also where a model was asked."""
        return cls.taking(
            answer,
            citations=[Citation.of(citation) for citation in answer.citations],
            confidence=told_confidence(answer, answer.gate.confidence if answer.gate else answer.confidence),
            message=told_message(answer) if answer.answer is None else answer.message,
            processing_time_ms=round(answer.timings_ms.total),
        )


class EmbeddingVector(Contract):
    """The vector representation of a query for semantic search."""

    vector: Annotated[list[float], Field(min_length=DIMENSION, max_length=DIMENSION)] = Field(
        description="Dense vector representation (384 dimensions)."
    )
    model_name: Annotated[str, Field(pattern=f"^{MODEL_NAME}$")] = Field(description="Name of embedding model used.")
    dimension: Annotated[int, Field(ge=DIMENSION, le=DIMENSION)] = Field(description="Vector dimensionality (384).")


class PromptContext(Contract):
    """The context assembled for the LLM prompt."""

    question: str = Field(description="Original user question.")
    retrieved_chunks: list[RetrievedChunk] = Field(description="Retrieved document chunks.")
    system_prompt: str = Field(min_length=1, description="System instructions for LLM.")
    formatted_context: str = Field(description="Formatted context string for LLM.")

    @classmethod
    def of(cls, prompt: models.PromptContext) -> Self:
        """Translate from the canonical prompt."""
        return cls.taking(prompt, retrieved_chunks=[RetrievedChunk.of(chunk) for chunk in prompt.retrieved_chunks])


@router.post("/query", responses=errors())
async def query(body: Query, request: Request) -> Answer:
    """Receive a question, retrieve context, generate an answer with citations."""
    identity = identity_of(request)
    identity.take(request_id=body.request_id)
    answer = Answer.of(await desk_of(request).ask(request, body.question, **body.options()))
    if not identity.is_renamed:
        return answer
    said = " ".join(filter(None, (answer.message, identity.note)))
    return answer.model_copy(update={"request_id": identity.named, "message": said})


@router.post("/retrieve", responses=errors())
async def retrieve(body: Query, request: Request) -> list[RetrievedChunk]:
    """Query the vector store, receive document chunks with metadata."""
    found = await _found(body, request)
    return [RetrievedChunk.of(chunk) for chunk in found.retrieval.hits]


@router.post("/prompt", responses=errors())
async def prompt(body: Query, request: Request) -> PromptContext:
    """Return what a model would be given for a question; none is asked."""
    found = await _found(body, request)
    desk, hits = desk_of(request), found.retrieval.hits

    def build() -> PromptContext:
        pipeline = desk.candor.pipeline
        model = pipeline.generator.model() if pipeline.generator else None
        return PromptContext.of(build_prompt(found.query, hits, model=model, max_context=pipeline.max_context))

    return await desk.slow(build)


@router.post("/embedding", responses=errors())
async def embedding(body: Query, request: Request) -> EmbeddingVector:
    """Return the vector that a question is searched by."""
    identity_of(request).take(request_id=body.request_id)
    vector, model = await embedded(request, body.question)
    if MODEL_NAME.casefold() not in model.casefold() or len(vector) != DIMENSION:
        raise EmbedderUnavailable(
            f"The embedding model is {model!r}, but this contract supports only {MODEL_NAME}. Unset "
            "CANDOR_EMBEDDING_MODEL, or use /api/v1."
        )
    return EmbeddingVector(vector=vector, model_name=MODEL_NAME, dimension=DIMENSION)


async def _found(body: Query, request: Request) -> Found:
    identity_of(request).take(request_id=body.request_id)
    return await desk_of(request).retrieve(request, body.question, **body.options())
