"""What every contestant runs under: read a job, build, ask, write what happened.

Run in the contestant's own environment: `python -m benchmarks.peers.worker NAME JOB.json RESULT.json`.
"""

import json
import os
import resource
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.peers.contestants import CONTESTANTS, TOP


def run(name: str, job: dict[str, Any]) -> dict[str, Any]:
    """Do the job and return what was measured; the model is loaded and warm before a clock starts.

    Processor time, of this process and its threads, hardly depends on what else the machine does.
    """
    begun = time.perf_counter()
    contestant = CONTESTANTS[name](job["model"])
    load_s = time.perf_counter() - begun
    wall, cpu = time.perf_counter(), time.process_time()
    contestant.ingest(Path(job["documents"]))
    ingest_s, ingest_cpu_s = time.perf_counter() - wall, time.process_time() - cpu
    for question in job["warm_up"]:
        contestant.search(question)
    found, durations_ms, cpu = [], [], time.process_time()
    for question in job["questions"]:
        wall = time.perf_counter()
        hits = contestant.search(question)
        durations_ms.append((time.perf_counter() - wall) * 1000)
        found.append(hits[:TOP])
    return {
        "name": name,
        "versions": {package: version(package) for package in contestant.versions},
        "note": contestant.note,
        "max_pieces": contestant.max_pieces,
        "load_s": load_s,
        "ingest_s": ingest_s,
        "ingest_cpu_s": ingest_cpu_s,
        "retrieval_ms": durations_ms,
        "retrieval_cpu_ms": (time.process_time() - cpu) * 1000 / max(len(durations_ms), 1),
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "texts": contestant.texts(),
        "found": found,
    }


if __name__ == "__main__":
    os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "true", "ANONYMIZED_TELEMETRY": "False"}
    os.environ |= {"HAYSTACK_TELEMETRY_ENABLED": "False", "DO_NOT_TRACK": "1"}
    job = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    Path(sys.argv[3]).write_text(json.dumps(run(sys.argv[1], job)), encoding="utf-8")
