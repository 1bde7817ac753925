"""What the OpenAPI description says beyond the routes' own types."""

from collections.abc import Iterable
from typing import Any

from api.problems import ErrorObject
from api.streams import Kind

MEANINGS = {
    400: "The body cannot be read as what its type says.",
    401: "A key is needed, or the one that was sent is unknown or revoked.",
    403: "The key's role does not suffice; or nobody has made a key yet and the request comes from elsewhere.",
    404: "What the request names is not there; of a contract's question: NO_RELEVANT_CONTENT.",
    408: "The body did not arrive in time.",
    413: "The body is larger than is accepted.",
    415: "The body's Content-Type is none that the operation reads; the message says which one to send.",
    422: "The request is outside its limits: INVALID_INPUT or QUERY_TOO_SHORT.",
    429: "Too many requests from this client: RATE_LIMIT_EXCEEDED. `Retry-After` says when to come back.",
    500: "A bug; the log has it under the request's id.",
    503: "Something that Candor depends on does not answer: VECTOR_DB_ERROR, LLM_ERROR or SERVICE_UNAVAILABLE.",
}


def events(described: str, kinds: Iterable[Kind]) -> dict[int | str, dict[str, Any]]:
    """Return the response of a route that can also answer with server-sent events: the schema is that of one event."""
    event = {"anyOf": [kind.schema() for kind in kinds]}
    return {200: {"content": {"text/event-stream": {"schema": event}}, "description": described}}


def errors(*more: int, model: Any = ErrorObject) -> dict[int | str, dict[str, Any]]:
    """Return the error responses of a route, in the error shape of its interface."""
    return {
        status: {"model": model, "description": MEANINGS.get(status, "The request cannot be served.")}
        for status in (*more, 400, 401, 403, 408, 413, 415, 422, 429, 500, 503)
    }
