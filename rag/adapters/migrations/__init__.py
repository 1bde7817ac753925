"""How the tables came to be: one file in `versions` for each change, applied in order when the database is opened."""

HEAD = "0003"
"""The newest revision in `versions`: a database that is at it needs nothing, and alembic is not even loaded."""
VERSION_TABLE = "candor_sessions_version"
"""Where the database keeps the revision it is at."""
