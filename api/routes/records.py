"""What was answered: recorded answers, what people think of them, and what got no good answer."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from pydantic import Field
from starlette.responses import Response

from api.desk import AtDesk, Desk, Who
from api.fields import Contract, known_parameters
from api.identity import is_asked_with
from api.problems import errors, refused
from rag.models import Answer
from rag.record import Feedback as Judgement
from rag.records.requests import RecordedRequest
from rag.records.unanswered import Group
from rag.workspace.keys import suffices
from rag.workspace.values import ApiKey

router = APIRouter(prefix="/v1", tags=["records"])


class Feedback(Contract):
    """What somebody thinks of an answer."""

    request_id: str = Field(min_length=1, max_length=200, description="Id of the request.")
    verdict: Judgement = Field(description="good, bad, or withdrawn: what was said of it before counts no more.")
    note: str = Field("", max_length=4000, description="Why.")


class Kept(Contract):
    """Feedback that was kept."""

    request_id: str = Field(description="Id of the request.")
    kept: bool = Field(True, description="True: it is on disk.")


@router.get("/requests", responses=errors(), dependencies=[Depends(known_parameters)])
async def requests(
    desk: AtDesk, limit: Annotated[int, Query(ge=1, le=500, description="Most requests to return.")] = 50
) -> list[RecordedRequest]:
    """Return recorded requests in short, newest first."""
    return await desk.slow(lambda: [*desk.candor.wiring.recorder.requests(limit=limit)])


@router.get("/requests/{request_id:path}", response_model=Answer, responses=errors(404))
async def recorded(
    request_id: Annotated[str, Path(description="`request_id` of the answer.")], desk: AtDesk
) -> Response:
    """Return a recorded answer; its id may hold a slash, because a client may have given it."""
    answer = await desk.slow(lambda: _recorded(desk, request_id))
    return Response(answer.model_dump_json(), media_type="application/json")


@router.get("/unanswered", responses=errors(), dependencies=[Depends(known_parameters)])
async def unanswered(
    desk: AtDesk,
    days: Annotated[int, Query(ge=1, le=3650, description="How far to look back.")] = 30,
    limit: Annotated[int, Query(ge=1, le=500, description="Most groups to return.")] = 50,
) -> list[Group]:
    """Return the questions that got no good answer, in groups of like ones: those asked most often first.

    Those that somebody dismissed come last, and say so.
    """
    since = datetime.now(UTC) - timedelta(days=days)
    return await desk.slow(lambda: desk.candor.unanswered(since=since)[:limit])


@router.post("/feedback", responses=errors(404))
async def feedback(body: Feedback, desk: AtDesk, who: Who) -> Kept:
    """Keep what somebody thinks of a recorded answer; with a key that may only ask, of one of its own.

    Its own are those that it asked for, unless it named their `query_id`, and those of its conversations.
    """

    def work() -> None:
        _judged(desk, body.request_id, who.key)
        desk.candor.wiring.recorder.feedback(body.request_id, body.verdict, body.note, who.name)

    await desk.slow(work)
    return Kept(request_id=body.request_id)


def _judged(desk: Desk, request_id: str, key: ApiKey | None) -> None:
    """Let somebody judge an answer who may read it, or who has asked for it; whether others are there is not told."""
    if key is None or suffices(key.role, "evaluate"):
        _recorded(desk, request_id)
        return
    found = desk.candor.wiring.recorder.read_answer(request_id)
    if found is None or not _is_own(desk, found, key):
        said = f"Your key has no recorded answer {request_id!r}. "
        how = "To judge the answers of other keys, use a key with the role 'evaluate'."
        raise refused(403, said + how, field="request_id", needed="evaluate", role=key.role)


def _is_own(desk: Desk, answer: Answer, key: ApiKey) -> bool:
    if is_asked_with(answer.query.query_id, key.key_id):
        return True
    session = desk.candor.wiring.sessions.get(answer.session_id) if answer.session_id else None
    return session is not None and session.owner == key.key_id


def _recorded(desk: Desk, request_id: str) -> Answer:
    found = desk.candor.wiring.recorder.read_answer(request_id)
    if found is None:
        said = f"No answer is recorded under {request_id!r}. GET /api/v1/requests lists those that are."
        raise refused(404, said, field="request_id")
    return found
