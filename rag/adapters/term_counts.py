"""In how many chunks each term occurs: of one document, packed, and of all documents, counted in a table."""

import zlib
from collections.abc import Sequence

import numpy as np
import sqlalchemy as sql

from rag.adapters.journal import schema

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


def count(connection: sql.Connection, changes: dict[int, int]) -> None:
    """Add to the numbers of chunks in which terms occur.

    Args:
        connection: A transaction.
        changes: For each term id what is added; it may be negative.
    """
    known = counts_of(connection, list(changes))
    updates = [{"id": term, "added": change} for term, change in changes.items() if term in known]
    inserts = [{"term": term, "chunks": change} for term, change in changes.items() if term not in known]
    if updates:
        connection.execute(_add_chunks, updates)
    if inserts:
        connection.execute(sql.insert(_terms), inserts)


def counts_of(connection: sql.Connection, terms: Sequence[int]) -> dict[int, int]:
    """Return in how many chunks each term occurs; terms that were never counted are missing."""
    found: dict[int, int] = {}
    for start in range(0, len(terms), _BATCH):
        found.update(
            (row[0], row[1]) for row in connection.execute(_find_terms, {"ids": terms[start : start + _BATCH]})
        )
    return found


def pack(counts: dict[int, int]) -> bytes:
    """Return the terms of one document and in how many of its chunks each occurs, for one cell of a table."""
    return zlib.compress(np.array([*counts.keys(), *counts.values()], dtype="<u4").tobytes())


def unpack(packed: bytes) -> dict[int, int]:
    """Return what `pack` packed."""
    numbers = np.frombuffer(zlib.decompress(packed), dtype="<u4").tolist()
    half = len(numbers) // 2
    return dict(zip(numbers[:half], numbers[half:], strict=True))
