"""A real PostgreSQL server of its own, for the tests that share it."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
