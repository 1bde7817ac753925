"""A data folder as a month of use leaves it: a log of many lines, and the short lines of recorded answers."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING
from uuid import UUID

import numpy as np

if TYPE_CHECKING:
    from rag.report import Report

STAGES = {
    "validation": ("query_received", 0.02),
    "embedding": ("question_embedded", 6.0),
    "retrieval": ("chunks_retrieved", 9.0),
    "gate": ("gate_decided", 0.6),
    "generation": ("prompt_built", 0.4),
    "grounding": ("answer_grounded", 4.0),
}
"""Component, its event, and the median of its milliseconds; the spread is lognormal."""
END = datetime(2026, 11, 1, tzinfo=UTC)
_SIGMA = 0.6


@dataclass(frozen=True, slots=True)
class Made:
    """What was written, and what every reading of it must find."""

    lines: int
    requests: int
    answered: int
    totals_ms: tuple[float, ...]
    """Milliseconds of every request in all, as they stand in the log."""


def make_folder(folder: Path, *, lines: int, recorded: int) -> Made:
    """Write a log of at least `lines` lines over thirty days, and the short lines of the newest requests.

    Args:
        folder: A data folder; made when missing.
        lines: Log lines in all.
        recorded: How many requests are kept whole.
    """
    random = Random(0)
    count = -(-lines // (len(STAGES) + 1))
    begins = [END - timedelta(days=30) * (1 - number / count) for number in range(count)]
    requests = [list(_request(random, begin)) for begin in begins]
    for name in ("logs", "requests"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "logs" / "candor.jsonl").write_text("".join(line for request in requests for line in request))
    for request in requests[count - recorded :]:
        with (folder / "requests" / f"{json.loads(request[-1])['timestamp'][:10]}.jsonl").open("a") as file:
            file.write(_short(request[-1], random))
    ends = [json.loads(request[-1])["data"] for request in requests]
    answered = sum(end["outcome"] == "answered" for end in ends)
    return Made(sum(map(len, requests)), count, answered, tuple(end["processing_time_ms"] for end in ends))


def percentile_error(report: "Report", made: Made) -> float:
    """Return the largest relative error of the percentiles of the total, against the numbers that were written."""
    frame = report.latency()
    row = frame[frame["stage"] == "total"].iloc[0]
    wanted = np.quantile(made.totals_ms, [0.5, 0.95, 0.99])
    found = np.array([row["p50_ms"], row["p95_ms"], row["p99_ms"]])
    return float(np.max(np.abs(found - wanted) / wanted))


def _request(random: Random, begin: datetime) -> Iterator[str]:
    """Yield the log lines of one request, in the order written."""
    request_id = f"req_{begin:%Y%m%d}_{UUID(int=random.getrandbits(128), version=4).hex[:12]}"
    spent = 0.0
    for component, (event, median) in STAGES.items():
        took = round(median * random.lognormvariate(0, _SIGMA), 3)
        spent += took
        yield _line(begin + timedelta(milliseconds=spent), request_id, component, event, {"processing_time_ms": took})
    confidence = round(random.betavariate(2.2, 1.3), 6)
    outcome = "answered" if confidence >= 0.55 else "refused"
    data = {
        "outcome": outcome, "processing_time_ms": round(spent, 3), "confidence": confidence, "generator": "extractive",
        "citations": 1, "sentences": 1, "refusal_stage": None if outcome == "answered" else "gate",
        "threshold": 0.55, "unsure_threshold": 0.2, "estimator": "calibrated",
        "refusal_code": None if outcome == "answered" else "NO_RELEVANT_CONTENT",
        "question_length": 40, "chunks_retrieved": 10, "documents": ["manual.pdf"] if outcome == "answered" else [],
        "collection": None, "house_words": 0,
    }  # fmt: skip
    yield _line(begin + timedelta(milliseconds=spent), request_id, "api", "answer_returned", data)


def _line(at: datetime, request_id: str, component: str, event: str, data: dict[str, object]) -> str:
    content = {
        "timestamp": f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03}Z", "request_id": request_id, "level": "INFO",
        "component": component, "event": event, "data": data, "error": None,
    }  # fmt: skip
    return json.dumps(content, separators=(",", ":")) + "\n"


def _short(returned: str, random: Random) -> str:
    """Return the short line of a recorded answer."""
    line = json.loads(returned)
    data = line["data"]
    similarities = sorted((round(random.betavariate(4, 3), 6) for _ in range(10)), reverse=True)
    short = {
        "request_id": line["request_id"], "timestamp": line["timestamp"], "session_id": None,
        "question": f"What does part {random.randrange(10_000)} of the manual say?", "answer": None,
        "decision": data["outcome"], "refusal_stage": data["refusal_stage"], "confidence": data["confidence"],
        "threshold": 0.55, "estimator": "calibrated", "estimates": {"calibrated": data["confidence"]}, "top_k": 5,
        "similarity_threshold": 0.0, "similarities": similarities, "documents": ["manual.pdf"],
        "retrieved_documents": ["manual.pdf"] * 10, "mode": "book-wide", "generator": "extractive",
        "timings_ms": {"total": data["processing_time_ms"]},
    }  # fmt: skip
    return json.dumps(short, separators=(",", ":")) + "\n"
