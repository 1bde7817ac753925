"""The catalogue's tables: documents with their terms, properties of the index, the revision that a write raises."""

import sqlalchemy as sql
from sqlalchemy.exc import DBAPIError, IntegrityError

from rag.adapters.journal import schema
from rag.adapters.term_counts import count, unpack
from rag.errors import ConfigurationError

SCHEMA = 1
"""The form of the tables; another Candor's may be another."""

documents = sql.Table(
    "catalogue_documents",
    schema,
    sql.Column("document", sql.String(1024), primary_key=True),
    sql.Column("hash", sql.String(64), nullable=False),
    sql.Column("chunks", sql.Integer, nullable=False),
    sql.Column("record", sql.Text, nullable=False, comment="DocumentRecord as JSON"),
    sql.Column("terms", sql.LargeBinary, nullable=False, comment="term ids and counts: uint32, compressed"),
)
properties = sql.Table(
    "catalogue_meta",
    schema,
    sql.Column("name", sql.String(255), primary_key=True),
    sql.Column("value", sql.Text, nullable=False),
)
state = sql.Table(
    "catalogue_state",
    schema,
    sql.Column("schema", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("revision", sql.BigInteger, nullable=False),
)


def create_tables(engine: sql.Engine) -> None:
    """Make the tables where there are none.

    Raises:
        ConfigurationError: They have the form of another Candor.
    """
    try:
        schema.create_all(engine)
    except DBAPIError as error:
        if "already exists" not in str(error):
            raise
        schema.create_all(engine)  # another process made a table meanwhile; what is missing is made
    with engine.connect() as connection:
        version = connection.scalar(sql.select(state.c.schema))
    if version is None:
        try:
            with engine.begin() as connection:
                connection.execute(sql.insert(state).values(schema=SCHEMA, revision=0))
        except IntegrityError:
            pass  # Another process was first.
    elif version != SCHEMA:
        raise ConfigurationError(
            f"The catalogue {engine.url.render_as_string()!r} has the form {version!r}, and this Candor "
            f"reads form {SCHEMA}. Use the Candor that wrote it, or another CANDOR_DATA_DIR or CANDOR_DATABASE_URL."
        )


def take_out(connection: sql.Connection, document: str, *, added: dict[int, int]) -> str | None:
    """Delete a document's row and count its terms out and `added` in; return the version it had."""
    where = documents.c.document == document
    row = connection.execute(sql.select(documents.c.hash, documents.c.terms).where(where)).one_or_none()
    removed = unpack(row[1]) if row else {}
    changes = {term: added.get(term, 0) - removed.get(term, 0) for term in sorted(added.keys() | removed.keys())}
    count(connection, {term: change for term, change in changes.items() if change})
    connection.execute(sql.delete(documents).where(where))
    return row[0] if row else None
