"""Forgetting on time: conversations and recorded answers older than `CANDOR_RETENTION_DAYS` are removed for good."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag.candor import Candor


def forget_old(candor: "Candor", *, now: datetime | None = None) -> int:
    """Remove what is older than the settings allow; nothing where they keep everything.

    Args:
        candor: Its settings decide.
        now: The moment to count from; the present by default.

    Returns:
        How many conversations' turns and days of answers were removed.

    Raises:
        ServiceUnavailable: The database or a file could not be changed.
    """
    days = candor.settings.retention_days
    if not days:
        return 0
    before = (now or datetime.now(UTC)) - timedelta(days=days)
    removed: tuple[str, ...] = candor.wiring.sessions.purge(before)
    if removed:
        candor.wiring.recorder.forget(removed)
    return len(removed) + candor.wiring.recorder.forget_before(before.date())
