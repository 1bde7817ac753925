"""The short form of a recorded answer, or of a line of an evaluation: `rag/whatif/` tries other thresholds on it."""

from collections.abc import Mapping
from typing import Literal, get_args

from pydantic import AwareDatetime, ConfigDict, Field

from rag.errors import InvalidQuery
from rag.models import Answer, EstimatorName, ModelKind, Outcome, Score, Value

DEFAULT_THRESHOLD = 0.5
Stage = Literal["validation", "gate", "grounding", "error"]
ESTIMATORS: tuple[EstimatorName, ...] = get_args(EstimatorName)
ENDED: tuple[Stage, ...] = ("validation", "error")
"""Stages that no threshold changes: what ended there never came to the gate."""


class RecordedRequest(Value):
    """The short form of a recorded answer: all that lists, charts and what-ifs need."""

    model_config = ConfigDict(frozen=True, extra="ignore")  # lines of other versions stay readable

    request_id: str = Field("", description="Id in the log; the question's own id in an evaluation.")
    timestamp: AwareDatetime | None = Field(None, description="When the answer was ready (UTC).")
    session_id: str | None = Field(None, description="Conversation that it belongs to.")
    question: str = Field("", description="The question, as asked.")
    answer: str | None = Field(None, description="The shown text; null unless answered.")
    decision: Outcome = Field(description="How it ended.")
    refusal_stage: Stage | None = Field(None, description="Where it ended without an answer.")
    refusal_code: str | None = Field(None, description="Code of the refusal.")
    refusal_reason: str | None = Field(None, description="One plain sentence.")
    confidence: Score = Field(0.0, description="As the gate computed it.")
    threshold: Score | None = Field(None, description="What it was held against; null where not recorded.")
    unsure_threshold: Score | None = Field(
        None, description="From here on passages were shown as unsure; null where not recorded, or not known."
    )
    estimator: EstimatorName | None = Field(None, description="What computed it; null where not recorded.")
    named_threshold: bool = Field(False, description="Whether the question itself named what it was held against.")
    estimates: dict[str, float] = Field(default_factory=dict, description="Confidence by other estimators, by name.")
    top_k: int = Field(5, ge=1, description="How many chunks the answer could rest on.")
    similarity_threshold: Score = Field(0.0, description="What dropped single chunks.")
    similarities: tuple[float, ...] = Field((), description="Similarity of every retrieved chunk, by rank, clamped.")
    documents: tuple[str, ...] = Field((), description="Documents cited, in order of first use.")
    retrieved_documents: tuple[str, ...] = Field((), description="Document of every retrieved chunk, by rank.")
    mode: str = Field("book-wide", description="Where the answer could come from.")
    collection: str | None = Field(None, description="The collection that was asked.")
    house_words: tuple[str, ...] = Field((), description="House words that were put in.")
    other_confidence: Score | None = Field(
        None, description="Confidence with the other choice of editions, where the question left it open; else null."
    )
    generator: str = Field("none", description="Who spoke.")
    dropped: int = Field(0, ge=0, description="Sentences of the draft that no passage carries, and that are not shown.")
    index: str = Field("", description="Fingerprint of the index.")
    settings: str = Field("", description="Fingerprint of the settings.")
    gate: str = Field("", description="Fit of the gate that decided; empty in older records and lines of runs.")
    timings_ms: dict[str, float | None] = Field(default_factory=dict, description="Milliseconds per stage.")

    @property
    def total_ms(self) -> float:
        """Milliseconds from validation to answer."""
        return self.timings_ms.get("total") or 0.0

    @property
    def found(self) -> bool:
        """Whether there was anything to answer from; without chunks the confidence would be 0."""
        return bool(self.similarities) or self.confidence > 0

    @property
    def is_written_unsure(self) -> bool:
        """Whether a model answered though the gate was unsure."""
        is_below = self.threshold is not None and self.confidence < self.threshold
        return self.decision == "answered" and is_below and self.generator in get_args(ModelKind)

    def confidence_by(self, estimator: EstimatorName | None) -> float | None:
        """Return what an estimator says of what was found; None where that is not in the record.

        Args:
            estimator: Its name; None: the one that decided.
        """
        if estimator in (None, self.estimator):
            return self.confidence
        if estimator in self.estimates:
            return self.estimates[estimator]
        hits = self.similarities[: self.top_k]
        if estimator == "mean_similarity":
            return sum(hits) / len(hits) if hits else 0.0
        return max(hits, default=0.0) if estimator == "max_similarity" else None


def recorded_request(answer: Answer) -> RecordedRequest:
    """Return the short form of an answer."""
    gate, refusal, query = answer.gate, answer.refusal, answer.query
    inputs = gate.inputs if gate else {}
    return RecordedRequest(
        request_id=answer.request_id,
        timestamp=answer.timestamp,
        session_id=answer.session_id,
        question=query.question,
        answer=answer.answer,
        decision=answer.outcome,
        refusal_stage=refusal.stage if refusal else None,
        refusal_code=refusal.code if refusal else None,
        refusal_reason=refusal.reason if refusal else None,
        confidence=gate.confidence if gate else answer.confidence,  # what thresholds are held against
        threshold=gate.threshold if gate else None,
        unsure_threshold=gate.unsure_threshold if gate else None,
        estimator=gate.estimator if gate else None,
        named_threshold=query.confidence_threshold is not None or query.unsure_threshold is not None,
        estimates={name: inputs[name] for name in ESTIMATORS if name in inputs},
        top_k=query.top_k,
        similarity_threshold=query.similarity_threshold,
        similarities=tuple(chunk.similarity_score for chunk in answer.retrieved),
        documents=tuple(dict.fromkeys(citation.document for citation in answer.citations)),
        retrieved_documents=tuple(chunk.document for chunk in answer.retrieved),
        mode=query.mode,
        collection=query.filters.collection,
        house_words=answer.house_words,
        other_confidence=answer.other_confidence,
        generator=answer.generator.name,
        dropped=len(answer.left_out),
        index=answer.fingerprints.index,
        settings=answer.fingerprints.settings,
        gate=answer.fingerprints.gate,
        timings_ms=answer.timings_ms.model_dump(),
    )


def recorded_line(line: Mapping[str, object]) -> RecordedRequest:
    """Return the short form of one line of `candor evaluate --out`, fields as METRICS names them.

    Raises:
        InvalidQuery: The line lacks a decision.
    """
    if line.get("decision") not in get_args(Outcome):
        raise InvalidQuery(f"The line {line.get('qid')!r} has no decision; write it with candor evaluate --out.")
    retrieved = line.get("retrieved") or ()
    citations = line.get("citations") or ()
    return RecordedRequest.model_validate(
        {
            **line,
            "request_id": str(line.get("request_id") or line.get("qid") or ""),
            "gate": "",  # a run's stands beside its lines, in its fingerprints
            "similarities": [chunk["similarity_score"] for chunk in retrieved],  # type: ignore[attr-defined]
            "retrieved_documents": [chunk["document"] for chunk in retrieved],  # type: ignore[attr-defined]
            "documents": list(dict.fromkeys(citation["document"] for citation in citations)),  # type: ignore[attr-defined]
        }
    )
