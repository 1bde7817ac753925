"""Another threshold, applied to a recorded answer or to a line of an evaluation, without asking the model again."""

from collections.abc import Mapping
from typing import Literal

from pydantic import AwareDatetime, ConfigDict, Field

from rag.errors import InvalidQuery
from rag.models import Answer, EstimatorName, Score, Value

DEFAULT_THRESHOLD = 0.5
RETURNED = 10
"""How many chunks retrieval returns at least, where it finds so many; for fewer hits it reads the same candidates."""
Stage = Literal["validation", "gate", "grounding", "error"]


class RecordedRequest(Value):
    """The short form of a recorded answer: all that lists, charts and what-ifs need."""

    model_config = ConfigDict(frozen=True, extra="ignore")  # lines of other versions stay readable

    request_id: str = Field("", description="Id in the log; the question's own id in an evaluation.")
    timestamp: AwareDatetime | None = Field(None, description="When the answer was ready (UTC).")
    session_id: str | None = Field(None, description="Conversation that it belongs to.")
    question: str = Field("", description="The question, as asked.")
    answer: str | None = Field(None, description="The shown text; null for a refusal.")
    decision: Literal["answered", "refused"] = Field(description="How it ended.")
    refusal_stage: Stage | None = Field(None, description="Where it was refused.")
    refusal_code: str | None = Field(None, description="Code of the refusal.")
    refusal_reason: str | None = Field(None, description="One plain sentence.")
    confidence: Score = Field(0.0, description="As the gate computed it.")
    threshold: Score | None = Field(None, description="What it was held against; null where not recorded.")
    estimator: EstimatorName | None = Field(None, description="What computed it; null where not recorded.")
    named_threshold: bool = Field(False, description="Whether the question itself named what it was held against.")
    estimates: dict[str, float] = Field(default_factory=dict, description="Confidence by other estimators, by name.")
    calibrated_at: tuple[float, ...] = Field(
        (), description="Calibrated confidence with the first 1, 2, 3 … chunks; empty where it was not worked out."
    )
    top_k: int = Field(5, ge=1, description="How many chunks the answer could rest on.")
    similarity_threshold: Score = Field(0.0, description="What dropped single chunks.")
    similarities: tuple[float, ...] = Field((), description="Cosine of every retrieved chunk, by rank, clamped.")
    fused: tuple[float, ...] = Field((), description="Fused score of every retrieved chunk; empty in older records.")
    best_sentences: tuple[float, ...] = Field((), description="Cosine of the best sentence of every retrieved chunk.")
    documents: tuple[str, ...] = Field((), description="Documents cited, in order of first use.")
    retrieved_documents: tuple[str, ...] = Field((), description="Document of every retrieved chunk, by rank.")
    mode: str = Field("book-wide", description="Where the answer could come from.")
    other_confidence: Score | None = Field(
        None, description="Confidence with the other choice of editions, where the question left it open; else null."
    )
    generator: str = Field("none", description="Who spoke.")
    index: str = Field("", description="Fingerprint of the index.")
    settings: str = Field("", description="Fingerprint of the settings.")
    gate: str = Field("", description="Fit of the gate that decided; empty in older records and lines of runs.")
    timings_ms: dict[str, float | None] = Field(default_factory=dict, description="Milliseconds per stage.")

    @property
    def total_ms(self) -> float:
        """Milliseconds from validation to answer."""
        return self.timings_ms.get("total") or 0.0


class Replayed(Value):
    """What would have happened."""

    request_id: str = Field(description="Id of the recorded request.")
    decision: Literal["answered", "refused"] = Field(description="How it would have ended.")
    recorded: Literal["answered", "refused"] = Field(description="How it ended.")
    confidence: Score = Field(description="Confidence under the other settings.")
    threshold: Score = Field(description="What it was held against.")
    estimator: EstimatorName | None = Field(description="What computed it; null where not recorded.")
    ranks: tuple[int, ...] = Field(description="Ranks, from 1, of the retrieved chunks that are left as hits.")
    exact: bool = Field(description="Whether the record holds all that this rests on; see `reason`.")
    reason: str = Field(description="One plain sentence.")

    @property
    def flipped(self) -> bool:
        """Whether it would have ended otherwise."""
        return self.decision != self.recorded

    @property
    def margin(self) -> float:
        """Confidence minus threshold; negative means refused."""
        return self.confidence - self.threshold


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
        confidence=answer.confidence,
        threshold=gate.threshold if gate else None,
        estimator=gate.estimator if gate else None,
        named_threshold=query.confidence_threshold is not None,
        estimates={name: inputs[name] for name in _ESTIMATORS if name in inputs},
        top_k=query.top_k,
        similarity_threshold=query.similarity_threshold,
        similarities=tuple(chunk.similarity_score for chunk in answer.retrieved),
        fused=tuple(round(chunk.fused_score, 6) for chunk in answer.retrieved),
        best_sentences=tuple(round(max(chunk.sentence_scores, default=chunk.cosine), 6) for chunk in answer.retrieved),
        documents=tuple(dict.fromkeys(citation.document for citation in answer.citations)),
        retrieved_documents=tuple(chunk.document for chunk in answer.retrieved),
        mode=query.mode,
        other_confidence=answer.other_confidence,
        generator=answer.generator.name,
        index=answer.fingerprints.index,
        settings=answer.fingerprints.settings,
        gate=answer.fingerprints.gate,
        timings_ms=answer.timings_ms.model_dump(),
    )


_ESTIMATORS: tuple[EstimatorName, ...] = ("mean_similarity", "max_similarity", "calibrated")


def recorded_line(line: Mapping[str, object]) -> RecordedRequest:
    """Return the short form of one line of `candor evaluate --out`, fields as METRICS names them.

    Raises:
        InvalidQuery: The line lacks a decision.
    """
    if line.get("decision") not in ("answered", "refused"):
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


def replay(
    recorded: Answer | RecordedRequest | Mapping[str, object],
    *,
    similarity_threshold: float | None = None,
    confidence_threshold: float | None = None,
    top_k: int | None = None,
    estimator: EstimatorName | None = None,
) -> Replayed:
    """Return what would have happened to a recorded question under other settings; None leaves one as it was.

    The gate is decided anew. What came after it is taken from the record: a question whose grounding failed stays
    refused, and one that the gate had refused counts as answered when it passes, although its draft was never
    written (`exact` is then False). Where the question left open which editions are meant, the higher confidence of
    both choices is held against the threshold, as the pipeline does; of other hits or another estimator only one is
    known, and a refusal not exact.

    Args:
        recorded: An answer, its short form, or a line of `candor evaluate --out`.
        similarity_threshold: Drops single chunks, 0 to 1.
        confidence_threshold: Refuse below this, 0 to 1.
        top_k: How many chunks the answer may rest on, 1 to 20.
        estimator: How confidence is computed.

    Raises:
        InvalidQuery: The record does not hold what `estimator` would have said.
    """
    request = _short(recorded)
    floor = request.similarity_threshold if similarity_threshold is None else similarity_threshold
    limit = top_k or request.top_k
    ranks = tuple(rank for rank, score in enumerate(request.similarities, 1) if score >= floor)[:limit]
    same_hits = floor == request.similarity_threshold and limit == request.top_k
    complete = floor >= request.similarity_threshold and (same_hits or _holds_all(request, len(ranks), limit))
    first = floor == request.similarity_threshold
    confidence, known = _confidence(request, ranks, estimator or request.estimator, same_hits, first=first)
    threshold = _threshold(request, confidence_threshold, estimator)
    unscored = not request.similarities and request.confidence > 0  # without hits it would be 0
    passed = bool(ranks or unscored) and confidence >= threshold
    same = same_hits and (estimator or request.estimator) == request.estimator
    other = request.other_confidence if same else None
    by_other = not passed and other is not None and other >= threshold
    known_editions = passed or request.other_confidence is None or (same and not by_other)
    confidence = max(confidence, other or 0.0)
    decision, reason, certain = _outcome(request, passed or by_other, confidence, threshold)
    return Replayed(
        request_id=request.request_id,
        decision=decision,
        recorded=request.decision,
        confidence=confidence,
        threshold=threshold,
        estimator=estimator or request.estimator,
        ranks=ranks,
        exact=known and complete and certain and known_editions,
        reason=reason,
    )


def _short(recorded: Answer | RecordedRequest | Mapping[str, object]) -> RecordedRequest:
    if isinstance(recorded, RecordedRequest):
        return recorded
    return recorded_request(recorded) if isinstance(recorded, Answer) else recorded_line(recorded)


def _confidence(
    request: RecordedRequest,
    ranks: tuple[int, ...],
    estimator: EstimatorName | None,
    same_hits: bool,
    *,
    first: bool,
) -> tuple[float, bool]:
    """Return the confidence, and whether it is what the estimator would have said of these hits.

    `first`: no chunk was dropped or added, so that the hits are the first of those recorded.
    """
    scores = [request.similarities[rank - 1] for rank in ranks]
    if estimator == request.estimator and same_hits:
        return request.confidence, True
    if estimator == "mean_similarity":
        return (sum(scores) / len(scores) if scores else 0.0), True
    if estimator == "max_similarity":
        return max(scores, default=0.0), True
    if estimator == "calibrated" and first and 0 < len(ranks) <= len(request.calibrated_at):
        return request.calibrated_at[len(ranks) - 1], True
    if estimator == request.estimator:
        return request.confidence, False
    if estimator in request.estimates:
        return request.estimates[estimator], same_hits
    raise InvalidQuery(
        f"What the estimator {estimator!r} says of {request.request_id!r} was not recorded; "
        f"ask the question again with it."
    )


def _threshold(request: RecordedRequest, threshold: float | None, estimator: EstimatorName | None) -> float:
    if threshold is not None:
        return threshold
    if request.threshold is not None and estimator in (None, request.estimator):
        return request.threshold
    return DEFAULT_THRESHOLD


def _holds_all(request: RecordedRequest, hits: int, limit: int) -> bool:
    """Return whether other hits than those recorded are out of the question: the rest is full of them, or was all."""
    all_there_was = limit <= len(request.similarities) < max(request.top_k, RETURNED)
    return (hits == limit or all_there_was) and (limit == request.top_k or max(limit, request.top_k) <= RETURNED)


def _outcome(
    request: RecordedRequest, passed: bool, confidence: float, threshold: float
) -> tuple[Literal["answered", "refused"], str, bool]:
    """Return how it would have ended, why, and whether that is certain."""
    if request.refusal_stage in ("validation", "error"):
        return "refused", f"It ended at {request.refusal_stage}, which no threshold changes.", True
    if not passed:
        return (
            "refused",
            f"Confidence {confidence:.2f} is below the threshold {threshold:.2f}, or no chunk is left.",
            True,
        )
    if request.refusal_stage == "grounding":
        return "refused", "It passes the gate, and its draft was not supported.", True
    if request.refusal_stage == "gate":
        return "answered", "It passes the gate now; what would have been written is not known.", False
    return "answered", f"Confidence {confidence:.2f} reaches the threshold {threshold:.2f}.", True
