"""The tables of the database, for SQLite and PostgreSQL alike. `migrations` creates and changes them."""

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa


class UtcDateTime(sa.TypeDecorator[datetime]):
    """A moment with its zone in Python, UTC in the database."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:
        """Return the moment in UTC; SQLite keeps no zone."""
        if value is None:
            return None
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        """Return the moment with its zone."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


metadata = sa.MetaData()

sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("session_id", sa.String(36), primary_key=True),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("last_query_at", UtcDateTime),
    sa.Column("query_count", sa.Integer, sa.CheckConstraint("query_count >= 0"), nullable=False, server_default="0"),
    sa.Column("title", sa.Text, nullable=False, server_default=""),
    sa.Column("owner", sa.String(200)),
)

turns = sa.Table(
    "turns",
    metadata,
    sa.Column(
        "session_id", sa.String(36), sa.ForeignKey("sessions.session_id", ondelete="CASCADE"), primary_key=True
    ),
    sa.Column("position", sa.Integer, primary_key=True),
    sa.Column("request_id", sa.Text, nullable=False, index=True),
    sa.Column("question", sa.Text, nullable=False),
    sa.Column("answer", sa.JSON, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
)  # fmt: skip

labels = sa.Table(
    "labels",
    metadata,
    sa.Column("target", sa.String(200), primary_key=True),
    sa.Column("aspect", sa.String(20), primary_key=True),
    sa.Column("item", sa.String(200), primary_key=True, server_default=""),
    sa.Column("labeller", sa.String(200), primary_key=True),
    sa.Column("verdict", sa.String(200), nullable=False),
    sa.Column("note", sa.Text, nullable=False, server_default=""),
    sa.Column("created_at", UtcDateTime, nullable=False),
)

collections = sa.Table(
    "collections",
    metadata,
    sa.Column("name", sa.String(200), primary_key=True),
    sa.Column("by", sa.String(200), nullable=False, server_default=""),
    sa.Column("changed_at", UtcDateTime, nullable=False),
)

collected = sa.Table(
    "collected",
    metadata,
    sa.Column(
        "collection", sa.String(200), sa.ForeignKey("collections.name", ondelete="CASCADE"), primary_key=True
    ),
    sa.Column("document", sa.String(1000), primary_key=True),
)  # fmt: skip

house_words = sa.Table(
    "house_words",
    metadata,
    sa.Column("word", sa.String(100), primary_key=True),
    sa.Column("means", sa.String(200), primary_key=True),
    sa.Column("by", sa.String(200), nullable=False, server_default=""),
    sa.Column("created_at", UtcDateTime, nullable=False),
)

promotions = sa.Table(
    "promotions",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("settings", sa.JSON, nullable=False),
    sa.Column("note", sa.Text, nullable=False),
    sa.Column("by", sa.String(200), nullable=False, server_default=""),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("undone_at", UtcDateTime),
    sa.Column("undone_by", sa.String(200)),
)

api_keys = sa.Table(
    "api_keys",
    metadata,
    sa.Column("key_id", sa.String(32), primary_key=True),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("role", sa.String(20), nullable=False),
    sa.Column("secret_hash", sa.String(64), nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("revoked_at", UtcDateTime),
)
