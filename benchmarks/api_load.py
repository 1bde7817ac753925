"""One client, then many at once, on a server of its own: latencies, their ratio, errors, and whether answers agree.

    python -m benchmarks.api_load [--clients 8] [--asks 50] [--app server:app] [--json]

The server is a process of its own on a loopback port, over the sample library, without a language model. Every client
waits for its answer before it asks again. Exit code 1: an error, another answer than one client got, or a p95 of many
clients above `--most` times the p50 of one.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from benchmarks.options import at_least, setting
from rag.bench.processes import RUN
from rag.bench.processes import serving as server

ROOT = Path(__file__).resolve().parent.parent
NOBODY = "http://127.0.0.1:9"
Load = dict[str, float]
"""What a number of clients saw; latencies in milliseconds, as a client measures them. `server_cpu_ms` is the processor
time that the server spent on one ask, which other programs on the machine do not change much."""


class Said(NamedTuple):
    """One answer as a client got it; the status is 0 where there was none."""

    question: str
    content: Any
    milliseconds: float
    status: int


def main() -> int:
    """Measure, print, and say by the exit code whether the target holds."""
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
    options = parser.parse_args()
    load_average = round(os.getloadavg()[0], 2)
    lines = (ROOT / "samples" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["question"] for line in lines if line.strip()]
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(options.app, Path(folder), dict(options.set)) as (url, server),
    ):
        measured(url, server, questions, clients=1, asks=len(questions))  # warm: models, caches, connections
        one, alone = measured(url, server, questions, clients=1, asks=max(options.asks, len(questions)))
        many, together = measured(url, server, questions, clients=options.clients, asks=options.asks)
    answers = {said.question: said.content for said in alone}
    same = all(said.content == answers[said.question] for said in together)
    ratio = round(many["p95_ms"] / one["p50_ms"], 2)
    if options.json:
        found = {"one": one, "many": many, "ratio": ratio, "same_answers": same, "load_average": load_average}
        print(json.dumps(found, indent=2))
    else:
        print("  ".join(one))
        print("\n".join("  ".join(f"{value:{len(name)}g}" for name, value in load.items()) for load in (one, many)))
        print(f"p95 of {options.clients} clients / p50 of one: {ratio}; {'the same' if same else 'OTHER'} answers")
        print(f"load average before the run: {load_average}")
    return 0 if ratio <= options.most and not one["errors"] + many["errors"] and same else 1


def measured(url: str, server: int, questions: Sequence[str], *, clients: int, asks: int) -> tuple[Load, list[Said]]:
    """Put load on a server, and see how much processor time it costs the server's process."""
    before, begun = cpu_seconds(server), time.perf_counter()
    said = asyncio.run(asked(url, questions, clients=clients, asks=asks))
    seconds = time.perf_counter() - begun
    cuts = statistics.quantiles((one.milliseconds for one in said), n=100, method="inclusive")
    load = {
        "clients": clients,
        "asks": asks,
        "p50_ms": round(cuts[49], 2),
        "p95_ms": round(cuts[94], 2),
        "p99_ms": round(cuts[98], 2),
        "most_ms": round(max(one.milliseconds for one in said), 2),
        "per_second": round(len(said) / seconds, 1),
        "errors": sum(one.status != 200 for one in said),
        "server_cpu_ms": round((cpu_seconds(server) - before) * 1000 / len(said), 2),
    }
    return load, said


def cpu_seconds(process: int) -> float:
    """Return the processor time of a process so far; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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
    subprocess.run([*RUN, "ingest", "samples"], check=True, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    served = [sys.executable, "-m", "uvicorn", app, "--log-level", "warning", "--no-access-log", "--port"]
    with server(served, environment, ROOT) as (process, address, _):
        yield address, process


async def asked(url: str, questions: Sequence[str], *, clients: int, asks: int) -> list[Said]:
    """Let clients ask, each its next question when it has its answer; each begins at another question."""
    limits = httpx.Limits(max_connections=clients, max_keepalive_connections=clients)
    async with httpx.AsyncClient(base_url=url, timeout=120, limits=limits) as http:

        async def client(number: int) -> list[Said]:
            start = number * len(questions) // clients
            return [await ask(http, questions[(start + turn) % len(questions)]) for turn in range(asks)]

        return [one for found in await asyncio.gather(*map(client, range(clients))) for one in found]


async def ask(http: httpx.AsyncClient, question: str) -> Said:
    """Ask once; the content is all that must be the same whoever else asks, without ids and times."""
    begun = time.perf_counter()
    try:
        response = await http.post("/api/v1/ask", json={"question": question})
    except httpx.HTTPError:
        return Said(question, None, (time.perf_counter() - begun) * 1000, 0)
    milliseconds = (time.perf_counter() - begun) * 1000
    body = response.json()
    cited = [(citation["chunk_id"], citation["excerpt"]) for citation in body.get("citations", [])]
    found = [(hit["chunk_id"], hit["similarity_score"]) for hit in body.get("retrieved", [])]
    content = body.get("answer"), body.get("message"), body.get("confidence"), cited, found
    return Said(question, content, milliseconds, response.status_code)


if __name__ == "__main__":
    sys.exit(main())
