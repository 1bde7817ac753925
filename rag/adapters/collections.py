"""Collections: named sets of documents. A document may be in several, and stays in them while it is not indexed."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from rag.adapters import tables
from rag.adapters.database import Database
from rag.stored.values import Collection


class SqlCollections:
    """The collections of one database. Every method may raise `ServiceUnavailable` or `ConfigurationError`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, name: str, documents: Iterable[str] = (), *, by: str = "") -> Collection:
        """Put documents into a collection, which is begun where there is none of this name."""
        with self._database.transaction(write=True) as connection:
            _touch(connection, name, by)
            _insert(connection, name, documents)
            return _read(connection, name)[0]

    def put(self, name: str, documents: Iterable[str], *, by: str = "") -> Collection:
        """Let a collection have exactly these documents; it is begun where there is none of this name."""
        with self._database.transaction(write=True) as connection:
            _touch(connection, name, by)
            connection.execute(sa.delete(tables.collected).where(tables.collected.c.collection == name))
            _insert(connection, name, documents)
            return _read(connection, name)[0]

    def take_out(self, name: str, documents: Iterable[str], *, by: str = "") -> Collection | None:
        """Take documents out of a collection, which stays; None where there is none of this name."""
        unwanted = tables.collected.c.document.in_([*documents])
        with self._database.transaction(write=True) as connection:
            if not _read(connection, name):
                return None
            _touch(connection, name, by)
            connection.execute(sa.delete(tables.collected).where(tables.collected.c.collection == name, unwanted))
            return _read(connection, name)[0]

    def remove(self, name: str) -> bool:
        """Remove a collection, and no document; return whether there was one."""
        with self._database.transaction(write=True) as connection:
            return connection.execute(sa.delete(tables.collections).where(_named(name))).rowcount > 0

    def get(self, name: str) -> Collection | None:
        """Return a collection, or None where there is none of this name."""
        with self._database.transaction() as connection:
            return next(iter(_read(connection, name)), None)

    def list(self) -> Sequence[Collection]:
        """Return all collections, by name."""
        with self._database.transaction() as connection:
            return _read(connection)


def _named(name: str) -> "sa.ColumnElement[bool]":
    return tables.collections.c.name == name


def _touch(connection: sa.Connection, name: str, by: str) -> None:
    """Note who changes a collection and when; begin it where there is none."""
    insert = _insert_into(connection, tables.collections).values(name=name, by=by, changed_at=datetime.now(UTC))
    changed = {one: insert.excluded[one] for one in ("by", "changed_at")}
    connection.execute(insert.on_conflict_do_update(index_elements=["name"], set_=changed))


def _insert(connection: sa.Connection, name: str, documents: Iterable[str]) -> None:
    rows = [{"collection": name, "document": document} for document in dict.fromkeys(documents)]
    if rows:
        connection.execute(_insert_into(connection, tables.collected).on_conflict_do_nothing(), rows)


def _insert_into(connection: sa.Connection, table: sa.Table) -> Any:
    insert: Any = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    return insert(table)


def _read(connection: sa.Connection, name: str | None = None) -> list[Collection]:
    """Return the collection of a name, or all, with their documents."""
    kept, held = tables.collections, tables.collected
    query = sa.select(kept, held.c.document).outerjoin(held).order_by(kept.c.name, held.c.document)
    rows = connection.execute(query if name is None else query.where(_named(name))).all()
    documents: dict[str, list[str]] = {row.name: [] for row in rows}
    for row in rows:
        documents[row.name] += [row.document] if row.document is not None else []
    found = {row.name: row for row in rows}
    return [
        Collection(name=one, documents=tuple(documents[one]), by=row.by, changed_at=row.changed_at)
        for one, row in found.items()
    ]
