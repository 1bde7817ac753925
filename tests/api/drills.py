"""What the drills break, and how: a server in a process of its own, a small disk, a Postgres that can be killed."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from library import clean_environment, free_port, served


@contextmanager
def api_process(home: Path, log: Path, **settings: str) -> Iterator[httpx.Client]:
    """The API in a process of its own, as it is served alone; a client more patient than it."""
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "api.app:app", "--port", str(port), "--log-level", "warning"]
    env = clean_environment(home, **settings)
    with served(command, port, "/api/livez", log=log, env=env) as url, httpx.Client(base_url=url, timeout=60) as client:
        yield client


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """A disk of a few megabytes, in memory; needs the right to mount."""
    folder.mkdir()
    mount = shutil.which("mount")
    made = mount and subprocess.run(
        [mount, "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", folder], capture_output=True, check=False
    )
    if not made or made.returncode:
        pytest.skip("a small disk cannot be mounted here: it needs root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            try:
                while file.write(bytes(size)):
                    pass
            except OSError:
                continue


class Postgres:
    """A server that `running_postgres` started, to be killed and started again."""

    def __init__(self, address: str, binaries: Path) -> None:
        self.folder, self._binaries = Path(address.partition("?host=")[2]), binaries

    def kill(self) -> None:
        main = int((self.folder / "data" / "postmaster.pid").read_text().split("\n", 1)[0])
        for process in (main, *_children(main)):
            with suppress(ProcessLookupError):  # without its father a child ends by itself
                os.kill(process, signal.SIGKILL)

    def start(self) -> None:
        (self.folder / "data" / "postmaster.pid").unlink(missing_ok=True)
        for leftover in self.folder.glob(".s.PGSQL.*"):
            leftover.unlink()
        command = ["pg_ctl", "-D", str(self.folder / "data"), "-w", "-l", str(self.folder / "log")]
        command += ["-o", f"-k {self.folder} -c listen_addresses=''", "start"]
        user = "postgres" if os.geteuid() == 0 else None
        program = [self._binaries / command[0], *command[1:]]
        subprocess.run(program, check=True, user=user, cwd=self.folder, stdout=subprocess.DEVNULL)


def _children(process: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == process:
            found.append(int(stat.parent.name))
    return found
