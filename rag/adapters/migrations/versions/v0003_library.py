"""Collections of documents, and house words."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create their tables."""
    op.create_table(
        "collections",
        sa.Column("name", sa.String(200), primary_key=True),
        sa.Column("by", sa.String(200), nullable=False, server_default=""),
        sa.Column("changed_at", _MOMENT, nullable=False),
    )
    op.create_table(
        "collected",
        sa.Column(
            "collection", sa.String(200), sa.ForeignKey("collections.name", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("document", sa.String(1000), primary_key=True),
    )  # fmt: skip
    op.create_table(
        "house_words",
        sa.Column("word", sa.String(100), primary_key=True),
        sa.Column("means", sa.String(200), primary_key=True),
        sa.Column("by", sa.String(200), nullable=False, server_default=""),
        sa.Column("created_at", _MOMENT, nullable=False),
    )
