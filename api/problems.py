"""What went wrong, as each interface says it: one error in, a status code and that interface's own JSON out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from starlette.requests import Request

from rag import errors as core
from rag.errors import CandorError, ErrorCode, InvalidQuery
from rag.models.complaints import complaint, reason_of

STATUS: Final[tuple[tuple[type[CandorError], int], ...]] = (
    (core.InvalidQuery, 422),
    (core.InvalidDocument, 422),
    (core.RateLimitExceeded, 429),
    (core.FolderUnwritable, 503),
    (core.ConfigurationError, 500),
    (core.CandorError, 503),
)
MEANINGS: Final = {
    400: "The body does not match its Content-Type.",
    401: "A key is needed, or the one that was sent is unknown or revoked.",
    403: "The key's role is not sufficient, or no key exists yet and the request comes from another machine.",
    404: "The named resource does not exist; for a question to a contract: NO_RELEVANT_CONTENT.",
    408: "The body did not arrive in time.",
    413: "The body is larger than is accepted.",
    415: "The operation does not accept the body's Content-Type; the message says which one to send.",
    422: "The request is outside its limits: INVALID_INPUT or QUERY_TOO_SHORT.",
    429: "Too many requests from this client: RATE_LIMIT_EXCEEDED. `Retry-After` says when to come back.",
    500: "A bug; the log has it under the request's id.",
    503: "Something that Candor depends on does not answer: VECTOR_DB_ERROR, LLM_ERROR or SERVICE_UNAVAILABLE.",
}
"""What a status of an error means, for the description."""
QUESTION_TOO_SHORT: Final = "query_too_short"
INVALID_QUESTION: Final = "invalid_question"
FIELDS_DISAGREE: Final = "fields_disagree"
"""Types of pydantic errors: a question below the minimum, one that breaks another rule, a field that another one makes
wrong, which the context names as `field`. Each says its reason itself."""


class ErrorObject(BaseModel):
    """An error as every interface of Candor gives it."""

    model_config = ConfigDict(extra="forbid")

    error_code: ErrorCode = Field(description="Machine-readable code.", examples=["INVALID_INPUT"])
    message: str = Field(min_length=1, description="What happened, and what to do next.")
    details: dict[str, Any] | None = Field(None, description="Facts for programs; `request_id` is always there.")
    timestamp: AwareDatetime = Field(description="When it happened (UTC).")


@dataclass(frozen=True, slots=True)
class Problem:
    """An error on its way to a client."""

    status: int
    code: ErrorCode
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)
    timestamp: datetime = field(default_factory=lambda: datetime.now(UTC))


Renderer = Callable[[Problem], dict[str, Any]]


def canonical(problem: Problem) -> dict[str, Any]:
    """Return the error object of `service`, `agent`, `backend` and everything that is no contract."""
    stamp = problem.timestamp.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    details = dict(problem.details)
    return {"error_code": problem.code.value, "message": problem.message, "details": details, "timestamp": stamp}


def refused(status: int, message: str, **details: object) -> InvalidQuery:
    """Return the error of a request that is refused with a status of its own."""
    return InvalidQuery(message, details={**details, "status": status})


def problem_of(error: CandorError, *, request_id: str) -> Problem:
    """Return an expected error as a problem."""
    details: dict[str, Any] = {**error.details, "request_id": request_id}
    status = details.pop("status", None)
    if not isinstance(status, int):
        status = next(number for kind, number in STATUS if isinstance(error, kind))
    return Problem(status, error.error_code, error.message, details)


def invalid_request(request: Request, errors: list[Any]) -> InvalidQuery:
    """Return pydantic's complaints as the error that every interface knows; the first is the message."""
    if wrong := _wrong_type(request, errors[0]):
        return wrong
    complaints = [{"field": _field(error), "reason": _reason(error)} for error in errors]
    short = errors[0]["type"] == QUESTION_TOO_SHORT
    code = ErrorCode.QUERY_TOO_SHORT if short else ErrorCode.INVALID_INPUT
    details = {**complaints[0], "errors": complaints[:20]}
    return InvalidQuery(_message(errors[0], **complaints[0]), code=code, details=details)


def _wrong_type(request: Request, first: Mapping[str, Any]) -> InvalidQuery | None:
    """Return the error of a body that was not read because of what it was said to be; None where that is not it."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if first["loc"] == ("body",) and isinstance(first.get("input"), bytes):
        wanted, how = "application/json", "the header 'Content-Type: application/json'"
    elif first["loc"] == ("body", "file") and kind != "multipart/form-data":
        wanted, how = "multipart/form-data", "one part 'file' for each file"
    else:
        return None
    came = f"came as {kind!r}" if kind else "came without a Content-Type"
    said = f"{request.method} {request.url.path}: the body {came}. Send it as {wanted}, with {how}."
    return refused(415, said, content_type=kind, expected=wanted)


def _message(error: Mapping[str, Any], field: str, reason: str) -> str:
    if error["type"] == "missing":
        return f"{field} is missing; add it to the request."
    if error["type"] == "json_invalid":
        return f"The request's body is not valid JSON: {error.get('ctx', {}).get('error', reason)}."
    if error["type"] == "extra_forbidden":
        return f"{field} is not a field of this request; leave it out or check its spelling."
    if field == "body" and error["type"] in ("model_attributes_type", "model_type", "dict_type"):
        return "The request's body must be a JSON object, in braces: {...}."
    if _is_no_file(error):
        return f"{field} is text, not a file: send a part with a file name, as `curl -F file=@NAME` does."
    if error["type"] in (QUESTION_TOO_SHORT, INVALID_QUESTION, FIELDS_DISAGREE):
        return reason
    return complaint(field, error)


def _reason(error: Mapping[str, Any]) -> str:
    return "it must be a file" if _is_no_file(error) else reason_of(error)


def _is_no_file(error: Mapping[str, Any]) -> bool:
    return "UploadFile" in str(error["msg"])


def _field(error: Mapping[str, Any]) -> str:
    if error["type"] == "json_invalid":
        return "body"
    if error["type"] == FIELDS_DISAGREE:
        return str(error["ctx"]["field"])
    return ".".join(map(str, error["loc"][1:])) or str(error["loc"][0])  # the first says where it was read from


def errors(*more: int, model: Any = ErrorObject) -> dict[int | str, dict[str, Any]]:
    """Return the error responses of a route, in the error shape of its interface."""
    statuses = (*more, 400, 401, 403, 408, 413, 415, 422, 429, 500, 503)
    return {status: {"model": model, "description": MEANINGS[status]} for status in statuses}
