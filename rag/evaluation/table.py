"""The figures of a run as plain text, for a terminal."""

from collections.abc import Sequence

from rag.evaluation.datasets import NAMED
from rag.evaluation.intervals import BoundedRate, Estimate, Rate
from rag.evaluation.summary import Figures, Summary
from rag.text.counted import several

Row = tuple[str, str, str, str, str]
_HEAD: Row = ("figure", "value", "of", "95% interval", "one-sided")
_PARTS = (("hit@5", "coverage", "false answers"), ("right", "wrong", "unsure"))
"""The figures of each table by kind and by document."""
_LEGEND = "numerator/denominator and 95% interval"
_LONGEST = 24  # the most characters of the name of a part


def table(summary: Summary) -> str:
    """Return the whole table: what was asked, then each group, then the parts. Null figures are shown as `-`."""
    asked = several(summary.questions, "question")
    counts = f"{asked}: {summary.answerable} answerable, {summary.unanswerable} unanswerable"
    refused = ", ".join(f"{count} at {stage}" for stage, count in summary.refusals.items()) or "none"
    unsure = f" Unsure: {summary.unsure}." if summary.unsure else ""
    groups = {title: [_row(*figure) for figure in group.items()] for title, group in _groups(summary).items()}
    blocks = [
        f"{counts}. Refused: {refused}.{unsure}",
        _failed(summary),
        *(f"{title}\n{aligned([_HEAD, *rows])}" for title, rows in groups.items() if rows),
        _speed(summary),
        _parts("kind", summary.by_kind),
        _parts("document", summary.by_document),
        f"  {_LEGEND}" if summary.by_kind or summary.by_document else "",
    ]
    return "\n\n".join(block for block in blocks if block)


def _failed(summary: Summary) -> str:
    """Return how many files are not in the index, and the first of them with the reason; empty where all are."""
    failed = summary.ingestion.failed if summary.ingestion is not None else ()
    if not failed:
        return ""
    rest = len(failed) - NAMED
    more = [f"and {rest} more: `ingestion.failed` of --json has all"] if rest > 0 else []
    return "\n  ".join([f"{several(len(failed), 'file')} could not be ingested:", *failed[:NAMED], *more])


def _groups(summary: Summary) -> dict[str, dict[str, Rate | Estimate]]:
    of = summary.figures
    return {
        "Retrieval (answerable)": {name: one for name, one in of.retrieval.items() if one.denominator},
        "Gate": {
            "coverage": of.coverage,
            "false-answer rate": of.false_answer_rate,
            "AUROC of confidence": summary.auroc,
            "AURC": summary.aurc,
            **{f"coverage at {float(limit):.0%} false": one for limit, one in summary.coverage_at.items()},
        },
        "Use (answerable)": {**of.use},
        "Answers (answered and answerable)": {
            "answer contains gold": of.answer_contains_gold,
            "answer recall": of.answer_recall,
            "citation precision": of.citation_precision,
            "page accuracy": of.page_accuracy,
        },
        "Trust (everything shown)": {
            "unsupported sentences": of.unsupported_sentences,
            "excerpts not verbatim": of.excerpts_not_verbatim,
        },
    }


def _row(name: str, one: Rate | Estimate) -> Row:
    bound = one.upper_bound if isinstance(one, BoundedRate) else None
    return (
        name,
        "-" if one.value is None else f"{one.value:.4f}",
        f"{one.numerator:.6g} / {one.denominator}" if isinstance(one, Rate) else f"{one.count}",
        "-" if one.low is None or one.high is None else f"{one.low:.4f} .. {one.high:.4f}",
        "" if bound is None else f"at most {bound:.4f}",
    )


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of text in columns: the first to the left, the others to the right.

    >>> print(aligned([("a", "bb"), ("ccc", "d")]))
      a    bb
      ccc   d
    """
    first, *others = (max(map(len, column)) for column in zip(*rows, strict=True))
    lines = ([row[0].ljust(first), *map(str.rjust, row[1:], others)] for row in rows)
    return "\n".join(f"  {'  '.join(cells)}".rstrip() for cells in lines)


def _speed(summary: Summary) -> str:
    rows = [("stage, ms", "p50", "p95", "p99", "questions")]
    for stage, one in summary.speed.items():
        if one.count:
            rows.append((stage, f"{one.p50:.1f}", f"{one.p95:.1f}", f"{one.p99:.1f}", f"{one.count}"))
    text, took = f"Speed\n{aligned(rows)}", summary.ingestion
    if took is not None and took.chunks_per_second is not None:
        made = f"{several(took.chunks, 'chunk')} of {several(took.documents, 'document')} in {took.seconds:.1f} s"
        text += f"\n  ingestion: {made}, {took.chunks_per_second:.1f} chunks a second"
    return text


def _parts(of: str, parts: dict[str, Figures]) -> str:
    """Return two tables of the main figures per part, three figures each: together they are wider than a terminal."""
    tables: list[list[tuple[str, ...]]] = [[(f"by {of}", "questions", *names)] for names in _PARTS]
    for name, one in parts.items():
        cut = name if len(name) <= _LONGEST else f"{name[: _LONGEST // 2 - 1]}..{name[1 - _LONGEST // 2 :]}"
        found = (one.retrieval["hit@5"], one.coverage, one.false_answer_rate)
        used = [one.use[name] for name in _PARTS[1]]
        for rows, figures in zip(tables, (found, used), strict=True):
            rows.append((cut, str(one.questions), *map(_short, figures)))
    return "\n\n".join(map(aligned, tables)) if parts else ""


def _short(one: Rate) -> str:
    """Return a share as `11/12 0.65-0.99`: what was counted, of how many, and the interval; `-` over nothing."""
    if one.low is None or one.high is None:
        return "-"
    return f"{one.numerator:.0f}/{one.denominator} {one.low:.2f}-{one.high:.2f}"
