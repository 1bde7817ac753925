"""One line of the log: exactly seed 000's seven keys, in its order; no text of a question unless asked for."""

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from threading import Lock
from typing import IO, Literal

import structlog
from pydantic_core import to_json

from rag.errors import CandorError, InvalidQuery
from rag.recording.linefile import LineFile, one_line

Level = Literal["INFO", "WARNING", "ERROR"]
Component = Literal["api", "validation", "embedding", "retrieval", "gate", "generation", "grounding", "ingest"]
LOG_KEYS = ("timestamp", "request_id", "level", "component", "event", "data", "error")
PERSONAL_KEYS = ("question", "context", "history")
"""Keys of `data` under which the text of a question may stand."""
_QUOTED = re.compile(r"(['\"]).*\1", re.DOTALL)


class LogLines:
    """Writes the lines of one log.

    Args:
        file: Where they go.
        log_questions: Whether the text of questions may stand in them.
    """

    def __init__(self, file: LineFile, *, log_questions: bool) -> None:
        self._log_questions = log_questions
        self._sink = _Sink(file)
        self._line = structlog.wrap_logger(
            self._sink,
            processors=[_in_order, structlog.processors.JSONRenderer(json_bytes)],
            wrapper_class=structlog.BoundLogger,
        ).bind()

    def repeat_to(self, stream: IO[bytes]) -> None:
        """Write each line to a stream too, from now on."""
        self._sink.stream = stream

    def write(
        self,
        component: Component,
        event: str,
        *,
        request_id: str,
        level: Level,
        data: Mapping[str, object],
        error: BaseException | Mapping[str, object] | None,
    ) -> None:
        """Write one line; the arguments are those of `Recorder.event`.

        Raises:
            Exception: A value cannot be written as JSON.
        """
        self._line.msg(
            event,
            request_id=request_id,
            level="ERROR" if error is not None and level == "INFO" else level,
            component=component,
            data=self._public(data),
            error=self._error(error),
        )

    def _public(self, data: Mapping[str, object]) -> dict[str, object]:
        """Return facts with the length of a question's text in its place, unless questions may be logged."""
        if self._log_questions or not any(key in data for key in PERSONAL_KEYS):
            return dict(data)
        kept = {key: value for key, value in data.items() if key not in PERSONAL_KEYS}
        lengths = {f"{key}_length": len(data[key]) for key in PERSONAL_KEYS if isinstance(data.get(key), str)}  # type: ignore[arg-type]
        return {**lengths, **kept}

    def _error(self, error: BaseException | Mapping[str, object] | None) -> dict[str, object] | None:
        if error is None:
            return None
        if isinstance(error, Mapping):
            return self._public(error)
        if not isinstance(error, CandorError):
            return {"error_code": "INTERNAL_ERROR", "type": type(error).__name__, "message": str(error), "details": {}}
        message, details = error.message, self._public(error.details)
        if isinstance(error, InvalidQuery) and not self._log_questions:
            message = _QUOTED.sub("'...'", message)  # what a person typed may stand between the quotes
            details = {key: value for key, value in details.items() if key not in ("value", "input")}
        return {"error_code": error.error_code, "type": type(error).__name__, "message": message, "details": details}


def timestamp() -> str:
    """Return the time now as the log writes it: UTC, milliseconds, `Z`."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def json_bytes(value: object, **_: object) -> bytes:
    """Return a value as JSON; text that is no Unicode is mended, what JSON has no form for is written as text.

    Raises:
        Exception: It cannot be written even so.
    """
    try:
        return to_json(value, inf_nan_mode="null", fallback=str)
    except (UnicodeEncodeError, ValueError):  # half a surrogate pair, or bytes that are no text
        return to_json(_clean(value), inf_nan_mode="null", fallback=str)


def _clean(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, Mapping):
        return {str(_clean(key)): _clean(item) for key, item in value.items()}
    return [_clean(item) for item in value] if isinstance(value, (list, tuple, set)) else value


class _Sink:
    """What structlog hands a rendered line to."""

    def __init__(self, file: LineFile) -> None:
        self._file = file
        self.stream: IO[bytes] | None = None
        self._lock = Lock()

    def msg(self, line: bytes) -> None:
        line = one_line(line)
        self._file.append(line)
        if self.stream is not None:
            with self._lock, suppress(OSError, ValueError):  # where nobody reads any more, the file has the line
                self.stream.write(line)
                self.stream.flush()


def _in_order(logger: object, method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Be structlog's first processor: add the time and put the seven keys in the seed's order."""
    return {"timestamp": timestamp(), **{key: event[key] for key in LOG_KEYS[1:]}}
