"""Settings promoted to production: with a note, a history and a way back."""

from collections.abc import Mapping
from datetime import UTC, datetime

import sqlalchemy as sa

from rag.adapters import tables
from rag.adapters.database import Database
from rag.stored.values import Promotion


class SqlPromotions:
    """Promotions of one database. Every method may raise `ServiceUnavailable` or `ConfigurationError`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def promote(self, settings: Mapping[str, object], *, note: str, by: str = "") -> Promotion:
        """Put settings into force; return the promotion."""
        values = {"settings": dict(settings), "note": note, "by": by, "created_at": datetime.now(UTC)}
        with self._database.transaction(write=True) as connection:
            row = connection.execute(sa.insert(tables.promotions).values(**values).returning(tables.promotions)).one()
        return Promotion.model_validate(row._asdict())

    def current(self) -> Promotion | None:
        """Return what is in force: the newest promotion that was not undone; None: the settings of the process."""
        with self._database.transaction() as connection:
            row = connection.execute(_newest()).one_or_none()
        return Promotion.model_validate(row._asdict()) if row else None

    def undo(self, *, by: str = "") -> Promotion | None:
        """Take the promotion in force back; return the one that is in force now."""
        with self._database.transaction(write=True) as connection:
            row = connection.execute(_newest().with_for_update()).one_or_none()
            if row is not None:
                update = sa.update(tables.promotions).where(tables.promotions.c.number == row.number)
                connection.execute(update.values(undone_at=datetime.now(UTC), undone_by=by))
        return self.current()

    def history(self, *, limit: int = 100) -> list[Promotion]:
        """Return promotions, newest first, those undone included."""
        query = sa.select(tables.promotions).order_by(tables.promotions.c.number.desc()).limit(limit)
        with self._database.transaction() as connection:
            return [Promotion.model_validate(row._asdict()) for row in connection.execute(query)]


def _newest() -> "sa.Select[tuple[object, ...]]":
    query = sa.select(tables.promotions).where(tables.promotions.c.undone_at.is_(None))
    return query.order_by(tables.promotions.c.number.desc()).limit(1)
