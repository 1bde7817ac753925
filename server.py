"""One ASGI process: the dashboard, and the HTTP API under `/api`. One index, one process.

`candor serve` runs it, and so does `uvicorn server:app`.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from starlette.routing import Mount

from api.app import create_api, started
from dashboard import resources

api = create_api(lambda: resources.get_candor())


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Open the index before the first request, and close what the API has opened afterwards."""
    async with started(api):
        yield
    resources.get_candor().close()


app = st.App(Path(__file__).parent / "app.py", lifespan=lifespan, routes=[Mount("/api", app=api)])
