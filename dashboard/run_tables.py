"""Evaluation runs -> the tables that Evaluate draws and exports."""

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from dashboard.columns import DIFFERENCES, FIGURES, PARTS, WORST
from dashboard.words import estimator, several
from rag.evaluation.changed import WRONG, Changed, problem
from rag.evaluation.compare import Comparison
from rag.evaluation.intervals import BoundedRate, Rate
from rag.evaluation.lines import EvaluationLine
from rag.evaluation.runs import Run
from rag.evaluation.scores import QuestionScore
from rag.evaluation.summary import Figures, Summary
from rag.models import Answer
from rag.whatif.history import SETTINGS

_OF_QUERY = {"top_k", "similarity_threshold", "max_tokens", "temperature", "seed"}
"""The settings that a query holds and that nothing else of its answer overrides."""


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
    frame = pd.DataFrame(rows, columns=[*FIGURES])
    return frame[frame["value"].notna()].reset_index(drop=True)


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
    return pd.DataFrame(rows, columns=[*PARTS])


def _share(one: Rate) -> tuple[float | None, str | None]:
    """Return a rate, and what it was counted from with its 95% interval; None over nothing.

    >>> from rag.evaluation.intervals import rate
    >>> _share(rate(1, 2)), _share(rate(0, 0))
    ((0.5, '1 of 2; 9% to 91%'), (None, None))
    """
    if one.low is None or one.high is None:
        return one.value, None
    return one.value, f"{one.numerator:g} of {one.denominator}; {one.low:.0%} to {one.high:.0%}"


def speed_table(summary: Summary) -> pd.DataFrame:
    """Return p50, p95 and p99 of each stage that ran."""
    rows = [(stage, one.count, one.p50, one.p95, one.p99) for stage, one in summary.speed.items() if one.count]
    return pd.DataFrame(rows, columns=["stage", "requests", "p50_ms", "p95_ms", "p99_ms"])


def worst_cases(scores: Sequence[QuestionScore], lines: Sequence[EvaluationLine]) -> pd.DataFrame:
    """Return what went wrong, worst first: as `WRONG` is ordered, then by confidence.

    False answers and what does not hold begin with the most confident, the others with the least.
    """
    asked = {line.qid: line for line in lines}
    found = [(wrong, score) for score in scores if (wrong := problem(score)) is not None and score.qid in asked]
    found.sort(key=lambda pair: (pair[0], -pair[1].confidence if pair[0] < 3 else pair[1].confidence))
    rows = [
        (WRONG[wrong], asked[score.qid].question, score.confidence, score.refusal_stage, score.kind, score.qid,
         asked[score.qid].answer)
        for wrong, score in found
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=[*WORST])


def lines_table(lines: Sequence[EvaluationLine]) -> pd.DataFrame:
    """Return a row for each question, for export."""
    rows = [
        (line.qid, line.question, line.answerable, line.kind, line.decision, line.refusal_stage, line.confidence,
         line.answer, "; ".join(citation.document for citation in line.citations), line.timings_ms.total)
        for line in lines
    ]  # fmt: skip
    names = ["qid", "question", "answerable", "kind", "decision", "refusal_stage", "confidence", "answer", "documents",
             "total_ms"]  # fmt: skip
    return pd.DataFrame(rows, columns=names)


def differences_table(comparison: Comparison) -> pd.DataFrame:
    """Return the figures of two runs side by side with their paired intervals."""
    rows = [tuple(getattr(one, name) for name in DIFFERENCES) for one in comparison.differences]
    return pd.DataFrame(rows, columns=[*DIFFERENCES])


def proven(comparison: Comparison) -> str:
    """Return the figures that are proven to have changed, in words; empty where none is."""
    found = [f"{one.figure} {one.verdict}" for one in comparison.differences
             if one.verdict in ("improved", "regressed")]  # fmt: skip
    return f"over {several(comparison.paired, 'question')} it is proven that {', '.join(found)}." if found else ""


def changed_table(changed: Sequence[Changed]) -> pd.DataFrame:
    """Return the questions that ended differently in two runs."""
    names = ["change", "question", "before", "after", "confidence_before", "confidence_after", "rank_before",
             "rank_after", "kind", "qid"]  # fmt: skip
    frame = pd.DataFrame([tuple(getattr(one, name) for name in names) for one in changed], columns=names)
    return frame.astype({"rank_before": "Int64", "rank_after": "Int64"})


def changed_parts(before: Run, after: Run, *, answers: tuple[Answer | None, Answer | None] = (None, None)) -> list[str]:
    """Return the parts in which two runs depend on something different, as words; settings with both values.

    `answers` are a whole one of each, which holds what it was asked with; None where a run holds none.
    """
    if before.fingerprints is None or after.fingerprints is None:
        return []
    old, new = before.fingerprints.model_dump(), after.fingerprints.model_dump()
    old["prompt"], new["prompt"] = _prompt(old["prompt"], answers[0]), _prompt(new["prompt"], answers[1])
    parts = [name for name in old if old[name] != new[name] and None not in (old[name], new[name])]
    if "settings" in parts:
        named = _changed_settings(_settings(before, answers[0]), _settings(after, answers[1]))
        place = parts.index("settings")
        parts[place : place + 1] = named or ["settings that the runs do not hold by name"]
    return parts


def _prompt(named: str, answer: Answer | None) -> str | None:
    """Return the prompt's fingerprint, empty where answers are quoted; a run takes it from its first question."""
    return named or (answer.fingerprints.prompt if answer is not None and answer.answer is not None else None)


def _settings(run: Run, answer: Answer | None) -> dict[str, object]:  # names and values as words, not data handed on
    values: dict[str, object] = {} if run.dense_weight is None else {"dense_weight": run.dense_weight}
    if answer is None:
        return values
    values |= answer.query.model_dump(include={*_OF_QUERY, "confidence_threshold", "estimator"})
    if answer.gate is not None:
        values |= {"confidence_threshold": round(answer.gate.threshold, 4), "estimator": answer.gate.estimator}
    return values | ({"model": answer.generator.model} if answer.generator.model else {})


def _changed_settings(old: Mapping[str, object], new: Mapping[str, object]) -> list[str]:
    """Return what differs between the settings that both hold.

    >>> _changed_settings({"top_k": 5, "seed": None, "model": "a"}, {"top_k": 3, "seed": 1})
    ['passages 5 → 3', 'seed none → 1']
    """
    return [f"{SETTINGS.get(name, name.replace('_', ' '))} {_value(name, value)} → {_value(name, new[name])}"
            for name, value in old.items() if name in new and value != new[name]]  # fmt: skip


def _value(name: str, value: object) -> str:
    if value is None:
        return "the estimator's own" if name == "confidence_threshold" else "none"
    return estimator(str(value)) if name == "estimator" else str(value)
