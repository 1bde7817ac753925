"""How long a slider move on Tune takes over an evaluation run of 1,000 questions: `python benchmarks/regating.py`."""

import json
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rag.evaluation.held import held_path, held_requests
from rag.evaluation.lines import EvaluationLine
from rag.recording.replay import RecordedRequest
from rag.whatif.arrays import risk_coverage, what_if
from rag.whatif.cases import Cases, cases_of

QUESTIONS = 1000
PASSAGES = 10
MOVES: dict[str, dict[str, object]] = {
    "threshold": {"confidence_threshold": 0.6},
    "unsure": {"unsure_threshold": 0.3},
    "estimator": {"estimator": "mean_similarity"},
    "all of them": {"confidence_threshold": 0.6, "unsure_threshold": 0.3, "estimator": "calibrated"},
}


def made(number: int, rng: random.Random) -> RecordedRequest:
    """Return the short form of an answer with ten passages, its numbers drawn at random."""
    confidence, scores = rng.random(), sorted((rng.random() for _ in range(PASSAGES)), reverse=True)
    return RecordedRequest(
        request_id=f"q{number}",
        question="Which gloves are worn?",
        decision="answered" if confidence >= 0.5 else "refused",
        refusal_stage=None if confidence >= 0.5 else "gate",
        confidence=confidence,
        threshold=0.5,
        estimator="calibrated",
        similarities=tuple(scores),
        settings="s",
    )


def measure() -> dict[str, float]:
    """Return milliseconds: the median of 20 moves of each slider, with the curve that is drawn from it."""
    rng = random.Random(1)
    requests = [made(number, rng) for number in range(QUESTIONS)]
    cases = cases_of(requests, {one.request_id: rng.random() < 0.5 for one in requests})
    found = {f"{name}_ms": _median(partial(_moved, cases, move)) for name, move in MOVES.items()}
    return {**found, "open_run_ms": _opening(requests), "load_average": os.getloadavg()[0]}


def _moved(cases: Cases, move: dict[str, object]) -> None:
    risk_coverage(what_if(cases, **move))  # type: ignore[arg-type]


def _opening(requests: list[RecordedRequest]) -> float:
    """Return how long it takes to read the short forms from the file beside a run's lines."""
    import gzip

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.jsonl"
        rest = json.dumps({"text": "x" * 18_000})  # as long as the whole answer that follows in such a line
        with held_path(path).open("wb") as file:
            for one in requests:
                line = {"version": 1, "qid": one.request_id, "request": one.model_dump(mode="json"), "answer": rest}
                file.write(gzip.compress(json.dumps(line).encode() + b"\n"))
        lines = [
            EvaluationLine(
                qid=one.request_id,
                question=one.question,
                decision="answered" if one.decision == "answered" else "refused",
                confidence=one.confidence,
            )
            for one in requests
        ]
        return _median(lambda: held_requests(path, lines), times=3)


def _median(act: Callable[[], object], times: int = 20) -> float:
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        act()
        taken.append(1000 * (time.perf_counter() - begun))
    return statistics.median(taken)


if __name__ == "__main__":
    print(json.dumps({name: round(value, 2) for name, value in measure().items()}, indent=2))
