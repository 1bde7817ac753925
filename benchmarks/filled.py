"""A data folder as it is after months of use, made in minutes through Candor's own writers.

The samples are read and asked as they are. Further documents get made-up vectors, further requests and conversations
are copies of what was asked, with words, ids and moments of their own.
"""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from benchmarks.standin import stand_in
from rag import Candor
from rag.evaluation.own_index import run as evaluate
from rag.models import Answer
from rag.record import answer_data
from rag.records.logline import Component
from rag.settings import Settings
from rag.workspace.conversation import keep_turn
from rag.workspace.values import new_session_id

ROOT = Path(__file__).resolve().parent.parent
DAYS = 100
"""Over so many days before today the requests are spread."""
WORDINGS = 997
"""So many wordings has each question of the samples."""
STAGES: dict[str, Component] = {
    "validate_": "validation", "embed": "embedding", "retrieve": "retrieval", "read": "retrieval", "gate": "gate",
    "generate": "generation", "ground": "grounding",
}  # fmt: skip


def questions() -> list[str]:
    """Return the questions of the samples."""
    lines = (ROOT / "samples" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["question"] for line in lines if line.strip()]


def fill(settings: Settings, *, documents: int, requests: int, conversations: int) -> None:
    """Make a data folder with so many of each beside the samples, and a run over ten of their questions."""
    with Candor.open(settings) as candor, TemporaryDirectory(prefix="candor-notes-") as folder:
        candor.ingest([path for path in (ROOT / "samples").iterdir() if path.suffix != ".jsonl"])
        answers = [candor.ask(question) for question in questions()[::4]]
        stand_in(candor)
        for number in range(documents):
            kept = f"Item {number} is kept in room {number % 97}, on shelf {number % 7}."
            text = f"# Note {number}\n\n## Where item {number} is kept\n\n{kept}\n"
            (Path(folder) / f"note_{number:05}.md").write_text(text, encoding="utf-8")
        candor.ingest([Path(folder)])
        made = [*recorded(candor, answers, requests)]
        for number in range(conversations):
            one = made[number * len(made) // conversations]
            asked = one.query.question
            keep_turn(candor, new_session_id(), one, asked=asked, read_as=asked)
    evaluate(ROOT / "samples", settings, out=settings.data_dir / "runs" / "samples.jsonl", limit=10)


def recorded(candor: Candor, answers: Sequence[Answer], count: int) -> Iterator[Answer]:
    """Record requests like some answers, with the log lines of their stages, the oldest first, and yield them."""
    recorder, now = candor.wiring.recorder, datetime.now(UTC)
    for number in range(count):
        like, name = answers[number % len(answers)], uuid4()
        moment = now - timedelta(days=DAYS) * (1 - number / count)
        names = {"query_id": name, "request_id": f"req_{moment:%Y%m%d}_{name.hex[:12]}", "timestamp": moment}
        words = f"{like.query.question[:-1]} in room {number % WORDINGS}?"
        one = like.model_copy(
            update={**names, "query": like.query.model_copy(update={**names, "question": words})},
        )
        for stage, component in STAGES.items():
            if (took := getattr(one.timings_ms, stage)) is not None:
                recorder.event(component, "done", request_id=one.request_id, data={"processing_time_ms": took})
        recorder.event("api", "answer_returned", request_id=one.request_id, data=answer_data(one))
        recorder.answer(one)
        yield one
