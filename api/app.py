"""The FastAPI application. `server.py` mounts it beside the dashboard; `uvicorn api.app:app` serves it alone."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Route
from starlette.types import ASGIApp

from api.contracts import agent, backend, chatbot, service, textbook
from api.description import description_of
from api.desk import Desk
from api.failing import handle_errors
from api.frame import Frame, Unprefixed
from api.guard import Guard
from api.identity import PREFIX
from api.problems import Renderer
from api.routes import ask, docs, documents, health, login, mcp, openai, records, sessions
from api.running import OwnCandor, started
from rag.candor import Candor
from rag.settings import Settings, load_settings

__all__ = ["create_api", "started"]
DESCRIPTION: Final = """Answers questions over your own documents, cites every sentence, and says so when it cannot.

`/api/v1` is the canonical interface. The five contracts beside it are the same system
under five written data models.

`POST /api/mcp` speaks the Model Context Protocol (streamable HTTP, JSON-RPC 2.0) behind the same keys, in the same
queue: its tools are `ask`, `retrieve` and `list_documents`, and its clients ask it for what each takes."""
RENDERERS: Final[dict[str, Renderer]] = {
    f"{PREFIX}/textbook/": textbook.render_error,
    f"{PREFIX}/chatbot/": chatbot.render_error,
    f"{PREFIX}/backend/": backend.render_error,
    f"{PREFIX}/openai/": openai.render_error,
}
"""Interfaces that say more or other things of an error than the canonical object, which all others have."""
INTERFACES: Final = (
    *(ask, docs, documents, records, sessions, health, login),
    *(service, textbook, agent, chatbot, backend, openai),
)
TOLD_TO_PAGES: Final = ("X-Request-ID", "X-Request-ID-Taken", "X-Candor-Ignored", "Retry-After")
"""Headers that a page of another origin may read, where it may call at all."""


def create_api(open_candor: Callable[[], Candor] | None = None, settings: Settings | None = None) -> FastAPI:
    """Return the API over a Candor.

    Args:
        open_candor: Returns the Candor of this process; None: the API opens one of its own and closes it.
        settings: The service's settings; None: those of the environment.
    """
    chosen = settings or load_settings()
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
    api.state.own, api.state.settings, api.state.renderers = OwnCandor(), chosen, RENDERERS
    api.state.desk = Desk(open_candor or (lambda: api.state.own.candor), chosen)
    for module in INTERFACES:
        api.include_router(module.router, prefix=PREFIX)
    api.state.mcp = mcp.Door(api.state.desk)
    api.router.routes.append(Route(mcp.PATH, endpoint=api.state.mcp, methods=["POST"]))
    handle_errors(api)
    guard = api.state.guard = Guard(api.state.desk, chosen)
    api.add_middleware(Frame, guard=guard, settings=chosen)
    if guard.origins:
        any_of: Any = {"allow_methods": ["*"], "allow_headers": ["*"], "max_age": 600}
        api.add_middleware(CORSMiddleware, allow_origins=guard.origins, expose_headers=TOLD_TO_PAGES, **any_of)
    api.add_middleware(Unprefixed)
    api.openapi = partial(description_of, api, RENDERERS)  # type: ignore[method-assign]
    return api


def __getattr__(name: str) -> ASGIApp:
    """Make `app` when a server asks for it: importing this module does no work."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    made: ASGIApp = globals().setdefault("app", create_api())
    return made
