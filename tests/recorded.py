"""Answers as the pipeline would make them, for the tests of recording, replay and reports."""

from datetime import UTC, datetime
from uuid import UUID

from rag.models import (
    Answer,
    AnswerSentence,
    Citation,
    Draft,
    Fingerprints,
    GateDecision,
    GeneratorInfo,
    NearMiss,
    PromptContext,
    Query,
    Refusal,
    RetrievedChunk,
    Timings,
)

NOON = datetime(2026, 1, 21, 12, tzinfo=UTC)
LOG_KEYS = ("timestamp", "request_id", "level", "component", "event", "data", "error")
"""The keys of a line of the log, in the order of seed 000."""


def hit(rank: int, similarity: float, document: str = "manual.pdf") -> RetrievedChunk:
    text = f"Passage {rank} – gloves are worn."
    return RetrievedChunk(
        chunk_id=f"chunk-{rank}", document=document, document_hash="0" * 64, content=text, chunk_index=rank, start=0,
        end=len(text), rank=rank, similarity_score=similarity, cosine=similarity, page=rank,
    )  # fmt: skip


def answered(
    number: int = 1, *, at: datetime = NOON, similarities: tuple[float, ...] = (0.9, 0.7, 0.5), threshold: float = 0.5,
    top_k: int = 3, request_id: str = "",
) -> Answer:  # fmt: skip
    request_id = request_id or f"req_{at:%Y%m%d}_{number:012x}"
    query_id, question = UUID(f"12345678-9abc-4def-8123-{number:012x}"), f"Which gloves – number {number}?"
    hits = tuple(hit(rank, score) for rank, score in enumerate(similarities, 1))
    confidence, info = sum(similarities[:top_k]) / top_k, GeneratorInfo(name="extractive")
    cited = Citation(
        document="manual.pdf", page=1, excerpt="gloves are worn.", chunk_id="chunk-1", similarity_score=0.9
    )
    gate = GateDecision(
        passed=True, outcome="answered", estimator="mean_similarity", confidence=confidence, threshold=threshold,
        margin=confidence - threshold, inputs={"mean_similarity": confidence, "calibrated": 0.42},
        reason="The passages are similar enough.",
    )  # fmt: skip
    prompt = PromptContext(
        question=question, retrieved_chunks=hits, system_prompt="Answer from the passages only.", prompt_tokens=40,
        formatted_context="[1] ...", user_prompt="[1] ... Which gloves?", template="cited-1", num_ctx=2048,
    )  # fmt: skip
    return Answer(
        request_id=request_id, query_id=query_id, timestamp=at, outcome="answered", answer="Gloves are worn.",
        query=Query(question=question, query_id=query_id, timestamp=at, top_k=top_k, request_id=request_id),
        sentences=(AnswerSentence(text="Gloves are worn.", support=1.0, citations=(0,)),), citations=(cited,),
        retrieved=hits, confidence=confidence, gate=gate, generator=info, prompt=prompt,
        draft=Draft(text="Gloves are worn [1].", generator=info),
        timings_ms=Timings(validate=1.0, embed=2.0, retrieve=3.0, gate=0.5, total=10.0),
        fingerprints=Fingerprints(embedding="minilm", index="abc", settings="def"),
    )  # fmt: skip


def refused(number: int = 2, *, at: datetime = NOON, stage: str = "gate", confidence: float = 0.3) -> Answer:
    refusal = Refusal(stage=stage, reason="Nothing close enough.")  # type: ignore[arg-type]
    gone = {"answer": None, "sentences": (), "citations": (), "prompt": None, "draft": None}
    said = {"outcome": "refused", "message": "I don't know.", "refusal": refusal}
    return answered(number, at=at, similarities=(confidence,) * 3).model_copy(update={**said, **gone})


def unsure(number: int = 3, *, misses: int = 2, message: str = "The documents may answer this.") -> Answer:
    """An answer withheld: so many passages of `manual.pdf`, from page 1 on, come near."""
    whole = refused(number)
    near = {"document": "manual.pdf", "similarity_score": 0.3, "reading": 0.4}
    kinds = {page: f"Gloves of kind {page} are\nworn." for page in range(1, misses + 1)}
    nearest = tuple(
        NearMiss(
            chunk_id=f"chunk-{page}", page=page, excerpt=f"It is cold. {kind} Boots are not.", sentence=kind, **near
        )
        for page, kind in kinds.items()
    )
    assert whole.gate is not None
    gate = whole.gate.model_copy(
        update={"passed": False, "outcome": "unsure", "unsure_threshold": 0.2, "nearest_misses": nearest}
    )
    return whole.model_copy(update={"outcome": "unsure", "message": message, "gate": gate})


def talk(
    number: int = 4, *, message: str = "Hello! Ask me about your documents.", previous: str | None = None
) -> Answer:
    """A greeting's answer; `previous` is the question before it."""
    whole = refused(number)
    query = whole.query.model_copy(update={"previous": previous})
    gone = {"outcome": "talk", "refusal": None, "gate": None, "retrieved": (), "confidence": 0.0}
    return whole.model_copy(update={**gone, "message": message, "query": query})
