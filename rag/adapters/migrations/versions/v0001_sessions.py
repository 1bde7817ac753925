"""Sessions, turns, labels, feedback, promotions and API keys: what a database at this revision has.

No database is made by this: a new one gets the newest tables at once.
"""

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Do nothing."""
