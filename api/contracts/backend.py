"""Seed 004, "RAG Agent Backend": `POST /api/backend/query`, and the context it retrieves for inspection."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Final, Self

from fastapi import APIRouter
from pydantic import AfterValidator, AwareDatetime, Field, WithJsonSchema, model_validator
from starlette.requests import Request
from starlette.responses import JSONResponse

from api.contracts.common import NOT_FOUND, WRITTEN_RULE, address_of, fitted_answer, title_of, told_message
from api.desk import desk_of, identity_of
from api.fields import Contract, Filled, Fraction, Moment, QuestionText, Uuid4Text
from api.problems import Problem, canonical, errors
from rag import models
from rag.errors import CandorError, ErrorCode, GeneratorUnavailable, InvalidQuery
from rag.events import Found
from rag.refuse import explain

router = APIRouter(prefix="/backend", tags=["backend (seed 004)"])
MOST_CHUNKS: Final = 10
SHORTEST, LONGEST_CHUNK, LONGEST_ANSWER = 50, 2000, 5000
UNREADABLE: Final = (400, 413, 422)  # statuses of a query that was received and is invalid


def _printable_ascii(text: str) -> str:
    for position, character in enumerate(text):
        if not " " <= character <= "~":
            raise ValueError(f"question must contain only printable ASCII characters; position {position} is not")
    return text


AsciiQuestion = Annotated[
    QuestionText,
    AfterValidator(_printable_ascii),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": 1000, "pattern": "^[ -~]*$"}),
]


class State(StrEnum):
    """Where a query stands on its way."""

    RECEIVED = "query_received"
    INVALID = "invalid"
    VALID = "valid"
    RETRIEVED = "context_retrieved"
    RETRIEVAL_FAILED = "retrieval_failed"
    GENERATED = "answer_generated"
    GENERATION_FAILED = "generation_failed"
    FORMATTED = "response_formatted"
    SENT = "response_sent"


TRANSITIONS: Final[dict[State, tuple[State, ...]]] = {
    State.RECEIVED: (State.VALID, State.INVALID),
    State.VALID: (State.RETRIEVED, State.RETRIEVAL_FAILED),
    State.RETRIEVED: (State.GENERATED, State.GENERATION_FAILED),
    State.GENERATED: (State.FORMATTED,),
    State.FORMATTED: (State.SENT,),
}


def advance(state: State, *following: State) -> State:
    """Return the state after some steps; ValueError where one is none of the state transitions."""
    for step in following:
        if step not in TRANSITIONS.get(state, ()):
            raise ValueError(f"a query cannot go from {state.value!r} to {step.value!r}")
        state = step
    return state


def render_error(problem: Problem) -> dict[str, Any]:
    """Return the canonical error; where a query was refused as invalid, with the state that it ended in."""
    if problem.status in UNREADABLE:  # by its schema too, or by a body that is no JSON
        state = problem.details.get("state") or advance(State.RECEIVED, State.INVALID)
        problem = replace(problem, details={**problem.details, "state": state})
    return canonical(problem)


class Query(Contract):
    """A user's request for information from the book content."""

    question: AsciiQuestion = Field(description="The user's question or request for information.")
    timestamp: Moment = Field(
        default_factory=lambda: datetime.now(UTC), description="When the query was submitted (ISO 8601)."
    )
    query_id: Uuid4Text | None = Field(None, description="Unique identifier for the query; generated where missing.")
    user_id: str | None = Field(None, max_length=200, description="Identifier for the user making the request.")

    def options(self) -> dict[str, Any]:
        """Return the options of the canonical query."""
        return {**WRITTEN_RULE, "top_k": 5, "timestamp": self.timestamp}


class SourceMetadata(Contract):
    """Information about the source of a chunk."""

    source_url: Filled = Field(description="URL or identifier for the source document.")
    document_title: Filled = Field(description="Title of the source document.")
    chunk_index: int = Field(ge=0, description="Position of the chunk in the original document.")
    page_number: str | None = Field(None, description="Page number.")
    section: str | None = Field(None, description="Section identifier.")

    @classmethod
    def of(cls, hit: models.RetrievedChunk) -> Self:
        """Translate from the canonical chunk."""
        return cls.taking(
            hit,
            source_url=address_of(hit.document, hit.metadata.url),
            document_title=title_of(hit),
            page_number=str(hit.page) if hit.page is not None else None,
        )


class RetrievedContext(Contract):
    """The relevant content chunks retrieved from the vector database, in parallel arrays."""

    content_chunks: list[Annotated[str, Field(min_length=SHORTEST, max_length=LONGEST_CHUNK)]] = Field(
        min_length=1, max_length=MOST_CHUNKS, description="Retrieved content fragments relevant to the query."
    )
    source_metadata: list[SourceMetadata] = Field(description="Information about the sources of each chunk.")
    similarity_scores: list[Fraction] = Field(description="Relevance scores for each content chunk.")
    retrieval_timestamp: AwareDatetime = Field(description="When the retrieval was performed.")

    @model_validator(mode="after")
    def _parallel(self) -> Self:
        for name in ("source_metadata", "similarity_scores"):
            if len(getattr(self, name)) != len(self.content_chunks):
                raise ValueError(f"{name} array must have same length as content_chunks")
        return self

    @classmethod
    def of(cls, hits: Sequence[models.RetrievedChunk]) -> Self:
        """Translate from canonical chunks, at least one."""
        return cls(
            content_chunks=[_long_enough(hit) for hit in hits[:MOST_CHUNKS]],
            source_metadata=[SourceMetadata.of(hit) for hit in hits[:MOST_CHUNKS]],
            similarity_scores=[hit.similarity_score for hit in hits[:MOST_CHUNKS]],
            retrieval_timestamp=datetime.now(UTC),
        )


class Source(Contract):
    """Attribution information for the answer."""

    source_url: Filled = Field(description="URL of the source document.")
    document_title: Filled = Field(description="Title of the source document.")
    excerpt: Filled = Field(description="Relevant excerpt from the source.")
    similarity_score: Fraction = Field(description="Relevance score of this source (0-1).")


class Response(Contract):
    """Structured output containing the answer and source attribution."""

    answer: str = Field(min_length=SHORTEST, max_length=LONGEST_ANSWER, description="Answer from retrieved content.")
    sources: list[Source] = Field(min_length=1, description="Attribution information for the answer.")
    query_id: Uuid4Text = Field(description="Reference to the original query ID.")
    response_timestamp: AwareDatetime = Field(description="When the response was generated.")
    confidence_score: Fraction | None = Field(None, description="Confidence level in the answer (0-1).")

    @classmethod
    def of(cls, answer: models.Answer, query_id: str | None) -> Self:
        """Translate from a canonical answer that is no refusal."""
        titles = {chunk.chunk_id: title_of(chunk) for chunk in answer.retrieved}
        sources = []
        for cited in answer.citations:
            url, title = address_of(cited.document, cited.url), titles.get(cited.chunk_id, cited.document)
            sources.append(Source.taking(cited, source_url=url, document_title=title))
        return cls(
            answer=fitted_answer(answer, minimum=SHORTEST, maximum=LONGEST_ANSWER),
            sources=sources,
            query_id=query_id or str(answer.query_id),
            response_timestamp=answer.timestamp,
            confidence_score=answer.confidence,
        )


def _long_enough(hit: models.RetrievedChunk) -> str:
    if len(hit.content) >= SHORTEST:
        return hit.content[:LONGEST_CHUNK]
    whole = hit.document if hit.chapter is None else f"chapter {hit.chapter} of {hit.document}"
    return f"{hit.content} [This is the whole of {whole}, shorter than {SHORTEST} characters.]"


def refusal(message: str, request: Request, *steps: State, confidence: float) -> JSONResponse:
    """Return the ErrorResponse that a refusal is, with the state that a valid query ended in after some steps."""
    identity, state = identity_of(request), advance(State.RECEIVED, State.VALID, *steps)
    details = {"request_id": identity.request_id, "state": state, "confidence": confidence}
    details |= {"note": identity.note} if identity.note else {}
    problem = Problem(404, ErrorCode.NO_RELEVANT_CONTENT, message, details)
    return JSONResponse(canonical(problem), status_code=problem.status)


@router.post("/query", response_model=Response, responses=errors(404))
async def query(body: Query, request: Request) -> Response | JSONResponse:
    """Answer a question with its sources; 404 NO_RELEVANT_CONTENT where the documents do not say."""
    identity_of(request).take(query_id=body.query_id)
    answer: models.Answer = await _staged(desk_of(request).ask(request, body.question, **body.options()))
    if answer.answer is not None:
        return Response.of(answer, body.query_id)
    steps = [State.RETRIEVAL_FAILED]
    if answer.refusal and answer.refusal.stage != "gate":  # what was found was read, and does not answer
        steps = [State.RETRIEVED, State.GENERATION_FAILED]
    return refusal(told_message(answer), request, *steps, confidence=answer.confidence)


@router.post("/retrieve", response_model=RetrievedContext, responses=errors(404))
async def retrieve(body: Query, request: Request) -> RetrievedContext | JSONResponse:
    """Return the context that an answer would rest on; 404 NO_RELEVANT_CONTENT where it carries none."""
    identity_of(request).take(query_id=body.query_id)
    found: Found = await _staged(desk_of(request).retrieve(request, body.question, **body.options()))
    if found.decision.passed:
        return RetrievedContext.of(found.retrieval.hits)
    why = explain(found.query, found.retrieval, found.decision, None)
    said = " ".join(dict.fromkeys((NOT_FOUND, why.reason, why.advice, found.decision.reason)))
    return refusal(said, request, State.RETRIEVAL_FAILED, confidence=found.decision.confidence)


async def _staged(work: Any) -> Any:
    try:
        return await work
    except CandorError as error:
        steps = [State.VALID, State.RETRIEVAL_FAILED]
        if isinstance(error, InvalidQuery):
            steps = [State.INVALID]
        elif isinstance(error, GeneratorUnavailable):
            steps = [State.VALID, State.RETRIEVED, State.GENERATION_FAILED]
        error.details.setdefault("state", advance(State.RECEIVED, *steps))
        raise
