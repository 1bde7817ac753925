"""No table of feedback: nothing wrote to it, since what readers think of an answer stands in `feedback.jsonl`."""

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Remove the table with its index."""
    op.drop_index("ix_feedback_request_id", "feedback")
    op.drop_table("feedback")
