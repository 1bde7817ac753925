"""Values -> the tables that pages draw, as `dashboard.columns` names and orders their columns."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from dashboard.columns import AGREEMENT, ALPHA, DISAGREEMENTS, DOCUMENTS, HITS
from dashboard.words import ASPECTS, INPUTS
from rag.confidence.signals import SIGNALS
from rag.evaluation.agreement import Alpha, AspectAgreement, Disagreement
from rag.models import Answer, DocumentRecord, GateDecision, RetrievedChunk, Timings
from rag.workspace.values import Aspect, Collection

STAGES = ("validate", "embed", "retrieve", "read", "gate", "prompt", "generate", "ground")


def hits_table(answer: Answer) -> pd.DataFrame:
    """Return the retrieved chunks of an answer with every score, best first; the answer may rest on what is `used`."""
    cited = {citation.chunk_id for citation in answer.citations}
    was_read = any(chunk.reading is not None for chunk in answer.retrieved)
    rows = [
        {
            **scores(chunk),
            "retrieval_rank": chunk.retrieval_rank if was_read else chunk.rank,  # else nothing moved it
            "used": position <= answer.query.top_k and chunk.similarity_score >= answer.query.similarity_threshold,
            "cited": chunk.chunk_id in cited,
        }
        for position, chunk in enumerate(answer.retrieved, 1)
    ]
    frame = pd.DataFrame(rows, columns=[*HITS])
    return _whole(frame, "page", "dense_rank", "bm25_rank").astype({"reading": "float64"})


def scores(chunk: RetrievedChunk) -> dict[str, object]:  # a row of a table, not data handed on
    """Return a retrieved chunk as a row with every score."""
    names = ("rank", "retrieval_rank", "document", "page", "section", "reading", "dense_rank", "bm25_rank")
    return {**{name: getattr(chunk, name) for name in names}, "similarity": chunk.similarity_score,
            "bm25": chunk.bm25_score, "fused": chunk.fused_score, "text": " ".join(chunk.content.split())}  # fmt: skip


def inputs_table(gate: GateDecision) -> pd.DataFrame:
    """Return what the estimators read from the passages, as text; what decided stands first and is said to have."""
    decided = SIGNALS if gate.estimator == "calibrated" else (gate.estimator,)
    rows = [
        ("yes" if name in decided else "no", f"{value:.3f}", *INPUTS.get(name, (name.replace("_", " "), "")))
        for name, value in gate.inputs.items()
    ]
    names = ["Decided", "Value", "What was read", "What it means"]
    return pd.DataFrame(sorted(rows, key=lambda row: str(row[0]), reverse=True), columns=names)


def timings_table(timings: Timings) -> pd.DataFrame:
    """Return the stages that ran, in order: stage, start_ms, ms and share of the total."""
    took = ((stage, getattr(timings, "validate_" if stage == "validate" else stage)) for stage in STAGES)
    ran = [(stage, value) for stage, value in took if value is not None]
    frame = pd.DataFrame(ran, columns=["stage", "ms"]).astype({"ms": "float64"})
    frame.insert(1, "start_ms", frame["ms"].cumsum() - frame["ms"])
    frame["share"] = frame["ms"] / timings.total if timings.total else 0.0
    return frame


def documents_table(records: Sequence[DocumentRecord], collections: Sequence[Collection] = ()) -> pd.DataFrame:
    """Return what is indexed, each document with the collections that it is in."""
    rows = [(r.document, r.pages, r.title, ", ".join(one.name for one in collections if r.document in one.documents),
             " ".join(r.notes), r.size_bytes, r.ingested_at) for r in records]  # fmt: skip
    return _whole(pd.DataFrame(rows, columns=[*DOCUMENTS]), "pages")


def _whole(frame: pd.DataFrame, *columns: str) -> pd.DataFrame:
    return frame.astype(dict.fromkeys(columns, "Int64"))


def confidence_histogram(frame: pd.DataFrame, *, bins: int = 20) -> pd.DataFrame:
    """Return how many questions have which confidence, by label: low, high, answerable, unanswerable and unlabelled.

    The frame has `confidence`, 0..1, and `answerable`: 1, 0 or NaN. The bins are of equal width; the last includes 1.
    """
    edges, known = np.linspace(0.0, 1.0, bins + 1), frame[frame["confidence"].notna()]
    label = known["answerable"]
    groups = {"answerable": label == 1, "unanswerable": label == 0, "unlabelled": label.isna()}
    counts = {name: np.histogram(known.loc[rows, "confidence"], edges)[0] for name, rows in groups.items()}
    return pd.DataFrame({"low": edges[:-1], "high": edges[1:], **counts})


def agreement_table(found: Sequence[AspectAgreement]) -> pd.DataFrame:
    """Return how far two labellers agree, a row for each aspect."""
    rows = [(ASPECTS[one.aspect], one.agreement.kappa, one.low, one.high, one.observed.value, one.agreement.items,
             one.requests) for one in found]  # fmt: skip
    return pd.DataFrame(rows, columns=[*AGREEMENT])


def alpha_table(found: Sequence[tuple[Aspect, Alpha]]) -> pd.DataFrame:
    """Return how far all labellers agree, a row for each aspect."""
    names = [*ALPHA]
    rows = [(ASPECTS[aspect], *(getattr(one, name) for name in names[1:])) for aspect, one in found]
    return pd.DataFrame(rows, columns=names).astype(dict.fromkeys(names[1:4], "float64"))


def disagreements_table(found: Sequence[Disagreement], questions: Mapping[str, str]) -> pd.DataFrame:
    """Return what two labellers differ on; `questions` by target, where they are known."""
    rows = [(questions.get(one.target, "–"), ASPECTS[one.aspect], one.first, one.second, one.settled or "open",
             one.item, one.target) for one in found]  # fmt: skip
    return pd.DataFrame(rows, columns=[*DISAGREEMENTS])
