"""House words: what people of one house call things, with who said so and when."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from rag.adapters import tables
from rag.adapters.database import Database
from rag.models import HouseWord


class SqlHouseWords:
    """The house words of one database. Every method may raise `ServiceUnavailable` or `ConfigurationError`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, words: Iterable[HouseWord]) -> int:
        """Keep house words, all or none; one that is there stays as it is. Return how many are new."""
        now = datetime.now(UTC)
        rows = [word.model_copy(update={"created_at": word.created_at or now}).model_dump() for word in words]
        if not rows:
            return 0
        with self._database.transaction(write=True) as connection:
            insert: Any = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
            statement = insert(tables.house_words).on_conflict_do_nothing().returning(tables.house_words.c.word)
            return sum(len(connection.execute(statement.values(**row)).all()) for row in rows)

    def remove(self, word: str, means: str | None = None) -> int:
        """Remove what a word means, or one of its meanings; return how many there were."""
        columns = tables.house_words.c
        where = [columns.word == word, *([columns.means == means] if means is not None else [])]
        with self._database.transaction(write=True) as connection:
            return connection.execute(sa.delete(tables.house_words).where(*where)).rowcount

    def list(self) -> Sequence[HouseWord]:
        """Return all house words, in the order of the alphabet."""
        query = sa.select(tables.house_words).order_by(tables.house_words.c.word, tables.house_words.c.means)
        with self._database.transaction() as connection:
            return [HouseWord.model_validate(row._asdict()) for row in connection.execute(query)]
