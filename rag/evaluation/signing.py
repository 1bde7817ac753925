"""One page to print and sign: what decides, how good it is, who changed what and why. HTML that needs nothing else."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING

from rag.confidence.calibrated import Calibrated
from rag.evaluation.intervals import BoundedRate, Rate
from rag.evaluation.runs import Run
from rag.process.product import product_version
from rag.settings import settings_fingerprint
from rag.whatif.history import ESTIMATORS, history_rows, in_digits
from rag.workspace.values import Promotion

if TYPE_CHECKING:
    from rag.candor import Candor

COLUMNS = ("No.", "State", "Changed", "Why", "Who", "When", "Undone", "Undone by")  # what is printed of the history
_STYLE = """
body { font: 10.5pt/1.45 system-ui, sans-serif; color: #14262b; background: #fff; max-width: 46rem; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 18pt; margin: 0 0 .2rem; } h2 { font-size: 12pt; margin: 1.3rem 0 .3rem; }
table { border-collapse: collapse; width: 100%; font-size: 9.5pt; }
th, td { text-align: left; vertical-align: top; padding: .25rem .5rem .25rem 0; border-bottom: 1px solid #cfd9db; }
th { font-weight: 600; } td + td, th + th { padding-left: .5rem; } p { margin: .3rem 0; } .small { color: #46595e; }
.sign { margin-top: 2.2rem; display: flex; gap: 2rem; }
.sign span { flex: 1; border-top: 1px solid; padding-top: .2rem; }
@media print { body { margin: 0; max-width: none; } tr { break-inside: avoid; } @page { margin: 16mm; } }
"""
_OF_BEFORE = "This run was asked with other settings or another gate: its figures are not those of today. Run it again."


def report_page(candor: "Candor", history: Sequence[Promotion], run: Run | None, *, called: str = "") -> str:
    """Return the page as HTML: no script, nothing from elsewhere, A4 when it is printed."""
    when = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    parts = [
        f"<h1>How Candor answers here</h1><p class=small>Written {when} by Candor {escape(product_version())}.</p>",
        "<h2>What decides</h2>",
        _table(("Setting", "Value"), _deciding(candor)),
        *_figures(run, called, candor),
        "<h2>Who changed what, and why</h2>",
        _table(COLUMNS, ([str(row[name]) for name in COLUMNS] for row in history_rows(history)))
        if history
        else "<p>Nothing was promoted: the settings are those of the environment.</p>",
        "<div class=sign><span>Date, name</span><span>Signature</span></div>",
    ]
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>How Candor answers here, {when}</title>'
        f"<style>{_STYLE}</style></head><body>\n{body}\n</body></html>\n"
    )


def is_of_now(run: Run, candor: "Candor") -> bool:
    """Return whether a run was asked with the settings and the gate that decide now."""
    own = candor.wiring.estimators[candor.settings.estimator].fingerprint
    made = run.fingerprints
    return made is not None and (made.settings, made.gate) == (settings_fingerprint(candor.settings), own)


def to_show(runs: Mapping[str, Run], candor: "Candor") -> str:
    """Return the name of the run to show, of those given, the latest first: one of now, else any; or nothing."""
    return next((name for name, run in runs.items() if is_of_now(run, candor)), next(iter(runs), ""))


def _deciding(candor: "Candor") -> Iterator[tuple[str, str]]:
    settings, wiring = candor.settings, candor.wiring
    own = wiring.estimators[settings.estimator]
    threshold = own.threshold if settings.confidence_threshold is None else settings.confidence_threshold
    unsure = own.unsure_threshold if settings.unsure_threshold is None else settings.unsure_threshold
    whose = {True: " (the estimator's own)", False: " (as set)"}
    yield "Estimator of confidence", f"{ESTIMATORS.get(settings.estimator, settings.estimator)} ({own.fingerprint})"
    yield "Answered from", in_digits(threshold) + whose[settings.confidence_threshold is None]
    if own.unsure_threshold is not None and unsure is not None:
        yield "Unsure from", in_digits(min(unsure, threshold)) + whose[settings.unsure_threshold is None]
    if isinstance(own, Calibrated):
        yield "Said of these thresholds", own.fit.guarantee or "Nothing is proven."
        yield "Fitted on", "; ".join(own.fit.fitted_on) or "not known"
    yield "Reader", wiring.reader_name
    yield "Embedding", wiring.embedder.fingerprint
    yield "Passages", f"{settings.top_k}, similarity from {settings.similarity_threshold:.2f} on"
    yield "Documents", f"{len(candor.documents())}, {wiring.catalogue.chunk_count()} chunks"


def _figures(run: Run | None, called: str, candor: "Candor") -> list[str]:
    """Return the figures of a run, each with what it was counted from and how far it may be off."""
    if run is None or run.summary is None:
        return ["<h2>How good it is</h2><p>Nothing was measured: there is no evaluation run.</p>"]
    of = run.summary.figures
    rates: dict[str, Rate] = {
        "Answerable questions that are answered": of.coverage,
        "Unanswerable questions that get an answer": of.false_answer_rate,
        **{f"Answerable questions: {name}": of.use[name] for name in ("right", "wrong", "unsure")},
        "A passage that answers is among the first five": of.retrieval["hit@5"],
        "Citations of a passage that answers": of.citation_precision,
        "Sentences that no source supports": of.unsupported_sentences,
        "Excerpts that are not word for word": of.excerpts_not_verbatim,
    }
    asked = f"{run.started_at:%Y-%m-%d}, data set {run.dataset}, {run.summary.questions} questions"
    return [
        "<h2>How good it is</h2>",
        f"<p>Run {escape(called or run.dataset)} of {escape(asked)}. Shares with their 95% intervals; of what must "
        "stay low the bound that holds with 95% confidence.</p>",
        "" if is_of_now(run, candor) else f"<p><strong>{_OF_BEFORE}</strong></p>",
        _table(("Figure", "Share", "Counted", "95%"), [_row(*one) for one in rates.items() if one[1].denominator]),
        f"<p class=small>Gate of the run: {escape(run.fingerprints.gate if run.fingerprints else 'not known')}.</p>",
    ]


def _row(name: str, one: Rate) -> tuple[str, str, str, str]:
    bound = one.upper_bound if isinstance(one, BoundedRate) else None
    low, high = one.low or 0.0, one.high or 0.0
    between = f"at most {bound:.1%}" if bound is not None else f"{low:.1%} to {high:.1%}"
    return name, f"{one.value or 0.0:.1%}", f"{one.numerator:g} of {one.denominator}", between


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    heads = "".join(f"<th>{escape(name)}</th>" for name in head)
    lines = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>\n" for row in rows)
    return f"<table><tr>{heads}</tr>\n{lines}</table>"
