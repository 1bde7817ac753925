"""One line of the log: exactly seed 000's seven keys, in its order; no text of a question unless asked for."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Literal

from pydantic_core import to_json

from rag.errors import CandorError, InvalidQuery
from rag.records.linefile import one_line

Level = Literal["INFO", "WARNING", "ERROR"]
Component = Literal["api", "validation", "embedding", "retrieval", "gate", "generation", "grounding", "ingest"]
PERSONAL_KEYS = ("question", "context", "history")  # keys of `data` under which the text of a question may stand
_QUOTED = re.compile(r"(['\"]).*\1", re.DOTALL)


def log_line(
    component: Component,
    event: str,
    *,
    request_id: str,
    level: Level,
    data: Mapping[str, object],
    error: BaseException | None,
    log_questions: bool,
) -> bytes:
    """Return one line; the arguments are those of `Recorder` and its `event`.

    Raises:
        Exception: A value cannot be written as JSON.
    """
    content = {
        "timestamp": timestamp(),
        "request_id": request_id,
        "level": "ERROR" if error is not None and level == "INFO" else level,
        "component": component,
        "event": event,
        "data": _public(data, log_questions),
        "error": None if error is None else _told(error, log_questions),
    }
    return one_line(json_bytes(content))


def _public(data: Mapping[str, object], log_questions: bool) -> dict[str, object]:
    """Return facts with the length of a question's text in its place, unless questions may be logged."""
    if log_questions or not any(key in data for key in PERSONAL_KEYS):
        return dict(data)
    kept = {key: value for key, value in data.items() if key not in PERSONAL_KEYS}
    lengths = {f"{key}_length": len(text) for key in PERSONAL_KEYS if isinstance(text := data.get(key), str)}
    return {**lengths, **kept}


def _told(error: BaseException, log_questions: bool) -> dict[str, object]:
    if not isinstance(error, CandorError):
        return {"error_code": "INTERNAL_ERROR", "type": type(error).__name__, "message": str(error), "details": {}}
    message, details = error.message, _public(error.details, log_questions)
    if isinstance(error, InvalidQuery) and not log_questions:
        message = _QUOTED.sub("'...'", message)  # what a person typed may stand between the quotes
        details = {key: value for key, value in details.items() if key not in ("value", "input")}
    return {"error_code": error.error_code, "type": type(error).__name__, "message": message, "details": details}


def error_object(error: CandorError, **more: object) -> dict[str, object]:
    """Return an error as every interface of Candor gives it; `more` are further details."""
    details = {**error.details, **more}
    told = {"error_code": str(error.error_code), "message": error.message, "details": details}
    return {**told, "timestamp": timestamp()}


def timestamp() -> str:
    """Return the time now as the log writes it: UTC, milliseconds, `Z`."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def json_bytes(value: object) -> bytes:
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
