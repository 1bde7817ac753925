"""Lengths of time to look back, as pages offer them. Imports no streamlit."""

from datetime import UTC, datetime, timedelta

SPANS = {"1 hour": 1, "24 hours": 24, "7 days": 7 * 24, "30 days": 30 * 24, "All": None}
"""Lengths of time in hours; None: everything."""


def since(span: str | None) -> datetime | None:
    """Return when a length of time began."""
    hours = SPANS.get(span or "All")
    return datetime.now(UTC) - timedelta(hours=hours) if hours else None
