"""Sessions, turns, labels, feedback, promotions and API keys."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create all tables."""
    _conversations()
    _judgements()
    _administration()


def _conversations() -> None:
    """Create sessions and their turns."""
    op.create_table(
        "sessions",
        sa.Column("session_id", sa.String(36), primary_key=True),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("last_query_at", _MOMENT),
        sa.Column(
            "query_count", sa.Integer, sa.CheckConstraint("query_count >= 0"), nullable=False, server_default="0"
        ),
        sa.Column("title", sa.Text, nullable=False, server_default=""),
        sa.Column("owner", sa.String(200)),
    )  # fmt: skip
    op.create_table(
        "turns",
        sa.Column(
            "session_id", sa.String(36), sa.ForeignKey("sessions.session_id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("request_id", sa.Text, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("answer", sa.JSON, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
    )  # fmt: skip
    op.create_index("ix_turns_request_id", "turns", ["request_id"])


def _judgements() -> None:
    """Create labels and feedback."""
    op.create_table(
        "labels",
        sa.Column("target", sa.String(200), primary_key=True),
        sa.Column("aspect", sa.String(20), primary_key=True),
        sa.Column("item", sa.String(200), primary_key=True, server_default=""),
        sa.Column("labeller", sa.String(200), primary_key=True),
        sa.Column("verdict", sa.String(200), nullable=False),
        sa.Column("note", sa.Text, nullable=False, server_default=""),
        sa.Column("created_at", _MOMENT, nullable=False),
    )
    op.create_table(
        "feedback",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("request_id", sa.Text, nullable=False),
        sa.Column("verdict", sa.String(20), nullable=False),
        sa.Column("note", sa.Text, nullable=False, server_default=""),
        sa.Column("by", sa.String(200), nullable=False, server_default=""),
        sa.Column("created_at", _MOMENT, nullable=False),
    )
    op.create_index("ix_feedback_request_id", "feedback", ["request_id"])


def _administration() -> None:
    """Create promoted settings and API keys."""
    op.create_table(
        "promotions",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("by", sa.String(200), nullable=False, server_default=""),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("undone_at", _MOMENT),
        sa.Column("undone_by", sa.String(200)),
    )
    op.create_table(
        "api_keys",
        sa.Column("key_id", sa.String(32), primary_key=True),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("secret_hash", sa.String(64), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("revoked_at", _MOMENT),
    )
