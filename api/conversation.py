"""A question within a conversation: read with the one before it, and kept with its outcome afterwards."""

import hashlib
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from rag.candor import Candor
from rag.errors import CandorError, InvalidQuery
from rag.followup import READ_AS, stand_alone
from rag.models import Answer
from rag.stored import SessionMetadata, is_session_id

NOT_KEPT: Final = "This turn could not be kept in the conversation: "


@dataclass(frozen=True, slots=True)
class Talk:
    """One turn of a conversation, under way."""

    candor: Candor
    session_id: str
    asked: str
    question: str = field(default="")
    """The question to answer: as asked, or made to stand alone."""
    owner: str | None = None
    is_begun: bool = False
    """Whether the conversation was there when the question was read."""

    @classmethod
    def open(cls, candor: Candor, session_id: str, asked: str, owner: str | None) -> "Talk":
        """Read a question with the one before it.

        Raises:
            InvalidQuery: The session is somebody else's.
            ServiceUnavailable: The database does not answer.
        """
        sessions = candor.wiring.sessions
        begun = owned(sessions.get(session_id), session_id, owner) is not None
        turns = sessions.history(session_id, last=1)
        before = str(turns[0].answer.get("read_as") or turns[0].question) if turns else ""
        read = (stand_alone(asked, before) if before else None) or asked
        return cls(candor, session_id, asked, read, owner, begun)

    @property
    def notes(self) -> tuple[str, ...]:
        """How the question was read, where that is not as it was asked."""
        return (f"{READ_AS}{self.question}",) if self.question != self.asked else ()

    def keep(self, answer: Answer) -> Answer:
        """Add the turn to the conversation, and return the answer with what a reader must know of it.

        Where the conversation was deleted while the question was under way, the record of the answer goes, too.
        """
        notes = [*self.notes]
        try:
            self.candor.wiring.sessions.append(
                self.session_id,
                question=self.asked,
                answer={**shown(answer), "read_as": self.question},
                request_id=answer.request_id,
                owner=self.owner,
                begins=not self.is_begun,
            )
        except InvalidQuery as error:
            notes.append(f"{NOT_KEPT}{error.message}{self._forget(answer.request_id)}")
        except CandorError as error:
            notes.append(f"{NOT_KEPT}{error.message}")
        return answer.model_copy(update={"notes": (*notes, *answer.notes)}) if notes else answer

    def _forget(self, request_id: str) -> str:
        """Remove the record of an answer, and return what must be said where that failed."""
        try:
            self.candor.wiring.recorder.forget([request_id])
        except CandorError as error:
            return f" Its record is still there: {error.message}"
        return ""


def said_of_turn(answer: Answer) -> list[str]:
    """Return what must be known of an answer as a turn: how a follow-up was read, and whether it was kept."""
    return [note for note in answer.notes if note.startswith((READ_AS, NOT_KEPT))]


def shown(answer: Answer) -> dict[str, Any]:
    """Return what a conversation keeps of an answer."""
    return {
        "answer": answer.answer,
        "message": answer.message,
        "confidence": answer.confidence,
        "citations": [
            citation.model_dump(mode="json", include={"document", "page", "section", "excerpt", "label"})
            for citation in answer.citations
        ],
    }


def owned(session: SessionMetadata | None, session_id: str, owner: str | None) -> SessionMetadata | None:
    """Return a session that its owner asks for; where keys tell people apart, somebody else's is not there.

    Raises:
        InvalidQuery: It is somebody else's.
    """
    if session is not None and owner is not None and session.owner != owner:
        raise InvalidQuery(f"There is no session {session_id!r}.", details={"field": "session_id", "status": 404})
    return session


def session_id_of(name: str, owner: str | None) -> str:
    """Return the id of the session that a client calls by any name: a UUID v4 as it is, else one made from the name.

    >>> session_id_of("my chat", None) == session_id_of("my chat", None) != session_id_of("my chat", "somebody")
    True
    """
    if is_session_id(name):
        return name.lower()
    digest = hashlib.sha256(f"{owner or ''}\0{name}".encode("utf-8", "replace")).digest()
    return str(UUID(bytes=digest[:16], version=4))
