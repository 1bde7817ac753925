"""Whether Candor can answer, and what of it does not work."""

from datetime import UTC, datetime
from typing import Literal

from pydantic import AwareDatetime, Field

from rag.models.draft import ModelKind
from rag.models.value import Value


class PastError(Value):
    """What went wrong, and when."""

    message: str = Field(description="What failed and what to do.")
    timestamp: AwareDatetime = Field(default_factory=lambda: datetime.now(UTC), description="When (UTC).")


class ServiceStatus(Value):
    """One dependency."""

    state: Literal["connected", "disconnected"] = Field(description="Whether it answers.")
    latency_ms: float | None = Field(None, description="How long the probe took.")
    detail: str = Field("", description="What it is, or why it does not answer and what to do.")
    kind: ModelKind | None = Field(None, description="llm: what the language model speaks through.")
    model: str | None = Field(None, description="llm: the model's name, where it is known.")
    last_error: PastError | None = Field(
        None,
        description="What failed last, of a probe or (llm) of a generation; kept while the process runs, also once it "
        "works again. A model server that lists its models and fails at every answer is connected, and told here.",
    )


class Health(Value):
    """Whether Candor can answer: healthy, degraded (no model server), unavailable (no documents, or no model)."""

    status: Literal["healthy", "degraded", "unavailable"] = Field(description="Overall.")
    timestamp: AwareDatetime = Field(default_factory=lambda: datetime.now(UTC), description="When checked (UTC).")
    services: dict[str, ServiceStatus] = Field(
        description="qdrant, embedding, llm, sessions; reader and grounding where a model is named for them; gate "
        "where it was fitted here."
    )
    response_time_ms: float = Field(gt=0, description="Time taken by the check.")
    lost_lines: int = Field(
        0, ge=0, description="Lines of the log and of answers that this process could not keep, as on a full disk."
    )
