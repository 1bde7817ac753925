"""One way to open a SQL database, and to say what is wrong with it. Core only: the ORM takes longer to import."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from sqlalchemy import URL, Connection, Engine, Table, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import QueuePool

from rag.errors import CandorError, ConfigurationError, StoreUnavailable
from rag.process.data_folder import unwritable

BUSY_TIMEOUT_S = 5.0  # how long a write waits for another process's write
PAUSE_S = 0.01  # between two tries at what SQLite itself does not wait for
CONNECT_TIMEOUT_S = 5
_OPERATOR = ("SQLITE_NOTADB", "SQLITE_CORRUPT", "SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH")
DAMAGE = ("SQLITE_NOTADB", "SQLITE_CORRUPT")  # how SQLite names what it says of a file that is damaged
_RESTORE = "restore it and the index from one copy, or remove it and ingest all documents again."
_ADVICE = {
    "SQLITE_BUSY": "Another process is writing to it: wait for it to end, or stop it.",
    "SQLITE_LOCKED": "Another process is writing to it: wait for it to end, or stop it.",
    "SQLITE_FULL": "The disk is full: free space and try again.",
    "SQLITE_IOERR": "Reading or writing failed: check the disk for space and errors.",
    "SQLITE_NOTADB": "Its file is not a database, or damaged: {restore}",
    "SQLITE_CORRUPT": "Its file is damaged: {restore}",
    "SQLITE_CANTOPEN": "Its file cannot be opened: check that the folder exists and can be written.",
    "SQLITE_READONLY": "It cannot be written: check the permissions of the file and its folder.",
}


def sqlite_url(path: Path) -> str:
    """Return the address of a SQLite file.

    >>> sqlite_url(Path("library/catalogue.db"))
    'sqlite:///library/catalogue.db'
    """
    return URL.create("sqlite", database=str(path)).render_as_string()


def open_engine(url: str) -> Engine:
    """Return an engine; nothing is connected yet, but the folder of a SQLite file is made.

    SQLite runs with a write-ahead log, so that readers never wait, and syncs at each commit, so that a power cut loses
    nothing. `postgres://` is understood as `postgresql://`.

    Raises:
        ConfigurationError: The address is malformed, or its driver is not installed.
    """
    try:
        address = make_url(url.replace("postgres://", "postgresql://", 1) if url.startswith("postgres://") else url)
        return _sqlite(address) if address.get_backend_name() == "sqlite" else _server(address)
    except OSError as error:
        file = Path(str(address.database))
        raise unwritable(file.parent) or ConfigurationError(
            f"The folder {str(file.parent)!r} cannot be made for the database {file.name!r}: "
            f"{error.strerror or error}. Set CANDOR_DATA_DIR to a writable folder; if CANDOR_DATABASE_URL is set, "
            "correct it instead."
        ) from error
    except (ArgumentError, ImportError) as error:
        raise ConfigurationError(
            f"The database address {_safe(url)!r} cannot be used: {error}. Correct CANDOR_DATABASE_URL, "
            f"as in sqlite:///path/to/file.db or postgresql+psycopg://user:password@host/name."
        ) from error


def insert_into(connection: Connection, table: Table) -> Any:
    """Return an INSERT that knows ON CONFLICT: each database has its own, and that of the other is not loaded."""
    insert: Any = import_module(f"sqlalchemy.dialects.{connection.dialect.name}").insert
    return insert(table)


@contextmanager
def translated(engine: Engine) -> Iterator[None]:
    """Turn what the database raises into our errors, with the address and what to do.

    Raises:
        StoreUnavailable: It is locked, full or cannot be reached.
        ConfigurationError: It is damaged, or not a database; `FolderUnwritable`: it cannot be written.
    """
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise error_for(error, engine) from error


def _sqlite(address: URL) -> Engine:
    options: dict[str, Any] = {"connect_args": {"timeout": BUSY_TIMEOUT_S, "check_same_thread": False}}
    if address.database in (None, "", ":memory:"):  # One connection, for each would see a database of its own.
        options |= {"poolclass": QueuePool, "pool_size": 1, "max_overflow": 0}
    else:
        Path(str(address.database)).parent.mkdir(parents=True, exist_ok=True)
        options["max_overflow"] = -1  # a connection costs little; with a bound, reading would wait for those that write
    engine = create_engine(address, **options)
    event.listen(engine, "connect", _configure)
    return engine


def _server(address: URL) -> Engine:
    is_postgres = address.get_backend_name() == "postgresql"
    options = {"connect_args": {"connect_timeout": CONNECT_TIMEOUT_S}} if is_postgres else {}
    return create_engine(address, pool_pre_ping=True, pool_timeout=CONNECT_TIMEOUT_S, **options)


def _configure(connection: sqlite3.Connection, _: object) -> None:
    """Turn the write-ahead log on; SQLite does not wait where another process does so to a new file at that moment."""
    until = monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            break
        except sqlite3.OperationalError as error:
            if sqlite_name(error) != "SQLITE_BUSY" or monotonic() > until:
                raise
        sleep(PAUSE_S)
    connection.execute("PRAGMA synchronous=FULL")


def sqlite_name(error: object) -> str:
    """Return how SQLite names an error, without what follows its kind; empty for what is none of SQLite's."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    return "_".join(str(getattr(cause, "sqlite_errorname", "")).split("_")[:2])


def error_for(error: Exception, engine: Engine, *, restore: str = _RESTORE) -> CandorError:
    """Return our error for what a database raised, with the address and what to do; `restore`: where it is damaged."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    name = sqlite_name(error)
    where = f"The database {engine.url.render_as_string()!r}"
    if name and (folder_error := folder_error_of(engine)) is not None:
        return folder_error
    if name:
        kind = ConfigurationError if name in _OPERATOR else StoreUnavailable
        advice = _ADVICE.get(name, "Check the file and its disk.").format(restore=restore)
        return kind(f"{where} failed: {cause}. {advice}")
    if isinstance(error, PoolTimeout):
        return StoreUnavailable(f"{where} has no free connection: too many requests at once. Try again.")
    text = " ".join(str(cause).split())[:300]
    return StoreUnavailable(
        f"{where} does not answer: {text}. Check that it runs and that CANDOR_DATABASE_URL is right."
    )


def folder_error_of(engine: Engine) -> CandorError | None:
    """Return the error of the folder of a SQLite file that cannot be written; None where it can, and for servers."""
    file = engine.url.database if engine.dialect.name == "sqlite" else None
    return None if file in (None, "", ":memory:") else unwritable(Path(str(file)).parent)


def _safe(url: str) -> str:
    """Return the address without its password."""
    try:
        return make_url(url).render_as_string()
    except ArgumentError:
        return url.partition("://")[0] + "://..." if "://" in url else url
