"""The log lines of one ingest: one for each document that changed or failed, and one at its end, under one id."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from time import perf_counter
from typing import TYPE_CHECKING
from uuid import uuid4

from rag.errors import InvalidDocument
from rag.models import request_id_of
from rag.process.data_folder import has_folder

if TYPE_CHECKING:
    from rag.ingest.report import FileOutcome
    from rag.record import Recorder
    from rag.records.logline import Level

EVENTS = {
    "added": "document_ingested",
    "replaced": "document_replaced",
    "removed": "document_removed",
    "failed": "document_failed",
}
"""The event of each outcome. An unchanged file has no line of its own: it is counted at the end."""


@contextmanager
def ingest_log(recorder: "Recorder") -> "Iterator[Callable[[FileOutcome], None]]":
    """Log an ingest; the block is given what to call with each file's outcome.

    The last line is `ingest_finished` with the counts; `ingest_failed` where the block raised, and
    `ingest_interrupted` where a person ended it. What raised goes on. Without a data folder nothing can be kept, and
    nothing is tried.
    """
    request_id, begun = request_id_of(uuid4(), datetime.now(UTC)), perf_counter()
    counts: Counter[str] = Counter()

    def told(outcome: "FileOutcome") -> None:
        counts[outcome.outcome] += 1
        counts["chunks"] += outcome.chunks if outcome.outcome in ("added", "replaced") else 0
        _log_document(recorder, request_id, outcome)

    def end(event: str, level: "Level", error: BaseException | None = None) -> None:
        if not has_folder(recorder.data_dir):
            return
        facts = {name: counts[name] for name in (*EVENTS, "unchanged", "chunks")}
        data = {**facts, "processing_time_ms": (perf_counter() - begun) * 1000}
        recorder.event("ingest", event, request_id=request_id, level=level, data=data, error=error)

    try:
        yield told
    except Exception as error:
        end("ingest_failed", "WARNING" if isinstance(error, InvalidDocument) else "ERROR", error)
        raise
    except BaseException:
        end("ingest_interrupted", "WARNING")
        raise
    end("ingest_finished", "WARNING" if counts["failed"] else "INFO")


def _log_document(recorder: "Recorder", request_id: str, outcome: "FileOutcome") -> None:
    event = EVENTS.get(outcome.outcome)
    if event is None:
        return
    data: dict[str, object] = {"document": outcome.document, "chunks": outcome.chunks}
    data |= {"processing_time_ms": outcome.seconds * 1000}
    data |= {"notes": list(outcome.notes)} if outcome.notes else {}
    level: Level = "INFO"
    error = None
    if outcome.outcome == "failed":
        level, error = "WARNING", InvalidDocument(outcome.reason or "", details={"document": outcome.document})
    elif outcome.reason is not None:
        data["remark"] = outcome.reason
    recorder.event("ingest", event, request_id=request_id, level=level, data=data, error=error)
