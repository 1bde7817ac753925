"""A question within a conversation: asked with the one before it, and kept with its outcome afterwards."""

import hashlib
from collections.abc import Callable
from uuid import UUID

from api.problems import refused
from rag.candor import Candor
from rag.errors import InvalidQuery
from rag.models import Answer
from rag.workspace.conversation import before, keep_turn, read_of
from rag.workspace.values import SessionMetadata, is_session_id

Keep = Callable[[Answer], Answer]


def begin_turn(candor: Candor, session_id: str, asked: str, owner: str | None) -> tuple[str | None, Keep]:
    """Return the last question of a conversation as it was read, and what keeps the answer to the next one.

    That returns the answer with what a reader must know of it. Raises InvalidQuery where the session is another's.
    """
    sessions = candor.wiring.sessions
    is_begun = owned(sessions.get(session_id), session_id, owner) is not None

    def keep(answer: Answer) -> Answer:
        read_as = read_of(answer)
        return keep_turn(candor, session_id, answer, asked=asked, read_as=read_as, owner=owner, is_begun=is_begun)

    return before(sessions.history(session_id, last=1)), keep


def owned(session: SessionMetadata | None, session_id: str, owner: str | None) -> SessionMetadata | None:
    """Return a session that its owner asks for; somebody else's is not there, and raises InvalidQuery."""
    if session is not None and owner is not None and session.owner != owner:
        raise no_session(session_id)
    return session


def no_session(session_id: str) -> InvalidQuery:
    """Return the error of a session that is not there, or not for whoever asks."""
    said = f"There is no session {session_id!r}. GET /api/v1/sessions lists all sessions; POST starts a new one."
    return refused(404, said, field="session_id")


def session_id_of(name: str, owner: str | None) -> str:
    """Return the id of the session that a client calls by any name: a UUID v4 as it is, else one made from the name.

    >>> session_id_of("my chat", None) == session_id_of("my chat", None) != session_id_of("my chat", "somebody")
    True
    """
    if is_session_id(name):
        return name.lower()
    digest = hashlib.sha256(f"{owner or ''}\0{name}".encode("utf-8", "replace")).digest()
    return str(UUID(bytes=digest[:16], version=4))
