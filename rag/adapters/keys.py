"""API keys: only a hash is kept, the key itself is shown once."""

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from rag.adapters import tables
from rag.adapters.database import Database
from rag.stored.values import ApiKey, NewKey, Role

_PREFIX = "candor"


class SqlKeys:
    """API keys of one database. Every method may raise `ServiceUnavailable` or `ConfigurationError`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, name: str, role: Role = "ask") -> NewKey:
        """Make a key; its token cannot be read again later."""
        key = ApiKey(key_id=secrets.token_hex(6), name=name, role=role, created_at=datetime.now(UTC))
        secret = secrets.token_urlsafe(32)
        with self._database.transaction(write=True) as connection:
            connection.execute(sa.insert(tables.api_keys).values(**key.model_dump(), secret_hash=_hash(secret)))
        return NewKey(key=key, token=f"{_PREFIX}_{key.key_id}_{secret}")

    def authenticate(self, token: str) -> ApiKey | None:
        """Return the key that a token belongs to; None where it is unknown, malformed or revoked."""
        prefix, _, rest = token.partition("_")
        key_id, _, secret = rest.partition("_")
        if prefix != _PREFIX or not secret or not key_id.isalnum() or not token.isascii():
            return None
        with self._database.transaction() as connection:
            row = connection.execute(sa.select(tables.api_keys).where(tables.api_keys.c.key_id == key_id)).one_or_none()
        if row is None or not hmac.compare_digest(row.secret_hash, _hash(secret)) or row.revoked_at is not None:
            return None
        return _key(row)

    def find(self, key_id: str) -> ApiKey | None:
        """Return a key by its id; None where it is unknown or revoked."""
        with self._database.transaction() as connection:
            row = connection.execute(sa.select(tables.api_keys).where(tables.api_keys.c.key_id == key_id)).one_or_none()
        return None if row is None or row.revoked_at is not None else _key(row)

    def list(self) -> Sequence[ApiKey]:
        """Return all keys, oldest first, revoked ones included."""
        query = sa.select(tables.api_keys).order_by(tables.api_keys.c.created_at, tables.api_keys.c.key_id)
        with self._database.transaction() as connection:
            return [_key(row) for row in connection.execute(query)]

    def were_made(self) -> bool:
        """Return whether there is a key, a revoked one too; however many there are, none is read."""
        with self._database.transaction() as connection:
            return bool(connection.scalar(sa.select(sa.exists().select_from(tables.api_keys))))

    def revoke(self, key_id: str) -> bool:
        """Refuse a key from now on; return whether there was one to revoke."""
        columns = tables.api_keys.c
        update = sa.update(tables.api_keys).where(columns.key_id == key_id, columns.revoked_at.is_(None))
        with self._database.transaction(write=True) as connection:
            return connection.execute(update.values(revoked_at=datetime.now(UTC))).rowcount > 0


def _key(row: Any) -> ApiKey:
    return ApiKey.model_validate({name: row._mapping[name] for name in ApiKey.model_fields})


def _hash(secret: str) -> str:
    """Return the SHA-256 of a secret: it has 256 random bits, so that a slow hash would protect nothing more."""
    return hashlib.sha256(secret.encode()).hexdigest()
