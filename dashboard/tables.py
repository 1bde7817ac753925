"""Values -> the tables that pages draw, as `dashboard.columns` names, orders and formats their columns."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from dashboard import columns
from dashboard.words import ASPECTS, INPUTS
from rag.confidence.signals import SIGNALS
from rag.evaluation.agreement import Alpha, AspectAgreement, Disagreement
from rag.evaluation.changed import WRONG, problem
from rag.evaluation.intervals import BoundedRate, Rate
from rag.evaluation.lines import EvaluationLine
from rag.evaluation.scores import QuestionScore
from rag.evaluation.summary import Figures, Summary
from rag.models import Answer, DocumentRecord, GateDecision, RetrievedChunk, Timings
from rag.workspace.values import Aspect, Collection

STAGES = ("validate", "embed", "retrieve", "read", "gate", "prompt", "generate", "ground")


def frame(named: Mapping[str, Any], rows: Iterable[Sequence[object]]) -> pd.DataFrame:
    """Return rows as a table; numbers are whole where their column has no format, and may be missing."""
    kinds = {name: column.get("type_config") or {} for name, column in named.items()}
    types = {name: "float64" if kind.get("format") else "Int64" for name, kind in kinds.items()
             if kind.get("type") in ("number", "progress")}  # fmt: skip
    return pd.DataFrame([*rows], columns=[*named]).astype(types)


def values_of(named: Mapping[str, Any], found: Iterable[object]) -> pd.DataFrame:
    """Return a table whose columns are attributes of values."""
    return frame(named, [tuple(getattr(one, name) for name in named) for one in found])


def hits_table(answer: Answer) -> pd.DataFrame:
    """Return the retrieved chunks of an answer with every score, best first; the answer may rest on what is `used`."""
    cited = {citation.chunk_id for citation in answer.citations}
    was_read = any(chunk.reading is not None for chunk in answer.retrieved)
    rows = []
    for position, chunk in enumerate(answer.retrieved, 1):
        row = scores(chunk) | {
            "retrieval_rank": chunk.retrieval_rank if was_read else chunk.rank,  # else nothing moved it
            "used": position <= answer.query.top_k and chunk.similarity_score >= answer.query.similarity_threshold,
            "cited": chunk.chunk_id in cited,
        }
        rows.append([row[name] for name in columns.HITS])
    return frame(columns.HITS, rows)


def scores(chunk: RetrievedChunk) -> dict[str, object]:  # a row of a table, not data handed on
    """Return a retrieved chunk as a row with every score."""
    names = ("rank", "retrieval_rank", "document", "page", "section", "reading", "dense_rank", "bm25_rank")
    return {**{name: getattr(chunk, name) for name in names}, "similarity": chunk.similarity_score,
            "bm25": chunk.bm25_score, "fused": chunk.fused_score, "text": " ".join(chunk.content.split())}  # fmt: skip


def inputs_table(gate: GateDecision) -> pd.DataFrame:
    """Return what the estimators read from the passages, as text; what decided stands first and is said to have."""
    decided = SIGNALS if gate.estimator == "calibrated" else (gate.estimator,)
    rows = [("yes" if name in decided else "no", f"{value:.3f}", *INPUTS.get(name, (name.replace("_", " "), "")))
            for name, value in gate.inputs.items()]  # fmt: skip
    names = ["Decided", "Value", "What was read", "What it means"]
    return pd.DataFrame(sorted(rows, key=lambda row: str(row[0]), reverse=True), columns=names)


def timings_table(timings: Timings) -> pd.DataFrame:
    """Return the stages that ran, in order: stage, start_ms, ms and share of the total."""
    rows, start = [], 0.0
    for stage in STAGES:
        if (ms := getattr(timings, "validate_" if stage == "validate" else stage)) is not None:
            rows.append((stage, start, ms, ms / timings.total if timings.total else 0.0))
            start += ms
    return frame(columns.TIMINGS, rows)


def documents_table(records: Sequence[DocumentRecord], collections: Sequence[Collection] = ()) -> pd.DataFrame:
    """Return what is indexed, each document with its collections; columns with nothing in them are left out."""
    rows = [(r.document, r.pages, r.title, ", ".join(one.name for one in collections if r.document in one.documents),
             " ".join(r.notes), r.size_bytes, r.ingested_at) for r in records]  # fmt: skip
    table = frame(columns.DOCUMENTS, rows)
    return table.drop(columns=[name for name in ("pages", "title", "collections", "note") if not table[name].any()])


def confidence_histogram(questions: pd.DataFrame, *, bins: int = 20) -> pd.DataFrame:
    """Return how many questions have which confidence, by label: low, high, answerable, unanswerable and unlabelled.

    The frame has `confidence`, 0..1, and `answerable`: 1, 0 or NaN. The bins are of equal width; the last includes 1.
    """
    edges, known = np.linspace(0.0, 1.0, bins + 1), questions[questions["confidence"].notna()]
    label = known["answerable"]
    groups = {"answerable": label == 1, "unanswerable": label == 0, "unlabelled": label.isna()}
    counts = {name: np.histogram(known.loc[rows, "confidence"], edges)[0] for name, rows in groups.items()}
    return pd.DataFrame({"low": edges[:-1], "high": edges[1:], **counts})


def agreement_table(found: Sequence[AspectAgreement]) -> pd.DataFrame:
    """Return how far two labellers agree, a row for each aspect."""
    rows = [(ASPECTS[one.aspect], one.agreement.kappa, one.low, one.high, one.observed.value, one.agreement.items,
             one.requests) for one in found]  # fmt: skip
    return frame(columns.AGREEMENT, rows)


def alpha_table(found: Sequence[tuple[Aspect, Alpha]]) -> pd.DataFrame:
    """Return how far all labellers agree, a row for each aspect."""
    names = [*columns.ALPHA][1:]
    return frame(columns.ALPHA, [(ASPECTS[aspect], *(getattr(one, name) for name in names)) for aspect, one in found])


def disagreements_table(found: Sequence[Disagreement], questions: Mapping[str, str]) -> pd.DataFrame:
    """Return what two labellers differ on; `questions` by target, where they are known."""
    rows = [(questions.get(one.target, "–"), ASPECTS[one.aspect], one.first, one.second, one.settled or "open",
             one.item, one.target) for one in found]  # fmt: skip
    return frame(columns.DISAGREEMENTS, rows)


def figures_table(summary: Summary) -> pd.DataFrame:
    """Return every figure with numerator, denominator and 95% interval; those over nothing are left out."""
    of = summary.figures
    rows = [
        *_rates("Retrieval", of.retrieval),
        *_rates("Gate", {"coverage": of.coverage, "false-answer rate": of.false_answer_rate}),
        *(("Gate", name, one.value, None, one.count, one.low, one.high, None)
          for name, one in (("AUROC of confidence", summary.auroc), ("AURC", summary.aurc))),
        *_rates("Gate", {f"coverage at {float(at):.0%} false answers": one for at, one in summary.coverage_at.items()}),
        *_rates("Use", of.use),
        *_rates("Answers", {"answer contains gold": of.answer_contains_gold, "answer recall": of.answer_recall,
                            "citation precision": of.citation_precision, "page accuracy": of.page_accuracy}),
        *_rates("Trust", {"unsupported sentences": of.unsupported_sentences,
                          "excerpts not verbatim": of.excerpts_not_verbatim}),
    ]  # fmt: skip
    known = [row for row in rows if row[2] is not None]
    return frame(columns.FIGURES, known)


def _rates(group: str, rates: Mapping[str, Rate]) -> Iterator[tuple[object, ...]]:
    for name, one in rates.items():
        bound = one.upper_bound if isinstance(one, BoundedRate) else None
        yield group, name, one.value, one.numerator, one.denominator, one.low, one.high, bound


def parts_table(parts: Mapping[str, Figures]) -> pd.DataFrame:
    """Return the main figures per kind or per document, each share with its counts and interval."""
    rows = [
        (name, one.questions, *_share(one.coverage), *_share(one.false_answer_rate), *_share(one.retrieval["hit@5"]),
         one.retrieval["MRR@10"].value, *_share(one.answer_contains_gold), *_share(one.citation_precision))
        for name, one in parts.items()
    ]  # fmt: skip
    return frame(columns.PARTS, rows)


def _share(one: Rate) -> tuple[float | None, str | None]:
    """Return a rate, and what it was counted from with its 95% interval; None over nothing."""
    if one.low is None or one.high is None:
        return one.value, None
    return one.value, f"{one.numerator:g} of {one.denominator}; {one.low:.0%} to {one.high:.0%}"


def speed_table(summary: Summary) -> pd.DataFrame:
    """Return p50, p95 and p99 of each stage that ran."""
    rows = [(stage, one.count, one.p50, one.p95, one.p99) for stage, one in summary.speed.items() if one.count]
    return frame(columns.some(columns.LATENCY, "stage", "requests", "p50_ms", "p95_ms", "p99_ms"), rows)


def worst_cases(scores: Sequence[QuestionScore], lines: Sequence[EvaluationLine]) -> pd.DataFrame:
    """Return what went wrong, worst first: as `WRONG` is ordered, then by confidence.

    False answers and what does not hold begin with the most confident, the others with the least.
    """
    asked = {line.qid: line for line in lines}
    found = [(wrong, score) for score in scores if (wrong := problem(score)) is not None and score.qid in asked]
    found.sort(key=lambda pair: (pair[0], -pair[1].confidence if pair[0] < 3 else pair[1].confidence))
    rows = [(WRONG[wrong], asked[score.qid].question, score.confidence, score.refusal_stage, score.kind, score.qid,
             asked[score.qid].answer)
            for wrong, score in found]  # fmt: skip
    return frame(columns.WORST, rows)


def lines_table(lines: Sequence[EvaluationLine]) -> pd.DataFrame:
    """Return a row for each question, for export."""
    names = ["qid", "question", "answerable", "kind", "decision", "refusal_stage", "confidence", "answer"]
    rows = [(*(getattr(line, name) for name in names), "; ".join(one.document for one in line.citations),
             line.timings_ms.total) for line in lines]  # fmt: skip
    return pd.DataFrame(rows, columns=[*names, "documents", "total_ms"])
