"""What experts judge: labels of answers, of passages, and of whether a question can be answered."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from rag.adapters import tables
from rag.adapters.database import Database
from rag.stored.values import Aspect, Label


class SqlLabels:
    """The labels of one database. Every method may raise `ServiceUnavailable` or `ConfigurationError`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, label: Label) -> Label:
        """Keep a judgment; one that the same person gave of the same thing before is replaced."""
        kept = label.model_copy(update={"created_at": label.created_at or datetime.now(UTC)})
        with self._database.transaction(write=True) as connection:
            insert: Any = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
            statement = insert(tables.labels).values(**kept.model_dump())
            changed = {name: statement.excluded[name] for name in ("verdict", "note", "created_at")}
            connection.execute(
                statement.on_conflict_do_update(index_elements=["target", "aspect", "item", "labeller"], set_=changed)
            )
        return kept

    def list(
        self, *, target: str | None = None, labeller: str | None = None, aspect: Aspect | None = None
    ) -> Sequence[Label]:
        """Return labels, oldest first, narrowed where asked for."""
        query = sa.select(tables.labels).order_by(tables.labels.c.created_at, tables.labels.c.target)
        for column, value in (("target", target), ("labeller", labeller), ("aspect", aspect)):
            if value is not None:
                query = query.where(tables.labels.c[column] == value)
        with self._database.transaction() as connection:
            return [Label.model_validate(row._asdict()) for row in connection.execute(query)]

    def remove(self, label: Label) -> bool:
        """Take a judgment back; return whether there was one."""
        columns = tables.labels.c
        same = sa.and_(*(columns[name] == getattr(label, name) for name in ("target", "aspect", "item", "labeller")))
        with self._database.transaction(write=True) as connection:
            return connection.execute(sa.delete(tables.labels).where(same)).rowcount > 0
