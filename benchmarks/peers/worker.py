"""What every contestant runs under: read a job, build, ask, write what happened. Standard library only.

A contestant is a module `with_NAME` with a function `contestant(model: str) -> Contestant`; it is run in its own
environment: `python -m benchmarks.peers.worker NAME JOB.json RESULT.json`.
"""

import importlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TOP = 5
"""Passages asked for: hit@5."""


@dataclass
class Contestant:
    """One library, its model loaded.

    Attributes:
        ingest: Reads a folder and indexes it.
        texts: All texts exactly as they were given to the model.
        search: The `TOP` best passages for a question, best first, as (document, text) pairs.
        max_pieces: Word pieces of a text that the model really reads, special pieces included.
        versions: Packages whose versions are reported.
        note: What a reader of the table should know.
    """

    ingest: Callable[[Path], None]
    texts: Callable[[], list[str]]
    search: Callable[[str], list[tuple[str, str]]]
    max_pieces: int
    versions: tuple[str, ...]
    note: str = ""


def run(name: str, job: dict[str, Any]) -> dict[str, Any]:
    """Do the job and return what was measured; the model is loaded and warm before a clock starts."""
    begun = time.perf_counter()
    contestant: Contestant = importlib.import_module(f"benchmarks.peers.with_{name}").contestant(job["model"])
    load_s = time.perf_counter() - begun
    wall, cpu = time.perf_counter(), _cpu_s()
    contestant.ingest(Path(job["documents"]))
    ingest_s, ingest_cpu_s = time.perf_counter() - wall, _cpu_s() - cpu
    for question in job["warm_up"]:
        contestant.search(question)
    found, durations_ms, cpu = [], [], _cpu_s()
    for question in job["questions"]:
        wall = time.perf_counter()
        hits = contestant.search(question)
        durations_ms.append((time.perf_counter() - wall) * 1000)
        found.append(hits[:TOP])
    return {
        "name": name,
        "versions": {package: _version(package) for package in contestant.versions},
        "note": contestant.note,
        "max_pieces": contestant.max_pieces,
        "load_s": load_s,
        "ingest_s": ingest_s,
        "ingest_cpu_s": ingest_cpu_s,
        "retrieval_ms": durations_ms,
        "retrieval_cpu_ms": (_cpu_s() - cpu) * 1000 / max(len(durations_ms), 1),
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "texts": contestant.texts(),
        "found": found,
    }


def _cpu_s() -> float:
    """Return the processor time of this process and its threads: it hardly depends on what else the machine does."""
    return time.process_time()


def _version(package: str) -> str:
    from importlib.metadata import version

    return version(package)


if __name__ == "__main__":
    os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "true", "ANONYMIZED_TELEMETRY": "False"}
    os.environ |= {"HAYSTACK_TELEMETRY_ENABLED": "False", "DO_NOT_TRACK": "1"}
    job = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    Path(sys.argv[3]).write_text(json.dumps(run(sys.argv[1], job)), encoding="utf-8")
