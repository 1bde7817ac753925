"""A data folder as a month of use leaves it: a log of many lines, and the short lines of recorded answers."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from recorded import LOG_KEYS, answered, refused

from rag.models import Timings
from rag.record import answer_data, recorded_request

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


@dataclass(frozen=True, slots=True)
class Made:
    """What was written, and what every reading of it must find."""

    lines: int
    requests: int
    answered: int


def make_folder(folder: Path, *, lines: int, recorded: int) -> Made:
    """Write a log of at least `lines` lines over thirty days, and the short lines of the newest `recorded` requests."""
    random, log, right = Random(0), list[str](), 0
    count = -(-lines // (len(STAGES) + 1))
    for name in ("logs", "requests"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for number in range(count):
        moment, total = END - timedelta(days=30) * (1 - number / count), 0.0
        is_right = random.random() < 0.7
        answer = (answered if is_right else refused)(number, at=moment)
        for component, (event, median) in STAGES.items():
            took = round(median * random.lognormvariate(0, 0.6), 3)
            total += took
            log.append(_line(moment, answer.request_id, component, event, {"processing_time_ms": took}))
        answer = answer.model_copy(update={"timings_ms": Timings(total=round(total, 3))})
        log.append(_line(moment, answer.request_id, "api", "answer_returned", answer_data(answer)))
        right += is_right
        if number >= count - recorded:
            with (folder / "requests" / f"{moment:%Y-%m-%d}.jsonl").open("a") as file:
                file.write(recorded_request(answer).model_dump_json() + "\n")
    (folder / "logs" / "candor.jsonl").write_text("".join(log))
    return Made(len(log), count, right)


def _line(at: datetime, request_id: str, component: str, event: str, data: dict[str, object]) -> str:
    time = f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03}Z"
    values = (time, request_id, "INFO", component, event, data, None)
    return json.dumps(dict(zip(LOG_KEYS, values, strict=True)), separators=(",", ":")) + "\n"
