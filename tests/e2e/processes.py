"""Programs of the tests' own: started, waited for, and ended with the test."""

import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from library import ROOT, end

CANDOR = "from rag.cli import main; main()"
"""`python -c CANDOR ARGUMENT...` is the command line of this tree."""
PATIENCE_S = 90


@contextmanager
def served(
    command: Sequence[str], port: int, path: str, *, log: Path, env: Mapping[str, str] | None = None
) -> Iterator[str]:
    """The address of a server in a process of its own, once it answers at a path.

    Args:
        command: Starts it.
        port: Where it listens, on loopback.
        path: Asked until it answers; any status counts.
        log: Takes what it prints.
        env: Its environment; None: this process's own.
    """
    url = f"http://127.0.0.1:{port}"
    with log.open("wb") as out:
        process = subprocess.Popen([*command], cwd=ROOT, env=env, stdout=out, stderr=out)
    try:
        _wait_for(f"{url}{path}", process)
        yield url
    finally:
        end(process)


def _wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urlopen(address, timeout=10):
                return
        except (URLError, OSError):
            time.sleep(0.3)
    pytest.fail(f"{address} did not answer; exit code {process.poll()}")
