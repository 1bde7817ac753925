"""Whether Candor lives, is ready, and what works."""

from typing import Literal

from fastapi import APIRouter, Response
from pydantic import Field
from starlette.requests import Request

from api.desk import desk_of
from api.fields import Contract
from api.guard import Guard
from rag.models import Health

router = APIRouter(tags=["health"])


class Life(Contract):
    """A sign of life."""

    status: Literal["alive", "ready", "not ready"] = Field(description="alive; ready or not ready to answer questions.")


@router.get("/v1/health", responses={503: {"model": Health, "description": "Unavailable."}})
async def health(request: Request, response: Response) -> Health:
    """Return the state of each service, at most 3 seconds old: healthy, degraded (no model server), unavailable.

    Paths, addresses and the model's name (`detail`, `model`, `last_error`) are told to whoever has a key, or, while
    there are no keys, to this machine.
    """
    found = await desk_of(request).health()
    response.status_code = 503 if found.status == "unavailable" else 200
    guard: Guard = request.app.state.guard
    if await guard.may_see_details(request):
        return found
    bare = {
        name: service.model_copy(update={"detail": "", "model": None, "last_error": None})
        for name, service in found.services.items()
    }
    return found.model_copy(update={"services": bare})


@router.get("/v1/livez", include_in_schema=False)
@router.get("/livez")
async def livez() -> Life:
    """Answer as long as the process does."""
    return Life(status="alive")


@router.get("/v1/readyz", include_in_schema=False)
@router.get("/readyz", responses={503: {"model": Life, "description": "Not ready."}})
async def readyz(request: Request, response: Response) -> Life:
    """Say within a second whether questions can be answered: the index is open and the store reached.

    The model server is not asked: without it answers are quoted. `/api/v1/health` says how it is.
    """
    ready = await desk_of(request).is_ready()
    response.status_code = 200 if ready else 503
    return Life(status="ready" if ready else "not ready")
