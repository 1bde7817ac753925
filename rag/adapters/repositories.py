"""What the database keeps beside conversations: labels, promotions, API keys, house words, collections.

Every method may raise `ServiceUnavailable` (the database does not answer) or `ConfigurationError` (tables not ours).
"""

import hashlib
import secrets
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, TypeVar

import sqlalchemy as sa
from pydantic import BaseModel

from rag.adapters import tables
from rag.adapters.database import Database
from rag.adapters.sql import insert_into
from rag.models import HouseWord
from rag.workspace.values import ApiKey, Aspect, Collection, Label, NewKey, Promotion, Role

Kept = TypeVar("Kept", bound=BaseModel)
_SAME_LABEL = ("target", "aspect", "item", "labeller")
_PREFIX = "candor"
_KEYS = sa.select(*(tables.api_keys.c[name] for name in ApiKey.model_fields))  # all of a key but the hash of its secret


class Repository:
    """What is kept of one kind in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _all(self, kind: type[Kept], query: "sa.Select[Any]") -> list[Kept]:
        with self._database.transaction() as connection:
            return [kind.model_validate(row._asdict()) for row in connection.execute(query)]

    def _one(self, kind: type[Kept], query: "sa.Select[Any]") -> Kept | None:
        return next(iter(self._all(kind, query)), None)

    def _changed(self, statement: Any) -> int:
        """Execute a change by itself; return how many rows it met."""
        with self._database.transaction(write=True) as connection:
            return int(connection.execute(statement).rowcount)


class SqlLabels(Repository):
    """What experts judge: answers, passages, and whether a question can be answered."""

    def put(self, label: Label) -> Label:
        """Keep a judgment; one that the same person gave of the same thing before is replaced."""
        kept = label.model_copy(update={"created_at": label.created_at or datetime.now(UTC)})
        with self._database.transaction(write=True) as connection:
            statement = insert_into(connection, tables.labels).values(**kept.model_dump())
            changed = {name: statement.excluded[name] for name in ("verdict", "note", "created_at")}
            connection.execute(statement.on_conflict_do_update(index_elements=[*_SAME_LABEL], set_=changed))
        return kept

    def list(
        self, *, target: str | None = None, labeller: str | None = None, aspect: Aspect | None = None
    ) -> Sequence[Label]:
        """Return labels, oldest first, narrowed where asked for."""
        query = sa.select(tables.labels).order_by(tables.labels.c.created_at, tables.labels.c.target)
        for column, value in (("target", target), ("labeller", labeller), ("aspect", aspect)):
            if value is not None:
                query = query.where(tables.labels.c[column] == value)
        return self._all(Label, query)

    def remove(self, label: Label) -> bool:
        """Take a judgment back; return whether there was one."""
        same = (tables.labels.c[name] == getattr(label, name) for name in _SAME_LABEL)
        return self._changed(sa.delete(tables.labels).where(*same)) > 0


class SqlPromotions(Repository):
    """Settings promoted to production: with a note, a history and a way back."""

    def promote(self, settings: Mapping[str, object], *, note: str, by: str = "") -> Promotion:
        """Put settings into force; return the promotion."""
        values = {"settings": dict(settings), "note": note, "by": by, "created_at": datetime.now(UTC)}
        with self._database.transaction(write=True) as connection:
            row = connection.execute(sa.insert(tables.promotions).values(**values).returning(tables.promotions)).one()
        return Promotion.model_validate(row._asdict())

    def current(self) -> Promotion | None:
        """Return what is in force: the newest promotion that was not undone; None: the settings of the process."""
        return self._one(Promotion, _newest())

    def undo(self, *, by: str = "") -> Promotion | None:
        """Take the promotion in force back; return the one that is in force now."""
        with self._database.transaction(write=True) as connection:
            number = connection.scalar(_newest().with_for_update())
            update = sa.update(tables.promotions).where(tables.promotions.c.number == number)
            connection.execute(update.values(undone_at=datetime.now(UTC), undone_by=by))
        return self.current()

    def history(self) -> list[Promotion]:
        """Return the last 100 promotions, newest first, those undone included."""
        return self._all(Promotion, sa.select(tables.promotions).order_by(tables.promotions.c.number.desc()).limit(100))


class SqlKeys(Repository):
    """API keys: only a hash is kept, the key itself is shown once."""

    def create(self, name: str, role: Role = "ask") -> NewKey:
        """Make a key; its token cannot be read again later."""
        key = ApiKey(key_id=secrets.token_hex(6), name=name, role=role, created_at=datetime.now(UTC))
        secret = secrets.token_urlsafe(32)
        with self._database.transaction(write=True) as connection:
            connection.execute(sa.insert(tables.api_keys).values(**key.model_dump(), secret_hash=_hash(secret)))
        return NewKey(key=key, token=f"{_PREFIX}_{key.key_id}_{secret}")

    def authenticate(self, token: str) -> ApiKey | None:
        """Return the key that a token belongs to; None where it is unknown, malformed or revoked.

        Only hashes are compared: how long that takes says nothing of a secret.
        """
        prefix, _, rest = token.partition("_")
        key_id, _, secret = rest.partition("_")
        if prefix != _PREFIX or not secret or not key_id.isalnum() or not token.isascii():
            return None
        return self._one(ApiKey, _valid(key_id).where(tables.api_keys.c.secret_hash == _hash(secret)))

    def find(self, key_id: str) -> ApiKey | None:
        """Return a key by its id; None where it is unknown or revoked."""
        return self._one(ApiKey, _valid(key_id))

    def list(self) -> Sequence[ApiKey]:
        """Return all keys, oldest first, revoked ones included."""
        return self._all(ApiKey, _KEYS.order_by(tables.api_keys.c.created_at, tables.api_keys.c.key_id))

    def were_made(self) -> bool:
        """Return whether there is a key, a revoked one too; however many there are, none is read."""
        with self._database.transaction() as connection:
            return bool(connection.scalar(sa.select(sa.exists().select_from(tables.api_keys))))

    def revoke(self, key_id: str) -> bool:
        """Refuse a key from now on; return whether there was one to revoke."""
        columns = tables.api_keys.c
        update = sa.update(tables.api_keys).where(columns.key_id == key_id, columns.revoked_at.is_(None))
        return self._changed(update.values(revoked_at=datetime.now(UTC))) > 0


class SqlHouseWords(Repository):
    """What people of one house call things, with who said so and when."""

    def add(self, words: Iterable[HouseWord]) -> int:
        """Keep house words, all or none; one that is there stays as it is. Return how many are new."""
        now = datetime.now(UTC)
        rows = [word.model_copy(update={"created_at": word.created_at or now}).model_dump() for word in words]
        if not rows:
            return 0
        with self._database.transaction(write=True) as connection:
            insert = insert_into(connection, tables.house_words).on_conflict_do_nothing()
            statement = insert.returning(tables.house_words.c.word)
            return sum(len(connection.execute(statement.values(**row)).all()) for row in rows)

    def remove(self, word: str, means: str | None = None) -> int:
        """Remove what a word means, or one of its meanings; return how many there were."""
        columns = tables.house_words.c
        where = [columns.word == word, *([columns.means == means] if means is not None else [])]
        return self._changed(sa.delete(tables.house_words).where(*where))

    def list(self) -> Sequence[HouseWord]:
        """Return all house words, in the order of the alphabet."""
        query = sa.select(tables.house_words).order_by(tables.house_words.c.word, tables.house_words.c.means)
        return self._all(HouseWord, query)


class SqlCollections(Repository):
    """Named sets of documents. A document may be in several, and stays in them while it is not indexed."""

    def add(self, name: str, documents: Iterable[str] = (), *, by: str = "") -> Collection:
        """Put documents into a collection, which is begun where there is none of this name."""
        return self._put(name, documents, by, anew=False)

    def put(self, name: str, documents: Iterable[str], *, by: str = "") -> Collection:
        """Let a collection have exactly these documents; it is begun where there is none of this name."""
        return self._put(name, documents, by, anew=True)

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
        return self._changed(sa.delete(tables.collections).where(tables.collections.c.name == name)) > 0

    def get(self, name: str) -> Collection | None:
        """Return a collection, or None where there is none of this name."""
        with self._database.transaction() as connection:
            return next(iter(_read(connection, name)), None)

    def list(self) -> Sequence[Collection]:
        """Return all collections, by name."""
        with self._database.transaction() as connection:
            return _read(connection)

    def _put(self, name: str, documents: Iterable[str], by: str, *, anew: bool) -> Collection:
        rows = [{"collection": name, "document": document} for document in dict.fromkeys(documents)]
        with self._database.transaction(write=True) as connection:
            _touch(connection, name, by)
            if anew:
                connection.execute(sa.delete(tables.collected).where(tables.collected.c.collection == name))
            if rows:
                connection.execute(insert_into(connection, tables.collected).on_conflict_do_nothing(), rows)
            return _read(connection, name)[0]


def _newest() -> "sa.Select[Any]":
    query = sa.select(tables.promotions).where(tables.promotions.c.undone_at.is_(None))
    return query.order_by(tables.promotions.c.number.desc()).limit(1)


def _valid(key_id: str) -> "sa.Select[Any]":
    columns = tables.api_keys.c
    return _KEYS.where(columns.key_id == key_id, columns.revoked_at.is_(None))


def _hash(secret: str) -> str:
    """Return the SHA-256 of a secret: it has 256 random bits, so that a slow hash would protect nothing more."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _touch(connection: sa.Connection, name: str, by: str) -> None:
    """Note who changes a collection and when; begin it where there is none."""
    insert = insert_into(connection, tables.collections).values(name=name, by=by, changed_at=datetime.now(UTC))
    changed = {one: insert.excluded[one] for one in ("by", "changed_at")}
    connection.execute(insert.on_conflict_do_update(index_elements=["name"], set_=changed))


def _read(connection: sa.Connection, name: str | None = None) -> list[Collection]:
    """Return the collection of a name, or all, with their documents."""
    kept, held = tables.collections, tables.collected
    query = sa.select(kept, held.c.document).outerjoin(held).order_by(kept.c.name, held.c.document)
    found = connection.execute(query if name is None else query.where(kept.c.name == name))
    of_each = groupby(found, key=lambda row: (row.name, row.by, row.changed_at))
    return [
        Collection(
            name=one, by=by, changed_at=at, documents=tuple(row.document for row in rows if row.document is not None)
        )
        for (one, by, at), rows in of_each
    ]
