"""A turn of a conversation, kept: what of its answer, and what must be known where it could not be.

The next question is read with the one before it (`before`), as that one was read (`read_of`).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from rag.errors import CandorError, InvalidQuery
from rag.models import Answer
from rag.workspace.values import Turn

if TYPE_CHECKING:
    from rag.candor import Candor

NOT_KEPT: Final = "This turn could not be saved in the conversation: "
_CITED = {"document", "page", "section", "excerpt", "label"}


def read_of(answer: Answer) -> str:
    """Return a question as it was read; of talk, which asks nothing, the question before it, or nothing."""
    if answer.outcome == "talk":
        return answer.query.previous or ""
    return answer.asked or answer.query.question


def before(turns: Sequence[Turn]) -> str | None:
    """Return the question that the next one of a conversation is read with: the last one, as it was read.

    Args:
        turns: The conversation so far, oldest first.

    Returns:
        None where nothing was asked yet.
    """
    if not turns:
        return None
    read = turns[-1].answer.get("read_as")
    return (turns[-1].question if read is None else str(read)) or None


def turn_of(answer: Answer, read_as: str) -> dict[str, object]:
    """Return what a conversation keeps of an answer, whoever asked; JSON values only.

    Args:
        answer: The answer.
        read_as: The question as it was read, as `read_of` returns it; the next one is read with it.
    """
    return {
        "outcome": answer.outcome,
        "answer": answer.answer,
        "message": answer.message,
        "confidence": answer.confidence,
        "citations": [citation.model_dump(mode="json", include=_CITED) for citation in answer.citations],
        "read_as": read_as,
    }


def keep_turn(
    candor: "Candor",
    session_id: str,
    answer: Answer,
    *,
    asked: str,
    read_as: str,
    owner: str | None = None,
    is_begun: bool = False,
) -> Answer:
    """Add a turn to a conversation, and return the answer, with a note where that could not be done.

    Where the conversation was deleted while the question was under way, the record of the answer goes, too.

    Args:
        candor: Whose database and records.
        session_id: UUID v4 of the conversation; begun where it is new.
        answer: What came of the question.
        asked: The question as it was asked.
        read_as: The question as it was read.
        owner: Whose conversation it is, when it is new.
        is_begun: Whether it was there when the question was read: one that was deleted since is not begun again.
    """
    try:
        candor.wiring.sessions.append(
            session_id,
            question=asked,
            answer=turn_of(answer, read_as),
            request_id=answer.request_id,
            owner=owner,
            begins=not is_begun,
        )
    except CandorError as error:
        note = f"{NOT_KEPT}{error.message}"
        if isinstance(error, InvalidQuery):  # it was deleted meanwhile
            try:
                candor.wiring.recorder.forget([answer.request_id])
            except CandorError as left:
                note += f" Its record is still there: {left.message}"
        return answer.model_copy(update={"notes": (note, *answer.notes)})
    return answer
