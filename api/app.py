"""The FastAPI application. `server.py` mounts it beside the dashboard; `uvicorn api.app:app` serves it alone."""

import asyncio
import gc
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from threading import Event, Lock

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from api.contracts import agent, backend, chatbot, service, textbook
from api.description import description_of
from api.desk import Desk
from api.ending import told_to_end
from api.failing import note, problem_for, told
from api.frame import PREFIX, Frame, Unprefixed, logger, own_path
from api.guard import Guard
from api.problems import Problem, Renderer, canonical, invalid_request, wrong_type
from api.routes import ask, docs, documents, health, library, login, mcp, metrics, openai, records, sessions
from api.turns import Gone
from api.watching import folders_of, watching
from rag.candor import Candor
from rag.errors import CandorError, FolderUnwritable, IndexNotReady, InvalidQuery, ServiceUnavailable
from rag.process.collector import collect_seldom
from rag.settings import Settings, load_settings
from rag.stored import in_force as inforce
from rag.stored.retention import forget_old

DESCRIPTION = """Answers questions over your own documents, cites every sentence, and says so when it cannot.

`/api/v1` is the canonical interface. The five contracts beside it are the same system
under five written data models.

`POST /api/mcp` speaks the Model Context Protocol (streamable HTTP, JSON-RPC 2.0) behind the same keys, in the same
queue: its tools are `ask`, `retrieve` and `list_documents`, and its clients ask it for what each takes."""
RENDERERS: dict[str, Renderer] = {
    f"{PREFIX}/textbook/": textbook.render_error,
    f"{PREFIX}/chatbot/": chatbot.render_error,
    f"{PREFIX}/backend/": backend.render_error,
    f"{PREFIX}/openai/": openai.render_error,
}
"""Interfaces that say more or other things of an error than the canonical object, which all others have."""
INTERFACES = (
    *(ask, docs, documents, library, records, sessions, health, metrics, login),
    *(service, textbook, agent, chatbot, backend, openai),
)
CLIENT_CLOSED_REQUEST = 499
TOLD_TO_PAGES = ("X-Request-ID", "X-Request-ID-Taken", "X-Candor-Ignored", "Retry-After")
"""Headers that a page of another origin may read, where it may call at all."""
FORGET_EVERY_S = 6 * 3600
ANSWERED_WITHIN_S = 4.0
"""What questions have left when the server is told to end; `candor serve` breaks connections off after 5 s."""


class OwnCandor:
    """Opens one Candor when it is first asked for, and closes it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._candor: Candor | None = None

    def __call__(self) -> Candor:
        """Return it."""
        with self._lock:
            if self._candor is None:
                self._candor = Candor.open()
                put_in_force(self._candor)
            return self._candor

    def close(self) -> None:
        """Close it, where it was opened."""
        with self._lock:
            if self._candor is not None:
                self._candor.close()
                self._candor = None


def create_api(open_candor: Callable[[], Candor] | None = None, settings: Settings | None = None) -> FastAPI:
    """Return the API over a Candor.

    Args:
        open_candor: Returns the Candor of this process; None: the API opens one of its own and closes it.
        settings: The service's settings; None: those of the environment.
    """
    chosen = settings or load_settings()
    own = OwnCandor()
    api = FastAPI(
        title="Candor",
        version="1.0",
        description=DESCRIPTION,
        lifespan=started,
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False},
    )
    api.state.desk, api.state.own, api.state.settings = (
        Desk(
            open_candor or own,
            workers=chosen.concurrency,
            queue=chosen.queue_size,
            limit_s=chosen.request_limit_s,
            file_queue=chosen.ingest_queue_size,
            file_limit_s=chosen.ingest_timeout_s,
        ),
        own,
        chosen,
    )
    for module in INTERFACES:
        api.include_router(module.router, prefix=PREFIX)
    api.state.mcp = mcp.Door(api.state.desk)
    api.router.routes.append(Route(mcp.PATH, endpoint=api.state.mcp, methods=["POST"]))
    api.add_exception_handler(CandorError, _expected)
    api.add_exception_handler(RequestValidationError, _invalid)
    api.add_exception_handler(HTTPException, _http)
    for gone in (Gone, ClientDisconnect):
        api.add_exception_handler(gone, _gone)
    _surround(api, chosen)
    api.openapi = partial(description_of, api, RENDERERS)  # type: ignore[method-assign]
    return api


def _surround(api: FastAPI, chosen: Settings) -> None:
    """Put around the routes what every request passes: who may ask, how large and how slow it may be, other origins."""
    guard = api.state.guard = Guard(api.state.desk, chosen)
    api.add_middleware(
        Frame,
        guard=guard.check,
        on_expected=_expected,
        on_bug=_bug,
        body_s=chosen.body_timeout_s,
        upload_s=chosen.upload_timeout_s,
        file_bytes=chosen.max_upload_bytes,
    )
    if guard.origins:
        api.add_middleware(
            CORSMiddleware,
            allow_origins=guard.origins,
            allow_methods=["*"],
            allow_headers=["*"],
            expose_headers=TOLD_TO_PAGES,
            max_age=600,
        )
    api.add_middleware(Unprefixed)


@asynccontextmanager
async def started(api: FastAPI) -> AsyncIterator[None]:
    """Open the index before the first request; close the threads, and a Candor of the API's own, after the last.

    The models are loaded while the first requests come in. An application that mounts the API runs this itself: nobody
    starts what is mounted.
    """
    desk: Desk = api.state.desk
    if api.state.settings.log_stdout:
        await desk.light(lambda: desk.candor.wiring.recorder.repeat_log(sys.stdout.buffer))
    api.state.metrics = await desk.light(lambda: metrics.observe(desk.candor))
    await desk.light(lambda: open_index(desk.candor))
    loading = asyncio.ensure_future(desk.slow(lambda: load_models(desk.candor)))
    forgetting = asyncio.ensure_future(_forget_now_and_then(desk))
    try:
        with (
            watching(desk.candor, folders_of(api.state.settings.watch)) as stop,
            told_to_end(partial(_end, desk, asyncio.get_running_loop(), stop)),
        ):
            yield
    finally:
        forgetting.cancel()
        await loading
        gc.unfreeze()  # else all that this API holds would stay for as long as the process does
        try:
            await api.state.mcp.close()
        finally:
            desk.close()
            api.state.own.close()


def _end(desk: Desk, loop: asyncio.AbstractEventLoop, watching: Event) -> None:
    """End uploads at their next batch, and what is still asked when the server would soon break it off."""
    watching.set()
    desk.filing.end()
    loop.call_soon_threadsafe(loop.call_later, ANSWERED_WITHIN_S, desk.end_questions)


async def _forget_now_and_then(desk: Desk) -> None:
    """Keep to the retention that is set, from the start on and while the server runs."""
    while True:
        try:
            await desk.slow(lambda: forget_old(desk.candor))
        except CandorError as error:
            logger.warning("%s", error.message)
        except Exception:
            logger.exception("What is past its retention was not removed; it is tried again in %d s", FORGET_EVERY_S)
        await asyncio.sleep(FORGET_EVERY_S)


def put_in_force(candor: Candor) -> None:
    """Ask with the settings that were promoted; where they cannot be read, with those of the environment."""
    try:
        inforce.put_in_force(candor)
    except (ServiceUnavailable, FolderUnwritable) as error:
        logger.warning("Promoted settings are not in force: %s", error.message)


def settle() -> None:
    """Take what the start has loaded out of the garbage collector's rounds.

    It stays for as long as the server does, and going through all of it stopped every request for up to half a second.
    `started` puts it back when the server ends.
    """
    gc.collect()
    gc.freeze()
    collect_seldom()


def open_index(candor: Candor) -> None:
    """Open the index.

    Raises:
        IndexNotReady: Another process has it open.
    """
    try:
        candor.pipeline  # noqa: B018
    except IndexNotReady:
        raise
    except CandorError as error:
        logger.warning("%s", error.message)  # what does not answer now may answer later, and health says so


def load_models(candor: Candor) -> None:
    """Load the models, so that the first questions need not wait for them."""
    try:
        candor.load()
    except CandorError as error:
        logger.warning("%s", error.message)
    except Exception:
        logger.exception("The models were not loaded; the first question tries again")
    settle()


def _respond(request: Request, problem: Problem) -> Response:
    asked = own_path(request.scope)
    render = next((render for path, render in RENDERERS.items() if asked.startswith(path)), canonical)
    retry = problem.details.get("retry_after_s")
    headers = {"Retry-After": str(retry)} if retry is not None else {}
    if problem.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse(render(problem), status_code=problem.status, headers=headers)


async def _expected(request: Request, error: Exception) -> Response:
    return _respond(request, await told(request, error))


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    complaints = [*error.errors()]
    return await _expected(request, wrong_type(request, complaints) or invalid_request(complaints))


async def _http(request: Request, error: Exception) -> Response:
    """Answer what no route takes, or one that reads only so much."""
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, ClientDisconnect):  # a body that breaks off is one that cannot be read
        return await _gone(request, error)
    headers = dict(error.headers or {})
    if "GET" in headers.get("Allow", ""):
        headers["Allow"] += ", HEAD"
    told_of = _unreadable(error) or f"{error.detail.rstrip('.')}.{_hint(error.status_code, headers)}"
    message = f"{request.method} {request.url.path}: {told_of}"
    refused = InvalidQuery(message, details={"status": error.status_code})
    response = _respond(request, await told(request, refused))
    response.headers.update(headers)
    return response


def _unreadable(error: HTTPException) -> str | None:
    """Return what is wrong with a body of JSON that could not even be taken apart; None where that is not it."""
    if isinstance(error.__cause__, UnicodeDecodeError):
        return f"the body is not UTF-8 (byte {error.__cause__.start}). Send it as JSON in UTF-8."
    if isinstance(error.__cause__, RecursionError):
        return "the body is nested too deeply. Send it with fewer brackets in each other."
    return None


def _hint(status: int, headers: dict[str, str]) -> str:
    """Return what to do about a path or a method that is not there."""
    if status == 405:
        return f" It takes {headers['Allow']}." if "Allow" in headers else ""
    return " /api/docs lists what there is." if status == 404 else ""


async def _gone(request: Request, error: Exception) -> Response:
    return Response(status_code=CLIENT_CLOSED_REQUEST)


def _bug(request: Request, error: Exception) -> Response:
    problem = problem_for(request, error)
    note(request, error, problem.status)
    return _respond(request, problem)


def __getattr__(name: str) -> ASGIApp:
    """Make `app` when a server asks for it: importing this module does no work."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    made: ASGIApp = globals().setdefault("app", create_api())
    return made
