"""The canonical question: answered, streamed, or only retrieved for."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from uuid import UUID

from fastapi import APIRouter
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from api import fields
from api.desk import desk_of
from api.failing import told
from api.fields import MAX_NAME, Contract, GivenFraction, QuestionText, StrictBool, Uuid4Text
from api.problems import canonical, errors
from api.streams import ASKED, StageEvent, TokenEvent, events
from rag.events import Event, Finished, SentenceChecked, StageDone, Token, Waiting
from rag.models import Answer, EstimatorName, Filters, GateDecision, Mode, RetrievedChunk, Score, Timings
from rag.ranking.superseded import edition_notes
from rag.standalone import read_note
from rag.validate import MAX_CONTEXT_LENGTH

router = APIRouter(prefix="/v1", tags=["questions"])
EVENTS = """The answer; with `stream: true` server-sent events `stage`, `token`, `sentence`, then `answer` or `error`,
each with one JSON object."""


class AskFilters(Contract):
    """Only chunks whose metadata match; null means any."""

    source: str | None = Field(
        None, max_length=MAX_NAME, description="File name of a document.", examples=["safety_manual.pdf"]
    )
    collection: str | None = Field(
        None, max_length=MAX_NAME, description="Name of a collection: only its documents. GET /api/v1/collections."
    )
    chapter: fields.Chapter | None = Field(None, description="Chapter number; in chapter-aware mode a preference.")
    section: str | None = Field(None, max_length=MAX_NAME, description="Section number, or number and title.")
    module: str | None = Field(None, max_length=MAX_NAME, description="Module of the document.")
    page: fields.Page | None = Field(None, description="Page number, from 1.")

    def canonical(self) -> Filters:
        """Return the same as the core's value."""
        return Filters.model_construct(**self.__dict__)


class RetrieveRequest(Contract):
    """A question with everything that decides its answer; what is null takes the configured default."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"question": "Which gloves are required for dichloromethane?", "top_k": 5}]}
    )

    question: QuestionText = Field(description="The question: 3 to 1000 characters, no control characters.")
    top_k: fields.UpTo20 | None = Field(None, description="Chunks to answer from.")
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
    max_tokens: fields.UpTo2000 | None = Field(None, description="Longest answer.")
    temperature: GivenFraction | None = Field(None, description="Sampling temperature.")
    seed: fields.Seed | None = Field(None, description="Sampling seed of the model.")
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


@router.post("/ask", response_model=Answer, responses=events(EVENTS, ASKED) | errors())
async def ask(body: AskRequest, request: Request) -> Response:
    """Answer a question, or say why not. With `stream: true` as server-sent events.

    `outcome` is `answered`; `unsure` (the passages may answer: up to three are in `gate.nearest_misses`, each with the
    sentence that comes nearest, and nothing is claimed); `refused` (the documents do not cover it); or `talk` (a
    greeting, or a question about Candor itself). `answer` is null unless answered, and `message` says why.

    Tokens are the model's unchecked draft, a sign of life: only what stands in `answer` has been checked.
    """
    if body.stream:
        happening = await desk_of(request).stream(request, body.question, **body.options())
        return StreamingResponse(_events(happening, request), media_type="text/event-stream")
    answer = await desk_of(request).ask(request, body.question, **body.options())
    return Response(answer.model_dump_json(), media_type="application/json")


@router.post("/retrieve", response_model=RetrieveResponse, responses=errors())
async def retrieve(body: RetrieveRequest, request: Request) -> Response:
    """Return what a question finds and what the gate says of it; nothing is generated."""
    found = await desk_of(request).retrieve(request, body.question, **body.options())
    read_as = [read_note(found.read_as, found.house_words)] if found.read_as else []
    response = RetrieveResponse.model_construct(
        request_id=found.query.request_id,
        query_id=found.query.query_id,
        timestamp=found.query.timestamp,
        retrieved=(*found.retrieval.hits, *found.retrieval.rest),
        confidence=found.decision.confidence,
        gate=found.decision,
        notes=(*read_as, *found.retrieval.notes, *edition_notes(found.query, found.retrieval, ())),
        timings_ms=found.timings_ms,
    )
    return Response(response.model_dump_json(), media_type="application/json")


async def _events(happening: AsyncGenerator[Event], request: Request) -> AsyncIterator[str]:
    try:
        async with aclosing(happening):
            async for event in happening:
                if not isinstance(event, Waiting):
                    name, data = _told(event)
                    yield f"event: {name}\ndata: {data.model_dump_json()}\n\n"
    except Exception as error:  # the response has begun: what would have been its error is its last event
        problem = canonical(await told(request, error))
        yield f"event: error\ndata: {json.dumps(problem, ensure_ascii=False)}\n\n"


def _told(event: Event) -> tuple[str, BaseModel]:
    if isinstance(event, StageDone):
        return "stage", StageEvent(stage=event.stage, processing_time_ms=event.milliseconds)
    if isinstance(event, Token):
        return "token", TokenEvent(text=event.text)
    if isinstance(event, SentenceChecked):
        return "sentence", event.sentence
    assert isinstance(event, Finished)
    return "answer", event.answer
