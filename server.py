"""One ASGI process: the dashboard, and the HTTP API under `/api`. One index, one process.

`candor serve` runs it, and so does `uvicorn server:app`.
"""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import Mount

from api.app import create_api, started
from api.frame import InOwnShape
from dashboard import provider, resources
from dashboard.middleware import Callback, PageHeaders, ServerAddress
from rag.settings import load_settings


def create_app() -> st.App:
    """Return the dashboard with the API under `/api`, over the Candor that both share, as the environment sets them."""
    chosen = load_settings()
    api = create_api(lambda: resources.get_candor(), chosen)

    @asynccontextmanager
    async def lifespan(_: st.App) -> AsyncIterator[None]:
        """Open the index before the first request, and close what the API has opened afterwards."""
        for name in ("uvicorn.access", "uvicorn.error"):  # Streamlit has turned up what the server was told to keep low
            logging.getLogger(name).setLevel("WARNING")
        async with started(api):
            yield
        resources.get_candor().close()

    return st.App(
        Path(__file__).parent / "app.py",
        lifespan=lifespan,
        routes=[Mount("/api", app=api)],
        middleware=[
            Middleware(PageHeaders),
            Middleware(ServerAddress),
            Middleware(Callback),
            Middleware(InOwnShape, api=api),
        ],
        secrets=provider.provider_secrets(chosen),
    )


def __getattr__(name: str) -> st.App:
    """Make `app` when a server asks for it: importing this module does no work."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        made: st.App = globals().setdefault("app", create_app())
    except AttributeError as error:  # else a server would say that there is no `app`, and nothing of the cause
        raise RuntimeError(f"The application could not be made: {error}") from error
    return made
