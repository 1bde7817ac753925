"""Questions as OpenTelemetry traces and metrics, with the names of OpenInference, sent by OTLP over HTTP.

A trace is made of a question once it has ended: the question is its root, each run of a stage a span below it. Nothing
of OpenTelemetry is touched while a question is answered, and other users of it in this process are left alone.
"""

import json
import logging
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from rag.errors import ConfigurationError
from rag.models import Answer
from rag.process.product import product_version
from rag.protocols import Asked, StageSpan

_log = logging.getLogger(__name__)
_KINDS: Final = {
    "embed": "EMBEDDING",
    "retrieve": "RETRIEVER",
    "read": "RERANKER",
    "gate": "GUARDRAIL",
    "prompt": "PROMPT",
    "generate": "LLM",
    "ground": "EVALUATOR",
}
"""OpenInference's kind of span for each stage; any other is a `CHAIN`, as the question as a whole is."""
_DOCUMENTS: Final = {"retrieve": "retrieval.documents", "read": "reranker.output_documents"}
"""Where a stage tells of passages."""
_TEXTS: Final = ("question", "context", "history")  # facts of a stage that are texts of people
_LONGEST_WAIT_S: Final = 3.0  # how long a collector that does not answer may hold up the end of a process


class Telemetry:
    """Sends questions to a collector; batches are sent by threads of their own.

    Args:
        endpoint: Address of the collector, without `/v1/traces`.
        with_texts: Whether questions, answers and passages are sent, or their sizes and scores alone.

    Raises:
        ConfigurationError: The extra `otel` is not installed.
    """

    def __init__(self, endpoint: str, *, with_texts: bool) -> None:
        self._with_texts = with_texts
        try:
            from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.metrics import MeterProvider
            from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
        except ImportError as error:
            raise ConfigurationError(
                f"CANDOR_OTLP_ENDPOINT={endpoint!r} needs packages that are not installed ({error.name}): "
                f"pip install 'candor-rag[otel]'."
            ) from error
        base = endpoint.rstrip("/")
        resource = Resource.create(
            {"service.name": "candor", "service.version": product_version(), "openinference.project.name": "candor"}
        )
        self._traces = TracerProvider(resource=resource, shutdown_on_exit=False)
        spans = OTLPSpanExporter(endpoint=f"{base}/v1/traces", timeout=_LONGEST_WAIT_S)
        self._traces.add_span_processor(BatchSpanProcessor(spans))
        address = f"{base}/v1/metrics"
        numbers = OTLPMetricExporter(endpoint=address, timeout=_LONGEST_WAIT_S)
        readers = [PeriodicExportingMetricReader(numbers)] if _takes_metrics(address) else []
        self._metrics = MeterProvider(metric_readers=readers, resource=resource, shutdown_on_exit=False)
        self._tracer = self._traces.get_tracer("candor")
        meter = self._metrics.get_meter("candor")
        self._questions = meter.create_histogram("candor.question.duration", "s", "From a question to its answer.")
        self._stages = meter.create_histogram("candor.stage.duration", "s", "A run of one stage.")

    def asked(self, question: Asked) -> None:
        """Make a trace and two kinds of measurements of a question."""
        from opentelemetry.trace import set_span_in_context

        outcome = question.answer.outcome if question.answer else question.error or "none"
        root = self._tracer.start_span(
            "question", start_time=question.begun_ns, attributes={**self._root(question), "candor.outcome": outcome}
        )
        below = set_span_in_context(root)
        for span in question.stages:
            made = self._tracer.start_span(
                span.stage, context=below, start_time=span.begun_ns, attributes=self._stage(span, question.answer)
            )
            _end(made, span.ended_ns, span.error)
            self._stages.record((span.ended_ns - span.begun_ns) / 1e9, {"stage": span.stage})
        _end(root, question.ended_ns, question.error)
        self._questions.record((question.ended_ns - question.begun_ns) / 1e9, {"outcome": outcome})

    def close(self) -> None:
        """Send what waits and end the threads; a collector that does not answer is not waited for any longer."""
        for end in (self._traces.shutdown, partial(self._metrics.shutdown, timeout_millis=_LONGEST_WAIT_S * 1000)):
            try:
                end()
            except Exception:  # a collector that is away must not cost a command its end
                _log.debug("What waits for the collector was not sent", exc_info=True)

    def _root(self, question: Asked) -> dict[str, Any]:
        found: dict[str, Any] = {"openinference.span.kind": "CHAIN", "candor.request_id": question.request_id}
        if answer := question.answer:
            found["candor.confidence"] = answer.confidence
            if answer.session_id:
                found["session.id"] = str(answer.session_id)
            if self._with_texts:
                found |= {"input.value": answer.query.question, "output.value": answer.answer or answer.message or ""}
        return found

    def _stage(self, span: StageSpan, answer: Answer | None) -> dict[str, Any]:
        shown = {name: value for name, value in span.facts.items() if self._with_texts or name not in _TEXTS}
        found = {"openinference.span.kind": _KINDS.get(span.stage, "CHAIN"), "metadata": json.dumps(shown, default=str)}
        if span.stage == "embed":
            found["embedding.model_name"] = str(span.facts.get("model", ""))
        if span.stage == "generate" and answer:
            found["llm.model_name"] = answer.generator.model or answer.generator.name
        if span.stage in _DOCUMENTS and answer:
            found |= dict(self._documents(answer, _DOCUMENTS[span.stage]))
        return found

    def _documents(self, answer: Answer, name: str) -> Iterator[tuple[str, Any]]:
        """Yield the passages of an answer; both stages tell of those that came out of the two."""
        for number, hit in enumerate(answer.retrieved):
            prefix = f"{name}.{number}.document."
            yield f"{prefix}id", hit.chunk_id
            yield f"{prefix}score", hit.similarity_score
            if self._with_texts:
                yield f"{prefix}content", hit.content


def _takes_metrics(address: str) -> bool:
    """Return False where a collector has no such address, as Phoenix; one that is away may come later."""
    import httpx

    kind = {"Content-Type": "application/x-protobuf"}
    try:  # an empty message is a valid one
        answered = httpx.post(address, content=b"", headers=kind, timeout=_LONGEST_WAIT_S)
    except httpx.HTTPError:
        return True
    return answered.status_code not in (404, 405)


def _end(span: Any, ended_ns: int, error: str | None) -> None:
    from opentelemetry.trace import Status, StatusCode

    span.set_status(Status(StatusCode.ERROR, error) if error and error != "stopped" else Status(StatusCode.OK))
    span.end(end_time=ended_ns)
