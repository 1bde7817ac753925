"""One client, then many at once, on a server of its own: latencies, their ratio, errors, and whether answers agree.

    python benchmarks/api_load.py [--clients 8] [--asks 50] [--app server:app] [--json]

The server is a process of its own on a loopback port, over the sample library, without a language model. Every client
waits for its answer before it asks again. Exit code 1: an error, another answer than one client got, or a p95 of many
clients above `--most` times the p50 of one.
"""

import argparse
import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import httpx

from benchmarks.options import at_least, setting

ROOT = Path(__file__).resolve().parent.parent
NOBODY = "http://127.0.0.1:9"
START_S = 120.0


@dataclass(frozen=True, slots=True)
class Load:
    """What a number of clients saw. Latencies in milliseconds, as a client measures them."""

    clients: int
    asks: int
    p50_ms: float
    p95_ms: float
    p99_ms: float
    most_ms: float
    per_second: float
    errors: int
    server_cpu_ms: float = 0.0
    """Processor time that the server spent on one ask, which other programs on the machine do not change much."""


@dataclass(frozen=True, slots=True)
class Report:
    """One run."""

    one: Load
    many: Load
    ratio: float
    """p95 of many clients over p50 of one."""
    same_answers: bool
    load_average: float
    """Of the machine, over the last minute before the run: what else was going on."""


@dataclass(frozen=True, slots=True)
class Said:
    """One answer as a client got it."""

    question: str
    content: Any
    milliseconds: float
    status: int


def main() -> int:
    """Measure, print, and say by the exit code whether the target holds."""
    options = parse()
    report = run(options)
    print(json.dumps(asdict(report), indent=2) if options.json else table(report))
    held = report.ratio <= options.most and not report.one.errors + report.many.errors and report.same_answers
    return 0 if held else 1


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Load on Candor's API, on a server of its own.")
    parser.add_argument("--clients", type=at_least(1), default=8)
    parser.add_argument("--asks", type=at_least(1), default=50, help="questions that each client asks")
    parser.add_argument("--app", default="api.app:app", help="api.app:app, or server:app with the dashboard beside it")
    parser.add_argument("--most", type=float, default=8.0, help="the ratio that may not be exceeded")
    parser.add_argument(
        "--set", action="append", default=[], type=setting, metavar="NAME=VALUE",
        help="a setting of the server, as CANDOR_CONCURRENCY=2",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def run(options: argparse.Namespace) -> Report:
    """Serve the sample library and put load on it."""
    load_average = os.getloadavg()[0]
    questions = sample_questions()
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(options.app, Path(folder), dict(options.set)) as (url, server),
    ):
        measured(url, server, questions, clients=1, asks=len(questions))  # warm: models, caches, connections
        one, alone = measured(url, server, questions, clients=1, asks=max(options.asks, len(questions)))
        many, together = measured(url, server, questions, clients=options.clients, asks=options.asks)
    answers = {said.question: said.content for said in alone}
    return Report(
        one=one,
        many=many,
        ratio=round(many.p95_ms / one.p50_ms, 2),
        same_answers=all(said.content == answers[said.question] for said in together),
        load_average=load_average,
    )


def measured(url: str, server: int, questions: Sequence[str], *, clients: int, asks: int) -> tuple[Load, list[Said]]:
    """Put load on a server, and see how much processor time it costs the server's process."""
    before = cpu_seconds(server)
    load, said = asyncio.run(asked(url, questions, clients=clients, asks=asks))
    return replace(load, server_cpu_ms=round((cpu_seconds(server) - before) * 1000 / len(said), 2)), said


def cpu_seconds(process: int) -> float:
    """Return the processor time of a process so far; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def sample_questions() -> list[str]:
    """Return the questions of the sample library, answerable and not."""
    lines = (ROOT / "samples" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["question"] for line in lines if line.strip()]


@contextmanager
def serving(app: str, folder: Path, settings: dict[str, str]) -> Iterator[tuple[str, int]]:
    """Ingest the samples, serve them in a process of its own, and give its address and process."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("CANDOR_", "QDRANT_"))},
        "CANDOR_DATA_DIR": str(folder / "data"),
        "OLLAMA_HOST": NOBODY,
        "HF_HUB_OFFLINE": "1",
        **settings,
    }
    candor = [sys.executable, "-c", "from rag.cli import main; main()"]
    subprocess.run([*candor, "ingest", "samples"], check=True, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    served = [sys.executable, "-m", "uvicorn", app, "--port", str(port), "--log-level", "warning", "--no-access-log"]
    process = subprocess.Popen(served, cwd=ROOT, env=environment)
    try:
        wait_until_ready(f"http://127.0.0.1:{port}", process)
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        process.terminate()
        process.wait(30)


def wait_until_ready(url: str, process: "subprocess.Popen[bytes]") -> None:
    """Wait for the server; it may take some seconds to load what it needs."""
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(f"{url}/api/readyz", timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise SystemExit("The server did not become ready.")


async def asked(url: str, questions: Sequence[str], *, clients: int, asks: int) -> tuple[Load, list[Said]]:
    """Let clients ask, each its next question when it has its answer; each begins at another question."""
    limits = httpx.Limits(max_connections=clients, max_keepalive_connections=clients)
    async with httpx.AsyncClient(base_url=url, timeout=120, limits=limits) as http:

        async def client(number: int) -> list[Said]:
            start = number * len(questions) // clients
            return [await ask(http, questions[(start + turn) % len(questions)]) for turn in range(asks)]

        begun = time.perf_counter()
        said = [one for found in await asyncio.gather(*map(client, range(clients))) for one in found]
        spent = time.perf_counter() - begun
    return summary(said, clients=clients, asks=asks, seconds=spent), said


async def ask(http: httpx.AsyncClient, question: str) -> Said:
    """Ask once."""
    begun = time.perf_counter()
    try:
        response = await http.post("/api/v1/ask", json={"question": question})
    except httpx.HTTPError:
        return Said(question, None, (time.perf_counter() - begun) * 1000, 0)
    milliseconds = (time.perf_counter() - begun) * 1000
    body = response.json()
    return Said(question, content(body), milliseconds, response.status_code)


def content(body: dict[str, Any]) -> Any:
    """Return what must be the same whoever else asks: all but ids and times."""
    cited = [(citation["chunk_id"], citation["excerpt"]) for citation in body.get("citations", [])]
    found = [(hit["chunk_id"], hit["similarity_score"]) for hit in body.get("retrieved", [])]
    return body.get("answer"), body.get("message"), body.get("confidence"), cited, found


def summary(said: Sequence[Said], *, clients: int, asks: int, seconds: float) -> Load:
    """Return the figures of what clients saw."""
    spent = sorted(one.milliseconds for one in said)
    cuts = statistics.quantiles(spent, n=100, method="inclusive")
    return Load(
        clients=clients,
        asks=asks,
        p50_ms=round(cuts[49], 2),
        p95_ms=round(cuts[94], 2),
        p99_ms=round(cuts[98], 2),
        most_ms=round(spent[-1], 2),
        per_second=round(len(said) / seconds, 1),
        errors=sum(one.status != 200 for one in said),
    )


def table(report: Report) -> str:
    """Return the report for people."""
    rows = ["clients  asks   p50 ms   p95 ms   p99 ms   max ms  asks/s  errors  server CPU ms/ask"]
    rows += [
        f"{load.clients:7}  {load.asks:4}  {load.p50_ms:7.1f}  {load.p95_ms:7.1f}  {load.p99_ms:7.1f}  "
        f"{load.most_ms:7.1f}  {load.per_second:6.1f}  {load.errors:6}  {load.server_cpu_ms:17.1f}"
        for load in (report.one, report.many)
    ]
    same = "the same answers" if report.same_answers else "OTHER ANSWERS"
    rows.append(f"p95 of {report.many.clients} clients / p50 of one: {report.ratio:.2f}; {same}")
    rows.append(f"load average before the run: {report.load_average:.2f}")
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
