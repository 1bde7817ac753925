"""The sample library as tests use it: settings without a model server, and the command line in a process of its own."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from rag.process.cores import cores
from rag.settings import Settings, load_settings

NOBODY = "http://127.0.0.1:9"  # an address at which nothing listens: port 9, discard
ROOT = Path(__file__).parents[1]
SAMPLES = ("safety_manual.pdf", "textbook.md", "travel_policy.docx", "faq.html")  # the documents of the sample library
MODEL_CACHE = ROOT / ".pytest_cache" / "compiled-models"
"""Where all tests of this checkout keep the compiled model, lest every data folder get a copy of it."""
FEW_WINDOWS = 4
"""Windows that the reader reads for a question of a test: a quarter of the time that it takes by default."""
THREADS = max(1, cores() // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
"""Of an inference: processes that each take all cores for it spend more time on waiting for one another."""
RUNNING = {"CANDOR_CACHE_DIR": str(MODEL_CACHE), "CANDOR_THREADS": str(THREADS)}  # how tests run models, as settings
OURS = tuple(f"CANDOR_{name.upper()}" for name in Settings.model_fields)


_HELD: list[socket.socket] = []


def free_port() -> int:
    """Return a port at which nobody listens, and which nobody else is given while this process runs.

    It stays bound here, so that connections to it are refused, and only a server that is told to can listen there.
    """
    held = socket.socket()
    _HELD.append(held)
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do: both may bind it, one listens
    held.bind(("127.0.0.1", 0))
    return int(held.getsockname()[1])


def end(process: subprocess.Popen[Any]) -> None:
    """Ask a process to end, and wait for that with patience; one that does not is killed, and the test fails."""
    process.terminate()
    try:
        process.wait(120)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise


@contextmanager
def served(command: Sequence[str], port: int, path: str, *, log: Path, **process: Any) -> Iterator[str]:
    """The address of a server in a process of its own, once it answers at a path; it prints to `log`, and stays."""
    url, latest = f"http://127.0.0.1:{port}", time.monotonic() + 120
    with log.open("wb") as out:
        running = subprocess.Popen([*command], **{"cwd": ROOT, "stdout": out, "stderr": out, **process})
    try:
        while not _answers(f"{url}{path}"):
            if time.monotonic() > latest or running.poll() is not None:
                pytest.fail(f"{url}{path} did not answer: {log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.2)
        yield url
        assert running.poll() is None, log.read_text(errors="replace")[-2000:]
    finally:
        end(running)


def _answers(address: str) -> bool:
    try:
        return httpx.get(address, timeout=10).is_success
    except httpx.HTTPError:
        return False


def quiet_settings(data_dir: Path, **overrides: Any) -> Settings:
    """Return settings for a data folder, without a model server."""
    return load_settings(**{"data_dir": data_dir, "ollama_host": NOBODY, "windows": FEW_WINDOWS, **overrides})


def clean_environment(data_dir: Path, **overrides: str) -> dict[str, str]:
    """Return this environment without settings of ours, then `data_dir`, no model server, and the overrides."""
    unset = (*OURS, "QDRANT_URL", "QDRANT_API_KEY", "PORT")
    kept = {name: value for name, value in os.environ.items() if name not in unset}
    own = {"CANDOR_DATA_DIR": str(data_dir), "CANDOR_WINDOWS": str(FEW_WINDOWS), **RUNNING}
    return {**kept, **own, "OLLAMA_HOST": NOBODY, "HF_HUB_OFFLINE": "1", **overrides}


@dataclass(frozen=True)
class Ran:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as the one JSON value that it must be."""
        return json.loads(self.out)


def candor(*arguments: str, data_dir: Path, cwd: Path | None = None, timeout_s: float = 90, **settings: str) -> Ran:
    """Run the command line in a process of its own, outside the project's folder."""
    done = subprocess.run(
        [sys.executable, "-c", "from rag.cli import main; main()", *arguments],
        env={**clean_environment(data_dir, **settings), "PYTHONPATH": str(ROOT)},
        cwd=cwd or data_dir.parent,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Mount a folder over itself so that nobody, root included, can write to it; needs the right to mount."""
    mount = shutil.which("mount")
    made = mount and subprocess.run([mount, "--bind", folder, folder], capture_output=True, check=False)
    if not made or made.returncode:
        pytest.skip("a folder cannot be mounted read-only here: it needs root")
    try:
        subprocess.run([mount, "-o", "remount,ro,bind", folder], check=True)
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)
