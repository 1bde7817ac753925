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
    """The address of a server in a process of its own, which prints to `log`, once it answers at a path."""
    url = f"http://127.0.0.1:{port}"
    with log.open("wb") as out:
        process = subprocess.Popen([*command], cwd=ROOT, env=env, stdout=out, stderr=out)
    try:
        deadline = time.monotonic() + PATIENCE_S
        while not _answers(f"{url}{path}"):
            if time.monotonic() > deadline or process.poll() is not None:
                pytest.fail(f"{url}{path} did not answer; exit code {process.poll()}")
            time.sleep(0.3)
        yield url
    finally:
        end(process)


def _answers(address: str) -> bool:
    try:
        with urlopen(address, timeout=10):
            return True
    except (URLError, OSError):
        return False
