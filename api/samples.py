"""What the API says when it cannot serve a request, as its description shows it; each interface in its own shape.

What an operation itself answers, to a question for instance, stands in `api/examples`: real answers over the sample
library, written by `tests/api/example_calls.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from api.problems import Problem, Renderer
from rag.errors import ErrorCode

REQUEST_ID: Final = "req_20260121_abc123def456"
MOMENT: Final = datetime(2026, 1, 21, 14, 32, 15, 123000, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Sample:
    """A problem that many operations share."""

    name: str
    status: int
    summary: str
    code: ErrorCode
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)

    def rendered(self, render: Renderer) -> dict[str, Any]:
        """Return it as an example in the shape of an interface."""
        details = {**self.details, "request_id": REQUEST_ID}
        problem = Problem(self.status, self.code, self.message, details, MOMENT)
        return {"summary": self.summary, "value": render(problem)}


NOT_TEXT = Sample(
    "NotText",
    400,
    "Bytes that are no text",
    ErrorCode.INVALID_INPUT,
    "POST /api/v1/ask: the body is not UTF-8 (byte 14). Send it as JSON in UTF-8.",
)
NO_KEY = Sample(
    "NoKey",
    401,
    "Without a key, where one was made",
    ErrorCode.INVALID_INPUT,
    "An API key is needed. Send one as 'Authorization: Bearer ...'; `candor keys create NAME` makes one.",
)
WRONG_ROLE = Sample(
    "WrongRole",
    403,
    "A key that may not do this",
    ErrorCode.INVALID_INPUT,
    "This needs a key with the role 'admin'; yours has 'ask'.",
    {"needed": "admin", "role": "ask"},
)
ELSEWHERE = Sample(
    "Elsewhere",
    403,
    "From another machine, before a key was made",
    ErrorCode.INVALID_INPUT,
    "There is no API key yet, so only this machine is answered, not '192.0.2.7'. Make one with "
    "`candor keys create NAME`, or set CANDOR_ALLOW_OPEN=true where something else guards the server.",
)
TOO_SLOW = Sample(
    "TooSlow",
    408,
    "A body that does not end in time",
    ErrorCode.INVALID_INPUT,
    "POST /api/v1/ask: the request's body did not arrive within 30 s (CANDOR_BODY_TIMEOUT_S); send it again.",
)
TOO_LARGE = Sample(
    "TooLarge",
    413,
    "A body beyond the limit",
    ErrorCode.INVALID_INPUT,
    "POST /api/v1/ask: the request has more than 2000000 bytes; shorten it, or add a long text as a document, by POST "
    "/api/v1/documents.",
)
WRONG_TYPE = Sample(
    "WrongType",
    415,
    "JSON that is not said to be JSON",
    ErrorCode.INVALID_INPUT,
    "POST /api/v1/ask: the body came as 'application/x-www-form-urlencoded'. Send it as application/json, with the "
    "header 'Content-Type: application/json'.",
    {"content_type": "application/x-www-form-urlencoded", "expected": "application/json"},
)
NO_PARAMETER = Sample(
    "NoParameter",
    422,
    "A parameter that is none",
    ErrorCode.INVALID_INPUT,
    "limit is not a parameter of this request; leave it out or check its spelling. It takes none.",
    {"field": "limit"},
)
TOO_OFTEN = Sample(
    "TooOften",
    429,
    "Over the rate limit",
    ErrorCode.RATE_LIMIT_EXCEEDED,
    "More than 60 requests in a minute; ask again in 12 seconds.",
    {"limit_per_minute": 60, "retry_after_s": 12},
)
BUG = Sample(
    "Bug",
    500,
    "A bug",
    ErrorCode.SERVICE_UNAVAILABLE,
    f"Something went wrong inside. Whoever runs this finds it in the log under {REQUEST_ID}.",
)
STORE_AWAY = Sample(
    "StoreAway",
    503,
    "The vector store does not answer",
    ErrorCode.VECTOR_DB_ERROR,
    "Qdrant at http://127.0.0.1:9 cannot be reached: [Errno 111] Connection refused. Start it, or correct QDRANT_URL.",
    {"url": "http://127.0.0.1:9"},
)
QUEUE_FULL = Sample(
    "QueueFull",
    503,
    "Too many questions at once",
    ErrorCode.SERVICE_UNAVAILABLE,
    "67 questions are being worked on or wait; ask again in a moment.",
    {"underway": 67, "retry_after_s": 1},
)
FILES_WAIT = Sample(
    "FilesWait",
    503,
    "Too many uploads and deletions at once",
    ErrorCode.SERVICE_UNAVAILABLE,
    "'tides.md' was not indexed: 'atlas.pdf' has had its turn for 12 s, and 17 uploads and deletions are under way. "
    "Send it again in a moment.",
    {"document": "tides.md", "underway": 17, "retry_after_s": 5},
)
MODEL_AWAY = Sample(
    "ModelAway",
    503,
    "The model failed, and CANDOR_ON_MODEL_FAILURE is `error`",
    ErrorCode.LLM_ERROR,
    "Ollama at http://127.0.0.1:11434 broke off before the answer of model 'llama3.2:latest' was complete: peer closed "
    "connection without sending complete message body (incomplete chunked read). Look into its log.",
    {"host": "http://127.0.0.1:11434", "model": "llama3.2:latest", "cause": "RemoteProtocolError"},
)
