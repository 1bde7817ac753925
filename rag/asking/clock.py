"""One request while it is worked on: its stages timed and logged, each with one line."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter, time_ns
from typing import Any, Literal

from rag.errors import CandorError, InvalidQuery
from rag.models import Answer, Timings
from rag.protocols import Asked, StageSpan
from rag.record import Recorder, answer_data
from rag.records.logline import Component, Level

Stage = Literal["validate", "embed", "retrieve", "read", "gate", "prompt", "generate", "ground"]
_LINES: dict[Stage, tuple[Component, str]] = {
    "validate": ("validation", "query_received"),
    "embed": ("embedding", "question_embedded"),
    "retrieve": ("retrieval", "chunks_retrieved"),
    "read": ("retrieval", "windows_read"),
    "gate": ("gate", "gate_decided"),
    "prompt": ("generation", "prompt_built"),
    "generate": ("generation", "answer_generated"),
    "ground": ("grounding", "answer_grounded"),
}
"""Component and event of the line that a stage writes."""


class RequestClock:
    """Times the stages of one request and writes their log lines."""

    def __init__(self, recorder: Recorder, request_id: str) -> None:
        self._recorder, self._request_id = recorder, request_id
        self._begun, self._begun_ns = perf_counter(), time_ns()
        self._spent: dict[Stage, float] = {}
        self._spans: list[StageSpan] = []
        self._answer: Answer | None = None

    @contextmanager
    def stage(self, stage: Stage) -> Iterator[dict[str, Any]]:
        """Time a stage and log it, with the facts that the block puts into the dictionary; log its error instead."""
        facts: dict[str, Any] = {}
        begun = perf_counter()
        try:
            yield facts
        except CandorError as error:
            self.spend(stage, perf_counter() - begun, facts=facts, error=error.error_code)
            level: Level = "WARNING" if isinstance(error, InvalidQuery) else "ERROR"
            self._log(stage, facts, level=level, error=error)
            raise
        self.spend(stage, perf_counter() - begun, facts=facts)
        self._log(stage, facts)

    def spend(
        self, stage: Stage, seconds: float, *, facts: Mapping[str, object] | None = None, error: str | None = None
    ) -> None:
        """Add time, which ends now, to a stage that is worked on in pieces."""
        self._spent[stage] = self._spent.get(stage, 0.0) + seconds
        ended = self._begun_ns + int((perf_counter() - self._begun) * 1e9)
        begun = max(self._begun_ns, ended - int(seconds * 1e9))
        self._spans.append(StageSpan(stage, begun, ended, facts or {}, error))

    def note(
        self, component: Component, event: str, facts: dict[str, Any], *, error: CandorError | None = None
    ) -> None:
        """Write a line that belongs to no single stage: a warning, or with an error that is ours an ERROR line."""
        level: Level = "WARNING" if error is None or isinstance(error, InvalidQuery) else "ERROR"
        self._recorder.event(component, event, request_id=self._request_id, level=level, data=facts, error=error)

    @contextmanager
    def until_answered(self) -> Iterator[None]:
        """Log where a question is left before it has its answer: stopped, its client gone, or out of time.

        Whoever observes questions is told of each one when it ends here.
        """
        error: str | None = None
        try:
            yield
        except CandorError as failed:
            error = failed.error_code
            raise
        except (GeneratorExit, KeyboardInterrupt):  # whoever leaves a stream closes it; a command line is interrupted
            spent = round((perf_counter() - self._begun) * 1000, 3)
            self._recorder.event(
                "api",
                "question_stopped",
                request_id=self._request_id,
                data={"outcome": "stopped", "processing_time_ms": spent, "stages": [*self._spent]},
            )
            error = "stopped"
            raise
        except Exception:
            error = "bug"
            raise
        finally:
            ended = self._begun_ns + int((perf_counter() - self._begun) * 1e9)
            self._recorder.asked(
                Asked(self._request_id, self._begun_ns, ended, tuple(self._spans), self._answer, error)
            )

    def returned(self, answer: Answer) -> None:
        """Write the request's last line: what `rag.record.answer_data` says of its answer."""
        self._answer = answer
        self._recorder.event("api", "answer_returned", request_id=self._request_id, data=answer_data(answer))

    def timings(self) -> Timings:
        """Return what each stage has taken so far, in milliseconds."""
        spent = {stage: round(seconds * 1000, 3) for stage, seconds in self._spent.items()}
        return Timings.model_validate({**spent, "total": round((perf_counter() - self._begun) * 1000, 3)})

    def _log(
        self, stage: Stage, facts: dict[str, Any], *, level: Level = "INFO", error: CandorError | None = None
    ) -> None:
        component, event = _LINES[stage]
        event = f"{stage}_failed" if error else event
        data = {"processing_time_ms": round(self._spent.get(stage, 0.0) * 1000, 3), **facts}
        self._recorder.event(component, event, request_id=self._request_id, level=level, data=data, error=error)
