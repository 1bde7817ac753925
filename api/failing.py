"""A request that fails: its line in the log, and what its client is told, before a response has begun or after."""

import logging
from functools import partial
from typing import Any, Final

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from api.desk import desk_of, identity_of
from api.identity import own_path
from api.problems import Problem, canonical, invalid_request, problem_of, refused
from api.turns import Gone
from rag.errors import CandorError, ErrorCode, InvalidQuery

CLIENT_CLOSED_REQUEST: Final = 499
logger = logging.getLogger("candor.api")


def handle_errors(api: FastAPI) -> None:
    """Let every error be answered in the shape of its interface."""
    api.add_exception_handler(CandorError, answer_to)
    api.add_exception_handler(RequestValidationError, _invalid)
    api.add_exception_handler(HTTPException, _http)
    for gone in (Gone, ClientDisconnect):
        api.add_exception_handler(gone, _gone)


async def told(request: Request, error: Exception) -> Problem:
    """Write the line of an error and return what its client is told; a bug leaves its traceback in the server's log."""
    request_id = identity_of(request).request_id
    if isinstance(error, CandorError):
        problem = problem_of(error, request_id=request_id)
    else:
        logger.error("request %s failed", request_id, exc_info=error)
        message = f"Internal error. The operator can find the cause in the log under {request_id}."
        problem = Problem(500, ErrorCode.SERVICE_UNAVAILABLE, message, {"request_id": request_id})
    await desk_of(request).light(partial(_note, request, error, problem.status))
    return problem


async def answer_to(request: Request, error: Exception) -> Response:
    """Answer a request that failed, in the shape of its interface."""
    problem = await told(request, error)
    asked, renderers = own_path(request.scope), request.app.state.renderers
    render = next((render for path, render in renderers.items() if asked.startswith(path)), canonical)
    retry = problem.details.get("retry_after_s")
    headers = {"Retry-After": str(retry)} if retry is not None else {}
    if problem.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse(render(problem), status_code=problem.status, headers=headers)


def _note(request: Request, error: Exception, status: int) -> None:
    """Write the request's line about its error; the stage that failed has written its own. Blocks for a moment."""
    request_id, data = identity_of(request).request_id, {"path": own_path(request.scope), "status": status}
    line: Any = {"request_id": request_id, "level": "WARNING" if status < 500 else "ERROR", "data": data}
    if isinstance(error, InvalidQuery):  # its details say what somebody typed
        named = {name: value for name, value in error.details.items() if name in ("field", "status")}
        error = InvalidQuery(error.message, code=error.error_code, details=named)
    try:
        desk_of(request).candor.wiring.recorder.event("api", "request_failed", error=error, **line)
    except Exception:  # the answer to the client is worth more than its line
        logger.debug("the line of request %s was not written", request_id, exc_info=True)


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return await answer_to(request, invalid_request(request, [*error.errors()]))


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, ClientDisconnect):  # a body that breaks off is one that cannot be read
        return await _gone(request, error)
    headers = dict(error.headers or {})
    if "GET" in headers.get("Allow", ""):
        headers["Allow"] += ", HEAD"
    said = f"{request.method} {request.url.path}: {_told(error, headers)}"
    response = await answer_to(request, refused(error.status_code, said))
    response.headers.update(headers)
    return response


def _told(error: HTTPException, headers: dict[str, str]) -> str:
    if isinstance(error.__cause__, UnicodeDecodeError):
        return f"the body is not UTF-8 (byte {error.__cause__.start}). Send it as JSON in UTF-8."
    if isinstance(error.__cause__, RecursionError):
        return "the body is nested too deeply. Send it with fewer nested brackets."
    hint = " /api/docs lists all paths." if error.status_code == 404 else ""
    if error.status_code == 405 and "Allow" in headers:
        hint = f" Use {headers['Allow']}."
    return f"{error.detail.rstrip('.')}.{hint}"


async def _gone(request: Request, error: Exception) -> Response:
    return Response(status_code=CLIENT_CLOSED_REQUEST)
