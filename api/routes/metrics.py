"""What Prometheus reads: questions and stages with their times, errors, and what is indexed."""

from collections.abc import Iterable

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import Response

from api.desk import desk_of
from rag.candor import Candor
from rag.errors import CandorError
from rag.process.product import product_version
from rag.protocols import Asked

router = APIRouter(include_in_schema=False)
SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Limits of the classes of times."""


class Metrics:
    """Counts what happened since the server started; an `Observer`."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._questions = Histogram(
            "candor_question_seconds",
            "From a question to its answer.",
            ["outcome"],
            buckets=SECONDS,
            registry=self.registry,
        )
        self._stages = Histogram(
            "candor_stage_seconds", "A run of one stage.", ["stage"], buckets=SECONDS, registry=self.registry
        )
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
        lost = self._candor.wiring.recorder.lost_lines
        yield build
        yield GaugeMetricFamily("candor_lost_lines", "Lines of log and records that could not be kept.", value=lost)
        try:
            chunks = self._candor.wiring.catalogue.chunk_count()
        except CandorError:
            return
        yield GaugeMetricFamily("candor_indexed_chunks", "Chunks that are indexed.", value=chunks)


def observe(candor: Candor) -> Metrics:
    """Return what counts the questions of a Candor from now on."""
    metrics = Metrics()
    metrics.registry.register(State(candor))
    candor.wiring.recorder.observe_with(metrics)
    return metrics


@router.get("/metrics")
async def metrics(request: Request) -> Response:
    """Return the metrics in Prometheus' text format."""
    found: Metrics = request.app.state.metrics
    text = await desk_of(request).light(lambda: generate_latest(found.registry))
    return Response(text, headers={"Content-Type": CONTENT_TYPE_LATEST})
