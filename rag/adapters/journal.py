"""The catalogue's journal: which versions are being written or removed, by whom, and when that one was last heard of.

Several processes may share an index. An entry whose owner lives is left to it; one is debris when its owner is known
to have ended, or was not heard of for `LEASE_S`. Owners stand in a table of their own, so that a catalogue of an
earlier Candor needs no change of form; an entry without owner, as that one left it, is debris.
"""

import time
from uuid import uuid4

import sqlalchemy as sql

from rag.adapters.processes import Process, has_ended
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


class Journal:
    """One owner's view of the journal; every method works within the caller's transaction.

    Args:
        process: The running process.
        dialect: The database's name, as SQLAlchemy calls it.
    """

    def __init__(self, process: Process, dialect: str) -> None:
        self._process, self._dialect = process, dialect
        self._owner = uuid4().hex

    def note(self, connection: sql.Connection, document: str, version: str, state: str) -> None:
        """Enter a version, or change what is being done with it; from now on it is this owner's.

        Raises:
            InvalidDocument: Another owner that lives is writing or removing the document; the message names it.
        """
        self.check_free(connection, document)
        connection.execute(sql.delete(journal).where(_entry(journal, document, version)))
        connection.execute(sql.insert(journal).values(document=document, version=version, state=state))
        self._own(connection, document, version)

    def check_free(self, connection: sql.Connection, document: str) -> None:
        """Check that no other owner that lives is writing or removing a document.

        Raises:
            InvalidDocument: One is; the message names it.
        """
        holder = self.held_elsewhere(connection).get(document)
        if holder:
            raise InvalidDocument(
                f"{document!r} was not changed: {holder} is writing or removing it now. Wait until it has finished, "
                "then try again."
            )

    def drop(self, connection: sql.Connection, document: str, version: str | None = None) -> None:
        """Take out this owner's entries of a document, or of one version; those of others stay."""
        for each, found, owner in self._owned(connection):
            if each == document and version in (None, found) and owner in (None, self._owner):
                connection.execute(sql.delete(journal).where(_entry(journal, each, found)))
                connection.execute(sql.delete(owners).where(_entry(owners, each, found)))

    def check_held(self, connection: sql.Connection, document: str, version: str) -> None:
        """Check that this owner's entry of a version that it writes still stands.

        Raises:
            InvalidDocument: Another owner took this one for ended and cleared the version away.
        """
        query = sql.select(journal.c.state).join_from(journal, owners, _is_owned)
        mine = sql.and_(_entry(journal, document, version), owners.c.owner == self._owner)
        if connection.scalar(query.where(mine)) != WRITING:
            raise InvalidDocument(
                f"{document!r} was not ingested: this process did not respond for more than {LEASE_S} s while it wrote "
                "the document, so another process removed what was written. Ingest it again."
            )

    def held_elsewhere(self, connection: sql.Connection) -> dict[str, str]:
        """Return the documents that another owner, which lives, is writing or removing, and who it is."""
        rows = connection.execute(_entries).all()
        others = [row for row in rows if row.owner not in (None, self._owner)]
        now = self._now(connection) if others else 0
        living: dict[str, str] = {}
        for row in others:
            process = Process(row.host, row.boot, row.space, row.pid, row.started)
            is_silent = abs(now - row.seen_at) > LEASE_S
            if not is_silent and not has_ended(process, here=self._process, one_machine=self._dialect == "sqlite"):
                living[row[0]] = str(process)
        return living

    def abandoned(self, connection: sql.Connection, *, alone: bool) -> list[tuple[str, str]]:
        """Return document and version of the entries that are this owner's or debris; `alone`: all of them."""
        held = {} if alone else self.held_elsewhere(connection)
        return [(row[0], row[1]) for row in connection.execute(_entries) if row[0] not in held]

    def take_over(self, connection: sql.Connection, *, alone: bool) -> list[tuple[str, str]]:
        """Become the owner of the entries that are abandoned, and return them."""
        found = self.abandoned(connection, alone=alone)
        for document, version in found:
            self._own(connection, document, version)
        return found

    def release(self, connection: sql.Connection, document: str) -> None:
        """Leave this owner's entries of a document to whoever takes them over next."""
        mine = sql.and_(owners.c.document == document, owners.c.owner == self._owner)
        connection.execute(sql.delete(owners).where(mine))

    def renew(self, connection: sql.Connection) -> None:
        """Note that this owner lives."""
        seen = {"seen_at": self._now(connection)}
        connection.execute(sql.update(owners).where(owners.c.owner == self._owner).values(seen))

    def _own(self, connection: sql.Connection, document: str, version: str) -> None:
        process = self._process
        values = {"host": process.host, "boot": process.boot, "space": process.space, "pid": process.pid}
        values |= {"started": process.started, "owner": self._owner, "seen_at": self._now(connection)}
        connection.execute(sql.delete(owners).where(_entry(owners, document, version)))
        connection.execute(sql.insert(owners).values(document=document, version=version, **values))

    def _owned(self, connection: sql.Connection) -> list[tuple[str, str, str | None]]:
        return [(row[0], row[1], row.owner) for row in connection.execute(_entries)]

    def _now(self, connection: sql.Connection) -> int:
        """Return the time in seconds since 1970: the server's, which all share; a SQLite file has one machine."""
        if self._dialect != "postgresql":
            return int(time.time())
        return int(connection.scalar(sql.select(sql.extract("epoch", sql.func.clock_timestamp()))) or 0)


def _entry(table: sql.Table, document: str, version: str) -> sql.ColumnElement[bool]:
    return sql.and_(table.c.document == document, table.c.version == version)
