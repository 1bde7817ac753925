"""The canonical question: answered, streamed, or only retrieved for."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from api.desk import desk_of
from api.failing import told
from api.problems import canonical, errors
from api.schemas import AskRequest, RetrieveRequest, RetrieveResponse
from api.streams import ASKED, StageEvent, TokenEvent, events
from rag.events import Event, Finished, Found, SentenceChecked, StageDone, Token, Waiting
from rag.models import Answer
from rag.ranking.superseded import edition_notes
from rag.standalone import read_note

router = APIRouter(prefix="/v1", tags=["questions"])
EVENTS = """The answer; with `stream: true` server-sent events `stage`, `token`, `sentence`, then `answer` or `error`,
each with one JSON object."""


@router.post("/ask", response_model=Answer, responses={**events(EVENTS, ASKED), **errors()})
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
    response = RetrieveResponse.model_construct(
        request_id=found.query.request_id,
        query_id=found.query.query_id,
        timestamp=found.query.timestamp,
        retrieved=(*found.retrieval.hits, *found.retrieval.rest),
        confidence=found.decision.confidence,
        gate=found.decision,
        notes=(*_read_as(found), *found.retrieval.notes, *edition_notes(found.query, found.retrieval, ())),
        timings_ms=found.timings_ms,
    )
    return Response(response.model_dump_json(), media_type="application/json")


def _read_as(found: Found) -> tuple[str, ...]:
    """Return how a question was read where that is not as it was asked."""
    return (read_note(found.read_as, found.house_words),) if found.read_as else ()


async def _events(happening: AsyncGenerator[Event], request: Request) -> AsyncIterator[str]:
    try:
        async with aclosing(happening):
            async for event in happening:
                if not isinstance(event, Waiting):
                    yield server_sent(*_named(event))
    except Exception as error:  # the response has begun: what would have been its error is its last event
        yield server_sent("error", json.dumps(canonical(await told(request, error)), ensure_ascii=False))


def _named(event: Event) -> tuple[str, str]:
    """Return an event's name and its JSON."""
    if isinstance(event, StageDone):
        return "stage", StageEvent(stage=event.stage, processing_time_ms=event.milliseconds).model_dump_json()
    if isinstance(event, Token):
        return "token", TokenEvent(text=event.text).model_dump_json()
    if isinstance(event, SentenceChecked):
        return "sentence", event.sentence.model_dump_json()
    assert isinstance(event, Finished)
    return "answer", event.answer.model_dump_json()


def server_sent(name: str, data: str) -> str:
    """Return one server-sent event; `data` is JSON on one line."""
    return f"event: {name}\ndata: {data}\n\n"
