"""The catalogue's journal: which versions are being written or removed, by whom, and when that one was last heard of.

Several processes may share an index. An entry whose owner lives is left to it; one is debris when its owner is known
to have ended, or was not heard of for `LEASE_S`. Owners stand in a table of their own, so that a catalogue of an
earlier Candor needs no change of form; an entry without owner, as that one left it, is debris.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict
from uuid import uuid4

import sqlalchemy as sql

from rag.adapters.processes import Process, has_ended
from rag.adapters.sql import translated
from rag.errors import InvalidDocument

LEASE_S = 300
"""How long an owner may be silent before others take over what it was writing, where nothing else is known of it."""
WRITING, REMOVING = "writing", "removing"

schema = sql.MetaData()
journal = sql.Table(
    "catalogue_journal",
    schema,
    sql.Column("document", sql.String(1024), primary_key=True),
    sql.Column("version", sql.String(64), primary_key=True, comment="hidden from readers"),
    sql.Column("state", sql.String(8), nullable=False, comment="writing or removing"),
)
owners = sql.Table(
    "catalogue_owners",
    schema,
    sql.Column("document", sql.String(1024), primary_key=True),
    sql.Column("version", sql.String(64), primary_key=True),
    sql.Column("owner", sql.String(32), nullable=False, comment="one open catalogue of one process"),
    sql.Column("host", sql.String(255), nullable=False),
    sql.Column("boot", sql.String(64), nullable=False),
    sql.Column("space", sql.String(64), nullable=False),
    sql.Column("pid", sql.BigInteger, nullable=False),
    sql.Column("started", sql.String(32), nullable=False),
    sql.Column("seen_at", sql.BigInteger, nullable=False, comment="seconds since 1970"),
)
_is_owned = sql.and_(journal.c.document == owners.c.document, journal.c.version == owners.c.version)
_entries = sql.select(journal.c.document, journal.c.version, *list(owners.c)[2:]).outerjoin_from(
    journal, owners, _is_owned
)


class Journal(ABC):
    """The part of `SqlCatalogue` that keeps the journal, in the name of one process.

    Every method may raise `StoreUnavailable` or `ConfigurationError`.
    """

    def __init__(self, engine: sql.Engine, process: Process) -> None:
        self._engine, self._process, self._owner = engine, process, uuid4().hex

    def begin(self, document: str, version: str) -> None:
        """Note that a version of a document is about to be written; it stays hidden until `commit`.

        Raises:
            InvalidDocument: Another process is writing or removing the document; the message names it.
        """
        with self._transaction() as connection:
            self._note(connection, document, version, WRITING)

    def check_held(self, document: str, version: str) -> None:
        """Check that nobody has taken over a version that this process is writing; raises `InvalidDocument`."""
        with self._connection() as connection:
            self._check_held(connection, document, version)

    def finish(self, document: str) -> None:
        """Note that the store holds exactly the committed version, or nothing; entries of others stay."""
        with self._transaction() as connection:
            self._drop(connection, document)

    def release(self, document: str) -> None:
        """Leave interrupted work on a document, still hidden, to whichever process takes it over next."""
        with self._transaction() as connection:
            mine = sql.and_(owners.c.document == document, owners.c.owner == self._owner)
            connection.execute(sql.delete(owners).where(mine))

    def renew(self) -> None:
        """Note that this process lives, so that nobody takes over what it has begun."""
        with translated(self._engine), self._engine.begin() as connection:
            seen = {"seen_at": self._now_s(connection)}
            connection.execute(sql.update(owners).where(owners.c.owner == self._owner).values(seen))

    def held_elsewhere(self) -> dict[str, str]:
        """Return the documents that other processes are writing or removing now, and which process each is."""
        with self._connection() as connection:
            return self._held_elsewhere(connection)

    # --- within a transaction -----------------------------------------------------------------------------------------

    @abstractmethod
    def _transaction(self) -> AbstractContextManager[sql.Connection]:
        """Write alone."""

    @contextmanager
    def _connection(self) -> Iterator[sql.Connection]:
        """Hold a connection to read."""
        with translated(self._engine), self._engine.connect() as connection:
            yield connection

    def _note(self, connection: sql.Connection, document: str, version: str, state: str) -> None:
        """Enter a version, or change what is being done with it; from now on it is this owner's."""
        self._check_free(connection, document)
        connection.execute(sql.delete(journal).where(_entry(journal, document, version)))
        connection.execute(sql.insert(journal).values(document=document, version=version, state=state))
        self._own(connection, document, version)

    def _check_free(self, connection: sql.Connection, document: str) -> None:
        holder = self._held_elsewhere(connection).get(document)
        if holder:
            raise InvalidDocument(
                f"{document!r} was not changed: {holder} is writing or removing it now. Wait until it has finished, "
                "then try again."
            )

    def _drop(self, connection: sql.Connection, document: str, version: str | None = None) -> None:
        """Take out this owner's entries of a document, or of one version; those of others stay."""
        for row in connection.execute(_entries.where(journal.c.document == document)).all():
            if version in (None, row.version) and row.owner in (None, self._owner):
                for table in (journal, owners):
                    connection.execute(sql.delete(table).where(_entry(table, document, row.version)))

    def _check_held(self, connection: sql.Connection, document: str, version: str) -> None:
        query = sql.select(journal.c.state).join_from(journal, owners, _is_owned)
        mine = sql.and_(_entry(journal, document, version), owners.c.owner == self._owner)
        if connection.scalar(query.where(mine)) != WRITING:
            raise InvalidDocument(
                f"{document!r} was not ingested: this process did not respond for more than {LEASE_S} s while it wrote "
                "the document, so another process removed what was written. Ingest it again."
            )

    def _held_elsewhere(self, connection: sql.Connection) -> dict[str, str]:
        """Return the documents of other owners that live, and who each is."""
        others = [row for row in connection.execute(_entries) if row.owner not in (None, self._owner)]
        now_s = self._now_s(connection) if others else 0
        is_file = self._engine.dialect.name == "sqlite"
        living: dict[str, str] = {}
        for row in others:
            process = Process(row.host, row.boot, row.space, row.pid, row.started)
            is_silent = abs(now_s - row.seen_at) > LEASE_S
            if not is_silent and not has_ended(process, here=self._process, one_machine=is_file):
                living[row.document] = str(process)
        return living

    def _abandoned(self, connection: sql.Connection, *, alone: bool) -> list[tuple[str, str]]:
        """Return document and version of the entries that are this owner's or debris; `alone`: all of them."""
        held = {} if alone else self._held_elsewhere(connection)
        return [(row.document, row.version) for row in connection.execute(_entries) if row.document not in held]

    def _own(self, connection: sql.Connection, document: str, version: str) -> None:
        values = {"document": document, "version": version, "owner": self._owner, "seen_at": self._now_s(connection)}
        connection.execute(sql.delete(owners).where(_entry(owners, document, version)))
        connection.execute(sql.insert(owners).values(values | asdict(self._process)))

    def _now_s(self, connection: sql.Connection) -> int:
        """Return the time in seconds since 1970: the server's, which all share; a SQLite file has one machine."""
        if self._engine.dialect.name != "postgresql":
            return int(time.time())
        return int(connection.scalar(sql.select(sql.extract("epoch", sql.func.clock_timestamp()))) or 0)


def _entry(table: sql.Table, document: str, version: str) -> sql.ColumnElement[bool]:
    return sql.and_(table.c.document == document, table.c.version == version)
