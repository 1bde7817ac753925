"""The catalogue in a SQL database: SQLite by default, Postgres where processes share it.

Every write is one transaction that first counts up `catalogue_state.revision`. That row is the lock which puts writers
in line, and it tells other processes that what they keep in memory is stale.
"""

import hashlib
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import Any

import numpy as np
import sqlalchemy as sql
from sqlalchemy.exc import DBAPIError, IntegrityError

from rag.adapters.journal import REMOVING, WRITING, Journal, journal, schema
from rag.adapters.processes import Process, this_process
from rag.adapters.sql import insert_into, open_engine, translated
from rag.errors import ConfigurationError
from rag.models import DocumentRecord
from rag.protocols import INGESTION, DocumentVersion

STALE_AFTER_S = 1.0  # how long another process's change may go unseen
SCHEMA = 1  # the form of the tables; another Candor's may be another
_CACHED_TERMS, _BATCH = 200_000, 2_000

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
_terms = sql.Table(
    "catalogue_terms",
    schema,
    sql.Column("term", sql.BigInteger, primary_key=True, autoincrement=False),
    sql.Column("chunks", sql.Integer, nullable=False, comment="in how many chunks the term occurs; may be 0"),
)
_find_terms = sql.select(_terms.c.term, _terms.c.chunks).where(_terms.c.term.in_(sql.bindparam("ids", expanding=True)))
_records = sql.select(documents.c.record)
_find_revision = sql.select(state.c.revision)


@dataclass
class _Seen:
    """What is known of one revision; the rest is filled in when it is first asked for."""

    revision: int
    hidden: tuple[DocumentVersion, ...]
    meta: dict[str, str]
    checked_at: float
    frequencies: dict[int, int] = field(default_factory=dict)
    chunk_count: int | None = None
    fingerprint: str | None = None


class SqlCatalogue(Journal):
    """A `Catalogue` in a SQL database. Threads may share it; other processes' changes are seen within a second.

    Args:
        url: SQLAlchemy address, as `sqlite:///catalogue.db` or `postgresql+psycopg://user:password@host/name`.
        process: In whose name the journal is written; None: the running one.

    Raises:
        ConfigurationError: The address is malformed, the database is damaged, or a newer Candor wrote it.
        StoreUnavailable: The database is locked or cannot be reached.
    """

    def __init__(self, url: str, *, process: Process | None = None) -> None:
        super().__init__(open_engine(url), process or this_process())
        self._writing, self._reading, self._publishing = Lock(), Lock(), Lock()
        with translated(self._engine):
            _create_tables(self._engine)
        self._seen = self._look()
        self._records: tuple[int, tuple[DocumentRecord, ...]] = (-1, ())

    def documents(self) -> list[DocumentRecord]:
        """Return the indexed documents, by name; they are parsed again only where something was changed since."""
        with self._connection() as connection:
            revision = int(connection.scalar(_find_revision) or 0)
            known, records = self._records
            if known != revision:
                read = (DocumentRecord.model_validate_json(row.record) for row in connection.execute(_records))
                records = tuple(sorted(read, key=lambda record: record.document))
                self._records = (revision, records)
        return [*records]

    def get(self, document: str) -> DocumentRecord | None:
        """Return one document, or None where it is not indexed."""
        rows = self._all(_records.where(documents.c.document == document))
        return DocumentRecord.model_validate_json(rows[0].record) if rows else None

    def commit(self, record: DocumentRecord, term_counts: dict[int, int]) -> str | None:
        """Make this version the document, in one transaction; return the version that it replaced.

        Raises:
            InvalidDocument: What `begin` noted is gone: another process took this one for ended.
        """
        with self._transaction() as connection:
            self._check_held(connection, record.document, record.hash)
            replaced = _take_out(connection, record.document, added=term_counts)
            values = {"document": record.document, "hash": record.hash, "chunks": record.chunks}
            values |= {"record": record.model_dump_json(), "terms": _pack(term_counts)}
            connection.execute(sql.insert(documents).values(values))
            self._drop(connection, record.document, record.hash)
            if replaced not in (None, record.hash):
                self._note(connection, record.document, str(replaced), REMOVING)
        return replaced

    def begin_removal(self, document: str) -> str | None:
        """Take a document out in one transaction, its chunks hidden; return the version it had, None where it is gone.

        Raises:
            InvalidDocument: Another process is writing or removing the document; the message names it.
        """
        with self._transaction() as connection:
            self._check_free(connection, document)
            removed = _take_out(connection, document, added={})
            if removed is not None:
                self._note(connection, document, removed, REMOVING)
        return removed

    def unfinished(self) -> list[tuple[str, str | None, str | None]]:
        """Return (document, version being written and not committed, committed version) of all open work."""
        writing = sql.case((journal.c.state == WRITING, journal.c.version), else_=None)
        query = sql.select(journal.c.document, writing, documents.c.hash).outerjoin_from(
            journal, documents, journal.c.document == documents.c.document
        )
        return sorted((tuple(row) for row in self._all(query)), key=lambda row: (row[0], row[1] or ""))

    def take_over(self, *, alone: bool = False) -> list[tuple[str, str | None, str | None]]:
        """Become the owner of interrupted work, and return it as `unfinished` does.

        Interrupted is what this catalogue began, and what a process began that is known to have ended or was not
        heard of for five minutes. `alone`: no other process has the index open, so that all of it is.
        """
        with self._connection() as connection:
            if not self._abandoned(connection, alone=alone):
                return []
        with self._transaction() as connection:
            found = self._abandoned(connection, alone=alone)
            for document, version in found:
                self._own(connection, document, version)
        taken = {document for document, _ in found}
        return [entry for entry in self.unfinished() if entry[0] in taken]

    def hidden_versions(self) -> tuple[DocumentVersion, ...]:
        """Return the documents' versions that readers must not see now. Cheap: called for every question."""
        return self._now().hidden

    def document_frequencies(self, terms: Sequence[int]) -> dict[int, int]:
        """Return in how many chunks each term occurs; terms that occur nowhere are missing."""
        known = self._now().frequencies
        missing = [term for term in terms if term not in known]
        if missing:
            if len(known) > _CACHED_TERMS:
                known.clear()
            with self._connection() as connection:
                known.update(dict.fromkeys(missing, 0) | _counts_of(connection, missing))
        return {term: chunks for term in terms if (chunks := known.get(term, 0)) > 0}

    def versions(self) -> list[tuple[str, str]]:
        """Return name and hash of every indexed document, by name."""
        return sorted((row.document, row.hash) for row in self._all(sql.select(documents.c.document, documents.c.hash)))

    def terms(self, document: str) -> frozenset[int]:
        """Return the ids of the terms that occur in a document; none where it is not indexed."""
        rows = self._all(sql.select(documents.c.terms).where(documents.c.document == document))
        return frozenset(_unpack(rows[0].terms)) if rows else frozenset()

    def chunk_count(self) -> int:
        """Return how many chunks all documents have."""
        seen = self._now()
        if seen.chunk_count is None:
            seen.chunk_count = int(self._all(sql.select(sql.func.sum(documents.c.chunks)))[0][0] or 0)
        return seen.chunk_count

    def fingerprint(self) -> str:
        """Return a hash over all documents and versions, and the version of ingestion where one is noted."""
        seen = self._now()
        if seen.fingerprint is None:
            lines = sorted(f"{document}\n{version}\n" for document, version in self.versions())
            lines += [f"{INGESTION}\n{seen.meta[INGESTION]}\n"] if INGESTION in seen.meta else []
            seen.fingerprint = hashlib.sha256("".join(lines).encode()).hexdigest()
        return seen.fingerprint

    def get_meta(self, key: str) -> str | None:
        """Return a stored property of the index, as its embedding fingerprint."""
        return self._now().meta.get(key)

    def set_meta(self, key: str, value: str) -> None:
        """Store a property of the index."""
        with self._transaction() as connection:
            insert = insert_into(connection, properties).values(name=key, value=value)
            connection.execute(insert.on_conflict_do_update(index_elements=["name"], set_={"value": value}))

    def note_once(self, key: str, value: str) -> str:
        """Store a property unless there is one; return what stands there, the same in all processes."""
        with self._transaction() as connection:  # one writer at a time: nobody stores another between the two
            found = connection.scalar(sql.select(properties.c.value).where(properties.c.name == key))
            if found is None:
                connection.execute(sql.insert(properties).values(name=key, value=value))
        return value if found is None else str(found)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def _all(self, query: sql.Select[Any]) -> Sequence[Any]:
        with self._connection() as connection:
            return connection.execute(query).all()

    @contextmanager
    def _transaction(self) -> Iterator[sql.Connection]:
        """Write alone; on leaving, memory shows what was written."""
        with self._writing:
            with translated(self._engine), self._engine.begin() as connection:
                connection.execute(sql.update(state).values(revision=state.c.revision + 1))
                yield connection
            self._publish(self._look())

    def _now(self) -> _Seen:
        """Return what is in memory, after a look at the database where that is too long ago."""
        seen = self._seen
        if monotonic() - seen.checked_at < STALE_AFTER_S or not self._reading.acquire(blocking=False):
            return seen
        try:
            if self._all(_find_revision)[0].revision == seen.revision:
                seen.checked_at = monotonic()
            else:
                self._publish(self._look())
            return self._seen
        finally:
            self._reading.release()

    def _publish(self, seen: _Seen) -> None:
        """Show what was read, unless a writer has shown something newer meanwhile."""
        with self._publishing:
            if seen.revision >= self._seen.revision:
                self._seen = seen

    def _look(self) -> _Seen:
        now = monotonic()
        with self._connection() as connection:
            revision = int(connection.scalar(_find_revision) or 0)
            hidden = sorted((row[0], row[1]) for row in connection.execute(sql.select(*journal.primary_key)))
            meta = {row[0]: row[1] for row in connection.execute(sql.select(properties))}
        return _Seen(revision, tuple(hidden), meta, now)


def _create_tables(engine: sql.Engine) -> None:
    """Make the tables where there are none; refuse those that have the form of another Candor."""
    try:
        schema.create_all(engine)
    except DBAPIError as error:
        if "already exists" not in str(error):
            raise
        schema.create_all(engine)  # another process made a table meanwhile; what is missing is made
    with engine.connect() as connection:
        version = connection.scalar(sql.select(state.c.schema))
    if version is None:
        with suppress(IntegrityError), engine.begin() as connection:  # another process may have been first
            connection.execute(sql.insert(state).values(schema=SCHEMA, revision=0))
    elif version != SCHEMA:
        raise ConfigurationError(
            f"The catalogue {engine.url.render_as_string()!r} has schema version {version!r}, but this Candor reads "
            f"version {SCHEMA}. Use the Candor version that wrote it, or another CANDOR_DATA_DIR or "
            "CANDOR_DATABASE_URL."
        )


def _take_out(connection: sql.Connection, document: str, *, added: dict[int, int]) -> str | None:
    """Delete a document's row and count its terms out and `added` in; return the version it had."""
    where = documents.c.document == document
    row = connection.execute(sql.select(documents.c.hash, documents.c.terms).where(where)).one_or_none()
    removed = _unpack(row.terms) if row else {}
    both = {term: added.get(term, 0) - removed.get(term, 0) for term in sorted(added.keys() | removed.keys())}
    changes = [{"term": term, "chunks": change} for term, change in both.items() if change]
    if changes:
        insert = insert_into(connection, _terms)
        counted = {"chunks": _terms.c.chunks + insert.excluded.chunks}
        connection.execute(insert.on_conflict_do_update(index_elements=["term"], set_=counted), changes)
    connection.execute(sql.delete(documents).where(where))
    return row.hash if row else None


def _counts_of(connection: sql.Connection, terms: Sequence[int]) -> dict[int, int]:
    """Return in how many chunks each term occurs; terms that were never counted are missing."""
    batches = (terms[start : start + _BATCH] for start in range(0, len(terms), _BATCH))
    return {row.term: row.chunks for ids in batches for row in connection.execute(_find_terms, {"ids": ids})}


def _pack(counts: dict[int, int]) -> bytes:
    """Return the terms of one document and in how many of its chunks each occurs, for one cell of a table."""
    return zlib.compress(np.array([*counts.keys(), *counts.values()], dtype="<u4").tobytes())


def _unpack(packed: bytes) -> dict[int, int]:
    """Return what `pack` packed."""
    numbers = np.frombuffer(zlib.decompress(packed), dtype="<u4").tolist()
    half = len(numbers) // 2
    return dict(zip(numbers[:half], numbers[half:], strict=True))
