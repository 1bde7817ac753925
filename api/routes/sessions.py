"""Conversations: begin one, list them, read one, delete one for good."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from pydantic import Field

from api.conversation import no_session, owned
from api.desk import AtDesk, Desk, Who
from api.fields import Contract, Uuid4Text, known_parameters
from api.problems import errors
from rag.workspace.retention import delete_conversation
from rag.workspace.values import SessionMetadata, Turn

router = APIRouter(prefix="/v1/sessions", tags=["sessions"])
SessionId = Annotated[Uuid4Text, Path(description="A UUID v4.")]


class Deleted(Contract):
    """A session that was deleted."""

    session_id: str = Field(description="UUID v4.")
    turns: int = Field(ge=0, description="Turns deleted with it, their recorded answers and feedback included.")


class New(Contract):
    """A session to begin: nothing need be said of it."""


@router.post("", status_code=201, responses=errors())
async def create(desk: AtDesk, who: Who, body: New | None = None) -> SessionMetadata:
    """Begin a session; name it in questions as `session_id`."""
    owner = who.key.key_id if who.key else None
    session: SessionMetadata = await desk.light(lambda: desk.candor.wiring.sessions.create(owner=owner))
    return session


@router.get("", responses=errors(), dependencies=[Depends(known_parameters)])
async def sessions(
    desk: AtDesk,
    who: Who,
    limit: Annotated[int, Query(ge=1, le=500, description="Most sessions to return.")] = 100,
    offset: Annotated[int, Query(ge=0, le=1_000_000, description="Sessions to pass over first.")] = 0,
) -> list[SessionMetadata]:
    """List sessions, the last used first; with a key, its own."""
    return await desk.light(lambda: [*desk.candor.wiring.sessions.list(owner=who.owner, limit=limit, offset=offset)])


@router.get("/{session_id}", responses=errors(404))
async def session(session_id: SessionId, desk: AtDesk, who: Who) -> SessionMetadata:
    """Return one session."""
    return await desk.light(lambda: _found(desk, session_id, who.owner))


@router.get("/{session_id}/history", responses=errors(404))
async def history(session_id: SessionId, desk: AtDesk, who: Who) -> list[Turn]:
    """Return the turns of a session, oldest first, each with the question as it was read."""

    def work() -> list[Turn]:
        _found(desk, session_id, who.owner)
        return [*desk.candor.wiring.sessions.history(session_id)]

    return await desk.light(work)


@router.delete("/{session_id}", responses=errors(404))
async def delete(session_id: SessionId, desk: AtDesk, who: Who) -> Deleted:
    """Delete a session for good: its turns, their recorded answers, the feedback on them."""

    def work() -> Deleted:
        _found(desk, session_id, who.owner)
        removed = delete_conversation(desk.candor, session_id)
        return Deleted(session_id=session_id.lower(), turns=len(removed))

    return await desk.slow(work)


def _found(desk: Desk, session_id: str, owner: str | None) -> SessionMetadata:
    found = owned(desk.candor.wiring.sessions.get(session_id), session_id, owner)
    if found is None:
        raise no_session(session_id)
    return found
