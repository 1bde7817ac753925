"""Whether Candor lives, is ready, and what works; and what Prometheus reads of it."""

from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from typing import Literal

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from pydantic import Field
from starlette.requests import Request

from api.desk import desk_of
from api.fields import Contract
from api.guard import Guard
from rag.candor import Candor
from rag.errors import CandorError
from rag.models import Health
from rag.process.product import product_version
from rag.protocols import Asked

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
    hidden = {"detail": "", "model": None, "last_error": None}
    bare = {name: service.model_copy(update=hidden) for name, service in found.services.items()}
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


SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)  # limits of the classes of times


class Metrics:
    """Counts what happened since the server started; an `Observer`."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        timed = partial(Histogram, buckets=SECONDS, registry=self.registry)
        self._questions = timed("candor_question_seconds", "From a question to its answer.", ["outcome"])
        self._stages = timed("candor_stage_seconds", "A run of one stage.", ["stage"])
        self._errors = Counter("candor_errors", "Questions that ended in an error.", ["code"], registry=self.registry)

    def asked(self, question: Asked) -> None:
        """Count a question."""
        for span in question.stages:
            self._stages.labels(span.stage).observe((span.ended_ns - span.begun_ns) / 1e9)
        if question.error and question.error != "stopped":
            self._errors.labels(question.error).inc()
            return
        outcome = question.answer.outcome if question.answer else "stopped"
        self._questions.labels(outcome).observe((question.ended_ns - question.begun_ns) / 1e9)

    def close(self) -> None:
        """Keep what was counted: nothing waits."""


class State(Collector):
    """What is true now: the version, what is indexed, lines of the log that were lost."""

    def __init__(self, candor: Candor) -> None:
        self._candor = candor

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Yield it; what cannot be read is left out."""
        build = GaugeMetricFamily("candor_build_info", "Version of Candor.", labels=["version"])
        build.add_metric([product_version()], 1)
        yield build
        lost = self._candor.wiring.recorder.lost_lines
        yield GaugeMetricFamily("candor_lost_lines", "Lines of log and records that could not be kept.", value=lost)
        with suppress(CandorError):
            chunks = self._candor.wiring.catalogue.chunk_count()
            yield GaugeMetricFamily("candor_indexed_chunks", "Chunks that are indexed.", value=chunks)


def observe(candor: Candor) -> Metrics:
    """Return what counts the questions of a Candor from now on."""
    metrics = Metrics()
    metrics.registry.register(State(candor))
    candor.wiring.recorder.observe_with(metrics)
    return metrics


@router.get("/metrics", include_in_schema=False)
async def metrics(request: Request) -> Response:
    """Return the metrics in Prometheus' text format."""
    found: Metrics = request.app.state.metrics
    text = await desk_of(request).light(lambda: generate_latest(found.registry))
    return Response(text, headers={"Content-Type": CONTENT_TYPE_LATEST})
