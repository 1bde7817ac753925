"""A request that fails: its line in the log, and what its client is told, before a response has begun or after."""

import logging
from functools import partial
from typing import Any

from starlette.requests import Request

from api.desk import desk_of, identity_of
from api.frame import own_path
from api.problems import Problem, problem_of
from rag.errors import CandorError, ErrorCode, InvalidQuery

logger = logging.getLogger("candor.api")


def problem_for(request: Request, error: Exception) -> Problem:
    """Return what the client of a request is told of an error; of a bug only where to find it."""
    request_id = identity_of(request).request_id
    if isinstance(error, CandorError):
        return problem_of(error, request_id=request_id)
    message = f"Something went wrong inside. Whoever runs this finds it in the log under {request_id}."
    return Problem(500, ErrorCode.SERVICE_UNAVAILABLE, message, {"request_id": request_id})


def note(request: Request, error: Exception, status: int) -> None:
    """Write the request's line about its error; the stage that failed has written its own. Blocks for a moment."""
    level: Any = "WARNING" if status < 500 else "ERROR"
    if isinstance(error, InvalidQuery):  # its details say what somebody typed
        named = {name: value for name, value in error.details.items() if name in ("field", "status")}
        error = InvalidQuery(error.message, code=error.error_code, details=named)
    try:
        recorder = request.app.state.desk.candor.wiring.recorder
        data, request_id = {"path": own_path(request.scope), "status": status}, identity_of(request).request_id
        recorder.event("api", "request_failed", request_id=request_id, level=level, data=data, error=error)
    except Exception:  # the answer to the client is worth more than its line
        logger.debug("the line of request %s was not written", identity_of(request).request_id, exc_info=True)


async def told(request: Request, error: Exception) -> Problem:
    """Write the line of an error and return what its client is told; a bug leaves its traceback in the server's log."""
    problem = problem_for(request, error)
    if not isinstance(error, CandorError):
        logger.error("request %s failed", identity_of(request).request_id, exc_info=error)
    await desk_of(request).light(partial(note, request, error, problem.status))
    return problem
