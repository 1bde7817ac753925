"""How the tables change: one file in `versions` for each change, applied in order when an older database is opened.

A new database gets the tables of `rag.adapters.tables` at once.
"""

HEAD = "0003"
"""The newest revision in `versions`: a database that is at it needs nothing, and alembic is not even loaded."""
VERSION_TABLE = "candor_sessions_version"  # where the database keeps the revision it is at
