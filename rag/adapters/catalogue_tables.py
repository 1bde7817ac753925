"""The catalogue's tables: documents, how many chunks have each term, properties, the revision that a write raises."""

import zlib
from collections.abc import Sequence

import numpy as np
import sqlalchemy as sql
from sqlalchemy.exc import DBAPIError, IntegrityError

from rag.adapters.journal import schema
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
_BATCH = 2_000

_terms = sql.Table(
    "catalogue_terms",
    schema,
    sql.Column("term", sql.BigInteger, primary_key=True, autoincrement=False),
    sql.Column("chunks", sql.Integer, nullable=False, comment="in how many chunks the term occurs; may be 0"),
)
_find_terms = sql.select(_terms.c.term, _terms.c.chunks).where(_terms.c.term.in_(sql.bindparam("ids", expanding=True)))
_add_chunks = (
    sql.update(_terms)
    .where(_terms.c.term == sql.bindparam("id"))
    .values(chunks=_terms.c.chunks + sql.bindparam("added"))
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
            f"The catalogue {engine.url.render_as_string()!r} has schema version {version!r}, but this Candor reads "
            f"version {SCHEMA}. Use the Candor version that wrote it, or another CANDOR_DATA_DIR or "
            "CANDOR_DATABASE_URL."
        )


def take_out(connection: sql.Connection, document: str, *, added: dict[int, int]) -> str | None:
    """Delete a document's row and count its terms out and `added` in; return the version it had."""
    where = documents.c.document == document
    row = connection.execute(sql.select(documents.c.hash, documents.c.terms).where(where)).one_or_none()
    removed = unpack(row.terms) if row else {}
    changes = {term: added.get(term, 0) - removed.get(term, 0) for term in sorted(added.keys() | removed.keys())}
    changes = {term: change for term, change in changes.items() if change}
    known = counts_of(connection, list(changes))
    updates = [{"id": term, "added": change} for term, change in changes.items() if term in known]
    inserts = [{"term": term, "chunks": change} for term, change in changes.items() if term not in known]
    if updates:
        connection.execute(_add_chunks, updates)
    if inserts:
        connection.execute(sql.insert(_terms), inserts)
    connection.execute(sql.delete(documents).where(where))
    return row.hash if row else None


def counts_of(connection: sql.Connection, terms: Sequence[int]) -> dict[int, int]:
    """Return in how many chunks each term occurs; terms that were never counted are missing."""
    batches = (terms[start : start + _BATCH] for start in range(0, len(terms), _BATCH))
    return {row.term: row.chunks for ids in batches for row in connection.execute(_find_terms, {"ids": ids})}


def pack(counts: dict[int, int]) -> bytes:
    """Return the terms of one document and in how many of its chunks each occurs, for one cell of a table."""
    return zlib.compress(np.array([*counts.keys(), *counts.values()], dtype="<u4").tobytes())


def unpack(packed: bytes) -> dict[int, int]:
    """Return what `pack` packed."""
    numbers = np.frombuffer(zlib.decompress(packed), dtype="<u4").tolist()
    half = len(numbers) // 2
    return dict(zip(numbers[:half], numbers[half:], strict=True))
