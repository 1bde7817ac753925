"""What `candor bench` measures from outside: whole processes, from start to end, and a server that is asked.

They see none of the environment's settings and no `.env`: a figure of another store or model would be no figure of
this run. A command that fails ends the benchmark.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, perf_counter, sleep

from rag.bench.figures import Figure, of_durations, of_runs
from rag.errors import ConfigurationError
from rag.settings import Settings

PREFIXES = ("CANDOR_", "QDRANT_", "OLLAMA_", "STREAMLIT_")  # variables that change what Candor does
EMBEDDING = ("embedding_model", "embedding_backend", "embedding_precision", "threads")
"""The settings that a benchmark takes over."""
START_S = 90  # longest wait for a server to start
POLL_S = 0.05  # how long to wait between two looks at whether it is ready
RUN = (sys.executable, "-c", "from rag.cli import main; main()")
SOURCE = Path(__file__).resolve().parents[2]
STATUS = Path("/proc/self/status")


def child_environment(settings: Settings) -> dict[str, str]:
    """Return the environment of a child: this one without any setting of Candor, then those of the benchmark."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(PREFIXES) and name != "PORT"}
    chosen = {f"CANDOR_{name.upper()}": getattr(settings, name) for name in EMBEDDING}
    own = {name: str(value) for name, value in chosen.items() if value is not None}
    paths = os.pathsep.join(filter(None, (str(SOURCE), os.environ.get("PYTHONPATH"))))
    return {
        **kept,
        **own,
        "PYTHONPATH": paths,
        "CANDOR_DATA_DIR": str(settings.data_dir),
        "OLLAMA_HOST": settings.ollama_host,
    }


def cold_starts(settings: Settings, question: str, *, runs: int) -> list[Figure]:
    """Measure `candor --help`, and `candor ask` from start to answer, each several times.

    Raises:
        ConfigurationError: A command failed.
    """
    environment = child_environment(settings)
    helps, asks = [], []
    for _ in range(runs):
        helps.append(_timed(["--help"], environment)[0])
        spent, printed = _timed(["ask", question, "--no-llm", "--json"], environment)
        if not json.loads(printed)["retrieved"]:
            raise ConfigurationError("`candor ask` found no chunk in the benchmark's own index. Run the tests.")
        asks.append(spent)
    return [of_runs("candor --help", helps, "s"), of_runs("candor ask, cold start to answer", asks, "s")]


def _timed(arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[float, str]:
    """Return how long a command took, in seconds, and what it printed."""
    with tempfile.TemporaryDirectory() as elsewhere:  # where no .env is
        begun = perf_counter()
        done = subprocess.run(  # noqa: S603
            [*RUN, *arguments], capture_output=True, text=True, check=False, env=dict(environment), cwd=elsewhere
        )
        spent = perf_counter() - begun
    if done.returncode:
        raise _failure(arguments, done.returncode, done.stderr)
    return spent, done.stdout


def _failure(arguments: Sequence[str], code: int, complaint: str) -> ConfigurationError:
    said = (complaint.strip().splitlines() or ["it said nothing"])[-1].rstrip(".")
    return ConfigurationError(f"`candor {arguments[0]}` failed with exit code {code}: {said}. Nothing was measured.")


def server(settings: Settings, questions: Sequence[str]) -> list[Figure]:
    """Measure a server: until it is ready, its memory after questions through HTTP, how long each took.

    Nothing where there is no `/proc`.

    Raises:
        ConfigurationError: The server did not start, or did not answer a question.
    """
    if not STATUS.exists():
        return []
    import httpx

    durations, command = [], [*RUN, "serve", "--host", "127.0.0.1", "--port"]
    with (
        serving(command, child_environment(settings)) as (pid, address, ready_s),
        httpx.Client(base_url=address, timeout=60, trust_env=False) as client,
    ):
        idle = _memory_mb(pid, "VmRSS")
        for question in questions:
            begun = perf_counter()
            answer = client.post("/api/v1/ask", json={"question": question, "no_llm": True})
            durations.append((perf_counter() - begun) * 1000)
            if answer.status_code != httpx.codes.OK or not answer.json()["retrieved"]:
                raise ConfigurationError(
                    f"The server answered {answer.status_code} to {question!r}: {answer.text[:200]}"
                )
        peak, now = (_memory_mb(pid, key) for key in ("VmHWM", "VmRSS"))
    detail = f"VmHWM after {len(questions)} questions through HTTP; started: {idle:.0f} MB, at the end: {now:.0f} MB"
    return [
        of_runs("candor serve, from start to ready", [ready_s], "s", f"looked at every {POLL_S} s"),
        Figure(name="memory of the server, peak", value=peak, unit="MB", detail=detail),
        *of_durations("one question through HTTP", durations, "one after the other, without a model"),
    ]


@contextmanager
def serving(
    command: Sequence[str], environment: Mapping[str, str], folder: Path | None = None
) -> Iterator[tuple[int, str, float]]:
    """Run a server on a free port, which ends its command; yield its process, address and seconds until it was ready.

    It runs in `folder`; by default in one of its own, where no `.env` is.

    Raises:
        ConfigurationError: It did not become ready; the message has the last line that it wrote.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as elsewhere, (Path(elsewhere) / "said").open("w+b") as said:
        begun = perf_counter()
        process = subprocess.Popen(  # noqa: S603
            [*command, str(port)], env=dict(environment), cwd=folder or elsewhere, stdout=said, stderr=said
        )
        try:
            if not _is_ready(process, f"{address}/api/readyz"):
                said.seek(0)
                raise _failure(["serve"], process.poll() or 0, said.read().decode("utf-8", "replace"))
            yield process.pid, address, perf_counter() - begun
        finally:
            process.terminate()
            process.wait(30)


def _is_ready(process: subprocess.Popen[bytes], address: str) -> bool:
    """Return whether a server answers at an address before it ends or the time is up."""
    import httpx

    until = monotonic() + START_S
    while monotonic() < until and process.poll() is None:
        try:
            if httpx.get(address, timeout=5, trust_env=False).status_code == httpx.codes.OK:
                return True
        except httpx.TransportError:
            pass
        sleep(POLL_S)
    return False


def _memory_mb(process: int, key: str) -> float:
    """Return a line of `/proc/PID/status` in megabytes; the kernel counts in kibibytes."""
    text = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith(f"{key}:"))
    return int(line.split()[1]) * 1024 / 1e6
