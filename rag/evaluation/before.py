"""What a gate does to labelled questions: how the gate in force did, beside a fit that is to take its place."""

from collections.abc import Sequence

from rag.confidence.calibrated import GateFit
from rag.confidence.signals import SIGNALS
from rag.evaluation.calibration import Counted, counted
from rag.evaluation.labelled import Labelled


def counted_by(fit: GateFit, rows: Sequence[Labelled], *, threshold: float | None = None) -> dict[str, Counted]:
    """Return what a gate does to labelled questions, by data set.

    Not out of fold: a gate that was fitted on some of these questions looks better than it is.

    Args:
        fit: The gate.
        rows: Labelled questions.
        threshold: What decides in place of the gate's own threshold.
    """
    limit = fit.threshold if threshold is None else threshold
    found = {}
    for name in sorted({row.dataset for row in rows}):
        yes, no = (
            [_confidence(fit, row) for row in rows if row.dataset == name and row.answerable is wanted]
            for wanted in (True, False)
        )
        found[name] = counted(yes, no, threshold=limit, unsure_threshold=min(fit.unsure_threshold, limit))
    return found


def _confidence(fit: GateFit, row: Labelled) -> float:
    """Return a question's confidence: the higher one where it leaves open which editions are meant."""
    return max(
        fit.confidence(dict(zip(SIGNALS, values, strict=True)))
        for values in (row.signals, row.otherwise or row.signals)
    )
