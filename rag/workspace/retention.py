"""Forgetting for good: a conversation with what was recorded of it, and what is older than `CANDOR_RETENTION_DAYS`.

Records go before the conversation: it alone says which they are, so that what failed once can be done again.
"""

from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag.candor import Candor


def delete_conversation(candor: "Candor", session_id: str, *, also: Collection[str] = ()) -> tuple[str, ...]:
    """Delete a conversation, its turns, their recorded answers and the feedback on them.

    Args:
        candor: Whose database and records.
        session_id: UUID v4; nothing happens where there is no such session.
        also: Request ids that belong to it beside those of its turns.

    Returns:
        The request ids of its turns.

    Raises:
        InvalidQuery: `session_id` is not a UUID v4.
        ServiceUnavailable: A record could not be removed, and the conversation is still there; or the database does not
            answer. Deleting again removes the rest.
    """
    sessions = candor.wiring.sessions
    return _forgotten(candor, {*sessions.request_ids(session_id), *also}, lambda: sessions.delete(session_id))


def forget_old(candor: "Candor", *, now: datetime | None = None) -> int:
    """Remove what is older than the settings allow; nothing where they keep everything.

    Args:
        candor: Its settings decide.
        now: The moment to count from; the present by default.

    Returns:
        How many conversations' turns and days of answers were removed.

    Raises:
        ServiceUnavailable: The database or a file could not be changed; the next call removes the rest.
    """
    days = candor.settings.retention_days
    if not days:
        return 0
    sessions = candor.wiring.sessions
    before = (now or datetime.now(UTC)) - timedelta(days=days)
    days_gone = candor.wiring.recorder.forget_before(before.date())
    return len(_forgotten(candor, {*sessions.due(before)}, lambda: sessions.purge(before))) + days_gone


def _forgotten(candor: "Candor", known: set[str], remove: Callable[[], tuple[str, ...]]) -> tuple[str, ...]:
    """Remove records and then conversations, and what was recorded in these meanwhile; return what `remove` does."""
    recorder = candor.wiring.recorder
    if known:
        recorder.forget(known)
    removed = remove()
    if late := {*removed} - known:
        recorder.forget(late)
    return removed
