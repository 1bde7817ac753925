"""What a gate does to labelled questions: how the gate in force did, beside a fit that is to take its place."""

from collections.abc import Sequence

from rag.confidence.calibrated import GateFit
from rag.confidence.signals import SIGNALS
from rag.evaluation.calibration import Counted
from rag.evaluation.intervals import bounded_rate, rate
from rag.evaluation.labelled import Labelled, names_of


def counted_by(fit: GateFit, rows: Sequence[Labelled], *, threshold: float | None = None) -> dict[str, Counted]:
    """Return a gate's coverage and false answers on labelled questions, by data set.

    Not out of fold: a gate that was fitted on some of these questions looks better than it is.

    Args:
        fit: The gate; its signals that were not computed for a question count as 0.
        rows: Labelled questions.
        threshold: What decides in place of the gate's own threshold.
    """
    limit = fit.threshold if threshold is None else threshold
    found = {}
    for name in sorted({row.dataset for row in rows}):
        yes, no = (
            [_confidence(fit, row) >= limit for row in rows if row.dataset == name and row.answerable is wanted]
            for wanted in (True, False)
        )
        found[name] = Counted(coverage=rate(sum(yes), len(yes)), false_answers=bounded_rate(sum(no), len(no)))
    return found


def _confidence(fit: GateFit, row: Labelled) -> float:
    """Return a question's confidence: the higher one where it leaves open which editions are meant."""
    return max(
        _of_signals(fit, signals) for signals in ((row.signals, row.otherwise) if row.otherwise else (row.signals,))
    )


def _of_signals(fit: GateFit, signals: Sequence[float]) -> float:
    names = names_of(len(signals) > len(SIGNALS))
    return fit.confidence(dict.fromkeys(fit.signals, 0.0) | dict(zip(names, signals, strict=True)))
