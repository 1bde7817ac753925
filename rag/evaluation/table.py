"""The figures of a run as plain text, for a terminal."""

from collections.abc import Iterator, Sequence

from rag.evaluation.datasets import NAMED
from rag.evaluation.intervals import BoundedRate, Estimate, Rate
from rag.evaluation.summary import Figures, Summary
from rag.language.counted import several

Row = tuple[str, str, str, str, str]
_HEAD: Row = ("figure", "value", "of", "95% interval", "one-sided")
_PARTS = (("hit@5", "coverage", "false answers"), ("right", "wrong", "unsure"))
"""The figures of each table by kind and by document."""
_LEGEND = "numerator/denominator and 95% interval"
_LONGEST = 24
"""The most characters of the name of a part."""


def table(summary: Summary) -> str:
    """Return the whole table: what was asked, then each group, then the parts. Null figures are shown as `-`."""
    asked = several(summary.questions, "question")
    counts = f"{asked}: {summary.answerable} answerable, {summary.unanswerable} unanswerable"
    refused = ", ".join(f"{count} at {stage}" for stage, count in summary.refusals.items()) or "none"
    unsure = f" Unsure: {summary.unsure}." if summary.unsure else ""
    blocks = [
        f"{counts}. Refused: {refused}.{unsure}",
        _failed(summary),
        *(_block(title, rows) for title, rows in _groups(summary)),
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
    head = f"{several(len(failed), 'file')} could not be ingested, so nothing is found in them:"
    return "\n  ".join([head.replace("in them", "in it") if len(failed) == 1 else head, *failed[:NAMED], *more])


def _groups(summary: Summary) -> Iterator[tuple[str, list[Row]]]:
    """Yield title and rows of each group of figures."""
    all_of = summary.figures
    yield "Retrieval (answerable)", [_rate_row(name, one) for name, one in all_of.retrieval.items() if one.denominator]
    yield (
        "Gate",
        [
            _rate_row("coverage", all_of.coverage),
            _rate_row("false-answer rate", all_of.false_answer_rate),
            _estimate_row("AUROC of confidence", summary.auroc),
            _estimate_row("AURC", summary.aurc),
            *(_rate_row(f"coverage at {float(x):.0%} false", one) for x, one in summary.coverage_at.items()),
        ],
    )
    yield "Use (answerable)", [_rate_row(name, one) for name, one in all_of.use.items()]
    yield (
        "Answers (answered and answerable)",
        [
            _rate_row("answer contains gold", all_of.answer_contains_gold),
            _rate_row("answer recall", all_of.answer_recall),
            _rate_row("citation precision", all_of.citation_precision),
            _rate_row("page accuracy", all_of.page_accuracy),
        ],
    )
    yield (
        "Trust (everything shown)",
        [
            _rate_row("unsupported sentences", all_of.unsupported_sentences),
            _rate_row("excerpts not verbatim", all_of.excerpts_not_verbatim),
        ],
    )


def _rate_row(name: str, one: Rate) -> Row:
    bound = one.upper_bound if isinstance(one, BoundedRate) else None
    held = f"at most {bound:.4f}" if bound is not None else ""
    counted = f"{one.numerator:.6g} / {one.denominator}"
    return name, _number(one.value), counted, _interval(one.low, one.high), held


def _estimate_row(name: str, one: Estimate) -> Row:
    return name, _number(one.value), f"{one.count}", _interval(one.low, one.high), ""


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _interval(low: float | None, high: float | None) -> str:
    return "-" if low is None or high is None else f"{low:.4f} .. {high:.4f}"


def _block(title: str, rows: Sequence[Row]) -> str:
    """Return a titled block with aligned columns; nothing where there are no rows."""
    return f"{title}\n{aligned([_HEAD, *rows])}" if rows else ""


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of text in columns: the first to the left, the others to the right.

    >>> print(aligned([("a", "bb"), ("ccc", "d")]))
      a    bb
      ccc   d
    """
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        lines.append(("  " + "  ".join(cells)).rstrip())
    return "\n".join(lines)


def _speed(summary: Summary) -> str:
    rows = [("stage, ms", "p50", "p95", "p99", "questions")]
    for stage, one in summary.speed.items():
        if one.count:
            rows.append((stage, f"{one.p50:.1f}", f"{one.p95:.1f}", f"{one.p99:.1f}", f"{one.count}"))
    text = f"Speed\n{aligned(rows)}"
    if summary.ingestion is not None and summary.chunks_per_second is not None:
        took = summary.ingestion
        made = f"{several(took.chunks, 'chunk')} of {several(took.documents, 'document')}"
        text += f"\n  ingestion: {made} in {took.seconds:.1f} s, "
        text += f"{summary.chunks_per_second:.1f} chunks a second"
    return text


def _parts(of: str, parts: dict[str, Figures]) -> str:
    """Return two tables of the main figures per part, three figures each: together they are wider than a terminal."""
    if not parts:
        return ""
    found = [aligned([(f"by {of}", "questions", *names), *_part_rows(names, parts)]) for names in _PARTS]
    return "\n\n".join(found)


def _part_rows(names: Sequence[str], parts: dict[str, Figures]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each part: its name, its questions, and the figures of these names."""
    for part, one in parts.items():
        shown = {
            "hit@5": _short(one.retrieval["hit@5"]),
            "coverage": _short(one.coverage),
            "false answers": _short(one.false_answer_rate),
            **{name: _short(one.use[name]) if name in one.use else "-" for name in ("right", "wrong", "unsure")},
        }
        yield _cut(part), str(one.questions), *(shown[name] for name in names)


def _short(one: Rate) -> str:
    """Return a share as `11/12 0.65-0.99`: what was counted, of how many, and the interval."""
    return "-" if one.value is None else f"{one.numerator:.0f}/{one.denominator}{_ends(one)}"


def _ends(one: Rate) -> str:
    return "" if one.low is None or one.high is None else f" {one.low:.2f}-{one.high:.2f}"


def _cut(name: str) -> str:
    """Return a name that fits its column, with both of its ends."""
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST // 2 - 1]}..{name[1 - _LONGEST // 2 :]}"
