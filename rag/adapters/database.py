"""A database by its SQLAlchemy address: opened on first use, brought to the newest schema, its errors translated."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event, exc

from rag.adapters.migrations import HEAD, VERSION_TABLE
from rag.adapters.sql import DAMAGE, error_for, folder_error_of, open_engine, sqlite_name
from rag.adapters.tables import metadata
from rag.errors import ConfigurationError, InvalidQuery, ServiceUnavailable

TIMEOUT_S = 5.0  # longest transaction on a PostgreSQL server. A connection and a lock have 5 s each.
_RESTORE = "restore it from a copy, or remove it: conversations, labels, promotions and keys then begin anew."
_OF_FILE = "Check that its folder is writable, that the disk has space, and that no other program uses the file."
_MIGRATION_LOCK = 4_207_310_311  # any number that is ours: PostgreSQL's advisory lock while the schema changes


class Database:
    """Transactions on one database; one object serves all threads.

    Nothing is connected before the first transaction, so that a database that is down neither stops the start nor
    needs a restart when it is back.

    Args:
        url: SQLAlchemy address: `sqlite:///path` or `postgresql://user:password@host/name`.

    Raises:
        ConfigurationError: The address is malformed, or its driver is missing.
    """

    def __init__(self, url: str) -> None:
        self._engine = open_engine(url)
        address = self._engine.url
        shown = {name: value for name, value in address.query.items() if "password" not in name}
        self.name = address.set(query=shown).render_as_string(hide_password=True)
        """The address without password."""
        self._is_sqlite = self._engine.dialect.name == "sqlite"
        if self._is_sqlite:
            event.listen(self._engine, "connect", _prepare_sqlite)
            event.listen(self._engine, "begin", _begin_sqlite)
        self._migrated = False
        self._migration = threading.Lock()

    @contextmanager
    def transaction(self, *, write: bool = False) -> Iterator[sa.Connection]:
        """Hold a transaction; it is committed at the end and rolled back on an exception.

        Raises:
            ServiceUnavailable: The database does not answer, in time or at all.
            ConfigurationError: Its schema is not ours, or is of a newer version of Candor.
        """
        with self._translated():
            if not self._migrated:
                self._migrate()
            with self._begun(write=write) as connection:
                yield connection

    def wipe(self) -> None:
        """Empty SQLite's write-ahead log, which still holds what was deleted; nothing to do elsewhere."""
        if self._is_sqlite:
            with self._translated(), self._engine.connect() as connection:
                connection.connection.driver_connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # type: ignore[union-attr]

    def close(self) -> None:
        """Close all connections; the next transaction opens new ones."""
        self._engine.dispose()

    @contextmanager
    def _begun(self, *, write: bool) -> Iterator[sa.Connection]:
        """Hold a transaction; the line to a server that has stopped answering is cut: no other limit covers that."""
        with self._engine.connect().execution_options(candor_write=write) as connection:
            watch = threading.Timer(TIMEOUT_S, _cut, [connection.connection.driver_connection])
            watch.daemon = True
            if not self._is_sqlite:
                watch.start()
            try:
                with connection.begin():
                    yield connection
            finally:
                watch.cancel()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (exc.OperationalError, exc.InterfaceError, exc.InternalError, exc.TimeoutError, OSError) as error:
            advice = _OF_FILE if self._is_sqlite else "Start it, or correct CANDOR_DATABASE_URL."
            raise folder_error_of(self._engine) or ServiceUnavailable(
                f"The database {self.name!r} does not answer: {_first_line(error)}. {advice}",
                details={"service": "sessions", "url": self.name},
            ) from error
        except exc.DataError as error:
            raise InvalidQuery(f"The database rejected a value: {_first_line(error)}. Shorten it.") from error
        except exc.IntegrityError:
            raise  # a bug of ours, and it should look like one
        except exc.DatabaseError as error:
            if sqlite_name(error) in DAMAGE:
                raise error_for(error, self._engine, restore=_RESTORE) from error
            raise ConfigurationError(
                f"The tables in {self.name!r} are not those of this version of Candor: {_first_line(error)}. "
                f"Use an empty database, or the version of Candor that made them."
            ) from error

    def _migrate(self) -> None:
        with self._migration:
            if self._migrated:
                return
            if self._revision() != HEAD:
                self._upgrade()
            self._migrated = True

    def _revision(self) -> str | None:
        """Return the revision of the schema; None where there is none."""
        with self._begun(write=False) as connection:
            if not sa.inspect(connection).has_table(VERSION_TABLE):
                return None
            query = sa.select(sa.column("version_num", sa.String)).select_from(sa.table(VERSION_TABLE))
            return connection.scalar(query)

    def _upgrade(self) -> None:
        """Bring the schema to the newest revision; another process may be at it, or have done so meanwhile."""
        from alembic import command
        from alembic.config import Config
        from alembic.util import CommandError

        config = Config()
        config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
        with self._begun(write=True) as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
            config.attributes["connection"] = connection
            try:
                if sa.inspect(connection).has_table(VERSION_TABLE):
                    command.upgrade(config, "head")
                else:
                    metadata.create_all(connection, checkfirst=False)
                    command.stamp(config, "head")
            except CommandError as error:
                raise ConfigurationError(
                    f"The database {self.name!r} was written by a newer version of Candor: {error}. Use that version."
                ) from error


def _first_line(error: BaseException) -> str:
    cause = getattr(error, "orig", None) or error
    return (str(cause).strip() or type(cause).__name__).splitlines()[0]


def _prepare_sqlite(connection: Any, _: object) -> None:
    connection.isolation_level = None  # we say BEGIN ourselves: see `_begin_sqlite`
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten


def _begin_sqlite(connection: sa.Connection) -> None:
    """Take the write lock at the start of a writing transaction; a later upgrade could fail at once, without a wait."""
    write = connection.get_execution_options().get("candor_write")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def _cut(connection: Any) -> None:
    """Shut a PostgreSQL connection's socket down, so that whoever waits on it gets an error."""
    with suppress(Exception), socket.socket(fileno=os.dup(connection.pgconn.socket)) as line:
        line.shutdown(socket.SHUT_RDWR)  # it may be closed already, which is all that we want
