"""The tables of one data folder: the log, the short lines of answers and the feedback, in an in-process DuckDB."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pandas as pd

from rag.errors import ConfigurationError
from rag.records.answerfiles import day_files
from rag.records.linefile import lines_with
from rag.records.linetable import LineTable

Moment = datetime | None
Progress = Callable[[int, int], None]  # told how many bytes have been read, and how many there are
_START = datetime(1970, 1, 1)  # the tables hold UTC, without a zone
_WIDTHS_S = (60, 300, 900, 3600, 10_800, 21_600, 86_400, 604_800, 2_592_000)
_MOST_STRETCHES = 120

_FACTS = ("outcome", "confidence", "threshold", "estimator", "refusal_stage", "refusal_code", "generator", "documents")
_LOG_FIELDS = {
    "timestamp": "TIMESTAMP",
    **dict.fromkeys(("request_id", "level", "component", "event"), "VARCHAR"),
    "data": "STRUCT(outcome VARCHAR, processing_time_ms DOUBLE, confidence DOUBLE, threshold DOUBLE, estimator VARCHAR,"
    " refusal_stage VARCHAR, refusal_code VARCHAR, generator VARCHAR, documents VARCHAR[])",
    "error": "STRUCT(error_code VARCHAR, message VARCHAR)",
}
# Stages have one name each, that of `Timings`; the log's components are those of seed 000.
_STAGE = """
    CASE WHEN event = 'answer_returned' THEN 'total' WHEN event LIKE 'prompt_%' THEN 'prompt'
         WHEN event IN ('windows_read', 'read_failed') THEN 'read'
         ELSE CASE component WHEN 'validation' THEN 'validate' WHEN 'embedding' THEN 'embed'
              WHEN 'retrieval' THEN 'retrieve' WHEN 'generation' THEN 'generate' WHEN 'grounding' THEN 'ground'
              ELSE component END END
"""
_LOG_COLUMNS = {
    **{name: name for name in ("timestamp", "request_id", "level", "component", "event")},
    "stage": _STAGE,
    "ms": "data.processing_time_ms::FLOAT",
    **{name: f"data.{name}" for name in _FACTS},
    **{name: f"error.{name}" for name in ("error_code", "message")},
}
_REQUEST_FIELDS = {
    "timestamp": "TIMESTAMP",
    **dict.fromkeys(("request_id", "session_id", "question", "refusal_stage", "refusal_code"), "VARCHAR"),
    **dict.fromkeys(("confidence", "threshold"), "DOUBLE"),
    **dict.fromkeys(("estimator", "generator"), "VARCHAR"),
    **dict.fromkeys(("documents", "retrieved_documents"), "VARCHAR[]"),
    "decision": "VARCHAR",
    "timings_ms": "STRUCT(total DOUBLE)",
}
_REQUEST_COLUMNS = {
    **{name: name for name in _REQUEST_FIELDS if name not in ("decision", "timings_ms")},
    "outcome": "decision",
    "total_ms": "timings_ms.total",
}
_FEEDBACK_FIELDS = {"timestamp": "TIMESTAMP"} | dict.fromkeys(
    ("request_id", "verdict", "reason", "note", "by"), "VARCHAR"
)
_FEEDBACK_COLUMNS = {f'"{name}"': f'"{name}"' for name in _FEEDBACK_FIELDS}
_VIEWS = """
    CREATE VIEW all_told AS
        SELECT *, event = 'answer_returned' AND outcome IS DISTINCT FROM 'talk' AS ended FROM log;
    CREATE VIEW timed AS
        SELECT * FROM log WHERE ms IS NOT NULL AND event IS DISTINCT FROM 'question_stopped'
        AND outcome IS DISTINCT FROM 'talk'
        AND (stage IS DISTINCT FROM 'ingest' OR event IN ('document_ingested', 'document_replaced'));
    CREATE VIEW requests AS
        SELECT timestamp, request_id, question, outcome, confidence, threshold, estimator, refusal_stage, refusal_code,
               generator, documents, total_ms, session_id, TRUE AS recorded
        FROM recorded
        UNION ALL
        SELECT timestamp, request_id, NULL, outcome, confidence, threshold, estimator, refusal_stage, refusal_code,
               generator, documents, ms, NULL, FALSE
        FROM log ANTI JOIN recorded USING (request_id) WHERE event = 'answer_returned';
    CREATE VIEW verdicts AS
        SELECT request_id, nullif(arg_max(verdict, row(timestamp, rowid)), 'withdrawn') AS verdict
        FROM feedback GROUP BY request_id;
    CREATE VIEW standing_feedback AS
        SELECT * FROM (
            SELECT *, rowid AS place, max(row(timestamp, rowid)) FILTER (verdict = 'withdrawn')
                   OVER (PARTITION BY request_id) AS withdrawn_at
            FROM feedback)
        WHERE withdrawn_at IS NULL OR row(timestamp, place) > withdrawn_at;
"""


class RecordedTables:
    """The tables `log`, `recorded` and `feedback`, and views of them, up to date at each query.

    The views: `all_told`, the log with whether a line ends a question, which talk is not; `timed`, the lines that hold
    how long a stage took, of ingestion only those of a document that was taken in (the last line of an ingest holds the
    time of them all), of stopped questions and talk none; `requests`, talk among them; `verdicts`, the last on each
    request, null where it was taken back; `standing_feedback`, all that was not.

    Args:
        data_dir: The data folder that a `Recorder` writes; may be empty or missing.
    """

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = Path(data_dir)
        self._connection = duckdb.connect()
        self._connection.execute("SET TimeZone = 'UTC'")
        self._connection.execute("SET preserve_insertion_order = false")  # a third less time; queries say their order
        self._log = LineTable(self._connection, "log", _LOG_FIELDS, _LOG_COLUMNS)
        self._recorded = LineTable(self._connection, "recorded", _REQUEST_FIELDS, _REQUEST_COLUMNS)
        self._feedback = LineTable(self._connection, "feedback", _FEEDBACK_FIELDS, _FEEDBACK_COLUMNS)
        self._connection.execute(_VIEWS)

    def select(self, since: Moment, query: str, **values: object) -> pd.DataFrame:
        """Return what a query finds; `$since` and the other `values` are its parameters."""
        self.read()
        return _typed(self._connection.cursor().execute(query, {"since": _naive(since) or _START, **values}))

    def stretches(self, since: Moment) -> dict[str, object]:
        """Return the parameters of a table over time: `width`, the length of a stretch in seconds, `first` and `last`.

        The first moment to show is the one asked for, else the log's; the last is the log's. Null for an empty log.
        """
        self.read()
        found = self._connection.cursor().execute("SELECT min(timestamp), max(timestamp) FROM log").fetchone()
        earliest, last = found or (None, None)
        first = _naive(since) or earliest
        return {"width": _width_s(first, last), "first": first, "last": last}

    def request_events(self, request_id: str) -> pd.DataFrame:
        """Return the log lines of one request in the order written, `data` and `error` as JSON text.

        Raises:
            ConfigurationError: The log cannot be read.
        """
        marker = json.dumps(request_id, ensure_ascii=False).encode()
        oldest_first = sorted(self._log_files(), key=_age, reverse=True)
        with self._readable():
            lines = [line for path in oldest_first for line in lines_with(path, marker)]
        return _events_frame(lines, request_id)

    def unread(self) -> int:
        """Return how many bytes of what is recorded the next table has to wait for: 100 MB are read in a second.

        Raises:
            ConfigurationError: A record cannot be read.
        """
        with self._readable():
            return sum(table.unread(files) for table, files in self._files())

    def read(self, *, progress: Progress | None = None) -> None:
        """Read what was recorded since, so that the next table need not wait.

        Args:
            progress: Told how many bytes have been read, and how many there are.

        Raises:
            ConfigurationError: A record cannot be read.
        """
        todo = self.unread() if progress else 0
        done = 0

        def told(count: int) -> None:
            nonlocal done
            done += count
            if progress:
                progress(done, max(todo, done))

        with self._readable():
            for table, files in self._files():
                table.refresh(files, told=told)

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Say that records cannot be read, and which, where that is so."""
        try:
            yield
        except (OSError, duckdb.IOException) as error:
            raise ConfigurationError(
                f"The records in {str(self._data_dir)!r} cannot be read: {error}. Make the folder readable."
            ) from error

    def _files(self) -> list[tuple[LineTable, list[Path]]]:
        return [
            (self._log, self._log_files()),
            (self._recorded, day_files(self._data_dir / "requests")),
            (self._feedback, [self._data_dir / "feedback.jsonl"]),
        ]

    def _log_files(self) -> list[Path]:
        return [*(self._data_dir / "logs").glob("candor.jsonl*")]


def _age(path: Path) -> int:
    """Return 0 for the log that is written now, n for the one rotated n times."""
    return int(path.suffix[1:]) if path.suffix[1:].isdigit() else 0


def _events_frame(lines: Sequence[bytes], request_id: str) -> pd.DataFrame:
    rows = []
    for line in lines:
        with suppress(ValueError):  # torn
            event = json.loads(line)
            if event.get("request_id") == request_id:
                rows.append({**event, "processing_time_ms": (event.get("data") or {}).get("processing_time_ms")})
    names = ["timestamp", "level", "component", "event", "processing_time_ms", "data", "error"]
    frame = pd.DataFrame(rows, columns=names)
    for name in ("data", "error"):
        frame[name] = frame[name].map(lambda value: json.dumps(value, ensure_ascii=False)).astype("str")
    frame["timestamp"] = pd.to_datetime(frame["timestamp"], utc=True, format="ISO8601")
    return frame.astype({"processing_time_ms": "float64", "level": "str", "component": "str", "event": "str"})


def _width_s(first: Moment, last: Moment) -> int:
    span = (last - first).total_seconds() if first and last else 0.0
    return next((width for width in _WIDTHS_S if span / width <= _MOST_STRETCHES), _WIDTHS_S[-1])


def _naive(moment: Moment) -> Moment:
    return moment.astimezone(UTC).replace(tzinfo=None) if moment and moment.tzinfo else moment


def _typed(result: duckdb.DuckDBPyConnection) -> pd.DataFrame:
    """Return the result as a frame whose types do not depend on what was found."""
    types = {str(column[0]): str(column[1]) for column in result.description or ()}
    frame = result.df()
    for name, kind in types.items():
        if kind == "VARCHAR":
            frame[name] = frame[name].astype("str")
        elif kind == "TIMESTAMP":
            frame[name] = frame[name].dt.tz_localize("UTC")
    return frame
