"""A real PostgreSQL server of its own, for the tests that share it."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy

from rag.adapters.sql import open_engine, sqlite_url


def find_binaries() -> Path | None:
    """The folder with `initdb` and `pg_ctl`: on the path, or where Debian keeps it."""
    found = shutil.which("initdb")
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return Path(found).resolve().parent if found else (debian[-1].parent if debian else None)


@contextmanager
def running_postgres(binaries: Path) -> Iterator[str]:
    """Yield the address of a fresh server that listens on a socket only. It refuses to run as root."""
    user = "postgres" if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    if user:
        shutil.chown(folder, user)

    def run(program: str, *arguments: str) -> None:
        subprocess.run([binaries / program, *arguments], check=True, user=user, cwd=folder, stdout=subprocess.DEVNULL)

    data = str(folder / "data")
    run("initdb", "-D", data, "-U", "candor", "-A", "trust", "--no-sync")
    run("pg_ctl", "-D", data, "-w", "-l", str(folder / "log"), "-o", f"-k {folder} -c listen_addresses=''", "start")
    try:
        yield f"postgresql+psycopg://candor@/postgres?host={folder}"
    finally:
        run("pg_ctl", "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(folder)


def empty_database(request: pytest.FixtureRequest, folder: Path) -> str:
    """Return the address of an empty database of the kind that a fixture asks for."""
    if request.param == "memory":
        return "sqlite://"
    if request.param == "sqlite":
        return sqlite_url(folder / "folder" / "catalogue.db")
    address = str(request.getfixturevalue("postgres"))
    engine = open_engine(address)
    with engine.begin() as connection:
        connection.execute(sqlalchemy.text("DROP SCHEMA public CASCADE"))
        connection.execute(sqlalchemy.text("CREATE SCHEMA public"))
    engine.dispose()
    return address
